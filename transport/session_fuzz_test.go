package transport_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
)

// FuzzSession feeds a client and a host with datagrams, times and payloads. Whatever
// they are, limits hold, and there is a deadline that lies ahead or there is none; when
// nothing comes any more, both come to an end.
//
// An instruction is a byte and its operand: what to do, for whom, and a length.
func FuzzSession(f *testing.F) {
	join := [][]byte{
		from(1, "01 00 00 02", "03 06 C0 00 00 02"), from(transport.NoPeer, connectMessage),
		from(transport.NoPeer, openBCConnect), from(2, "01 00 00 02", text(0, "x")), from(1, openBCName),
		from(2, fragment(0, 1, 0, "b"), fragment(0, 0, 2, "a")), from(2, "06 02", "00 02"), from(1, "04 07 C0 01 00 04 02"),
		from(2, text(0, ""), text(2, ""), text(0x3FFF, ""), text(0x4000, ""), text(0xC000, ""), text(0xBFFF, "")),
	}
	for _, d := range append(join, stock(f)...) {
		f.Add(slices.Concat([]byte{0x40, byte(len(d))}, d, []byte{0x80, 9, 0x41, byte(len(d))}, d, []byte{0x80, 99}))
	}
	f.Add([]byte{0xC0, 200, 0xC1, 9, 0xC2, 255, 0x80, 255, 0xD1, 1, 0x00, 0, 0x90, 250, 0xE0, 0})
	f.Fuzz(func(t *testing.T, program []byte) {
		o := transport.Options{MaxBuffered: 4, MaxBufferedBytes: 300, MaxSets: 3, MaxSetBytes: 600, MaxQueue: 6, MaxQueueBytes: 3000, Window: 4}
		now := start
		sessions := []*transport.Session{
			transport.NewClient(now, transport.ConnectRequest{ConnID: 0x78F9}, o), transport.NewHost(now, 2, o),
		}
		for len(program) >= 2 {
			op, n := program[0], int(program[1])
			program = program[2:]
			i := int(op & 1)
			s := sessions[i]
			switch op >> 6 {
			case 0: // the two talk
				for d := range s.Datagrams(now) {
					sessions[1-i].Receive(now, d)
				}
			case 1: // somebody else does
				n = min(n, len(program))
				s.Receive(now, program[:n])
				program = program[n:]
			case 2: // time passes
				now = now.Add(time.Duration(int8(n)) * []time.Duration{time.Millisecond, 50 * time.Millisecond, time.Second, time.Hour}[op>>4&3])
			case 3:
				fuzzSend(s, op>>1&7, n)
			}
			check(t, s, now)
		}
		for _, s := range sessions {
			fuzzEnd(t, s)
		}
	})
}

func fuzzSend(s *transport.Session, how byte, n int) {
	switch how {
	case 4:
		_ = s.SendSystem(transport.NameChange{Name: make([]byte, n)})
	case 5:
		s.Boot(transport.BootReason(n))
	case 6:
		s.Close()
	case 7:
		_ = s.Send(make([]byte, 10*n), reliably)
	default:
		_ = s.Send(make([]byte, n), transport.Delivery(how))
	}
}

// check takes events and datagrams, and holds a session to its promises.
func check(t *testing.T, s *transport.Session, now time.Time) {
	require.NoError(t, transport.CheckBounds(s))
	events := 0
	for e := range s.Events() {
		require.Same(t, s, e.Session)
		events++
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
	require.False(t, transport.Overdue(s))
	require.NoError(t, transport.CheckBounds(s))
}

// fuzzEnd leaves a session alone until it is over, which takes no more than its timers.
func fuzzEnd(t *testing.T, s *transport.Session) {
	for range s.Events() {
	}
	begin := transport.Elapsed(s)
	for steps := 0; !s.NextDeadline().IsZero(); steps++ {
		require.Less(t, steps, 3000)
		check(t, s, s.NextDeadline())
		for range s.Events() {
		}
	}
	_, ended := s.Ended()
	require.True(t, ended && s.Flushed())
	require.LessOrEqual(t, transport.Elapsed(s)-begin, 61*time.Second)
}

// FuzzHub feeds a hub with datagrams from three addresses. It accepts, refuses and
// ignores by turns.
func FuzzHub(f *testing.F) {
	for _, d := range stock(f) {
		f.Add(slices.Concat([]byte{0, byte(len(d))}, d, []byte{0x40, 5, 0, byte(len(d))}, d))
	}
	connect := connectOf(1)
	f.Add(slices.Concat([]byte{0, byte(len(connect))}, connect, []byte{1, byte(len(connect))}, connect, []byte{0x7F, 200}))
	f.Add([]byte("\x00\x08\\status\\"))
	f.Fuzz(func(t *testing.T, program []byte) {
		h := transport.NewHub(start, transport.HubOptions{MaxSessions: 2, MaxHalfOpenPerIP: 1})
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
					_ = s.Send([]byte{1}, reliably)
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
			require.NoError(t, transport.CheckAgenda(h))
			sessions, hosts, _ := h.Remembered()
			require.LessOrEqual(t, sessions, 4)
			require.LessOrEqual(t, hosts, 2)
			require.LessOrEqual(t, h.Len(), 2)
			for s := range h.Sessions() {
				require.NoError(t, transport.CheckBounds(s))
			}
		}
	})
}
