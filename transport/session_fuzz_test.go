package transport_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// FuzzSession passes datagrams, times and payloads to a client and a host. The limits must hold for
// any input, and the deadline must be in the future or zero. After the input, both sessions must
// end. Reliable payloads must arrive in order and once each, and all of them unless a session ends.
// A third sender may forge datagrams; then payloads may differ.
//
// An instruction is a byte and its operand: the operation, the session, and a length.
func FuzzSession(f *testing.F) {
	join := [][]byte{
		from(1, "01 00 00 02", "03 06 C0 00 00 02"), from(objectid.NoPeer, connectMessage),
		from(objectid.NoPeer, openBCConnect), from(2, "01 00 00 02", text(0, "x")), from(1, openBCName),
		from(2, fragment(0, 1, 0, "b"), fragment(0, 0, 2, "a")), from(2, "06 02", "00 02"), from(1, "04 07 C0 01 00 04 02"),
		from(2, text(0, ""), text(2, ""), text(0x3FFF, ""), text(0x4000, ""), text(0xC000, ""), text(0xBFFF, "")),
	}
	for _, d := range append(join, stock(f)...) {
		f.Add(slices.Concat([]byte{0x40, byte(len(d))}, d, []byte{0x80, 9, 0x41, byte(len(d))}, d, []byte{0x80, 99}))
	}
	f.Add([]byte{0xC0, 200, 0xC1, 9, 0xC2, 255, 0x80, 255, 0xD1, 1, 0x00, 0, 0x90, 250, 0xE0, 0})
	handshake := []byte{0x00, 0, 0x01, 0, 0x80, 60, 0x00, 0, 0x01, 0} // and the datagrams after these are lost
	f.Add(slices.Concat(handshake, []byte{0xCE, 255, 0xCF, 200, 0xCE, 90, 0xC2, 3, 0xC3, 0, 0x80, 60, 0x00, 0, 0x01, 0, 0x80, 60}))
	f.Fuzz(func(t *testing.T, program []byte) {
		// The payloads after the next one share 600 bytes.
		o := transport.Options{MaxQueue: 6}.With(transport.Limits{
			MaxBuffered: 4, MaxBufferedBytes: 300, MaxPartialPayloads: 3, MaxPartialBytes: transport.MaxPayload + 600,
			MaxQueueBytes: 3000, Window: 4,
		})
		p := &connection{now: start, unforged: true}
		p.sides = [2]*fuzzed{
			{Session: newClient(t, transport.ConnectRequest{ConnID: 0x78F9}, o).Session},
			{Session: transport.NewHost(start, 2, o)},
		}
		for len(program) >= 2 {
			op, n := program[0], int(program[1])
			program = program[2:]
			i := int(op & 1)
			s := p.sides[i]
			switch op >> 6 {
			case 0: // the datagrams of one side arrive
				p.deliver(i)
			case 1: // a third sender forges a datagram
				n = min(n, len(program))
				s.Receive(p.now, program[:n])
				program = program[n:]
				p.unforged = false
			case 2: // time passes
				p.now = p.now.Add(time.Duration(int8(n)) * []time.Duration{time.Millisecond, 50 * time.Millisecond, time.Second, time.Hour}[op>>4&3])
			case 3:
				s.send(op>>1&7, n)
			}
			s.check(t, p.now)
		}
		p.drain(t)
		for _, s := range p.sides {
			s.end(t)
		}
	})
}

// connection is a client and a host.
type connection struct {
	sides    [2]*fuzzed
	now      time.Time
	unforged bool // no third sender has forged a datagram
}

// fuzzed is a session with the reliable payloads that it has accepted to send, and delivered.
type fuzzed struct {
	*transport.Session
	sent, delivered []string
}

// deliver passes the datagrams of one side to the other.
func (p *connection) deliver(i int) {
	for d := range p.sides[i].Datagrams(p.now) {
		p.sides[1-i].Receive(p.now, slices.Clone(d)) // which its events alias
	}
}

// drain exchanges datagrams without loss until both sides are flushed, and checks that all payloads
// have arrived.
func (p *connection) drain(t *testing.T) {
	if !p.unforged {
		return
	}
	over := func(s *fuzzed) bool { return s.Ended() }
	a, b := p.sides[0], p.sides[1]
	for steps := 0; !over(a) && !over(b) && (a.PeerID() == objectid.NoPeer || !a.Flushed() || !b.Flushed()); steps++ {
		require.Less(t, steps, 1000)
		p.now = p.now.Add(50 * time.Millisecond)
		p.deliver(0)
		p.deliver(1)
		a.check(t, p.now)
		b.check(t, p.now)
	}
	for i, s := range p.sides {
		got := p.sides[1-i].delivered
		require.LessOrEqual(t, len(got), len(s.sent))
		require.True(t, slices.Equal(s.sent[:len(got)], got))
		require.True(t, over(a) || over(b) || len(got) == len(s.sent))
	}
}

func (s *fuzzed) send(op byte, n int) {
	d, payload := transport.Delivery(op), make([]byte, n)
	switch op {
	case 4:
		_ = s.SendSystem(&transport.NameChange{Name: payload})
		return
	case 5:
		s.Boot(transport.BootReason(n))
		return
	case 6:
		s.Close()
		return
	case 7:
		d, payload = reliable, make([]byte, 10*n)
	}
	if n > 0 {
		payload[0] = byte(len(s.sent))
	}
	if s.Send(payload, d) == nil && d&reliable != 0 {
		s.sent = append(s.sent, string(payload))
	}
}

// check takes events and datagrams, and checks the limits and deadlines of the session.
func (s *fuzzed) check(t *testing.T, now time.Time) {
	require.NoError(t, transport.CheckSession(s.Session))
	events := 0
	for e := range s.Events() {
		require.Same(t, s.Session, e.Session)
		events++
		if e.Kind == transport.EventPayload && e.Delivery&reliable != 0 {
			s.delivered = append(s.delivered, string(e.Payload))
		}
	}
	require.LessOrEqual(t, events, transport.MaxEvents+255+4+2)
	datagrams := 0
	for d := range s.Datagrams(now) {
		datagrams++
		require.LessOrEqual(t, len(d), transport.MaxDatagram)
		var p transport.Packet
		require.NoError(t, p.UnmarshalBinary(d))
		require.NotEmpty(t, p.Messages)
		require.Empty(t, p.Trailing)
	}
	require.LessOrEqual(t, datagrams, 4)
	require.False(t, transport.Overdue(s.Session))
	require.NoError(t, transport.CheckSession(s.Session))
}

// end serves a session without input until it is over.
func (s *fuzzed) end(t *testing.T) {
	for range s.Events() {
	}
	begin := transport.Elapsed(s.Session)
	for steps := 0; !s.NextDeadline().IsZero(); steps++ {
		require.Less(t, steps, 3000)
		s.check(t, s.NextDeadline())
		for range s.Events() {
		}
	}
	require.True(t, s.Ended() && s.Flushed())
	require.LessOrEqual(t, transport.Elapsed(s.Session)-begin, 61*time.Second)
}

// FuzzHub feeds a hub with datagrams from three addresses. It accepts
// and refuses them.
func FuzzHub(f *testing.F) {
	for _, d := range stock(f) {
		f.Add(slices.Concat([]byte{0, byte(len(d))}, d, []byte{0x40, 5, 0, byte(len(d))}, d))
	}
	connect := connectOf(1)
	f.Add(slices.Concat([]byte{0, byte(len(connect))}, connect, []byte{1, byte(len(connect))}, connect, []byte{0x7F, 200}))
	f.Add([]byte("\x00\x08\\status\\"))
	f.Fuzz(func(t *testing.T, program []byte) {
		h := transport.NewHub(start, transport.HubOptions{Rand: testdata.LowestIDs, MaxSessions: 2}.With(transport.HubLimits{MaxHalfOpen: 2, ConnectInterval: time.Millisecond}))
		now, turn := start, 0
		for len(program) >= 2 {
			op, n := program[0], int(program[1])
			program = program[2:]
			if op >= 0x40 {
				now = now.Add(time.Duration(n) * time.Second / 4)
				n = 0
			}
			n = min(n, len(program))
			before := h.Counters()
			h.Receive(now, addrOf(1+int(op&3)/2, int(op&3)), program[:n])
			program = program[n:]
			events := 0
			for e := range h.Events() {
				events++
				if turn++; turn%3 == 0 {
					h.Refuse(e, transport.BootReason(turn))
				} else if s, err := h.Accept(e); err == nil {
					_ = s.Send([]byte{1}, reliable)
				}
			}
			c := h.Counters()
			require.True(t, events > 0 || c.Dropped()+c.Received > before.Dropped()+before.Received, "nothing is lost without a trace")
			for addr, d := range h.Datagrams(now) {
				require.Equal(t, byte(1), d[0])
				require.True(t, addr.IsValid())
			}
			for range h.Events() {
			}
			require.True(t, h.NextDeadline().IsZero() || h.NextDeadline().After(now))
			require.NoError(t, transport.CheckHub(h))
			sessions, hosts, _ := h.TableSizes()
			require.LessOrEqual(t, sessions, 6)
			require.LessOrEqual(t, hosts, 2)
			require.LessOrEqual(t, h.Len(), 2)
			for s := range h.Sessions() {
				require.NoError(t, transport.CheckSession(s))
			}
		}
	})
}
