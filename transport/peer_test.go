package transport_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// Datagrams of a host, and what they show about its program.
var hostFacts = map[string]struct {
	datagrams [][]byte
	want      transport.Program
}{
	"reply, as OpenBC and a stock host on the same machine send it": {[][]byte{from(1, reply)}, transport.ProgramUnknown},
	"Ack and reply":                       {[][]byte{from(1, handshakeAck, reply)}, transport.ProgramStock},
	"Ack, then the reply":                 {[][]byte{from(1, handshakeAck), from(1, reply)}, transport.ProgramUnknown},
	"reply and Ack":                       {[][]byte{from(1, reply, handshakeAck)}, transport.ProgramUnknown},
	"Ack of the first payload and reply":  {[][]byte{from(1, "01 0000 00", reply)}, transport.ProgramUnknown},
	"Ack of the name and reply":           {[][]byte{from(1, "01 0100 02", reply)}, transport.ProgramUnknown},
	"Ack of NameChange":                   {[][]byte{from(1, reply), from(1, "01 0100 02")}, transport.ProgramUnknown},
	"echo of NameChange":                  {[][]byte{from(1, reply), from(1, nameOf(1, 2))}, transport.ProgramUnknown},
	"NameChange under the first number":   {[][]byte{from(1, reply), from(1, nameOf(0, 2))}, transport.ProgramOpenBC},
	"the same from a host that looked so": {[][]byte{from(1, handshakeAck, reply), from(1, nameOf(0, 2))}, transport.ProgramOpenBC},
	"Disconnect under the first number":   {[][]byte{from(1, reply), from(1, wire(transport.NewMessage(0, &transport.Disconnect{PeerID: 2})))}, transport.ProgramUnknown},
	"its own form of Acks":                {[][]byte{from(1, reply), from(1, openBCAck)}, transport.ProgramOpenBC},
	"its own form of names":               {[][]byte{from(1, reply), from(1, openBCName)}, transport.ProgramOpenBC},
	"its own form of keepalives":          {[][]byte{from(1, reply), from(1, "00 02")}, transport.ProgramOpenBC},
	"numbers of two bytes":                {counting(300, 0xFFFF), transport.ProgramStock},
	"a number of two bytes":               {counting(257, 0xFFFF), transport.ProgramStock},
	"numbers of one byte":                 {counting(300, 0xFF), transport.ProgramOpenBC},
	"not many numbers":                    {counting(256, 0xFF), transport.ProgramUnknown},
}

func nameOf(seq uint16, peer objectid.PeerID) string {
	return wire(transport.NewMessage(seq, nameChange(peer, "Ann")))
}

// counting returns a reply and payloads of a host whose numbers have a mask.
func counting(n int, mask uint16) [][]byte {
	all := [][]byte{from(1, reply)}
	for i := range uint16(n) {
		all = append(all, from(1, text(i&mask, fmt.Sprint("payload ", i))))
	}
	return all
}

// A session and an Observer know the program of the host by the same facts.
func TestProgramOfTheHost(t *testing.T) {
	for name, v := range hostFacts {
		t.Run(name, func(t *testing.T) {
			s, w := newClient(t, transport.ConnectRequest{}, transport.Options{}), newObserverHarness()
			require.Len(t, s.Sent(start), 1)
			w.From(noPeer, connect(7))
			for _, d := range v.datagrams {
				s.Session.Receive(start, d)
				s.Events()
				w.Observe(true, d)
			}
			require.Equal(t, v.want, s.Peer().Program())
			require.Equal(t, v.want == transport.ProgramOpenBC, s.OpenBC())
			require.Equal(t, v.want, w.Host().Program())
		})
	}
}

// What clients send shows nothing about the host.
func TestProgramOfAClient(t *testing.T) {
	w := newObserverHarness()
	w.From(noPeer, openBCConnect)
	w.FromHost(reply)
	w.From(2, openBCName, openBCAck, "00 02", nameOf(0, 2), text(300, "x"))
	w.From(1, openBCAck) // of a client that is the host, as it says
	require.Equal(t, transport.ProgramUnknown, w.Host().Program())
	w.Observe(true, from(2, openBCAck))
	require.Equal(t, transport.ProgramUnknown, w.Host().Program(), "not a datagram of the host")

	s := openHost(t, transport.Options{})
	s.Receive(start, nameOf(0, 2), text(300, "x"))
	require.Equal(t, transport.ProgramUnknown, s.Peer().Program())
	s.Receive(start, openBCAck)
	require.Equal(t, transport.ProgramOpenBC, s.Peer().Program())
}

// A stock host counts modulo 256 if its client does. An Observer that has not observed a client does not know
// which of them is OpenBC.
func TestProgramOfAHostWithAnOpenBCClient(t *testing.T) {
	for name, v := range map[string]struct {
		client []string
		want   transport.Program
	}{
		"a client like OpenBC's": {[]string{openBCAck}, transport.ProgramUnknown},
		"no client":              {nil, transport.ProgramUnknown},
		"a stock client":         {[]string{"01 0000 00"}, transport.ProgramOpenBC},
	} {
		w := newObserverHarness()
		for _, m := range v.client {
			w.From(2, m)
		}
		for _, d := range counting(300, 0xFF)[1:] {
			w.Observe(true, d)
		}
		if len(v.client) > 0 && v.want == transport.ProgramUnknown {
			w.FromHost(nameOf(0, 3)) // the 257th system message
		}
		require.Equal(t, v.want, w.Host().Program(), name)
	}
}

// OpenBC's form outweighs a stock one, whichever comes first.
func TestPeer(t *testing.T) {
	const unknown, stock, openBC = transport.ProgramUnknown, transport.ProgramStock, transport.ProgramOpenBC
	for _, v := range []struct {
		facts []transport.Program
		want  transport.Program
	}{
		{nil, unknown},
		{[]transport.Program{stock}, stock},
		{[]transport.Program{stock, openBC}, openBC},
		{[]transport.Program{openBC, stock}, openBC},
	} {
		var p transport.Peer
		for _, f := range v.facts {
			p.Settle(f)
		}
		require.Equal(t, v.want, p.Program(), "%v", v)
	}
	require.Equal(t, "[unknown stock OpenBC 3]", fmt.Sprint([]transport.Program{unknown, stock, openBC, 3}))
}

// The knowledge about the host outlives the connections of a link, and belongs to each copy.
func TestProgramOutlivesConnections(t *testing.T) {
	w := newObserverHarness()
	w.From(noPeer, connect(7))
	w.FromHost(reply)
	before := w.Clone()
	w.FromHost(nameOf(0, 2))
	w.From(noPeer, connect(8))
	w.FromHost(reply)
	require.Equal(t, transport.ProgramOpenBC, w.Host().Program())
	require.Equal(t, transport.ProgramUnknown, before.Host().Program())
}

// A Disconnect under the number of the reply ends the session at once if the host is OpenBC, and only if it
// falls silent if the host is unknown. From a stock host it is forged.
func TestOpenBCServerLeaves(t *testing.T) {
	leave := from(1, "05 0A C0 00 00 02 7F 00 00 01")
	open := func(acceptance ...string) *harness {
		s := newClient(t, transport.ConnectRequest{}, transport.Options{})
		s.Sent(start)
		s.Receive(start, acceptance...)
		s.Events()
		s.Sent(after(tick))
		return s
	}
	for _, form := range []string{openBCAck, nameOf(0, 2)} {
		s := open(reply)
		s.Receive(after(tick), form)
		s.Session.Receive(after(tick), leave)
		require.Contains(t, s.Events(), "ended left {2 [127 0 0 1]}")
		require.Contains(t, s.Sent(after(2 * tick))[0], "01000002", "it is acknowledged")
		s = open(reply)
		s.Receive(after(tick), form)
		s.Session.Receive(after(tick), from(1, "05 0A C0 00 00 01 7F 00 00 01"))
		require.Contains(t, s.Events(), "ended left {1 [127 0 0 1]}", "the host names itself")
	}
	s := open(reply)
	s.Peer().Settle(transport.ProgramOpenBC)
	s.Session.Receive(after(tick), leave)
	require.Equal(t, []string{"ended left {2 [127 0 0 1]}"}, s.Events(), "by a message of the game")

	s = open(reply)
	s.Session.Receive(after(tick), leave)
	s.Sent(after(10 * time.Second))
	require.Nil(t, s.Events(), "unknown")
	s.Sent(after(10*time.Second + tick))
	require.Equal(t, []string{"ended left"}, s.Events())

	s = open(reply)
	for second := range 120 {
		s.Session.Receive(after(time.Duration(second)*time.Second), leave)
		if second%5 == 4 {
			s.Receive(after(time.Duration(second)*time.Second+tick), "02")
		}
		s.Sent(after(time.Duration(second)*time.Second + tick))
	}
	require.Nil(t, s.Events(), "the host lives")

	s = open(handshakeAck, reply)
	s.Session.Receive(after(tick), leave)
	s.Sent(after(44 * time.Second))
	require.Nil(t, s.Events(), "stock")
	require.Equal(t, uint64(1), s.Counters().Duplicates)
	s.Receive(after(44*time.Second), wire(transport.NewMessage(1, &transport.Disconnect{PeerID: objectid.Host})))
	require.Equal(t, []string{"ended left {1 [0 0 0 0]}"}, s.Events())

	// A copy of a Disconnect about another client is a duplicate.
	s = open(reply)
	other := from(1, wire(transport.NewMessage(1, &transport.Disconnect{PeerID: 3})))
	s.Session.Receive(after(tick), other)
	s.Session.Receive(after(tick), other)
	require.Equal(t, []string{"system {3 [0 0 0 0]}"}, s.Events())
	require.Equal(t, uint64(1), s.Counters().Duplicates)
}

// An Observer takes a Disconnect under a used number for a duplicate if the host is a stock one.
func TestObserverOfForgedDisconnect(t *testing.T) {
	leave := wire(transport.NewMessage(0, &transport.Disconnect{PeerID: 2}))
	for acceptance, want := range map[string]string{"": "complete", handshakeAck: "duplicate"} {
		w := newObserverHarness()
		w.From(noPeer, connect(7))
		if acceptance == "" {
			w.FromHost(reply)
		} else {
			w.FromHost(acceptance, reply)
		}
		require.Equal(t, []string{"Disconnect #0, peer 2: " + want}, w.FromHost(leave))
	}
}
