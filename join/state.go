package join

import (
	"fmt"
	"slices"
	"time"

	"github.com/bcwire/bcwire/internal/clock"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Stage is the progress of a [Client].
type Stage uint8

// The stages, in their order.
const (
	StageConnecting Stage = iota // the host has not accepted the client
	StageChecking                // the host compares files
	StageStarting                // Settings have arrived; GameInit has not
	StageEntering                // NewPlayerInGame is sent; the reply has not arrived
	StageInGame
	StageEnded
)

// String returns the stage in words, such as "comparing files".
func (s Stage) String() string {
	return [...]string{
		"connecting", "comparing files", "starting", "entering", "in the game", "ended",
	}[min(s, StageEnded)]
}

// Player is a player as the other players know it.
type Player struct {
	PeerID objectid.PeerID
	Slot   objectid.Slot // NoSlot if it is not known
	Name   string        // may contain control characters; a Host's names are printable
	Team   opcode.Team   // TeamNone without a team

	Kills, Deaths, Points int32
}

// State is what a [Client] knows. It is a copy.
type State struct {
	Stage Stage
	Err   error    // nil before StageEnded; the text has the stage before the end, and wraps a reason such as ErrFull
	Self  Player   // has a slot from StageStarting on
	Other []Player // the other players of the match, by peer ID; they may still be loading
	// Settings are the host's, or nil before StageStarting. The caller must not modify them.
	Settings *opcode.Settings
	// Mission has the host's limits, or is nil if they have not arrived or have another layout, as in
	// Kobayashi Maru.
	Mission *opcode.MissionInit
	// Began is the time of the client at which the clock of the game was 0, or the zero Time before
	// StageStarting. The seconds since then are the GameTime of a StateUpdate.
	Began time.Time
}

// NameOf returns the name of a player, "the host", or the peer ID if the name is not known.
func (s State) NameOf(id objectid.PeerID) string {
	p := s.Self
	if i := slices.IndexFunc(s.Other, func(p Player) bool { return p.PeerID == id }); i >= 0 {
		p = s.Other[i]
	}
	switch {
	case p.PeerID == id && p.Name != "":
		return p.Name
	case id == objectid.Host:
		return "the host"
	}
	return fmt.Sprintf("peer %v", id)
}

// never is later than any time of a clock.
const never = clock.Never
