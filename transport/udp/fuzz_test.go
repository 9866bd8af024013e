package udp_test

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// instruction is one step of an attacker.
type instruction struct {
	from     int // index of an address
	time     time.Duration
	datagram []byte // as on the wire, unless time is set
}

// instructions decodes a program: a byte with the address and the kind, a length, and the bytes
// of a datagram. Datagrams are enciphered unless a bit says otherwise.
func instructions(program []byte) (all []instruction) {
	for len(program) >= 2 && len(all) < 200 {
		op, n := program[0], int(program[1])
		program = program[2:]
		i := instruction{from: int(op & 3)}
		if op&0x10 != 0 {
			i.time = time.Duration(n) * 20 * time.Millisecond
		} else {
			n = min(n, len(program))
			i.datagram, program = program[:n], program[n:]
			if op&0x20 == 0 {
				i.datagram = enciphered(i.datagram)
			}
		}
		all = append(all, i)
	}
	return all
}

// addPrograms adds programs that send the datagrams of a table from each address.
func addPrograms(f *testing.F, rows []hostileRow) {
	for _, row := range rows {
		var program []byte
		for i, d := range row.in[:min(len(row.in), 5)] {
			if len(d) < 256 {
				program = slices.Concat(program, []byte{0x20 | byte(i&3), byte(len(d))}, d, []byte{0x10, 5})
			}
		}
		f.Add(program)
	}
}

// FuzzServe sends datagrams to a server from two addresses and with a player's peer ID. Another
// player is not affected, and Serve ends normally.
func FuzzServe(f *testing.F) {
	addPrograms(f, slices.Concat(malformed(), hostileToServer(), hostileAsPlayer()))
	f.Fuzz(func(t *testing.T, program []byte) {
		bubble(t, func(t *testing.T, n *network) {
			s := n.serve(t, func(hub *transport.Hub) udp.Handler {
				turn, h := 0, echo(hub)
				event := h.Event
				h.Event = func(now time.Time, e transport.Event) {
					if turn++; e.Kind == transport.EventConnect && e.Addr.Port() == 9 && turn%3 == 0 {
						hub.Refuse(e, transport.BootReason(turn))
						return
					}
					event(now, e)
				}
				h.Query = func(_ time.Time, _ netip.AddrPort, text []byte) [][]byte { return [][]byte{text} }
				return h
			})
			ann, bob := n.dial(t, annAddr), n.dial(t, bobAddr)
			time.Sleep(time.Second)
			addrs := [4]netip.AddrPort{addrOf("10.9.9.1:9"), addrOf("10.9.9.2:9"), addrOf("10.9.9.2:10"), addrOf(bobAddr)}
			for _, i := range instructions(program) {
				n.send(addrs[i.from], addrOf(hostAddr), i.datagram)
				time.Sleep(i.time)
			}
			requireEcho(t, ann, "hello")
			require.NoError(t, ann.Close())
			require.NoError(t, bob.Close())
			took, err := s.stop()
			require.NoError(t, err)
			require.LessOrEqual(t, took, 2*time.Second+10*time.Millisecond)
			require.LessOrEqual(t, s.hub.Len(), 3)
		})
	})
}

// FuzzConn sends datagrams to a client from two addresses and with the peer ID of its host. The
// client ignores the first and ends normally after the second. Another client of the host is not
// affected.
func FuzzConn(f *testing.F) {
	addPrograms(f, append(malformed(), hostileToClient()...))
	f.Fuzz(func(t *testing.T, program []byte) {
		bubble(t, func(t *testing.T, n *network) {
			n.serve(t, echo)
			ann, bob := n.dial(t, annAddr), n.dial(t, bobAddr, udp.Options{}.Unread(10, 0))
			time.Sleep(time.Second)
			addrs := [4]netip.AddrPort{addrOf(hostAddr), addrOf("10.9.9.1:9"), addrOf("10.0.0.1:9"), addrOf(annAddr)}
			forged := false
			for _, i := range instructions(program) {
				n.send(addrs[i.from], addrOf(bobAddr), i.datagram)
				forged = forged || i.from == 0 && i.time == 0
				time.Sleep(i.time)
			}
			requireEcho(t, ann, "hello")
			if !forged {
				requireEcho(t, bob, "hello")
				return
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			events := 0
			for e, err := range bob.Events(ctx) {
				if err != nil {
					break
				}
				require.Nil(t, e.Session)
				events++
			}
			require.LessOrEqual(t, events, 10+1) // one may arrive while the others are received
			begin := time.Now()
			require.NoError(t, bob.Close())
			require.LessOrEqual(t, time.Since(begin), 5*time.Second+10*time.Millisecond)
			require.Error(t, bob.Err())
			_, err := bob.Receive(t.Context())
			require.Error(t, err)
			if bob.Err() == net.ErrClosed {
				require.Equal(t, err, bob.Err())
			}
		})
	})
}
