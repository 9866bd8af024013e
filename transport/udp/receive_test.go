package udp_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// greet returns a Handler that accepts clients, and calls f with the session of each.
func greet(f func(s *transport.Session)) func(*transport.Hub) udp.Handler {
	return func(hub *transport.Hub) udp.Handler {
		h := echo(hub)
		event := h.Event
		h.Event = func(now time.Time, e transport.Event) {
			event(now, e)
			if e.Kind == transport.EventConnected {
				f(e.Session)
			}
		}
		return h
	}
}

// Payloads and system messages arrive in their order, and belong to the program.
func TestReceive(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		n.serve(t, greet(func(s *transport.Session) {
			_ = s.SendSystem(&transport.NameChange{PeerID: 7, Name: text("Cat")})
			_ = s.SendSystem(&transport.Boot{Reason: transport.BootRemoved, PeerID: 7})
			_ = s.SendSystem(&transport.Disconnect{PeerID: 8})
			for i := range 3 {
				_ = s.Send([]byte{0x2A, byte(i)}, reliable)
			}
		}))
		ann := n.dial(t, annAddr)
		var system, payloads []transport.Event
		for len(system)+len(payloads) < 6 {
			e, err := ann.Receive(t.Context())
			require.NoError(t, err)
			require.Nil(t, e.Session)
			if e.Kind == transport.EventSystem {
				system = append(system, e)
			} else {
				require.Equal(t, reliable, e.Delivery)
				payloads = append(payloads, e)
			}
		}
		requireEcho(t, ann, strings.Repeat("a later datagram ", 10))
		require.Equal(t, []string{
			"*transport.NameChange &{7 [0 0 0 0] Cat}", "*transport.Boot &{removed by host 7}", "*transport.Disconnect &{8 [0 0 0 0]}",
		}, []string{words(system[0]), words(system[1]), words(system[2])})
		for i, e := range payloads {
			require.Equal(t, []byte{0x2A, byte(i)}, e.Payload)
			_ = append(e.Payload, "overwrites no other payload"...)
			clear(e.Payload)
		}
	})
}

func TestReceiveContext(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		n.serve(t, echo)
		ann := n.dial(t, annAddr)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begin := time.Now()
		_, err := ann.Receive(ctx)
		require.Equal(t, context.DeadlineExceeded, err)
		requireTook(t, time.Minute, time.Since(begin))

		require.NoError(t, ann.SendPayload([]byte("kept"), reliable))
		time.Sleep(time.Second)
		for _, err := range ann.Messages(ctx) {
			require.Equal(t, context.DeadlineExceeded, err)
		}
		require.Equal(t, "kept", receive(t, ann))
		require.NoError(t, ann.Err())
	})
}

// Several receivers share the events. All of them return the error of the end.
func TestReceivers(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		s := n.serve(t, echo)
		ann := n.dial(t, annAddr)
		const receivers, events = 5, 300
		var mu sync.Mutex
		var got []string
		ends := make(chan error, receivers)
		for range receivers {
			go func() {
				for e, err := range ann.Events(context.Background()) {
					if err != nil {
						ends <- err
						return
					}
					mu.Lock()
					got = append(got, string(e.Payload))
					mu.Unlock()
				}
			}()
		}
		var want []string
		for i := range events {
			require.NoError(t, ann.SendPayload([]byte(strconv.Itoa(i)), reliable))
			want = append(want, strconv.Itoa(i))
		}
		time.Sleep(10 * time.Second)
		mu.Lock()
		require.ElementsMatch(t, want, got)
		mu.Unlock()
		_, err := s.stop()
		require.NoError(t, err)
		for range receivers {
			require.ErrorIs(t, <-ends, join.ErrLeft)
		}
	})
}

// A loop can end early and be continued.
func TestEventsLeft(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		n.serve(t, echo)
		ann := n.dial(t, annAddr)
		for _, payload := range []string{"1", "2", "3"} {
			require.NoError(t, ann.SendPayload([]byte(payload), reliable))
		}
		for _, want := range []string{"1", "2", "3"} {
			for e, err := range ann.Events(t.Context()) {
				require.NoError(t, err)
				require.Equal(t, want, string(e.Payload))
				break
			}
		}
	})
}

// Messages goes on after payloads that cannot be decoded, and yields nil only at its end.
func TestMessages(t *testing.T) {
	payloads := [][]byte{{}, {byte(opcode.OpTorpedoFire), 1}, {0xEE, 1, 2}, {byte(opcode.OpBootPlayer), 1, 2, 3}, {0x2A, 0x20}}
	send := greet(func(s *transport.Session) {
		_ = s.SendSystem(&transport.NameChange{PeerID: 7}) // which Messages discards
		for _, p := range payloads {
			_ = s.Send(p, reliable)
		}
	})
	describe := func(t *testing.T, c *udp.Conn) (all []string) {
		for m, err := range c.Messages(t.Context()) {
			require.NotNil(t, m)
			all = append(all, fmt.Sprintf("%T %v", m, err))
			if len(all) == len(payloads) {
				break
			}
		}
		return all
	}
	bubble(t, func(t *testing.T, n *network) {
		s := n.serve(t, send)
		ann := n.dial(t, annAddr)
		all := describe(t, ann)
		require.Equal(t, "*opcode.Unknown", all[0][:len("*opcode.Unknown")])
		require.Contains(t, all[0], "unexpected EOF")
		require.Equal(t, "*opcode.TorpedoFire", all[1][:len("*opcode.TorpedoFire")])
		require.Contains(t, all[1], "unexpected EOF")
		require.Equal(t, []string{"*opcode.Unknown <nil>", "*opcode.Unknown <nil>", "*opcode.NewPlayerInGame <nil>"}, all[2:])

		_, err := s.stop()
		require.NoError(t, err)
		ends := 0
		for m, err := range ann.Messages(t.Context()) {
			require.Nil(t, m)
			require.ErrorIs(t, err, join.ErrLeft)
			ends++
		}
		require.Equal(t, 1, ends)
	})
}
