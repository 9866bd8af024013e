package udp_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// Two players join, receive each other's names, and one of them sends a chat message.
func TestDialAndServe(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		s := n.serve(t, func(hub *transport.Hub) udp.Handler {
			return udp.Handler{Event: func(_ time.Time, e transport.Event) {
				switch e.Kind {
				case transport.EventConnect:
					_, _ = hub.Accept(e)
				case transport.EventSystem:
					for s := range hub.Sessions() {
						_ = s.SendSystem(e.Body)
					}
				case transport.EventPayload:
					for s := range hub.Sessions() {
						_ = s.Send(e.Payload, e.Delivery)
					}
				}
			}}
		})
		ann := n.dial(t, annAddr)
		require.NoError(t, ann.SendSystem(&transport.NameChange{PeerID: 2, Name: text("Ann")}))
		require.Equal(t, "*transport.NameChange &{2 [0 0 0 0] Ann}", receive(t, ann))
		bob := n.dial(t, bobAddr)
		require.NoError(t, bob.SendSystem(&transport.NameChange{PeerID: 3, Name: text("Bob")}))
		require.Equal(t, "*transport.NameChange &{3 [0 0 0 0] Bob}", receive(t, ann))
		require.Equal(t, "*transport.NameChange &{3 [0 0 0 0] Bob}", receive(t, bob))
		require.EqualValues(t, 3, bob.PeerID())
		require.Equal(t, addrOf(hostAddr), bob.RemoteAddr())

		hello, err := stream.NewText("hello")
		require.NoError(t, err)
		require.NoError(t, ann.Send(&opcode.ChatMessage{Text: hello}))
		for m, err := range bob.Messages(t.Context()) {
			require.NoError(t, err)
			require.Equal(t, "hello", m.(*opcode.ChatMessage).Text.String())
			break
		}
		_, err = s.stop()
		require.NoError(t, err)
		_, err = requireEnd(t, bob)
		require.ErrorIs(t, err, join.ErrLeft)
		require.Equal(t, "read udp 10.0.0.1:22101: the server has disconnected", err.Error())
	})
}

// The context can end at each stage of Dial.
func TestDialContext(t *testing.T) {
	t.Run("before", func(t *testing.T) {
		bubble(t, func(t *testing.T, n *network) {
			n.host(t, accepting())
			conn := n.listen(t, annAddr)
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			_, err := udp.Dial(ctx, hostAddr, udp.Options{Conn: conn})
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, "dial udp: context canceled", err.Error())
			require.Zero(t, conn.writes())
			requireClosed(t, conn)
		})
	})
	t.Run("resolving", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		useResolver(t, func(ctx context.Context) error {
			cancel()
			<-ctx.Done()
			return ctx.Err()
		})
		_, err := udp.Dial(ctx, "host.invalid:22101", udp.Options{})
		require.ErrorIs(t, err, context.Canceled)
	})
	t.Run("handshake", func(t *testing.T) {
		bubble(t, func(t *testing.T, n *network) {
			conn := n.listen(t, annAddr)
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(3*time.Second, cancel)
			begin := time.Now()
			_, err := udp.Dial(ctx, hostAddr, udp.Options{Conn: conn})
			require.ErrorIs(t, err, context.Canceled)
			require.Equal(t, "dial udp 10.0.0.1:22101: context canceled", err.Error())
			require.False(t, err.(net.Error).Timeout())
			requireTook(t, 3*time.Second, time.Since(begin))
			requireClosed(t, conn)
		})
	})
	t.Run("at the moment of the acceptance", func(t *testing.T) {
		accepted := 0
		for range 1000 {
			bubble(t, func(t *testing.T, n *network) {
				n.serve(t, echo)
				ctx, cancel := context.WithTimeout(t.Context(), 2*n.delay)
				defer cancel()
				begin := time.Now()
				conn, err := udp.Dial(ctx, hostAddr, udp.Options{Conn: n.listen(t, annAddr)})
				require.LessOrEqual(t, time.Since(begin), 100*time.Millisecond)
				if err != nil {
					require.ErrorIs(t, err, context.DeadlineExceeded)
					return
				}
				accepted++
				requireEcho(t, conn, "the Conn is alive")
				conn.Close()
			})
		}
		t.Log(accepted, "of 1000 accepted")
	})
	t.Run("after Dial", func(t *testing.T) {
		bubble(t, func(t *testing.T, n *network) {
			n.serve(t, echo)
			ctx, cancel := context.WithCancel(t.Context())
			conn, err := udp.Dial(ctx, hostAddr, udp.Options{Conn: n.listen(t, annAddr)})
			require.NoError(t, err)
			defer conn.Close()
			cancel()
			time.Sleep(time.Second)
			requireEcho(t, conn, "the Conn is alive")
		})
	})
}

// A password has a longest length, beyond which Dial sends nothing.
func TestDialTexts(t *testing.T) {
	for _, row := range []struct {
		password int
		want     error
		text     string
	}{
		{247, nil, ""},
		{248, stream.ErrTooLong, "dial udp 10.0.0.1:22101: transport: Connect: too long: password of 498 bytes, at most 497"},
	} {
		bubble(t, func(t *testing.T, n *network) {
			n.serve(t, echo)
			conn := n.listen(t, annAddr)
			c, err := udp.Dial(t.Context(), hostAddr, udp.Options{Conn: conn, Password: strings.Repeat("p", row.password)})
			require.ErrorIs(t, err, row.want)
			if err != nil {
				require.Equal(t, row.text, err.Error())
				require.Zero(t, conn.writes())
				requireClosed(t, conn)
				return
			}
			requireEcho(t, c, "hello")
			c.Close()
		})
	}
	for _, password := range []string{"A\x00nn", "\xFF"} {
		bubble(t, func(t *testing.T, n *network) {
			_, err := udp.Dial(t.Context(), hostAddr, udp.Options{Conn: n.listen(t, annAddr), Password: password})
			require.ErrorIs(t, err, stream.ErrText)
		})
	}
}

// The host gets the password.
func TestDialPassword(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		var passwords []string
		s := n.serve(t, func(hub *transport.Hub) udp.Handler {
			return udp.Handler{Event: func(_ time.Time, e transport.Event) {
				if body, ok := e.Body.(*transport.ConnectRequest); ok {
					passwords = append(passwords, body.Password.String())
					_, _ = hub.Accept(e)
				}
			}}
		})
		n.dial(t, annAddr, udp.Options{Password: "Ψ"})
		n.dial(t, bobAddr)
		time.Sleep(time.Second)
		_, err := s.stop()
		require.NoError(t, err)
		require.Equal(t, []string{"Ψ", ""}, passwords)
	})
}

// A port that the system reports as closed ends Dial at once. Other errors do not.
func TestDialReadErrors(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		conn := n.listen(t, annAddr)
		conn.failReads(udp.PortClosed)
		_, err := udp.Dial(t.Context(), hostAddr, udp.Options{Conn: conn})
		require.ErrorIs(t, err, udp.PortClosed)
		require.Equal(t, "dial udp 10.0.0.1:22101: connection refused", err.Error())
		requireClosed(t, conn)
	})
	bubble(t, func(t *testing.T, n *network) {
		n.serve(t, echo)
		conn := n.listen(t, annAddr)
		conn.failReads(errOdd, errOdd, errOdd)
		c, err := udp.Dial(t.Context(), hostAddr, udp.Options{Conn: conn})
		require.NoError(t, err)
		c.Close()
	})
}

var errOdd = errors.New("odd")
