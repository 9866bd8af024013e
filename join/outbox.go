package join

import (
	"cmp"
	"slices"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// outbox holds what a player is sent as soon as it acknowledges earlier messages, in the order in which the Host has
// said it. The number of a message cannot be taken back, so messages wait without one. Each belongs to an account:
// the slot of the player who has caused it, or the Host. A newer state replaces an older one. Nothing is left of a
// player who has left before the receiver was told of it. If too much waits, the account with most of it loses some.
type outbox struct {
	parcels []parcel // oldest first
	bytes   [objectid.Slots + 1]int
}

// hostAccount is the account of the Host in an outbox.
const hostAccount = int(objectid.Slots)

// maxOutbox limits what waits for a player, in bytes. A ship with all its states takes about 6 KiB.
const maxOutbox = 128 << 10

// parcel is a reliable message that waits.
type parcel struct {
	account int     // that pays
	of      *Member // whom it is about, who may not pay, or nil
	payload []byte
	body    transport.Body // of a system message, instead of a payload
	enters  *Member        // the player of whom the receiver learns by it, or nil
	subject subject
	loss    loss
}

// size is the memory that a parcel takes.
func (p *parcel) size() int { return 120 + len(p.payload) }

// send sends a parcel, and reports whether the session does so at once.
func (p *parcel) send(s *transport.Session) bool {
	switch {
	case s.Room() == 0:
		return false
	case p.body != nil:
		return s.SendSystem(p.body) != transport.ErrQueueFull
	}
	return s.Send(p.payload, transport.Reliable) != transport.ErrQueueFull
}

// subject is the state that a message sets. The zero value is no state.
type subject struct {
	code       opcode.Code
	event      opcode.EventCode
	of, on, at objectid.ID
	peer       objectid.PeerID
}

// loss is the order in which an account loses messages.
type loss uint8

const (
	spoken   loss = iota // shots and chat
	state                // events about parts of ships, of which there are as many as an attacker invents
	lasting              // creations, deletions and all others
	presence             // joins, leaves and names, which are never lost, since the next player may have the peer ID
)

// classify returns what a message is about, on the account of by, or if that is nil, of the player whom it concerns.
func (h *Host) classify(m opcode.Message, by *Member) parcel {
	player, object, code, several := objectid.NoPeer, objectid.None, m.Opcode(), false
	p := parcel{account: hostAccount, loss: lasting}
	switch m := m.(type) {
	case *opcode.ChatMessage, *opcode.TeamChatMessage:
		p.loss = spoken
	case *opcode.TorpedoFire:
		object, p.loss = m.TubeID, spoken
	case *opcode.BeamFire:
		object, p.loss = m.WeaponID, spoken
	case *opcode.ObjectCreate:
		object, p.subject = m.ObjectID, creation(m.ObjectID)
	case *opcode.ObjectCreateTeam:
		object, p.subject = m.ObjectID, creation(m.ObjectID)
	case *opcode.DestroyObject:
		object, p.subject = m.ObjectID, subject{code: code, on: m.ObjectID}
	case *opcode.TeamMessage:
		player, p.subject = m.PlayerID, subject{code: code, peer: m.PlayerID}
	case *opcode.Score:
		player, p.subject = m.PlayerID, subject{code: code, peer: m.PlayerID}
	case *opcode.ScoreChange: // the killer has the points, if there is one
		player = cmp.Or(m.KillerID, m.VictimID)
		several = player != m.VictimID || len(m.Damagers) > 0
	case *opcode.DeletePlayerUI, *opcode.DeletePlayerAnim:
		p.loss = presence
	case opcode.EventMessage:
		e := m.Envelope()
		object = e.Dest
		if _, ok := object.Slot(); !ok {
			object = e.Source
		}
		p.loss = state
		switch {
		case e.Code == opcode.ETObjectExploding: // the next ship with the ID can die, too
			p.loss = lasting
		case code == opcode.OpStartFiring, code == opcode.OpStopFiring:
			p.subject = subject{code: opcode.OpStartFiring, on: e.Dest}
		case code == opcode.OpStartCloaking, code == opcode.OpStopCloaking:
			p.subject = subject{code: opcode.OpStartCloaking, on: e.Dest}
		default:
			p.subject = subject{code: code, event: e.Code, of: e.Source, on: e.Dest, at: e.Object}
		}
	}
	slot, ok := object.Slot()
	concerned := func(m *Member) bool { return ok && m.Slot == slot || !ok && m.PeerID == player }
	p.of = cmp.Or(by, h.find(concerned))
	if i := slices.IndexFunc(h.leaving, concerned); i >= 0 && p.of == nil {
		p.of = h.leaving[i]
	}
	switch {
	case p.of != nil:
		p.account = p.of.pays()
	case ok:
		p.account = int(slot)
	}
	if several && by == nil { // it stays when one of the players leaves
		p.of = nil
	}
	return p
}

// creation is the subject of the existence of an object.
func creation(id objectid.ID) subject { return subject{code: opcode.OpObjectCreate, on: id} }

// empty reports whether nothing waits. A nil outbox is empty.
func (o *outbox) empty() bool { return o == nil || len(o.parcels) == 0 }

// add adds a message, instead of the last state of its subject. A deletion is added instead of a creation, since the
// player may have an earlier object with the ID. If too much waits, the account with most of it loses some. It
// reports whether what is left is not more than may wait.
func (o *outbox) add(p parcel) bool {
	old := p.subject
	switch old.code {
	case opcode.OpObjectCreate: // perhaps of the next ship with the ID, after the death of this one
		old = subject{}
	case opcode.OpDestroyObject:
		old = creation(old.on)
	}
	o.parcels = slices.DeleteFunc(o.parcels, func(x parcel) bool {
		replaced := x.subject == old && x.subject != subject{} && x.account == p.account
		if replaced {
			o.bytes[x.account] -= x.size()
		}
		return replaced
	})
	o.parcels = append(o.parcels, p)
	o.bytes[p.account] += p.size()
	for {
		total := 0
		accounts := make([]int, 0, len(o.bytes))
		for i, n := range o.bytes {
			total += n
			accounts = append(accounts, i)
		}
		if total <= maxOutbox {
			return true
		}
		slices.SortFunc(accounts, func(a, b int) int { return cmp.Or(o.bytes[b]-o.bytes[a], a-b) })
		if !slices.ContainsFunc(accounts, o.lose) {
			return false
		}
	}
}

// entry returns the index of the parcel by which the receiver learns of a player, or -1 if none waits. A nil outbox is
// empty.
func (o *outbox) entry(m *Member) int {
	if o == nil {
		return -1
	}
	return slices.IndexFunc(o.parcels, func(p parcel) bool { return p.enters == m })
}

// forget removes all about a player who has left, if the receiver has not been told of it.
func (o *outbox) forget(m *Member) {
	first := o.entry(m)
	if first < 0 {
		return
	}
	left := slices.DeleteFunc(o.parcels[first:], func(p parcel) bool {
		gone := p.of == m
		if gone {
			o.bytes[p.account] -= p.size()
		}
		return gone
	})
	o.parcels = o.parcels[:first+len(left)]
}

// lose removes the oldest message of an account that it loses first. The Host loses only what it says.
func (o *outbox) lose(account int) bool {
	for l := spoken; l < presence && (l < lasting || account != hostAccount); l++ {
		if i := slices.IndexFunc(o.parcels, func(p parcel) bool { return p.account == account && p.loss == l }); i >= 0 {
			o.bytes[account] -= o.parcels[i].size()
			o.parcels = slices.Delete(o.parcels, i, i+1)
			return true
		}
	}
	return false
}

// send sends as much as a session sends at once.
func (o *outbox) send(s *transport.Session) {
	n := 0
	for n < len(o.parcels) && o.parcels[n].send(s) {
		o.bytes[o.parcels[n].account] -= o.parcels[n].size()
		n++
	}
	o.parcels = slices.Delete(o.parcels, 0, n)
}

// sendWaiting sends what waits for the players.
func (h *Host) sendWaiting() {
	for _, m := range h.slots {
		if m != nil && !m.outbox.empty() {
			m.outbox.send(m.Session)
		}
	}
}
