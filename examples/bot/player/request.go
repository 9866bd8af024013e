package player

import (
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// What is not known may be on its way: the player waits before it asks the host, does
// not ask for one thing often, nor for many in a second.
const (
	askAfter  = 500 * time.Millisecond
	askAgain  = 5 * time.Second
	askTimes  = 3
	askEvery  = 250 * time.Millisecond
	maxWanted = 32
)

// wanted is a ship that the player does not know.
type wanted struct {
	id    objectid.ID
	due   time.Duration
	times int
}

// want notes a ship that the player does not know. Beyond the limit the oldest is dropped.
func (p *Player) want(id objectid.ID) {
	s := &p.others
	known := p.flight.is(id) || s.tracker.Life(id) == stateupdate.Alive || slices.ContainsFunc(s.wanted, func(w wanted) bool { return w.id == id })
	if known {
		return
	}
	if len(s.wanted) == maxWanted {
		s.wanted = slices.Delete(s.wanted, 0, 1)
	}
	s.wanted = append(s.wanted, wanted{id: id, due: p.clock.now + askAfter})
}

// forget notes that a ship is not wanted any more.
func (s *otherShips) forget(id objectid.ID) {
	s.wanted = slices.DeleteFunc(s.wanted, func(w wanted) bool { return w.id == id })
}

// request asks the host for a ship, if one is due.
func (p *Player) request() {
	s, now := &p.others, p.clock.now
	if now < s.asked+askEvery {
		return
	}
	for i := range s.wanted {
		w := &s.wanted[i]
		if now < w.due {
			continue
		}
		s.asked = now
		w.due = now + askAgain
		if w.times++; w.times >= askTimes {
			w.due = never // stays, so that it is not wanted again
		}
		_ = p.Send(&opcode.RequestObject{ObjectID: w.id}) // is counted
		return
	}
}

// due returns when request has something to do.
func (s *otherShips) due() time.Duration {
	due := never
	for i := range s.wanted {
		due = min(due, s.wanted[i].due)
	}
	return max(due, s.asked+askEvery)
}
