package stateupdate

import (
	"math"
	"time"

	"github.com/bcwire/bcwire/objectid"
)

// Cadence computes how often the unmodified game sends StateUpdates from one peer to another.
// It is optional: ten updates a second to everybody are legal, too. A Cadence has no clock
// and remembers nothing; change its fields when the match changes. The zero value is that of
// a client without modems.
//
// A client sends only its own ship, to the host. The host sends each player every object of
// the set (star system) in which the player's ship is, and nothing to a player without a
// ship. The base interval depends on the modems and on the number of players:
//
//	sender          its modem  other's modem  players            interval
//	client          no         no             any                0.1 s
//	client          yes        no             1-4, 5 and more    0.1, 0.125 s
//	client          any        yes            1-2, 3, 4 and more 0.1, 0.167, 0.25 s
//	host            no         no             any                0.1 s
//	host            no         yes            1-4, 5 and more    0.1, 0.125 s
//	dedicated host  yes        any            1, 2, 3 and more   0.1, 0.167, 0.5 s
//	playing host    yes        any            1-2, 3, 4 and more 0.1, 0.167, 0.5 s
//
// The host multiplies it by 1, 2 or 5 for distant objects, or sends them once a second; see
// Distances. The receiver's own ship and its target always have the base interval.
//
// Evidence: documented (B): the engine's code of the sender. The distances and ModemFactor
// are open: the published code does not contain these constants.
type Cadence struct {
	Host      bool // the sender is the host, not a client
	Dedicated bool // the host has no player
	// Modem reports that the sender is on a modem: the Modem of the client's
	// NewPlayerInGame, or the HostModem of the host's Settings.
	Modem bool
	// PeerModem reports that the receiver is on a modem.
	PeerModem bool
	// Players is the number of occupied player slots, that of a playing host included.
	Players int

	// Distances are the thresholds D0 to D3 between an object and the receiver's ship, in
	// game units. Without a host modem, the factor is 1 below D1, 2 below D2, 5 below D3, and
	// the interval is 1 s from D3 on. With a host modem, the factor is 1 below D0, 2 below
	// D1, and the interval is 1 s from D1 on. All zero, the default, means no dependence on
	// the distance: receivers get at least what the game sends them.
	Distances [4]float32
	// ModemFactor multiplies an interval of a host on a modem once more, up to 1 s, if the
	// base interval is above 0.1 s. Values below 1, such as the default 0, mean 1.
	ModemFactor float32
}

const (
	shortest = 100 * time.Millisecond
	longest  = time.Second
)

// Prepare sets the Role, Interval and OmitSubsystems of the encoder of an object for a
// receiver. It reports whether the game sends the receiver updates of the object. Target is
// the object ID of the receiver's current target, or [objectid.None]. A client, which
// sends its own ship only, passes nil as the receiver's ship.
func (c *Cadence) Prepare(e *Encoder, object, receiver *Ship, target objectid.ID) bool {
	switch {
	case !c.Host:
		e.Role, e.Interval, e.OmitSubsystems = Owner, c.base(), false
		return true
	case object == nil || receiver == nil || object.SetName != receiver.SetName:
		return false
	}
	own := object.ID == receiver.ID
	e.Role = HostToOther
	if own {
		e.Role = HostToOwner
	}
	e.Interval = c.Interval(distance(object, receiver), own || object.ID == target)
	e.OmitSubsystems = c.OmitsSubsystems()
	return true
}

// Interval returns the time between two updates of an object at a distance from the
// receiver's ship, in game units. An object is exempt from the distance if it is the
// receiver's own ship or its target.
func (c *Cadence) Interval(distance float32, exempt bool) time.Duration {
	base := c.base()
	if !c.Host || exempt {
		return base
	}
	interval := base * c.factor(distance)
	if f := float64(c.ModemFactor); c.Modem && base > shortest && f > 1 {
		interval = time.Duration(min(float64(interval)*f, float64(longest)))
	}
	return min(interval, longest)
}

// OmitsSubsystems reports whether the sender leaves the subsystems out of updates that are
// not forced. A host on a modem does so with more than one player, or more than two if it
// plays itself.
func (c *Cadence) OmitsSubsystems() bool {
	return c.Host && c.Modem && c.Players > c.alone()
}

// alone returns the number of players up to which a host on a modem does not slow down.
func (c *Cadence) alone() int {
	if c.Dedicated {
		return 1
	}
	return 2
}

// base returns the interval by modems and players.
func (c *Cadence) base() time.Duration {
	switch {
	case c.Host && c.Modem:
		return c.slow(c.alone(), 500*time.Millisecond)
	case !c.Host && c.PeerModem:
		return c.slow(2, 250*time.Millisecond)
	case (c.Modem || c.PeerModem) && c.Players > 4:
		return 125 * time.Millisecond
	}
	return shortest
}

// slow returns the shortest interval up to a number of players, 0.167 s with one more, and
// the most with any more.
func (c *Cadence) slow(players int, most time.Duration) time.Duration {
	switch {
	case c.Players <= players:
		return shortest
	case c.Players == players+1:
		return 167 * time.Millisecond
	}
	return most
}

// factor returns the factor of a distance. The largest one stands for the longest interval.
func (c *Cadence) factor(distance float32) time.Duration {
	near, next, far := c.Distances[1], c.Distances[2], c.Distances[3]
	if c.Modem {
		near, next, far = c.Distances[0], c.Distances[1], 0
	}
	switch {
	case c.Distances == [4]float32{} || distance < near:
		return 1
	case distance < next:
		return 2
	case distance < far:
		return 5
	}
	return longest / shortest
}

// distance returns the distance between two ships.
func distance(a, b *Ship) float32 {
	var sum float64
	for i := range a.Position {
		d := float64(a.Position[i]) - float64(b.Position[i])
		sum += float64(d * d) // float64: no multiplication fused with the addition
	}
	return float32(math.Sqrt(sum))
}
