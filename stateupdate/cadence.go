package stateupdate

import (
	"math"
	"time"

	"github.com/bcwire/bcwire/objectid"
)

// Cadence computes how often the stock game sends StateUpdates from one peer to another.
// Its use is optional. A Cadence has no clock and no state; change its fields when the match
// changes. The zero value is for a client without modems.
//
// A client sends updates about its own ship to the host. The host sends each player updates
// about all objects in the star system (set) of the player's ship. A player without a ship
// gets none. The base interval depends on the modems and the number of players:
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
// Evidence: documented (B), from the engine's code of the sender. The game's values of Distances
// and ModemFactor are unknown, because the published code does not contain these constants.
type Cadence struct {
	Host      bool // the sender is the host, not a client
	Dedicated bool // the host has no player
	// Modem means that the sender uses a modem: NewPlayerInGame.Modem of a client,
	// Settings.HostModem of a host.
	Modem     bool
	PeerModem bool // the receiver uses a modem
	// Players is the number of occupied player slots, including the slot of a playing host.
	Players int

	// Distances are thresholds D0 to D3, in game units from the receiver's ship. If the host
	// uses no modem, the interval is doubled from D1 on, five times as long from D2 on, and
	// 1 s from D3 on. If the host uses a modem, the interval is doubled from D0 on, and 1 s
	// from D1 on. The default, all zeros, means that the distance does not matter.
	Distances [4]float32
	// ModemFactor multiplies intervals of a host on a modem, up to 1 s, if the base interval
	// exceeds 0.1 s. It does not apply to the receiver's own ship and its target. Values below 1,
	// including the default 0, mean 1.
	ModemFactor float32
}

const (
	shortest = 100 * time.Millisecond
	longest  = time.Second
)

// Prepare sets the Role, Interval and OmitSubsystems of the encoder of an object for a receiver. It
// reports whether the game sends updates of the object to the receiver. The target is the ID of the
// receiver's target, or [objectid.None]. For a client, both ships may be nil.
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

// Interval returns the interval between updates of an object at a distance from the receiver's
// ship, in game units. If exempt is true, the distance does not matter. The receiver's own
// ship and target are exempt.
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

// OmitsSubsystems reports whether the sender omits the subsystems from updates that are not
// forced; see [Encoder]. A dedicated host on a modem omits them if there are two players or
// more. A playing host on a modem omits them if there are three or more.
func (c *Cadence) OmitsSubsystems() bool {
	return c.Host && c.Modem && c.Players > c.maxFast()
}

// maxFast returns the largest number of players for which a host on a modem keeps the shortest
// interval.
func (c *Cadence) maxFast() int {
	if c.Dedicated {
		return 1
	}
	return 2
}

// base returns the interval for the modems and players.
func (c *Cadence) base() time.Duration {
	switch {
	case c.Host && c.Modem:
		return c.slow(c.maxFast(), 500*time.Millisecond)
	case !c.Host && c.PeerModem:
		return c.slow(2, 250*time.Millisecond)
	case (c.Modem || c.PeerModem) && c.Players > 4:
		return 125 * time.Millisecond
	}
	return shortest
}

// slow returns the shortest interval for up to a number of players, 0.167 s for one player more,
// and slowest for all larger numbers.
func (c *Cadence) slow(players int, slowest time.Duration) time.Duration {
	switch {
	case c.Players <= players:
		return shortest
	case c.Players == players+1:
		return 167 * time.Millisecond
	}
	return slowest
}

// factor returns the factor of a distance. The largest factor gives the longest interval.
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

func distance(a, b *Ship) float32 {
	var sum float64
	for i := range a.Position {
		d := float64(a.Position[i]) - float64(b.Position[i])
		sum += float64(d * d) // the conversion prevents a fused multiply-add
	}
	return float32(math.Sqrt(sum))
}
