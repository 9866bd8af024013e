package main

import (
	"bytes"
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// Lines pass, lose a word, or are dropped, also in fragments. Nothing else is lost from the session, and what the server
// says is not filtered.
func TestFilter(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	server, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer server.Close()
	received := make(chan string, 20)
	hub := transport.NewHub(time.Now(), transport.HubOptions{})
	go func() {
		_ = udp.Serve(ctx, server, hub, udp.Handler{Event: func(_ time.Time, e transport.Event) {
			switch e.Kind {
			case transport.EventConnect:
				_, _ = hub.Accept(e)
			case transport.EventPayload:
				_ = e.Session.Send(e.Payload, transport.Reliable)
				m, err := opcode.Decode(bytes.Clone(e.Payload))
				if chat, ok := m.(*opcode.ChatMessage); ok && err == nil {
					received <- chat.Text.String()
				}
				_ = e.Session.Send(chat("FRAK, SAYS THE SERVER"), transport.Reliable)
			}
		}})
	}()
	relay, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer relay.Close()
	ended := make(chan error, 1)
	relaying, stop := context.WithCancel(ctx)
	go func() { ended <- run(relaying, relay, server.LocalAddr().String()) }()
	conn, err := udp.Dial(ctx, relay.LocalAddr().String(), udp.Options{})
	require.NoError(t, err)
	long := strings.Repeat("so long ", 70)
	lines := []string{"good fight", "you petaQ!", "LOOK AT ME", "GG", long, long + "frak", strings.ToUpper(long), "that is all"}
	for _, line := range lines {
		require.NoError(t, conn.Send(&opcode.ChatMessage{SenderID: 2, Text: stream.Lossy(line)}))
	}
	for _, want := range []string{"good fight", "you ***!", "GG", long, long + "***", "that is all"} {
		require.Equal(t, want, <-received)
	}
	heard := false
	for m, err := range conn.Messages(ctx) {
		require.NoError(t, err)
		if line, ok := m.(*opcode.ChatMessage); ok && line.Text.String() == "FRAK, SAYS THE SERVER" {
			heard = true
			break
		}
	}
	require.True(t, heard)
	require.NoError(t, conn.Close())
	stop()
	require.NoError(t, <-ended)
}

// chat returns the payload of a line.
func chat(text string) []byte {
	payload, err := opcode.Marshal(&opcode.ChatMessage{SenderID: 2, Text: stream.Lossy(text)})
	if err != nil {
		panic(err)
	}
	return payload
}

// A line counts with bytes after it, and to the team.
func TestCensor(t *testing.T) {
	filtered := func(payload []byte) []byte {
		m, _ := opcode.Decode(payload)
		return censor(payload, m)
	}
	team := chat("veruul")
	team[0] = byte(opcode.OpTeamChatMessage)
	require.Contains(t, string(filtered(team)), "***")
	require.Contains(t, string(filtered(append(chat("frak you"), 1, 2, 3))), "*** you")
	require.Nil(t, filtered(append(chat("LOUD AND LONG"), 0)))
	other := []byte{byte(opcode.OpTorpedoFire), 1}
	require.Equal(t, other, filtered(other))
}

// An address that is none, or the filter's own, is an error.
func TestAddresses(t *testing.T) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer conn.Close()
	require.Error(t, run(t.Context(), conn, "nowhere"))
	require.ErrorContains(t, run(t.Context(), conn, conn.LocalAddr().String()), "own address")
}
