package player

import (
	"iter"
	"time"

	"github.com/bcwire/bcwire/examples/bot/pilot"
	"github.com/bcwire/bcwire/examples/combat/model"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// Limits of the ships that a player tracks. Sixteen players have sixteen ships.
const (
	maxShips   = 256
	maxUnknown = 32
)

// actInterval is the time between two decisions of the pilot, as between the updates of the ship.
const actInterval = 100 * time.Millisecond

// flight is the player's own ship, with a pilot and a World that has copies of the other ships.
type flight struct {
	*stateupdate.Flight
	pilot  *pilot.Pilot // nil before Settings
	world  *model.World
	others []*model.Ship // in the world
	began  time.Duration // of the world
}

// start makes the flight when Settings have arrived.
func (p *Player) start(s *join.State) {
	self := s.Self
	f := &stateupdate.Flight{PeerID: self.PeerID, Slot: self.Slot, Place: p.place, Pause: 1}
	f.Tracker.MaxShips, f.Tracker.MaxUnknown = maxShips, maxUnknown
	p.flight.Flight, p.flight.pilot = f, pilot.New(p.options.Seed<<8+uint64(self.Slot), p.options.Skill)
	p.flight.pilot.Peaceful = !p.options.Fire
	p.began = p.clock.now - p.clock.wall.Sub(s.Began)
	p.report("accepted as player %d in slot %d of %s", self.PeerID, self.Slot, s.Settings.Map)
}

// place places a new ship away from the others.
func (p *Player) place(m *stateupdate.Motion) {
	var taken [][3]float64
	for _, other := range p.Ships() {
		taken = append(taken, other.Motion.Course().Position)
	}
	p.flight.pilot.Place(m, taken...)
}

// Ship returns the player's own ship, or nil if it has none. The caller may change what the
// owner of a ship decides: the cloaking device and the power of subsystems.
func (p *Player) Ship() *stateupdate.Ship { return p.flight.Ship() }

// Ships iterates over the ships of others with the peer IDs of their owners, in the order of
// object IDs. The owner of a ship without a player is NoPeer. The next call of another method
// may change the state of a ship.
func (p *Player) Ships() iter.Seq2[objectid.PeerID, *stateupdate.Ship] {
	return func(yield func(objectid.PeerID, *stateupdate.Ship) bool) {
		for s := range p.flight.Tracker.Ships() {
			if s.Life == stateupdate.Alive && s != p.Ship() && !yield(owner(s), s) {
				return
			}
		}
	}
}

func owner(s *stateupdate.Ship) objectid.PeerID {
	if s.PeerID.Valid() {
		return s.PeerID
	}
	return objectid.NoPeer
}

// choose makes a player without a ship choose one after a time.
func (p *Player) choose() {
	p.state, p.due = Joined, never
	p.flight.Class = nil
	if p.options.Ship == nil {
		p.greet()
		return
	}
	p.due = p.clock.now + p.options.Choose
}

// fly creates a ship, or lets the pilot act.
func (p *Player) fly() {
	p.due = p.clock.now + actInterval
	if p.Ship() == nil && !p.launch() {
		p.choose()
		return
	}
	p.act()
	p.advance()
}

// launch creates a ship. It reports false if the host cannot have it.
func (p *Player) launch() bool {
	f := &p.flight
	if f.Name, f.Class = p.players.Self.Name, p.options.Ship; !p.advance() {
		return false
	}
	p.state = InGame
	f.world, f.began = new(model.World), p.clock.now
	p.report("%s has %v %v", p.name(p.ID()), f.Ship().Species, f.Ship().ID)
	p.greet()
	return true
}

// advance sends what the flight has to send, and reports whether the host is sent a ship.
func (p *Player) advance() bool {
	messages, _ := p.flight.Advance(p.clock.now - p.began) // an error is that there is no ship
	for _, m := range messages {
		if _, created := m.(*opcode.ObjectCreateTeam); p.Send(m) != nil && created {
			p.flight.Tracker.Forget(p.Ship().ID)
		}
	}
	return p.Ship() != nil
}

// act moves the ship and sends messages about its shots and collisions. A message that the link refuses is
// counted, and lost. A ship without physics does not move.
func (p *Player) act() {
	f, now, ship := &p.flight, p.clock.now-p.flight.began, p.Ship()
	own := f.world.Ship(ship.ID)
	if own == nil {
		if own = pilot.Observe(f.world, ship); own == nil {
			return
		}
	}
	pilot.Take(own, ship)
	own.Cloaked = ship.Cloaked
	f.others = f.others[:0]
	for owner, s := range p.Ships() {
		if other := pilot.Observe(f.world, s); other != nil && owner.Valid() && owner != p.ID() {
			f.others = append(f.others, other)
		}
	}
	for _, m := range f.pilot.Act(f.world, now, own, f.others) {
		_ = p.Send(m)
	}
	for _, e := range f.world.Advance(now) {
		if m := f.pilot.Message(f.world, own, e, p.ID()); m != nil {
			_ = p.Send(m)
		}
	}
	course := own.Course()
	ship.SetCourse(&course)
	ship.Cloaked = own.Cloaked
}

// play handles a message of the game. The client has handled it before.
func (p *Player) play(m opcode.Message) {
	switch m := m.(type) {
	case *opcode.DestroyObject:
		p.lose(m.ObjectID, objectid.NoPeer)
		return
	case *opcode.PythonEvent:
		if ship, _, killer, ok := m.Killed(); ok {
			p.lose(ship, killer)
		}
		return
	case *opcode.ChatMessage:
		p.report("%s: %s", p.speaker(m), m.Text)
	case *opcode.TeamChatMessage:
		p.report("%s to the team: %s", p.speaker(m), m.Text)
	case *opcode.MissionInit:
		p.report("plays in %v, at most %d players", m.System, m.PlayerLimit)
	case *opcode.EndGame:
		if p.playing() {
			p.state, p.due = GameOver, never
			p.report("the game is over: %v", m.Reason)
		}
	}
	change, err := p.flight.Apply(m)
	if err != nil {
		p.counters.Inapplicable++
	}
	if s := change.Ship; change.Created {
		for _, before := range change.Removed {
			p.report("%s loses %v", p.name(owner(before)), before.ID)
		}
		p.report("%s has %v %v", p.name(owner(s)), s.Species, s.ID)
	}
	if m.Opcode() == opcode.OpRestartGame {
		p.players = p.client.State() // the scores begin again
		if p.playing() {
			p.report("the game restarts")
			p.choose()
		}
	}
}

// lose removes a ship that is alive, and reports it. If the ship is the player's own, the player chooses another.
func (p *Player) lose(id objectid.ID, killer objectid.PeerID) {
	f := &p.flight
	if f.Tracker.Life(id) != stateupdate.Alive {
		return
	}
	by, to := owner(f.Tracker.Forget(id).Ship), ""
	if f.world.Remove(id); p.state == InGame && p.Ship() == nil {
		p.choose()
	}
	if killer.Valid() {
		to = " to " + p.name(killer)
	}
	p.report("%s loses %v%s", p.name(by), id, to)
}
