package simulation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// actor is a player and its objects.
type actor interface {
	PeerID() objectid.PeerID
	Object(index int) objectid.ID
}

// actsOf returns messages that a client sends about itself and its ship.
func actsOf(a actor, target objectid.ID) []opcode.Message {
	aim := compress.EncodeVector3(0, 1, 0)
	level, _ := opcode.NewSetPhaserLevel(a.Object(10), opcode.PhaserHigh)
	kind, _ := opcode.NewTorpedoTypeChange(a.Object(20), 0)
	warp, _ := opcode.NewStartWarp(a.Object(1), "Multi2", [4]float32{})
	return []opcode.Message{
		opcode.NewStartFiring(a.Object(10), target), opcode.NewStopFiring(a.Object(10)), opcode.NewSubsystemStatus(a.Object(20), false), level, kind, warp,
		&opcode.AddToRepairList{Event: event(opcode.ETAddToRepairList, a.Object(2), a.Object(40))}, opcode.NewRepairListPriority(a.Object(40), a.Object(2)),
		&opcode.StartCloaking{Event: event(opcode.ETStartCloakingNotify, objectid.None, a.Object(50))},
		&opcode.StopCloaking{Event: event(opcode.ETStopCloakingNotify, objectid.None, a.Object(50))},
		opcode.NewTorpedoFire(a.Object(21), a.PeerID(), aim, target, compress.Contact{}), opcode.NewBeamFire(a.Object(30), a.PeerID(), aim, target),
		opcode.NewBeamFire(a.Object(30), a.PeerID(), aim, objectid.None), &opcode.TeamMessage{PlayerID: a.PeerID(), Team: 1},
	}
}

func event(code opcode.EventCode, source, dest objectid.ID) opcode.Event {
	return opcode.Event{Class: opcode.ClassEvent, Code: code, Source: source, Dest: dest}
}

// reserved returns messages that only hosts send, as they would be about a player.
func reserved(a actor) []opcode.Message {
	dies, _ := opcode.NewObjectExploding(a.Object(0), objectid.None, a.PeerID(), 9)
	stop := &opcode.StopFiringAtTarget{Event: event(opcode.ETStopFiringAtTargetNotify, objectid.None, a.Object(1))}
	stop.Class, stop.Object = opcode.ClassObjPtrEvent, a.Object(0)
	return []opcode.Message{
		dies, opcode.NewScoreChange(a.PeerID(), 7, a.PeerID(), 7, 7000), &opcode.Score{PlayerID: a.PeerID(), Kills: 9}, &opcode.EndGame{},
		&opcode.RestartGame{}, &opcode.DestroyObject{ObjectID: a.Object(0)}, opcode.NewPlayerLeft(a.PeerID()), opcode.NewPlayerJoined(99),
		&opcode.Explosion{ObjectID: a.Object(0)}, &opcode.MissionInit{}, &opcode.GameInit{}, stop,
		opcode.NewDamaged(a.Object(2), a.Object(3)), &opcode.ScoreInit{PlayerID: a.PeerID(), Kills: 9}, &opcode.UICollisionSetting{},
	}
}

// PeerID and Object let a peer be an actor.
func (p *peer) PeerID() objectid.PeerID      { return p.player.ID() }
func (p *peer) Object(index int) objectid.ID { return p.Ship().ID + objectid.ID(index) }

// slot returns the slot of the ship.
func (p *peer) slot() objectid.Slot {
	slot, _ := p.Ship().ID.Slot()
	return slot
}

// strange is the class of forged ships, which no player has.
var strange = stateupdate.Stock()[20]

// lie lets a player say something about another one, or more than it may.
func (p *peer) lie() {
	s, rng := p.s, p.s.faults[Lies].Rand
	others := slices.DeleteFunc(slices.Clone(s.peers), func(q *peer) bool { // who does not know yet that its slot is p's now is none
		return q == p || !q.inGame() || q.ID() == p.ID() || q.slot() == p.slot()
	})
	if len(others) == 0 {
		return
	}
	q := others[rng.IntN(len(others))]
	switch rng.IntN(7) {
	case 0: // what q does, at p: nobody fires at itself
		all := actsOf(q, q.Ship().ID)
		p.forge("another one's act", marshal(s, all[rng.IntN(len(all))]))
	case 1:
		all := reserved(q)
		p.forge("a host's message", marshal(s, all[rng.IntN(len(all))]))
	case 2:
		all := actsOf(p, p.Ship().ID)
		payload := marshal(s, all[rng.IntN(len(all))])
		p.forge("a message without its end", payload[:len(payload)-1])
	case 3: // the name of q, or an own one
		name := q.name
		if rng.IntN(2) == 0 {
			name = "Liar " + p.name
		}
		if text, err := transport.NewUTF16Z(name); err == nil && !p.counts256() {
			_ = p.session.SendSystem(&transport.NameChange{PeerID: p.ID(), Name: text})
			s.meaning.note("lie: a second name")
		}
	case 4:
		ship := stateupdate.NewShip(q.Object(700), strange)
		ship.SetName, ship.PlayerName = "Multi1", q.name
		object, err := ship.Object()
		if slot, ok := q.Ship().ID.Slot(); ok && err == nil {
			p.forge("another one's ship", marshal(s, &opcode.ObjectCreateTeam{OwnerSlot: slot, NetPlayerID: q.ID(), Object: object}))
		}
	case 5: // under the name of q: the host writes p into it
		p.said++
		text := fmt.Sprintf("%s line %d.%d", p.name, p.port, p.said)
		if p.player.Send(&opcode.ChatMessage{SenderID: q.ID(), Text: stream.Text(text)}) == nil {
			s.truth.said[text] = p.name
			s.meaning.note("lie: another one's line")
		}
	case 6: // more than a client may send
		s.meaning.note("lie: a flood")
		p.connection.floods = s.Now.Add(20e9)
		for range 15 {
			p.say(false)
		}
	}
}

// forge sends a payload that the server must refuse.
func (p *peer) forge(what string, payload []byte) {
	if p.session.Send(payload, transport.Reliable) == nil {
		p.s.meaning.note("lie: " + what)
		p.connection.up = append(p.connection.up, payload)
		if p.connection.lies == nil {
			p.connection.lies = map[string]string{}
		}
		p.connection.lies[string(payload)] = what
	}
}

func marshal(s *simulation, m opcode.Message) []byte {
	payload, err := opcode.Marshal(m)
	if err != nil {
		s.fail("%v: %v", m, err)
	}
	return payload
}

// checkLie checks that the server refuses what a player has forged. It reports whether the payload is forged.
func (h *host) checkLie(c *connection, payload []byte) bool {
	what, ok := c.lies[string(payload)]
	if !ok {
		return false
	}
	if len(h.dropped) == 0 {
		h.s.fail("the server accepts %s from %s with the peer ID %v: %v %x", what, c.peer.name, c.session.PeerID(), opcode.Code(payload[0]), payload)
	}
	h.s.meaning.note("refused " + h.dropped[0])
	return true
}

// checkClaims checks that no observer has an event of what the server has refused.
func (s *simulation) checkClaims(who string, events []match.Event) {
	for _, e := range events {
		switch {
		case e.Target != "" && e.Target == e.Player:
			s.fail("%s has a shot of %s at itself, which is forged", who, e.Player)
		case e.Class == strange.Name:
			s.fail("%s has a ship of the class %s, which is forged", who, e.Class)
		case strings.HasPrefix(e.Player, "Liar"):
			s.fail("%s has a player %s, whose name was refused", who, e.Player)
		case s.truth.said[e.Text] != "" && !s.truth.refused[e.Text].IsZero() && !s.truth.accepted[e.Text]:
			s.fail("%s has the line %q of %s, which the server has refused", who, e.Text, e.Player)
		}
	}
}
