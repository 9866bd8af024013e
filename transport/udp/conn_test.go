package udp_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// After an error of Send the Conn continues.
func TestSendErrors(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		n.serve(t, echo)
		ann := n.dial(t, annAddr, udp.Options{Session: transport.Options{MaxQueue: 4}})
		require.ErrorIs(t, ann.SendPayload(make([]byte, transport.MaxPayload+1), reliable), stream.ErrTooLong)
		require.ErrorContains(t, ann.SendSystem(&transport.ConnectReply{}), "wrong type")
		require.ErrorIs(t, ann.Send(&opcode.ChatMessage{Text: make(stream.Text, 1<<16)}), stream.ErrTooLong)
		for range 4 {
			require.NoError(t, ann.SendPayload([]byte("x"), reliable))
		}
		require.ErrorIs(t, ann.SendPayload([]byte("x"), reliable), transport.ErrQueueFull)
		for range 4 {
			require.Equal(t, "x", receive(t, ann))
		}
		requireEcho(t, ann, "y")
		require.NoError(t, ann.Err())
	})
}

// A quiet Conn sends its messages at once, and later ones with the next tick, although its
// goroutine waits for a datagram.
func TestSendWakesReader(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		var heard []time.Time
		s := n.serve(t, func(hub *transport.Hub) udp.Handler {
			return udp.Handler{Event: func(now time.Time, e transport.Event) {
				switch e.Kind {
				case transport.EventConnect:
					_, _ = hub.Accept(e)
				case transport.EventPayload:
					heard = append(heard, now)
				}
			}}
		})
		ann := n.dial(t, annAddr)
		time.Sleep(2 * time.Second)
		begin := time.Now()
		require.NoError(t, ann.SendPayload([]byte("1"), unreliable))
		require.NoError(t, ann.SendPayload([]byte("2"), unreliable))
		time.Sleep(time.Second)
		_, err := s.stop()
		require.NoError(t, err)
		require.Len(t, heard, 2)
		requireTook(t, n.delay, heard[0].Sub(begin))
		requireTook(t, n.delay+50*time.Millisecond, heard[1].Sub(begin))
	})
}

// The longest payload arrives on a network that loses, delays and reorders datagrams.
func TestBadNetwork(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		n.loss, n.jitter = 0.2, 200*time.Millisecond
		n.serve(t, echo)
		ann := n.dial(t, annAddr)
		long := make([]byte, transport.MaxPayload)
		for i := range long {
			long[i] = byte(i * i >> 3)
		}
		require.NoError(t, ann.SendPayload(long, reliable))
		require.NoError(t, ann.SendPayload([]byte("and a short one"), reliable))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		e, err := ann.Receive(ctx)
		require.NoError(t, err)
		require.Equal(t, long, e.Payload)
		e, err = ann.Receive(ctx)
		require.NoError(t, err)
		require.Equal(t, "and a short one", string(e.Payload))
		require.NotZero(t, ann.Counters().Retransmissions)
	})
}

// Failed reads end a Conn only if the socket cannot be used.
func TestConnReadErrors(t *testing.T) {
	for _, row := range []struct {
		name string
		errs []error
		ends bool
	}{
		{"9 unknown errors", slices.Repeat([]error{errOdd}, 9), false},
		{"10 unknown errors", slices.Repeat([]error{errOdd}, 10), true},
		{"9 times a closed port", slices.Repeat([]error{udp.PortClosed}, 9), false},
		{"10 times a closed port", slices.Repeat([]error{udp.PortClosed}, 10), true},
		{"a closed socket", []error{net.ErrClosed}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				n.serve(t, echo)
				ann := n.dial(t, annAddr)
				for range 3 { // a datagram of the host resets the count
					n.at(annAddr).failReads(row.errs...)
					if row.ends {
						_, err := requireEnd(t, ann)
						require.ErrorIs(t, err, row.errs[0])
						return
					}
					requireEcho(t, ann, "hello")
				}
			})
		})
	}
}

// brokenDeadline is a socket whose deadline cannot be set any more after some time.
type brokenDeadline struct {
	*simConn
	broken atomic.Bool
}

func (c *brokenDeadline) SetReadDeadline(t time.Time) error {
	if c.broken.Load() {
		return errOdd
	}
	return c.simConn.SetReadDeadline(t)
}

// A Conn whose deadline cannot be set ends with the error of SetReadDeadline, because its timers
// would not run. After Close, the error is net.ErrClosed.
func TestConnWithoutDeadline(t *testing.T) {
	for _, closes := range []bool{false, true} {
		bubble(t, func(t *testing.T, n *network) {
			n.serve(t, echo)
			socket := &brokenDeadline{simConn: n.listen(t, annAddr)}
			ann, err := udp.Dial(t.Context(), hostAddr, udp.Options{Conn: socket})
			require.NoError(t, err)
			requireEcho(t, ann, "hello")
			require.NoError(t, ann.Err())
			socket.broken.Store(true)
			want := errOdd
			if closes {
				require.NoError(t, ann.Close())
				want = net.ErrClosed
			} else {
				took, err := requireEnd(t, ann)
				require.Equal(t, want, err)
				require.LessOrEqual(t, took, 5*time.Second, "after the read in progress, at the latest for a keepalive")
			}
			require.Equal(t, want, ann.Err())
			require.Equal(t, want, ann.SendPayload([]byte("late"), reliable))
			synctest.Wait() // the error is reported before the socket is closed
			requireClosed(t, socket.simConn)
		})
	}
}

// A Conn without a method Close leaves the PacketConn without a deadline.
func TestConnWithoutClose(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		n.serve(t, echo)
		socket := n.listen(t, annAddr)
		ann, err := udp.Dial(t.Context(), hostAddr, udp.Options{Conn: struct{ udp.PacketConn }{socket}})
		require.NoError(t, err)
		requireEcho(t, ann, "hello")
		require.NoError(t, ann.Close())
		deadline, _, closed := socket.state()
		require.Zero(t, deadline)
		require.False(t, closed)
		sent := socket.writes()
		require.NoError(t, ann.Close())
		time.Sleep(time.Minute)
		require.Equal(t, sent, socket.writes()) // nothing more
	})
}

// Failed reads and writes are logged at level Debug.
func TestLog(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		var ofHost, ofAnn strings.Builder
		logger := func(w io.Writer) *slog.Logger {
			return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}}))
		}
		s := n.serve(t, func(hub *transport.Hub) udp.Handler {
			h := echo(hub)
			h.Log = logger(&ofHost)
			return h
		})
		ann := n.dial(t, annAddr, udp.Options{Log: logger(&ofAnn)})
		requireEcho(t, ann, "hello")
		for _, c := range []*simConn{s.conn, n.at(annAddr)} {
			c.failReads(errOdd)
			c.failWrites(errOdd)
		}
		require.NoError(t, ann.SendPayload([]byte("hello"), unreliable))
		time.Sleep(6 * time.Second) // a keepalive of both
		for _, c := range []*simConn{s.conn, n.at(annAddr)} {
			c.failWrites(nil)
		}
		require.NoError(t, ann.Close())
		_, err := s.stop()
		require.NoError(t, err)
		read, written := "level=DEBUG msg=read error=odd\n", "level=DEBUG msg=write error=odd\n"
		require.Equal(t, read, strings.ReplaceAll(ofAnn.String(), written, ""))
		require.Contains(t, ofAnn.String(), written)
		written = "level=DEBUG msg=write addr=10.0.1.1:5000 error=odd\n"
		require.Equal(t, read, strings.ReplaceAll(ofHost.String(), written, ""))
		require.Contains(t, ofHost.String(), written)
	})
}

// Failed writes delay messages, but lose none.
func TestConnWriteErrors(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		n.serve(t, echo)
		ann := n.dial(t, annAddr)
		n.at(annAddr).failWrites(errOdd)
		require.NoError(t, ann.SendPayload([]byte("hello"), reliable))
		time.Sleep(5 * time.Second)
		n.at(annAddr).failWrites(nil)
		require.Equal(t, "hello", receive(t, ann))
	})
}
