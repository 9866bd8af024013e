package rows

import (
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
)

// Event is a row of the table events, and an object of dump -events -json. Its keys and their order are a
// contract.
type Event struct {
	Source string  `parquet:"source,dict" json:"-" doc:"name of the input, without directory and extension"`
	Time   float64 `parquet:"time,split" json:"time" unit:"s" doc:"time of the event"`
	Match  int32   `parquet:"match,dict" json:"match" doc:"number of the match in the input, from 0"`
	Event  string  `parquet:"event,dict" json:"event" doc:"join, rename, leave, ship, system, fire, damage, kill, explode, collide, chat, teamchat, score, end, restart"`
	Player string  `parquet:"player,dict,optional" json:"player,omitempty" doc:"name of the player, or peer and the ID; of a kill: the victim"`
	Peer   *int32  `parquet:"peer,dict,optional" json:"peer,omitempty" doc:"peer ID of the player"`
	Slot   *int32  `parquet:"slot,dict,optional" json:"slot,omitempty" doc:"slot of the player, 0 to 15"`
	Client string  `parquet:"client,dict,optional" json:"client,omitempty" doc:"the client of the player: its number or its address"`
	Ship   string  `parquet:"ship,dict,optional" json:"ship,omitempty" doc:"ID of the ship of the player"`
	Class  string  `parquet:"class,dict,optional" json:"class,omitempty" doc:"class of the ship, such as Akira"`
	Text   *string `parquet:"text,dict,optional" json:"text,omitempty" doc:"of chat and teamchat: the line; of rename: the old name; of system: the star system; of end: the reason"`
	Victim string  `parquet:"victim,dict,optional" json:"victim,omitempty" doc:"of kill and explode: name of the player whose ship is destroyed"`
	Killer string  `parquet:"killer,dict,optional" json:"killer,omitempty" doc:"of kill: name of the player who gets it; of damage: name of the player who has probably caused it"`
	Weapon string  `parquet:"weapon,dict,optional" json:"weapon,omitempty" doc:"of fire, kill, explode and damage: the weapon, or collision"`
	Target string  `parquet:"target,dict,optional" json:"target,omitempty" doc:"of fire, collide, explode and damage: name of the other player, or the class or the ID of the object"`
	Part   string  `parquet:"part,dict,optional" json:"part,omitempty" doc:"of damage: the subsystem, its part, or the face of the shields"`
	From   *int32  `parquet:"from,dict,optional" json:"from,omitempty" unit:"%" doc:"of damage: the condition before"`
	To     *int32  `parquet:"to,dict,optional" json:"to,omitempty" unit:"%" doc:"of damage: the condition after"`
	Reason string  `parquet:"reason,dict,optional" json:"reason,omitempty" doc:"of leave: left, kicked or timed out; of explode: what is known of the cause; of damage: kill, collision or shot"`
	Kills  *int32  `parquet:"kills,dict,optional" json:"kills,omitempty" doc:"of score: kills of the player in the match"`
	Deaths *int32  `parquet:"deaths,dict,optional" json:"deaths,omitempty" doc:"of score: deaths of the player in the match"`
	Score  *int32  `parquet:"score,dict,optional" json:"score,omitempty" doc:"of score: points of the player in the match"`
}

func (r *Event) key() [2]string { return [2]string{} } // they stay in the order of time

// EventOf returns the row of an event, with what applies to its kind. Texts are valid UTF-8.
func EventOf(e *match.Event) Event {
	r := Event{
		Time: e.Time.Seconds(), Match: int32(e.Match), Event: string(e.Kind), Player: valid(e.Player), Client: valid(e.Client), Class: valid(e.Class),
		Victim: valid(e.Victim), Killer: valid(e.Killer), Weapon: valid(e.Weapon), Target: valid(e.Target), Part: valid(e.Part), Reason: valid(e.Reason),
	}
	if e.Ship != objectid.None {
		r.Ship = e.Ship.String()
	}
	if e.Peer.Valid() {
		r.Peer = number(e.Peer)
	}
	if e.Slot.Valid() && e.Player != "" {
		r.Slot = number(e.Slot)
	}
	switch e.Kind {
	case match.Chat, match.TeamChat, match.Rename, match.System, match.End:
		text := valid(e.Text)
		r.Text = &text
	case match.Damage:
		r.From, r.To = number(e.From), number(e.To)
	case match.Score:
		r.Kills, r.Deaths, r.Score = number(e.Kills), number(e.Deaths), number(e.Score)
	}
	return r
}
