package udp_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// echo accepts all clients and sends every payload back.
func echo(hub *transport.Hub) udp.Handler {
	return udp.Handler{Event: func(_ time.Time, e transport.Event) {
		switch e.Kind {
		case transport.EventConnect:
			_, _ = hub.Accept(e)
		case transport.EventPayload:
			_ = e.Session.Send(e.Payload, e.Delivery)
		}
	}}
}

func TestDialAndServe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{delay: 20 * time.Millisecond}
		hub := transport.NewHub(time.Now(), transport.HubOptions{})
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error)
		host := n.listen(t, "10.0.0.1:22101")
		go func() { served <- udp.Serve(ctx, host, hub, echo(hub)) }()
		conn, err := udp.Dial(ctx, "10.0.0.1:22101", udp.Options{Name: "Ann", Conn: n.listen(t, "10.0.0.2:1")})
		require.NoError(t, err)
		text, _ := stream.NewText("hello")
		require.NoError(t, conn.SendMessage(&opcode.ChatMessage{Text: text}, transport.Reliable))
		for m, err := range conn.Messages(t.Context()) {
			require.NoError(t, err)
			require.Equal(t, "hello", m.(*opcode.ChatMessage).Text.String())
			break
		}
		cancel()
		require.NoError(t, <-served)
		_, err = conn.Receive(t.Context())
		require.ErrorIs(t, err, udp.ErrLeft)
		require.NoError(t, conn.Close())
		t.Log(err)
	})
}

func TestDialClosedPort(t *testing.T) {
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	require.NoError(t, err)
	addr := c.LocalAddr().String()
	c.Close()
	_, err = udp.Dial(t.Context(), addr, udp.Options{})
	t.Log(err)
	require.Error(t, err)
	var op *net.OpError
	require.True(t, errors.As(err, &op))
}
