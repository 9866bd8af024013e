package player

import (
	"fmt"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Event is something that has happened: one of the types of this package that are said to
// be events. Its text is for people, and may hold what a stranger has written: mind
// control characters.
type Event interface {
	fmt.Stringer
	event()
}

// Peer is a player, by its peer ID.
type Peer struct {
	ID   int32
	Name string // empty if it is not known
}

// String returns the name, or the number.
func (p Peer) String() string {
	switch {
	case p.Name != "":
		return p.Name
	case p.ID <= 1:
		return "the host"
	}
	return fmt.Sprintf("player %d", p.ID)
}

// Event types.
type (
	// Accepted says that the host has given the player its peer ID.
	Accepted struct{ ID int32 }
	// FileOffered says that the host has sent a script of a mission. It is not kept.
	FileOffered struct {
		Path string
		Size int
	}
	// Entered says that the player is [Joined].
	Entered struct {
		Slot int
		Map  string
	}
	// Mission is what the host says about the game.
	Mission struct{ opcode.MissionInit }

	// PeerJoined says that another player is in the game.
	PeerJoined struct{ Peer }
	// PeerLeft says that another player has left.
	PeerLeft struct{ Peer }
	// Renamed says that a player has another name than Old.
	Renamed struct {
		Peer
		Old string
	}
	// Said is a line of chat.
	Said struct {
		From Peer
		Text string
		Team bool // for the team of the player alone
	}

	// ShipCreated says that a ship has appeared, the player's own one, too. The owner of
	// what nobody plays is the host, with the ID 0.
	ShipCreated struct {
		Owner   Peer
		ID      objectid.ID
		Species opcode.Species
	}
	// ShipDestroyed says that a ship is no more: it has exploded, its player has left or
	// has another one.
	ShipDestroyed struct {
		Owner    Peer
		ID       objectid.ID
		Exploded bool
		Killer   Peer // of an explosion; ID 0 for none
	}
	// Scored says that a player has another score.
	Scored struct {
		Peer
		Score
	}

	// Over says that the game has ended.
	Over struct{ Reason opcode.EndReason }
	// Restarted says that another game begins: all ships and scores are gone.
	Restarted struct{}
	// Ended is the last event.
	Ended struct{ *End }
)

func (Accepted) event()      {}
func (FileOffered) event()   {}
func (Entered) event()       {}
func (Mission) event()       {}
func (PeerJoined) event()    {}
func (PeerLeft) event()      {}
func (Renamed) event()       {}
func (Said) event()          {}
func (ShipCreated) event()   {}
func (ShipDestroyed) event() {}
func (Scored) event()        {}
func (Over) event()          {}
func (Restarted) event()     {}
func (Ended) event()         {}
