package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"slices"
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
	long := strings.Repeat("so long ", 70) // in two fragments
	for _, line := range []string{"good fight", "you petaQ!", "LOOK AT ME", "GG", long, long + "frak", strings.ToUpper(long), "that is all"} {
		require.NoError(t, conn.Send(&opcode.ChatMessage{SenderID: 2, Text: stream.Lossy(line)}))
	}
	for _, want := range []string{"good fight", "you ***!", "RequestObject", "GG", long, long + "***", "RequestObject", "that is all"} {
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

// said returns the payload of a line.
func said(text string) []byte {
	payload, err := opcode.Marshal(&opcode.ChatMessage{SenderID: 2, Text: stream.Lossy(text)})
	if err != nil {
		panic(err)
	}
	return payload
}

// plain returns a datagram with messages.
func plain(t *testing.T, messages ...transport.Message) []byte {
	t.Helper()
	d, err := (&transport.Packet{PeerID: 2, Messages: messages}).MarshalBinary()
	require.NoError(t, err)
	return d
}

// relayed returns the datagrams that a filter relays in place of one.
func relayed(f *filter, plain []byte) (all [][]byte) {
	datagram := bytes.Clone(plain)
	if !transport.IsGameSpy(plain) {
		cipher.Encrypt(datagram)
	}
	for _, d := range f.relay(datagram) {
		if !transport.IsGameSpy(d) {
			cipher.Decrypt(d)
		}
		all = append(all, d)
	}
	return all
}

// fragments returns a payload in fragments of so many bytes.
func fragments(seq uint16, payload []byte, size int) (all []transport.Message) {
	for body := range slices.Chunk(payload, size) {
		m := transport.NewData(seq, body)
		m.Fragment, m.FragIndex = true, uint8(len(all))
		all = append(all, m)
	}
	all[0].FragTotal = uint8(len(all))
	return all
}

// receive returns the payloads that a server gets from datagrams. It takes the first of two fragments.
func receive(t *testing.T, datagrams [][]byte) (payloads [][]byte) {
	t.Helper()
	var r transport.Reassembler
	for _, d := range datagrams {
		for m, err := range transport.Messages(d) {
			if err != nil { // the server has read the messages before it
				break
			}
			if m.Type != transport.TypeData {
				continue
			}
			payload, verdict, err := r.Add(time.Time{}, m)
			require.NoError(t, err)
			if verdict == transport.VerdictComplete {
				payloads = append(payloads, bytes.Clone(payload))
			}
		}
	}
	return payloads
}

// Datagrams without improper chat pass byte for byte.
func TestOtherDatagramsStay(t *testing.T) {
	proper, err := opcode.Marshal(&opcode.ChatMessage{SenderID: 2, Text: stream.Text("caf\xE9 \x81 hello")})
	require.NoError(t, err)
	packet := transport.Packet{PeerID: 2, Messages: []transport.Message{
		transport.NewData(3, proper), transport.NewUnreliable([]byte{0x1C, 1, 2}), transport.NewData(4, []byte{0x2A}),
	}, Trailing: []byte("xyz")}
	whole, err := packet.MarshalBinary()
	require.NoError(t, err)
	for _, plain := range [][]byte{whole, {2, 0}, []byte(`\status\`)} {
		require.Equal(t, [][]byte{plain}, relayed(&filter{}, plain), "% x", plain)
	}
}

// A datagram with a malformed message is dropped, or passes unread.
func TestMalformedDatagrams(t *testing.T) {
	line := plain(t, transport.NewData(3, said("you petaq")))
	behind := append(bytes.Clone(line), 0x32, 0xFF, 0xFF)
	behind[1]++
	unknown := append(bytes.Clone(line), 0x77, 0x77)
	unknown[1]++
	for _, plain := range [][]byte{behind, unknown, line[:len(line)-3], {2, 200, 0x32}, bytes.Repeat([]byte{0xFF}, 600)} {
		require.Empty(t, relayed(&filter{}, plain), "% x", plain)
		require.Equal(t, [][]byte{plain}, relayed(&filter{pass: true}, plain), "% x", plain)
	}
	require.Equal(t, [][]byte{said("you petaq")}, receive(t, [][]byte{behind}), "the server would read the line")
}

// A message in fragments is relayed when it is complete, in whatever order they arrive, as it was judged.
func TestFragmentedChat(t *testing.T) {
	ignored, err := opcode.Marshal(&opcode.RequestObject{})
	require.NoError(t, err)
	for _, v := range []struct{ payload, want []byte }{
		{said("hello, this is a proper line"), said("hello, this is a proper line")},
		{said("you petaq"), said("you ***")},
		{said("LOOK AT ME"), ignored},
		{bytes.Repeat([]byte{0x21}, 2000), bytes.Repeat([]byte{0x21}, 2000)},
	} {
		for _, size := range []int{1, 3, 10, 400} {
			if len(v.payload)/size > 200 {
				continue
			}
			all := fragments(7, v.payload, size)
			for range 2 { // in order, and in reverse
				var f filter
				var out [][]byte
				for i := range all {
					require.Empty(t, out, "before the last one")
					out = relayed(&f, plain(t, all[i]))
				}
				got := receive(t, out)
				require.Len(t, got, 1)
				require.Equal(t, v.want, got[0][:len(v.want)])
				require.Equal(t, make([]byte, len(got[0])-len(v.want)), got[0][len(v.want):])
				if bytes.Equal(v.want, v.payload) {
					require.Equal(t, v.payload, got[0])
				}
				slices.Reverse(all)
			}
		}
	}
}

// A fragment that is retransmitted has the content that was judged, also if the player has exchanged it.
// The other messages of its datagram are relayed.
func TestExchangedFragments(t *testing.T) {
	var f filter
	proper, improper := fragments(7, said("friend or foe"), 12), fragments(7, said("fr frak"), 12)
	ack := transport.NewMessage(0, &transport.Ack{Seq: 1})
	out := relayed(&f, plain(t, ack, proper[0]))
	require.Equal(t, [][]byte{plain(t, ack)}, out)
	for _, m := range []transport.Message{improper[0], improper[1], proper[1], improper[1], improper[0], proper[1]} {
		out = append(out, relayed(&f, plain(t, m))...)
	}
	for _, payload := range receive(t, out) {
		require.Equal(t, censor(payload), payload)
	}
	for _, d := range out[1:] {
		for m, err := range transport.Messages(d) {
			require.NoError(t, err)
			require.NotEqual(t, improper[0].Body, m.Body)
		}
	}
	foreign := proper[1]
	foreign.FragIndex = 9
	require.Empty(t, relayed(&f, plain(t, foreign)), "an index that was not judged")
}

// Fragments that are never complete take limited memory, and room for others remains.
func TestFragmentsAreBounded(t *testing.T) {
	var f filter
	for seq := range uint16(2000) {
		for i := range uint8(20) {
			m := transport.NewData(seq, bytes.Repeat([]byte{0x21}, 400))
			m.Fragment, m.FragIndex = true, i+1
			require.Empty(t, relayed(&f, plain(t, m)))
		}
		require.LessOrEqual(t, f.stored, maxStored)
		require.LessOrEqual(t, len(f.split), maxSplit)
	}
	for range maxSplit { // complete ones make room
		for seq := range uint16(maxSplit) {
			all := fragments(seq, said("hello"), 6)
			relayed(&f, plain(t, all[0]))
			relayed(&f, plain(t, all[1]))
		}
	}
	all := fragments(9999, said("you petaq"), 10)
	require.Empty(t, relayed(&f, plain(t, all[0])))
	require.Equal(t, [][]byte{said("you ***")}, receive(t, relayed(&f, plain(t, all[1]))))
}

// Bytes after a line of chat do not take it past the moderator, and neither does a team.
func TestChatWithTrailingBytes(t *testing.T) {
	require.Equal(t, said("you ***"), censor(append(said("you petaq"), 0)))
	ignored, err := opcode.Marshal(&opcode.RequestObject{})
	require.NoError(t, err)
	require.Equal(t, ignored, censor(append(said("LOOK AT ME"), 1, 2)))
	proper := append(said("hello"), 0)
	require.Equal(t, proper, censor(proper))
	team := said("you petaq")
	team[0] = byte(opcode.OpTeamChatMessage)
	want := said("you ***")
	want[0] = byte(opcode.OpTeamChatMessage)
	require.Equal(t, want, censor(team))
	require.Equal(t, ignored, censor(team[:8]), "a line that is cut")
}

// FuzzFilter checks that the relay changes neither the numbers nor the peer ID of what it relays, and that
// no improper line passes. Two datagrams may have fragments of one message.
func FuzzFilter(f *testing.F) {
	chat := said("LOOK AT ME frak")
	d := func(m ...transport.Message) []byte {
		b, err := (&transport.Packet{PeerID: 2, Messages: m}).MarshalBinary()
		require.NoError(f, err)
		return b
	}
	f.Add(d(transport.NewData(0, chat)), d(transport.NewData(1, chat)))
	all := fragments(4, chat, 12)
	f.Add(d(all[0]), d(all[1]))
	f.Add(d(all[1]), append(d(all[0]), 1))
	f.Fuzz(func(t *testing.T, one, two []byte) {
		var filter filter
		for _, plain := range [][]byte{one, two} {
			out := relayed(&filter, plain)
			var before transport.Packet
			if transport.IsGameSpy(plain) {
				require.Equal(t, [][]byte{plain}, out)
				continue
			}
			if before.UnmarshalBinary(plain) != nil {
				require.Empty(t, out)
				continue
			}
			for _, d := range out {
				var after transport.Packet
				require.NoError(t, after.UnmarshalBinary(d))
				require.Equal(t, before.PeerID, after.PeerID)
				for _, m := range after.Messages {
					require.True(t, slices.ContainsFunc(before.Messages, func(b transport.Message) bool { return b.Type == m.Type && b.Seq == m.Seq }))
				}
			}
			for _, payload := range receive(t, out) {
				require.Equal(t, censor(payload), payload)
			}
		}
	})
}
