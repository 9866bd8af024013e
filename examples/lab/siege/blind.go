package siege

import (
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// BlindJoin joins from forged addresses by a fixed script of eight datagrams. It predicts the
// peer ID and all sequence numbers, but not those of the probes. The test tells it the peer ID, so that its prediction is
// as good as can be.
type BlindJoin struct {
	Every time.Duration // between two addresses
	Brief bool          // the script is two datagrams: the Connect, and all up to NewPlayerInGame

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
	blindDatagrams = 8                      // up to NewPlayerInGame
	blindPause     = 250 * time.Millisecond // in which a host would answer the datagram before
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
		for try.sent < b.length() && !a.Now.Before(try.began.Add(time.Duration(try.sent)*blindPause)) {
			a.sendPacket(try.from, b.packet(a, try))
			try.sent++
		}
	}
}

func (b *BlindJoin) length() int {
	if b.Brief {
		return 2
	}
	return blindDatagrams
}

// Hear implements [Attacker].
func (b *BlindJoin) Hear(_ *Attack, at netip.AddrPort, datagram []byte) {
	for _, try := range b.tries {
		if try.from != at || try.heard {
			continue
		}
		if reply, ok := ReplyIn(datagram); ok {
			try.heard, try.reply = true, reply
		}
	}
}

// packet returns the next datagram of the script.
func (b *BlindJoin) packet(a *Attack, try *blindTry) transport.Packet {
	if try.sent == 0 {
		return ConnectPacket(uint32(try.from.Port()))
	}
	p := transport.Packet{PeerID: try.reply.PeerID, Messages: blindAcks(try.sent)}
	switch {
	case b.Brief:
		for i := 2; i < blindDatagrams; i++ {
			p.Messages = append(p.Messages, blindMessage(a.T, i))
		}
	case try.sent == 1:
		name := &transport.NameChange{PeerID: try.reply.PeerID, Name: SystemText(a.T, "Eve")}
		p.Messages = append(p.Messages, transport.NewMessage(1, name))
	default:
		p.Messages = append(p.Messages, blindMessage(a.T, try.sent))
	}
	return p
}

// blindMessage returns a message of the script: five responses and NewPlayerInGame.
func blindMessage(t T, i int) transport.Message {
	rounds := [...]uint8{0, 1, 2, 3, 255}
	if i < blindDatagrams-1 {
		return transport.NewData(uint16(i-2), Marshal(t, &opcode.ChecksumResponse{Index: rounds[i-2], NoFiles: true}))
	}
	return transport.NewData(5, Marshal(t, &opcode.NewPlayerInGame{}))
}

// blindAcks returns the Acks that a client would send with a datagram of the script.
func blindAcks(i int) (all []transport.Message) {
	ack := func(flags transport.AckFlags, numbers ...uint16) {
		for _, seq := range numbers {
			all = append(all, transport.NewMessage(0, &transport.Ack{Seq: seq, Flags: flags}))
		}
	}
	switch {
	case i == 1:
		ack(transport.AckSystem, 0)
		ack(0, 0xD3A1, 0xC7F0, 0xFE12, 0xE555, 0xC90B, 0) // five guesses
	case i == 2: // NameChange
		ack(transport.AckSystem, 1)
	case i <= 6: // ChecksumRequests
		ack(0, uint16(i-2))
	case i == 7: // ChecksumComplete, Settings, GameInit
		ack(0, 5, 6, 7)
	}
	return all
}
