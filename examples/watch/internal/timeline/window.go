package timeline

import (
	"fmt"

	"github.com/bcwire/bcwire/objectid"
)

// MaxWindow is the longest window in seconds.
const MaxWindow = 30

// Window is the world of a link during a time.
type Window struct {
	Link     int       `json:"link"`
	From     float64   `json:"from"`
	To       float64   `json:"to"`
	Snapshot *Snapshot `json:"snapshot,omitempty"` // the state before From
	Changes  []Change  `json:"changes"`            // from From until before To

	// How far the match is, for a page that follows it.
	Events int `json:"events"` // of the link, with those that were dropped
	News   int `json:"news"`   // number of changes of the names of players, messages and links
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
	w := &Window{Link: linkID, From: min(from, end), To: min(to, end), Events: l.history.next(), News: s.news}
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

// Change is a change of the world: *Created, *Moved, *StateChanged, *Removed, *Died, *Fired, *Hit,
// *PlayerChanged or *Reset.
type Change interface{ header() *Header }

// Header is the common part of all changes.
type Header struct {
	Time    float64 `json:"t"`
	Message int     `json:"m"`
	Kind    string  `json:"kind"`
}

func (h *Header) header() *Header { return h }

// Created is a new ship, of kind "create". It replaces a ship with the same ID.
type Created struct {
	Header
	Ship *Ship `json:"ship"`
}

// Moved holds the changed parts of the motion of a ship, of kind "motion".
type Moved struct {
	Header
	ID       string   `json:"id"`
	Position *Vector  `json:"position,omitempty"`
	Forward  *Vector  `json:"forward,omitempty"`
	Up       *Vector  `json:"up,omitempty"`
	Speed    *float32 `json:"speed,omitempty"`
	Cloaked  *bool    `json:"cloaked,omitempty"`
}

// StateChanged holds the changed subsystems of a ship, of kind "state".
type StateChanged struct {
	Header
	ID    string  `json:"id"`
	State []State `json:"state"`
}

// Removed is the end of a ship, of kind "remove".
type Removed struct {
	Header
	ID string `json:"id"`
}

// Died is the beginning of the explosion of a ship, of kind "dying".
type Died struct {
	Header
	ID     string           `json:"id"`
	Killer *objectid.PeerID `json:"killer"`
}

// Fired is a shot of kind "torpedo" or "beam", or the end of a beam, of kind "beamstop". A beam
// with a direction is a pulse; another one lasts until its end.
type Fired struct {
	Header
	ID        *string        `json:"id"` // of the ship that fires
	Slot      *objectid.Slot `json:"slot"`
	Weapon    string         `json:"weapon"`
	From      *Vector        `json:"from"` // position of the ship
	Direction *Vector        `json:"direction"`
	Target    *string        `json:"target"`
}

// Hit is an "explosion" or a "collision".
type Hit struct {
	Header
	ID       *string  `json:"id"` // of the ship that is hit
	Other    *string  `json:"other"`
	Position *Vector  `json:"position"` // of the ship that is hit
	Radius   *float32 `json:"radius,omitempty"`
	Damage   *float32 `json:"damage,omitempty"`
}

// PlayerChanged is a player who joined, left, or has another name, team or score, of kind
// "player".
type PlayerChanged struct {
	Header
	Player *Player `json:"player"`
}

// Reset is a new connection, of kind "reset". All ships and players are gone.
type Reset struct{ Header }

// Snapshot is the state of a world at one time.
type Snapshot struct {
	Players []*Player `json:"players"`
	Ships   []*Ship   `json:"ships"`
}
