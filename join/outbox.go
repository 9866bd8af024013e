package join

import (
	"slices"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// outbox holds what a player is sent as soon as it acknowledges earlier messages. The number of a message cannot be taken
// back, so messages wait without one. Each message belongs to an account: the slot of the player who has caused it, or
// the Host. The Host comes first, and the players take turns. Messages of an account keep their order, except that a
// newer state replaces an older one. If too much waits, the account with most of it loses some.
type outbox struct {
	accounts [objectid.Slots + 1][]parcel // oldest first
	bytes    [objectid.Slots + 1]int
	turn     int // the slot that is next
}

// hostAccount is the account of the Host in an outbox.
const hostAccount = int(objectid.Slots)

// maxOutbox limits what waits for a player, in bytes. A ship with all its states takes about 6 KiB.
const maxOutbox = 128 << 10

// parcel is a reliable message that waits.
type parcel struct {
	payload []byte
	subject subject
	loss    loss
}

// size is the memory that a parcel takes.
func (p *parcel) size() int { return 80 + len(p.payload) }

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
	spoken  loss = iota // shots and chat
	state               // events about parts of ships, of which there are as many as an attacker invents
	lasting             // creations, deletions and all others
	losses
)

// classify returns what a message is about, and its account if the Host sends it by itself. What is about an object or a
// player belongs to its account, so that nothing overtakes a creation.
func (h *Host) classify(m opcode.Message) (p parcel, account int) {
	object, about, code := objectid.None, objectid.NoPeer, m.Opcode()
	p.loss, account = lasting, hostAccount
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
		about, p.subject = m.PlayerID, subject{code: code, peer: m.PlayerID}
	case *opcode.Score: // in the order of ScoreChange, which is about several players
		p.subject = subject{code: code, peer: m.PlayerID}
	case *opcode.DeletePlayerUI: // of the Host: nothing of a player overtakes the join
	case opcode.EventMessage:
		e := m.Envelope()
		if object = e.Dest; !owned(object) {
			object = e.Source
		}
		if p.loss = state; e.Code == opcode.ETObjectExploding {
			p.loss = lasting
		}
		switch code {
		case opcode.OpStartFiring, opcode.OpStopFiring:
			p.subject = subject{code: opcode.OpStartFiring, on: e.Dest}
		case opcode.OpStartCloaking, opcode.OpStopCloaking:
			p.subject = subject{code: opcode.OpStartCloaking, on: e.Dest}
		default:
			p.subject = subject{code: code, event: e.Code, of: e.Source, on: e.Dest, at: e.Object}
		}
	}
	if slot, ok := object.Slot(); ok {
		account = int(slot)
	} else if m := h.find(func(m *Member) bool { return m.PeerID == about }); m != nil {
		account = int(m.Slot)
	}
	return p, account
}

// creation is the subject of the existence of an object.
func creation(id objectid.ID) subject { return subject{code: opcode.OpObjectCreate, on: id} }

func owned(id objectid.ID) bool {
	_, ok := id.Slot()
	return ok
}

// empty reports whether nothing waits. A nil outbox is empty.
func (o *outbox) empty() bool { return o == nil || o.bytes == [objectid.Slots + 1]int{} }

// add adds a message to an account, instead of one with the same subject. A deletion is added instead of a creation, too:
// the player may have an earlier object with the ID. If too much waits, the account with most of it loses some. It
// reports whether what is left is not more than may wait.
func (o *outbox) add(account int, p parcel) bool {
	o.removeSubject(account, p.subject)
	if p.subject.code == opcode.OpDestroyObject {
		o.removeSubject(account, creation(p.subject.on))
	}
	o.accounts[account] = append(o.accounts[account], p)
	o.bytes[account] += p.size()
	for {
		total, heaviest := 0, 0
		for i, n := range o.bytes {
			if total += n; n > o.bytes[heaviest] {
				heaviest = i
			}
		}
		if total <= maxOutbox {
			return true
		}
		if !o.lose(heaviest) {
			return false
		}
	}
}

// lose removes the oldest message of an account that it loses first. The Host loses only what it says.
func (o *outbox) lose(account int) bool {
	for l := spoken; l < losses && (l < lasting || account != hostAccount); l++ {
		if i := slices.IndexFunc(o.accounts[account], func(p parcel) bool { return p.loss == l }); i >= 0 {
			o.remove(account, i)
			return true
		}
	}
	return false
}

func (o *outbox) removeSubject(account int, s subject) {
	if i := slices.IndexFunc(o.accounts[account], func(p parcel) bool { return p.subject == s }); i >= 0 && s != (subject{}) {
		o.remove(account, i)
	}
}

func (o *outbox) remove(account, i int) {
	o.bytes[account] -= o.accounts[account][i].size()
	o.accounts[account] = slices.Delete(o.accounts[account], i, i+1)
}

// next returns the account whose oldest message is next, or -1 if nothing waits.
func (o *outbox) next() int {
	if len(o.accounts[hostAccount]) > 0 {
		return hostAccount
	}
	for i := range int(objectid.Slots) {
		if slot := (o.turn + i) % int(objectid.Slots); len(o.accounts[slot]) > 0 {
			return slot
		}
	}
	return -1
}

// send sends as much as a session sends at once.
func (o *outbox) send(s *transport.Session) {
	for account := o.next(); account >= 0 && s.Room() > 0; account = o.next() {
		if s.Send(o.accounts[account][0].payload, transport.Reliable) != nil {
			return // the session is full, or has ended
		}
		o.remove(account, 0)
		if account != hostAccount {
			o.turn = account + 1
		}
	}
}

// inherit gives the Host what waits on the account of a player who leaves, so that the leave and the next player in the slot
// come after it.
func (o *outbox) inherit(account int) {
	o.accounts[hostAccount] = append(o.accounts[hostAccount], o.accounts[account]...)
	o.bytes[hostAccount] += o.bytes[account]
	o.accounts[account], o.bytes[account] = nil, 0
}

// forgetObjects removes what is about objects, all of which are gone, and what may be lost.
func (o *outbox) forgetObjects() {
	if o.empty() {
		return
	}
	for account := range o.accounts {
		for i := len(o.accounts[account]) - 1; i >= 0; i-- {
			if p := &o.accounts[account][i]; p.loss < lasting || p.subject.code == opcode.OpObjectCreate || p.subject.code == opcode.OpDestroyObject {
				o.remove(account, i)
			}
		}
	}
}

// sendWaiting sends what waits for the players.
func (h *Host) sendWaiting() {
	for _, m := range h.slots {
		if m != nil && !m.outbox.empty() {
			m.outbox.send(m.Session)
		}
	}
}
