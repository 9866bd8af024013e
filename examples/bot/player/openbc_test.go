package player

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/bot/internal/hosttest"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// A host that knows a player of the same name gives the player another one in Settings. The
// player takes it and sends it to the host.
func TestRenamedBySettings(t *testing.T) {
	name, err := stream.NewUTF16("Ann (2)")
	require.NoError(t, err)
	settings := &opcode.Settings{Map: stream.Text(hosttest.Map), Renamed: true, NewName: name}
	l := newLink(t, Options{Name: "Ann", Ship: akira()}, hosttest.Options{Settings: settings})
	c := l.join()
	require.Equal(t, "Ann (2)", c.Name)
	require.Contains(t, l.wire, "client 2: Ack 5, Ack 6, Ack 7, NameChange 2!, NewPlayerInGame 5")
	require.Equal(t, []string{"Ann is now Ann (2)"}, l.reports(" is now "))

	// A rest that is no name changes nothing.
	settings = &opcode.Settings{Map: stream.Text(hosttest.Map), Renamed: true, Opaque: true, Rest: []byte{1, 2, 3}}
	l = newLink(t, Options{Name: "Ann"}, hosttest.Options{Settings: settings})
	require.Equal(t, "Ann", l.join().Name)
	require.Empty(t, l.reports(" is now "))
}

// An OpenBC server that is full or whose match has ended answers a Connect with a payload.
// The player ends at once, with the reason.
func TestOpenBCRefusals(t *testing.T) {
	for datagram, want := range map[string]string{
		"\x01\x01\x32\x05\x00\x04\x00": "refused by the server (no reason given)",
		"\x01\x01\x32\x05\x00\x04\x01": "refused by the server (other version)",
		"\x01\x01\x32\x05\x00\x04\x02": "refused by the server (too many players)",
		"\x01\x01\x32\x05\x00\x04\x03": "refused by the server (banned)",
		"\x01\x01\x32\x05\x00\x04\x04": "refused by the server (other files)",
	} {
		l := newLink(t, Options{Name: "Ann"}, hosttest.Options{Silent: true})
		l.send()
		l.client.Receive(epoch.Add(time.Millisecond), []byte(datagram))
		require.EqualError(t, l.player.Err(), want)
	}
}

// Clients of OpenBC write their slot instead of their peer ID. The player's own line
// comes back with its peer ID.
func TestOpenBCChat(t *testing.T) {
	l := newLink(t, Options{Name: "Ann", Ship: akira(), Say: "hello"}, hosttest.Options{})
	c := l.join()
	l.advance(3 * time.Second)
	require.Equal(t, []string{"Ann: hello"}, l.reports(": "))
	l.player.systemMessage(&transport.NameChange{PeerID: 3, Name: text16(t, "Ben")})
	c.Send(&opcode.ChatMessage{SenderID: 3, Text: stream.Text("stock")})
	l.advance(time.Second)
	require.Equal(t, []string{"Ben: stock"}, l.reports(": "))

	// From here on the host shows that it is OpenBC.
	l.client.Receive(l.now, []byte("\x01\x01\x01\x00\x00\x80"))
	c.Send(
		&opcode.ChatMessage{SenderID: 1, Text: stream.Text("from slot 1")},
		&opcode.TeamChatMessage{SenderID: 0, Text: stream.Text("from slot 0")},
		&opcode.ChatMessage{SenderID: 2, Text: stream.Text("hello")},
	)
	l.advance(time.Second)
	require.Equal(t, []string{"Ben: from slot 1", "Ann to the team: from slot 0", "Ann: hello"}, l.reports(": "))
}

func text16(t *testing.T, s string) transport.UTF16Z {
	text, err := transport.NewUTF16Z(s)
	require.NoError(t, err)
	return text
}
