package match

import (
	"fmt"
	"time"

	"github.com/bcwire/bcwire/objectid"
)

// EventKind is the kind of an [Event], such as "join".
type EventKind string

// The kinds of events, and what they have besides Time, Match and the player with peer ID, slot, client,
// ship and class. Values that are unknown are missing.
const (
	Join     EventKind = "join"     // a player joins
	Rename   EventKind = "rename"   // a player has another name; Text: the old one
	Leave    EventKind = "leave"    // the connection of a player in the game ends; Reason
	Ship     EventKind = "ship"     // a ship of a player is created
	System   EventKind = "system"   // a ship enters another star system; Text
	Fire     EventKind = "fire"     // a ship fires; Weapon, Target
	Damage   EventKind = "damage"   // a part of a ship loses condition; Part, From, To, Reason, Killer, Weapon, Target
	Kill     EventKind = "kill"     // a ship is destroyed by a player; Victim, Killer, Weapon
	Explode  EventKind = "explode"  // a ship is destroyed, not by another player; Victim, Reason, Weapon, Target
	Collide  EventKind = "collide"  // a client reports a collision of its ship; Target: the other object
	Chat     EventKind = "chat"     // a line of chat; Text
	TeamChat EventKind = "teamchat" // a line of chat to a team; Text
	Score    EventKind = "score"    // a player has another score; Kills, Deaths, Score
	End      EventKind = "end"      // the match ends; Text: the reason
	Restart  EventKind = "restart"  // the match restarts; Match is the new number
)

// Event is an event of a match. It happens once, however many links carry it. Two events are equal with ==
// if all their values are.
type Event struct {
	Time  time.Duration // of the datagram
	Match int           // number of the match; see [Link]
	Kind  EventKind

	// Player is the name of the player, or "peer 5" if it is unknown. The player of a Kill is the victim.
	Player string
	Peer   objectid.PeerID // 0 without a player
	Slot   objectid.Slot   // NoSlot if unknown
	Client string          // of the player's link, if it is observed
	Ship   objectid.ID     // of the player, or None
	Class  string          // of the ship, "Akira"

	Text string
	// Victim and Killer are names of players. The killer of a Damage is the player who has probably caused it: the
	// announced killer, the partner of a collision within the last second, or the player of the last shot within
	// 15 seconds that comes from the side of the face.
	Victim, Killer string
	// Weapon is a part of the ship, such as "Torpedoes / Forward Torp 1". If the class of the ship is
	// unknown, it is the ID of the weapon. The weapon of a Kill is the object in the host's message, or the
	// weapon of the killer's last shot at the ship within a minute. It is "collision" after a collision
	// within three seconds. Without such a shot, it is the last weapon that the killer has fired within a minute.
	Weapon string
	Target string // name of a player, or a class, or an object ID
	// Other is the peer ID of the Killer, or of the player who is the Target, and 0 if it is unknown.
	Other objectid.PeerID
	Part  string // "Shield Generator / front", "Hull"
	// From and To are conditions in per cent.
	From, To int
	// Reason is "left", "kicked" or "timed out"; of a Damage "kill", "collision" or "shot", or empty if the cause is
	// unknown; of an Explode words such as "rammed by Ann", or empty, or [Removed].
	Reason string

	Kills, Deaths, Score int32
}

// String returns the event in words, "Cid destroys Dee (collision)".
func (e *Event) String() string {
	switch e.Kind {
	case Join:
		return e.Player + " joins"
	case Rename:
		return e.Text + " is now " + e.Player
	case Leave:
		return e.Player + " leaves (" + e.Reason + ")"
	case Ship:
		return e.Player + " flies " + e.Class
	case System:
		return e.Player + " enters " + e.Text
	case Fire:
		if e.Target == "" {
			return e.Player + " fires " + e.Weapon
		}
		return e.Player + " fires " + e.Weapon + " at " + e.Target
	case Damage:
		return fmt.Sprintf("%s %s: %d%% to %d%%", e.owner(), e.Part, e.From, e.To)
	case Kill:
		if e.Weapon == "" {
			return e.Killer + " destroys " + e.owner()
		}
		return e.Killer + " destroys " + e.owner() + " (" + e.Weapon + ")"
	case Explode:
		if e.Reason == "" {
			return e.owner() + " explodes"
		}
		return e.owner() + " explodes: " + e.Reason
	case Collide:
		if e.Target == "" {
			return e.Player + " collides"
		}
		return e.Player + " collides with " + e.Target
	case Chat:
		return e.Player + ": " + e.Text
	case TeamChat:
		return e.Player + " to the team: " + e.Text
	case Score:
		return fmt.Sprintf("%s has %d kills, %d deaths, %d points", e.Player, e.Kills, e.Deaths, e.Score)
	case End:
		return "the match ends: " + e.Text
	case Restart:
		return "the match restarts"
	}
	return string(e.Kind)
}

// owner returns the player of the ship, or its class.
func (e *Event) owner() string {
	switch {
	case e.Player != "":
		return e.Player
	case e.Class != "":
		return e.Class
	}
	return e.Ship.String()
}

// event adds an event about a player or, with nil, of the match, and returns it. Without events, it returns nil. A
// waiting join comes first.
func (s *server) event(kind EventKind, p *Player, at time.Duration) *Event {
	if !s.m.Events {
		return nil
	}
	s.report(p, s.draft(kind, p))
	e := &s.m.events[len(s.m.events)-1]
	e.Time = at
	return e
}

// report adds an event about a player.
func (s *server) report(p *Player, e *Event) {
	if p != nil && p.report == joining && e.Kind != Join {
		p.settle("")
		e.Player = p.label()
	}
	s.m.events = append(s.m.events, *e)
}

// draft returns an event that can be reported later, or nil without events.
func (s *server) draft(kind EventKind, p *Player) *Event {
	if !s.m.Events {
		return nil
	}
	e := &Event{Time: s.m.at, Match: s.match, Kind: kind, Slot: objectid.NoSlot}
	if p == nil || p == &s.nobody {
		return e
	}
	e.Player, e.Peer, e.Slot, e.Ship = p.label(), p.PeerID, p.Slot, p.Ship
	if p.Link != nil {
		e.Client = p.Link.Client
	}
	if x := s.ships[p.Ship]; x != nil {
		e.Class = x.class
	}
	return e
}
