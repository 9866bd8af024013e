package timeline

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// world is the state of a match as one link shows it: the ships of the link, and the players of its
// server. A client sends the motion of its own ship, and the host sends everything else, so a world reads
// both directions.
type world struct {
	ships   *stateupdate.Tracker      // of the match of the link's decoder
	shown   map[objectid.ID]*shipInfo // one for each of the ships
	players map[objectid.PeerID]*Player
	now     Moment           // of the next message
	plots   map[string]*plot // by the keys of ships; nil for none
	change  func(Change)     // is called with each change; nil for none
}

// shipInfo is what a Tracker does not keep of a ship.
type shipInfo struct {
	key   string
	name  string // of the player
	team  *int
	moved float64 // time of the last motion

	// What the page knows; see [stateupdate.Ship].
	openBC bool
	stale  stateupdate.IndexSet
}

func newWorld() *world {
	return &world{ships: new(stateupdate.Tracker), shown: map[objectid.ID]*shipInfo{}}
}

// clone returns a deep copy without the ships, the players, the plots and the callback.
func (w *world) clone() *world {
	clone := *w
	clone.change, clone.plots, clone.players, clone.ships = nil, nil, nil, new(stateupdate.Tracker)
	clone.shown = make(map[objectid.ID]*shipInfo, len(w.shown))
	for id, s := range w.shown {
		own := *s
		clone.shown[id] = &own
	}
	return &clone
}

// apply follows a message, which the match of the decoder has applied to the ships. A retransmission changes nothing.
func (w *world) apply(step *match.Step) {
	w.ships = step.Link.Ships
	if step.Message.NewConnection && !w.any() {
		clear(w.shown)
		w.emit("reset", Change{})
	}
	if _, malformed := step.Err.(*stream.Error); !malformed && step.Game != nil && step.Message.Verdict != transport.VerdictDuplicate {
		w.shipChanged(step.Game, &step.Change)
		w.acted(step.Game)
	}
	w.now.Message++
}

// any reports whether there are ships. With links that are shared, a connection does not end those of others.
func (w *world) any() bool {
	for range w.ships.Ships() {
		return true
	}
	return false
}

// playerChanged applies a change of a player. The ships of the player have the same name and team.
func (w *world) playerChanged(c Change) {
	p := c.Player
	old := w.players[p.Peer]
	w.players[p.Peer] = p
	if old == nil || old.Here || !p.Here { // otherwise, another player has the peer ID
		for id, info := range w.shown {
			if ship := w.ships.Ship(id); ship != nil && ship.PeerID == p.Peer && (old == nil || info.name == old.Name) {
				info.name, info.team = cmp.Or(p.Name, info.name), p.Team
			}
		}
	}
	if w.change != nil {
		w.change(c)
	}
}

// emit reports a change of the message that is applied.
func (w *world) emit(kind string, c Change) {
	if w.change != nil {
		c.Kind, c.Moment = kind, w.now
		w.change(c)
	}
}

// acted reports a shot, an explosion or a collision.
func (w *world) acted(m opcode.Message) {
	switch m := m.(type) {
	case opcode.Shot:
		w.fired(m)
	case *opcode.StopFiring:
		w.shot("beamstop", m.Dest, nil, nil)
	case *opcode.StopFiringAtTarget:
		w.shot("beamstop", m.Dest, nil, nil)
	case *opcode.Explosion:
		w.hit("explosion", m.ObjectID, Hit{Radius: number(m.Radius.Float32()), Damage: number(m.Damage.Float32())})
	case *opcode.CollisionEffect:
		if id, other, ok := m.Collided(); ok {
			w.hit("collision", id, Hit{Other: w.object(other)})
		}
	}
}

// snapshot returns the state.
func (w *world) snapshot() *Snapshot {
	s := &Snapshot{Players: []*Player{}, Ships: []*Ship{}}
	for _, peer := range slices.Sorted(maps.Keys(w.players)) {
		s.Players = append(s.Players, w.players[peer])
	}
	for ship := range w.ships.Ships() {
		s.Ships = append(s.Ships, w.ship(ship))
	}
	return s
}

// key returns the key of a ship that appears at a time.
func key(id objectid.ID, t float64) string {
	return id.String() + "@" + strconv.FormatFloat(t, 'f', -1, 64)
}
