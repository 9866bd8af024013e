package siege

import (
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// Acks are those that a blind attacker sends.
type Acks int

// The Acks.
const (
	NoAcks    Acks = iota
	FirstAck       // of the first ChecksumRequest alone
	ExactAcks      // of all messages of the host up to the join, each after it was sent
	WrongAcks      // of messages that were never sent
)

// BlindJoin joins from forged addresses by a fixed script of 19 datagrams. It predicts the
// peer ID and all sequence numbers. The test tells it the peer ID, so that its prediction is
// as good as can be.
type BlindJoin struct {
	Acks    Acks
	Every   time.Duration // between two addresses
	Guesses int           // one of so many predictions of the peer ID is right; 0: all are
	Stop    int           // the script ends after so many datagrams; 0: it does not
	Brief   bool          // the script is two datagrams: the Connect, and all up to NewPlayerInGame

	tries []*blindTry
}

// blindTry is the script, played from one address.
type blindTry struct {
	from  netip.AddrPort
	began time.Time
	sent  int
	reply *transport.ConnectReply
	heard bool
}

const (
	blindDatagrams = 19
	blindJoining   = 8                      // of these up to NewPlayerInGame
	blindPause     = 250 * time.Millisecond // in which the host has answered the datagram before
	blindRest      = 4 * time.Second        // between the others, which keep the session
	blindTail      = 30 * time.Second       // in which the host gives up an address
)

// Act implements [Attacker].
func (b *BlindJoin) Act(a *Attack) {
	n := len(b.tries)
	due := n == 0 || !a.Now.Before(b.tries[n-1].began.Add(b.Every))
	if due && a.Now.Before(a.Ends.Add(-blindTail)) {
		b.tries = append(b.tries, &blindTry{from: forgedAddr(n, 5000+n), began: a.Now, reply: &transport.ConnectReply{}})
	}
	for _, try := range b.tries {
		for try.sent < b.length() && !a.Now.Before(try.began.Add(blindOffset(try.sent))) {
			a.sendPacket(try.from, b.packet(a, try))
			try.sent++
		}
	}
}

func (b *BlindJoin) length() int {
	switch {
	case b.Brief:
		return 2
	case b.Stop > 0:
		return b.Stop
	}
	return blindDatagrams
}

// blindOffset returns when to send a datagram of the script.
func blindOffset(i int) time.Duration {
	return blindPause*time.Duration(min(i, blindJoining)) + blindRest*time.Duration(max(0, i-blindJoining))
}

// Hear implements [Attacker].
func (b *BlindJoin) Hear(_ *Attack, at netip.AddrPort, datagram []byte) {
	for i, try := range b.tries {
		if try.from != at || try.heard {
			continue
		}
		if reply, ok := ReplyIn(datagram); ok {
			if try.heard = true; b.Guesses > 0 && i%b.Guesses != b.Guesses/2 {
				reply.PeerID = 2 + (reply.PeerID+1)%80 // another one
			}
			try.reply = reply
		}
	}
}

// packet returns the next datagram of the script.
func (b *BlindJoin) packet(a *Attack, try *blindTry) transport.Packet {
	if try.sent == 0 {
		return ConnectPacket(uint32(try.from.Port()))
	}
	p := transport.Packet{PeerID: try.reply.PeerID, Messages: b.acksOf(try.sent)}
	switch {
	case b.Brief:
		for i := 2; i < blindJoining; i++ {
			p.Messages = append(p.Messages, blindMessage(a.T, i))
		}
	case try.sent == 1:
		name := &transport.NameChange{PeerID: try.reply.PeerID, Name: SystemText(a.T, "Eve")}
		p.Messages = append(p.Messages, transport.NewMessage(1, name))
	case try.sent == blindJoining+1:
		p.Messages = append(p.Messages, transport.NewData(6, Marshal(a.T, a.blindShip(try))))
	default:
		p.Messages = append(p.Messages, blindMessage(a.T, try.sent))
	}
	return p
}

// blindShip returns the ship of a forged client, which gets ship updates from then on. The
// test tells it the slot, which is the lowest free one.
func (a *Attack) blindShip(try *blindTry) opcode.Message {
	m := &opcode.ObjectCreateTeam{NetPlayerID: try.reply.PeerID}
	for session := range a.Server.Host.Hub().Sessions() {
		if member, ok := session.Value.(*join.Member); ok && session.Addr() == try.from {
			m.OwnerSlot = max(0, member.Slot)
		}
	}
	base, _ := objectid.Base(objectid.Slot(m.OwnerSlot))
	ship := stateupdate.NewShip(base, stateupdate.Stock().Named("akira"))
	ship.SetName = "Multi1"
	var err error
	m.Object, err = ship.Object()
	check(a.T, err)
	return m
}

// blindMessage returns a message of the script: five responses, NewPlayerInGame, keepalives.
func blindMessage(t T, i int) transport.Message {
	rounds := [...]uint8{0, 1, 2, 3, 255}
	switch {
	case i < blindJoining-1:
		return transport.NewData(uint16(i-2), Marshal(t, &opcode.ChecksumResponse{Index: rounds[i-2], NoFiles: true}))
	case i < blindJoining:
		return transport.NewData(5, Marshal(t, &opcode.NewPlayerInGame{}))
	}
	return transport.NewMessage(0, &transport.DoNothing{})
}

// acksOf returns the Acks that go with a datagram of the script.
func (b *BlindJoin) acksOf(i int) (all []transport.Message) {
	ack := func(flags transport.AckFlags, numbers ...uint16) {
		for _, seq := range numbers {
			all = append(all, transport.NewMessage(0, &transport.Ack{Seq: seq, Flags: flags}))
		}
	}
	switch {
	case b.Acks == WrongAcks && i > 1:
		ack(0, uint16(i))
	case b.Acks == FirstAck && i == 1:
		ack(0, 0)
	case b.Acks != ExactAcks:
	case i == 1:
		ack(transport.AckSystem, 0)
		ack(0, 0)
	case i == 2: // NameChange
		ack(transport.AckSystem, 1)
	case i <= 6: // ChecksumRequests
		ack(0, uint16(i-2))
	case i == 7: // ChecksumComplete, Settings, GameInit
		ack(0, 5, 6, 7)
	case i == 8: // MissionInit
		ack(0, 8)
	}
	return all
}
