package match

import (
	"cmp"
	"fmt"
	"time"

	"github.com/bcwire/bcwire/stateupdate"
)

// cause is something that can cost a ship condition: a shot at it, a collision with it, or the wish of its player to
// destroy it.
type cause struct {
	kind   causeKind
	by     *Player // nil for none
	weapon string  // its name
	other  string  // name of the player, or of the object that it collided with
	at     time.Duration
	from   [3]float32 // place of the ship that has fired
	// The ships that have fired and that are shot at, or nil, until the host has passed on the shot.
	ship, struck *ship
}

type causeKind uint8

const (
	noCause causeKind = iota
	shot
	collision
	scuttle
	announced // the killer of the host's announcement
)

const (
	collisionTime   = time.Second      // the longest time from a collision, the wish to destroy the own ship, or a death to their effect
	shotTime        = 15 * time.Second // the longest time from a shot to the damage that it causes
	hitTime         = time.Minute      // the longest time from a shot to the kill that it causes
	ramTime         = 3 * time.Second  // the longest time from a collision to the kill that it causes, which may be late
	collisionWeapon = "collision"      // the weapon of a kill by a collision
)

// Removed is the reason of an [Explode] that is no death: the host removes the ship of a player who has left.
const Removed = "its player has left"

// String returns the reason of a Damage.
func (k causeKind) String() string {
	return [...]string{shot: "shot", collision: "collision", announced: "kill"}[k]
}

// land records a shot that the host has passed on.
func (c cause) land() {
	from, struck := c.ship, c.struck
	c.ship, c.struck = nil, nil
	if from != nil {
		from.fired = cause{weapon: c.weapon, at: c.at}
	}
	if struck != nil {
		struck.hit(c)
	}
}

// hit records what can cost a ship condition.
func (x *ship) hit(c cause) {
	x.causes[x.next] = c
	x.next = (x.next + 1) % len(x.causes)
}

// last returns the latest cause that fits, or nil.
func (x *ship) last(fits func(*cause) bool) *cause {
	for i := range x.causes {
		if c := &x.causes[(x.next+len(x.causes)-1-i)%len(x.causes)]; c.kind != noCause && fits(c) {
			return c
		}
	}
	return nil
}

// within reports whether the message that is followed came after a cause, by no more than a time. It can have waited, so
// that later causes are known already.
func (s *server) within(c *cause, most time.Duration) bool {
	age := s.m.seen - c.at
	return 0 <= age && age <= most
}

// names sets whom and what an event is caused by.
func (c *cause) names(e *Event) (who string) {
	if c.by == nil {
		return c.other
	}
	e.Other = c.by.PeerID
	return c.by.label()
}

// explains sets why a ship explodes without a killer, as far as the links show it.
func (s *server) explains(x *ship, suicide bool, e *Event) {
	recent := func(kind causeKind, limit time.Duration) *cause {
		return x.last(func(c *cause) bool {
			return c.kind == kind && s.within(c, limit) && (kind == scuttle || c.by != x.player)
		})
	}
	if x.player != nil && x.player.state.over() {
		e.Reason = Removed
		return
	}
	if suicide || recent(scuttle, collisionTime) != nil {
		e.Reason = "destroys itself"
		return
	}
	c := cmp.Or(recent(collision, collisionTime), recent(shot, shotTime))
	if c == nil {
		return
	}
	if c.kind == collision { // the host announces the player of a shot
		x.fate = *c
	}
	e.Target, e.Weapon = c.names(e), c.weapon
	switch {
	case c.kind == shot && e.Weapon == "":
		e.Reason = fmt.Sprintf("%.0f s after a shot of %s", (s.m.seen - c.at).Seconds(), e.Target)
	case c.kind == shot:
		e.Reason = fmt.Sprintf("%.0f s after %s of %s", (s.m.seen - c.at).Seconds(), e.Weapon, e.Target)
	case c.by != nil:
		e.Reason = "rammed by " + e.Target
	default:
		e.Reason = "collides with " + e.Target
	}
}

// blame sets who has caused damage: the announced killer, the partner of a collision, or the player of the last shot
// whose time and face fit. What a ship loses while it dies is nobody's, except the hull that the kill has cost.
func (s *server) blame(x *ship, tracked *stateupdate.Ship, part stateupdate.Part, face int, e *Event) {
	hull := part.Subsystem.Kind == stateupdate.KindHull
	var c *cause
	switch {
	case x.dead:
		if hull && s.m.seen-x.ended <= collisionTime {
			c = &x.fate
		}
	case x.player != nil && x.player.state.over() || !hull && isDying(tracked):
	default:
		c = x.last(func(c *cause) bool { return c.kind != shot && s.within(c, collisionTime) })
		if c == nil {
			c = x.last(func(c *cause) bool {
				return c.kind == shot && c.by != x.player && s.within(c, shotTime) && c.faces(tracked, face)
			})
		}
	}
	if c == nil || c.kind == noCause || c.kind == scuttle {
		return
	}
	e.Weapon, e.Reason = c.weapon, c.kind.String()
	if who := c.names(e); c.by != nil {
		e.Killer = who
	} else {
		e.Target = who
	}
}

// isDying reports whether a ship has no hull.
func isDying(tracked *stateupdate.Ship) bool {
	hull := tracked.FirstOf(stateupdate.KindHull)
	return hull != nil && hull.Condition == 0
}

// faces reports whether a shot comes from the side of a face of the shields. A face of -1 is every one.
func (c *cause) faces(tracked *stateupdate.Ship, face int) bool {
	if face < 0 {
		return true
	}
	var f, u, to [3]float32
	f[0], f[1], f[2] = tracked.Forward.Float32()
	u[0], u[1], u[2] = tracked.Up.Float32()
	for i := range to {
		to[i] = c.from[i] - tracked.Position[i]
	}
	dot := func(a [3]float32) float32 { return float32(a[0]*to[0]) + float32(a[1]*to[1]) + float32(a[2]*to[2]) } // rounded on every machine
	right := [3]float32{float32(f[1]*u[2]) - float32(f[2]*u[1]), float32(f[2]*u[0]) - float32(f[0]*u[2]), float32(f[0]*u[1]) - float32(f[1]*u[0])}
	return [...]float32{
		stateupdate.FaceFront: dot(f), stateupdate.FaceRear: -dot(f), stateupdate.FaceTop: dot(u), stateupdate.FaceBottom: -dot(u),
		stateupdate.FaceLeft: -dot(right), stateupdate.FaceRight: dot(right),
	}[face] >= 0
}

// claimScuttle handles the wish of a client to destroy its ship.
func (l *Link) claimScuttle(p *Player) {
	if x := l.server.ships[p.Ship]; x != nil {
		x.hit(cause{kind: scuttle, by: p, at: l.server.m.seen})
	}
}

// killed returns what the killer has done to a ship: the last shot at it or collision with it.
func (s *server) killed(x *ship, killer *Player) *cause {
	return x.last(func(c *cause) bool {
		return killer != nil && c.by == killer && (c.kind == shot && s.within(c, hitTime) || c.kind == collision && s.within(c, ramTime))
	})
}
