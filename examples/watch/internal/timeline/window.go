package timeline

import (
	"fmt"
)

// MaxWindow is the longest window in seconds.
const MaxWindow = 30

// Window is the world of a link during a time.
type Window struct {
	From     float64   `json:"from"`
	To       float64   `json:"to"`
	Snapshot *Snapshot `json:"snapshot,omitempty"` // the state before From
	Changes  []Change  `json:"changes"`            // from From until before To

	// How far the match is, for a page that follows it.
	Events int `json:"events"` // of the link, with those that were dropped
	News   int `json:"news"`   // number of changes of the names of players, messages and links

	// How a page follows a live match.
	Now    float64 `json:"now"`
	Age    float64 `json:"age"`    // seconds since the server was heard on the link
	Silent float64 `json:"silent"` // as in [Info]
	Best   int     `json:"best"`   // the link to watch: another one if the player of this link has left
}

// Window returns the world of a link during a time. It ends with the last datagram at the latest. A later window
// can continue at its To. Window decodes the datagrams again, from the last checkpoint.
func (s *Store) Window(linkID int, from, to float64, snapshot bool) (*Window, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	l, err := s.link(linkID)
	if err != nil {
		return nil, err
	}
	end := after(s.clock.last)
	w := &Window{From: min(from, end), To: min(to, end), Events: l.history.next(), News: s.news}
	if s.options.Live {
		w.Now, w.Age, w.Silent, w.Best = max(end, s.hosts.now), s.hosts.now-l.heard, s.hosts.silent(s.hosts.heard), s.best(l).id
	}
	if !(w.To >= w.From && w.To-w.From <= MaxWindow+1e-6) {
		return nil, fmt.Errorf("%w: a window must have from <= to and at most %d seconds", ErrRange, MaxWindow)
	}
	r, err := s.replay(l, s.datagramSince(w.From))
	if err != nil {
		return nil, err
	}
	if snapshot {
		w.Snapshot = r.world.snapshot()
	}
	w.Changes, err = r.collect(s.datagramSince(w.To))
	return w, err
}

// Moment is when something happens.
type Moment struct {
	Time    float64 `json:"t"`
	Message int     `json:"m"`
}

// Change is a change of the world. The kind says which fields it has:
//
//	create                   Ship: it replaces a ship with the same ID
//	motion                   ID, and the parts of Motion that have changed
//	state                    ID, and the subsystems in State that have changed
//	dying                    ID: the explosion of the ship begins
//	remove                   ID
//	torpedo, beam, beamstop  ID of the ship that fires, Shot. A beam with a direction is a pulse; another one
//	                         lasts until its end.
//	explosion, collision     ID of the ship that is hit, its position in Motion, Hit
//	player                   Player, who has joined, left, or has another name, team or score
//	reset                    the connection is new: all ships are gone
type Change struct {
	Moment
	Kind   string  `json:"kind"`
	ID     *string `json:"id,omitempty"` // nil if the ship is unknown
	Ship   *Ship   `json:"ship,omitempty"`
	State  []State `json:"state,omitempty"`
	Player *Player `json:"player,omitempty"`
	*Motion
	*Shot
	*Hit
}

// Motion is how a ship moves. Numbers that are not finite are nil.
type Motion struct {
	Position *Vector  `json:"position,omitempty"`
	Forward  *Vector  `json:"forward,omitempty"`
	Up       *Vector  `json:"up,omitempty"`
	Speed    *float32 `json:"speed,omitempty"`
	Cloaked  *bool    `json:"cloaked,omitempty"`
}

// Shot is a shot of a ship, or the end of a beam.
type Shot struct {
	Weapon    string  `json:"weapon"`
	From      *Vector `json:"from"` // position of the ship
	Direction *Vector `json:"direction"`
	Target    *string `json:"target"`
}

// Hit is an explosion or a collision.
type Hit struct {
	Other  *string  `json:"other,omitempty"`
	Radius *float32 `json:"radius,omitempty"`
	Damage *float32 `json:"damage,omitempty"`
}

// Snapshot is the state of a world at one time.
type Snapshot struct {
	Players []*Player `json:"players"`
	Ships   []*Ship   `json:"ships"`
}
