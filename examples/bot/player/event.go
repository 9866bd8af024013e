package player

import (
	"fmt"
	"iter"

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

// MaxEvents is how many events are kept until they are taken. Later ones are lost, but
// for [Ended].
const MaxEvents = 1024

type queue struct {
	list  []Event
	taken int
	lost  uint64
}

func (q *queue) len() int { return len(q.list) - q.taken }

func (q *queue) add(e Event, always bool) {
	if q.len() >= MaxEvents && !always {
		q.lost++
		return
	}
	q.list = append(q.list, e)
}

func (q *queue) take() Event {
	e := q.list[q.taken]
	q.taken++
	if q.len() == 0 {
		clear(q.list)
		q.list, q.taken = q.list[:0], 0
	}
	return e
}

// Events iterates over what has happened, and removes it. The loop may call any method of
// the player, and may be left: the next one goes on.
func (p *Player) Events() iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for more := true; more && p.queue.len() > 0; {
			more = yield(p.queue.take())
		}
	}
}

// maxText is how many characters of a text are kept.
const maxText = 512

func clip(s string) string {
	n := 0
	for i := range s {
		if n++; n > maxText {
			return s[:i] + "…"
		}
	}
	return s
}
