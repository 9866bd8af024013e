package player

import (
	"fmt"

	"github.com/bcwire/bcwire/opcode"
)

// String returns "accepted as player 2".
func (e Accepted) String() string { return fmt.Sprintf("accepted as player %d", e.ID) }

// String returns `is offered "Scripts/Multiplayer/Modifier.pyc", 1200 bytes`.
func (e FileOffered) String() string {
	return fmt.Sprintf("is offered %q, %d bytes", e.Path, e.Size)
}

// String returns the slot and the map.
func (e Entered) String() string { return fmt.Sprintf("joined in slot %d of %s", e.Slot, e.Map) }

// String returns the system and the limits.
func (e Mission) String() string {
	s := fmt.Sprintf("plays in %v, at most %d players", e.System, e.PlayerLimit)
	if e.TimeLimit != opcode.NoLimit {
		s += fmt.Sprintf(", %d minutes", e.TimeLimit)
	}
	if e.FragLimit != opcode.NoLimit {
		s += fmt.Sprintf(", %d frags", e.FragLimit)
	}
	return s
}

// String returns "Ben is in the game".
func (e PeerJoined) String() string { return e.Peer.String() + " is in the game" }

// String returns "Ben leaves".
func (e PeerLeft) String() string { return e.Peer.String() + " leaves" }

// String returns "Ben is now Benjamin".
func (e Renamed) String() string {
	return fmt.Sprintf("%v is now %v", Peer{ID: e.ID, Name: e.Old}, e.Peer)
}

// String returns "Ben: hello".
func (e Said) String() string {
	if e.Team {
		return fmt.Sprintf("%v to the team: %s", e.From, e.Text)
	}
	return fmt.Sprintf("%v: %s", e.From, e.Text)
}

// String returns "Ben has Akira 0x4003ffff".
func (e ShipCreated) String() string {
	return fmt.Sprintf("%v has %v %v", e.Owner, e.Species, e.ID)
}

// String returns "Ben loses 0x4003ffff to Ann".
func (e ShipDestroyed) String() string {
	switch {
	case !e.Exploded:
		return fmt.Sprintf("%v of %v is gone", e.ID, e.Owner)
	case e.Killer.ID == 0:
		return fmt.Sprintf("%v loses %v", e.Owner, e.ID)
	}
	return fmt.Sprintf("%v loses %v to %v", e.Owner, e.ID, e.Killer)
}

// String returns "Ben has 1 kills, 0 deaths, 1200 points".
func (e Scored) String() string {
	return fmt.Sprintf("%v has %d kills, %d deaths, %d points", e.Peer, e.Kills, e.Deaths, e.Points)
}

// String returns "the game is over: time up".
func (e Over) String() string { return fmt.Sprintf("the game is over: %v", e.Reason) }

// String returns "the game restarts".
func (Restarted) String() string { return "the game restarts" }

// String returns the reason.
func (e Ended) String() string { return e.Error() }
