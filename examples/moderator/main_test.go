package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/internal/relay/relaytest"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// Players talk through the relay: one line passes, one loses a word, and one is dropped. Nothing
// is lost from the session.
func TestModeratesChat(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	received := make(chan string, 10)
	server := listen(t)
	hub := transport.NewHub(time.Now(), transport.HubOptions{})
	served := make(chan error, 1)
	serveCtx, stop := context.WithCancel(ctx)
	go func() {
		served <- udp.Serve(serveCtx, server, hub, udp.Handler{Event: func(_ time.Time, e transport.Event) {
			switch e.Kind {
			case transport.EventConnect:
				_, _ = hub.Accept(e)
			case transport.EventPayload:
				m, err := opcode.Decode(bytes.Clone(e.Payload))
				if chat, ok := m.(*opcode.ChatMessage); ok && err == nil {
					received <- chat.Text.String()
				} else {
					received <- m.Opcode().String()
				}
			}
		}})
	}()
	addr, end := start(t, server.LocalAddr().String())
	conn, err := udp.Dial(ctx, addr, udp.Options{Name: "Ann"})
	require.NoError(t, err)
	for _, line := range []string{"good fight", "you petaQ!", "LOOK AT ME", "GG", "that is all"} {
		require.NoError(t, conn.Send(&opcode.ChatMessage{SenderID: 2, Text: stream.Lossy(line)}))
	}
	for _, want := range []string{"good fight", "you ***!", "RequestObject", "GG", "that is all"} {
		select {
		case got := <-received:
			require.Equal(t, want, got)
		case <-ctx.Done():
			t.Fatalf("nothing received, expected %q", want)
		}
	}
	require.NoError(t, conn.Close())
	stop()
	require.NoError(t, <-served)
	require.Zero(t, end())
}

// start runs the program in front of a server. It returns the address for the players, and a
// function that ends the program and returns its exit status.
func start(t *testing.T, server string) (addr string, end func() int) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	r, w := io.Pipe()
	status := make(chan int, 1)
	go func() { status <- run(ctx, []string{"-listen", "127.0.0.1:0", "-server", server}, w) }()
	lines := bufio.NewReader(r)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	fields := strings.Fields(line)
	require.Len(t, fields, 4, line)
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	t.Cleanup(stop)
	return fields[1], func() int {
		stop()
		return <-status
	}
}

// Connects from forged addresses keep no player out.
func TestForgedConnects(t *testing.T) {
	t.Parallel()
	addr, end := start(t, relaytest.Server(t))
	relaytest.RequireOpen(t, addr)
	require.Zero(t, end())
}

func listen(t *testing.T) *net.UDPConn {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// Datagrams without improper chat pass byte for byte, malformed ones too.
func TestOtherDatagramsStay(t *testing.T) {
	proper, err := opcode.Marshal(&opcode.ChatMessage{SenderID: 2, Text: stream.Text("caf\xE9 \x81 hello")})
	require.NoError(t, err)
	packet := transport.Packet{PeerID: 2, Messages: []transport.Message{
		transport.NewData(3, proper), transport.NewUnreliable([]byte{0x1C, 1, 2}), transport.NewData(4, []byte{0x2C}),
	}, Trailing: []byte("xyz")}
	whole, err := packet.MarshalBinary()
	require.NoError(t, err)
	for _, plain := range [][]byte{whole, whole[:len(whole)-8], {}, {2}, {2, 200, 0x32}, []byte(`\status\`), bytes.Repeat([]byte{0xFF}, 600)} {
		datagram := bytes.Clone(plain)
		if !transport.IsGameSpy(plain) {
			cipher.Encrypt(datagram)
		}
		require.Equal(t, bytes.Clone(datagram), moderate(bytes.Clone(datagram)), "% x", plain)
	}
}

// Bytes after a line of chat do not take it past the moderator.
func TestChatWithTrailingBytes(t *testing.T) {
	said := func(text string) []byte {
		payload, err := opcode.Marshal(&opcode.ChatMessage{SenderID: 2, Text: stream.Lossy(text)})
		require.NoError(t, err)
		return payload
	}
	require.Equal(t, said("you ***"), censor(append(said("you petaq"), 0)))
	ignored, err := opcode.Marshal(&opcode.RequestObject{})
	require.NoError(t, err)
	require.Equal(t, ignored, censor(append(said("LOOK AT ME"), 1, 2)))
	proper := append(said("hello"), 0)
	require.Equal(t, proper, censor(proper))
}

// FuzzModerate checks that the relay neither panics nor changes what it cannot read.
func FuzzModerate(f *testing.F) {
	chat, err := opcode.Marshal(&opcode.ChatMessage{Text: stream.Text("LOOK AT ME frak")})
	require.NoError(f, err)
	seed, err := (&transport.Packet{PeerID: 2, Messages: []transport.Message{transport.NewData(0, chat)}}).MarshalBinary()
	require.NoError(f, err)
	f.Add(seed)
	f.Fuzz(func(t *testing.T, plain []byte) {
		datagram := bytes.Clone(plain)
		if transport.IsGameSpy(plain) {
			require.Equal(t, plain, moderate(datagram))
			return
		}
		cipher.Encrypt(datagram)
		after := moderate(bytes.Clone(datagram))
		cipher.Decrypt(after)
		var before, moderated transport.Packet
		if before.UnmarshalBinary(plain) != nil {
			require.Equal(t, plain, after)
			return
		}
		require.NoError(t, moderated.UnmarshalBinary(after))
		require.Len(t, moderated.Messages, len(before.Messages))
		for i := range before.Messages {
			require.Equal(t, before.Messages[i].Seq, moderated.Messages[i].Seq)
		}
	})
}
