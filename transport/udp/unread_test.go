package udp_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// A Conn with too many unread events ends. Receive still returns the events up to the limit.
func TestUnread(t *testing.T) {
	for _, row := range []struct {
		name    string
		options udp.Options
		size    int // of each payload
		fit     int // payloads
	}{
		{"events", udp.Options{}.Unread(10, 0), 5, 10},
		{"bytes", udp.Options{}.Unread(0, 3000), 300, 10},
		{"a single long payload", udp.Options{}.Unread(0, 1), 300, 1},
		{"4096 events by default", udp.Options{}, 5, 4096},
		{"4 MiB by default", udp.Options{}, 64 << 10, 64},
	} {
		t.Run(row.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				var player *transport.Session
				s := n.serve(t, func(hub *transport.Hub) udp.Handler {
					h := greet(func(s *transport.Session) { player = s })(hub)
					left := row.fit
					h.Interval = time.Second
					h.Tick = func(time.Time) {
						for player != nil && left > 0 && player.Send(make([]byte, row.size), reliable) == nil {
							left--
						}
					}
					h.Loop = &udp.Loop{}
					return h
				})
				ann := n.dial(t, annAddr, row.options)
				time.Sleep(5 * time.Minute)
				require.NoError(t, ann.Err()) // as many as fit
				require.EqualValues(t, row.fit, ann.Counters().Payloads)

				require.NoError(t, ann.SendPayload(make([]byte, row.size), reliable)) // and comes back
				time.Sleep(time.Minute)
				require.ErrorIs(t, ann.Err(), udp.ErrUnread)
				for range row.fit {
					e, err := ann.Receive(t.Context())
					require.NoError(t, err)
					require.Len(t, e.Payload, row.size)
				}
				_, err := ann.Receive(t.Context())
				require.Equal(t, udp.ErrUnread, err)
				took, err := s.stop()
				require.NoError(t, err)
				require.Zero(t, took) // the client has left
			})
		})
	}
	t.Run("names", func(t *testing.T) {
		bubble(t, func(t *testing.T, n *network) {
			n.serve(t, func(hub *transport.Hub) udp.Handler {
				h := greet(func(s *transport.Session) { _ = s.Send([]byte("welcome"), reliable) })(hub)
				greeting := h.Event
				h.Event = func(now time.Time, e transport.Event) {
					greeting(now, e)
					for range 11 {
						if e.Kind == transport.EventConnected {
							_ = e.Session.SendSystem(&transport.NameChange{PeerID: 7, Name: make([]byte, 300)})
						}
					}
				}
				return h
			})
			ann := n.dial(t, annAddr, udp.Options{}.Unread(0, 3000))
			time.Sleep(time.Second)
			require.Equal(t, udp.ErrUnread, ann.Err())
		})
	})
	t.Run("a program that receives", func(t *testing.T) {
		bubble(t, func(t *testing.T, n *network) {
			n.serve(t, echo)
			ann := n.dial(t, annAddr, udp.Options{}.Unread(6, 0))
			const rounds, behind = 1000, 2
			for i := range rounds + behind {
				for range 2 {
					require.NoError(t, ann.SendPayload([]byte(strconv.Itoa(i)), reliable))
				}
				time.Sleep(100 * time.Millisecond)
				for range 2 {
					if i >= behind {
						require.Equal(t, strconv.Itoa(i-behind), receive(t, ann))
					}
				}
			}
			require.Less(t, ann.UnreadCap(), 100)
		})
	})
}
