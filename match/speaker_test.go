package match_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Eight players say the same at the same time. A capture of one link shows who said each line, whatever the
// host writes into SenderID.
func TestEverybodySaysGGOnOneLink(t *testing.T) {
	line := func(sender objectid.PeerID) *opcode.ChatMessage {
		return &opcode.ChatMessage{SenderID: sender, Text: stream.Text("gg")}
	}
	for name, v := range map[string]struct {
		offset objectid.PeerID
		sign   any
	}{
		"a stock host":                  {0, nil},
		"OpenBC, by NewPlayerInGame":    {2, &opcode.NewPlayerInGame{}},
		"OpenBC, by the number of name": {2, transport.NewMessage(0, nameChange(t, 4, "P2"))},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGame(t)
			for i := range objectid.Slot(8) {
				g.mute[fmt.Sprint(i)] = i != 2
				g.Join(fmt.Sprint(i), i.PeerID(), i, fmt.Sprint("P", i))
			}
			if v.sign != nil {
				g.Host("2", v.sign)
			}
			g.Reported()
			g.Client("2", line(4))
			for i := range objectid.PeerID(8) {
				g.Host("2", line(i+2-v.offset))
			}
			var want []string
			for i := range 8 {
				want = append(want, fmt.Sprintf("P%d: gg", i))
			}
			require.ElementsMatch(t, want, g.Lines())
		})
	}
}

// A line of a player whom the capture has missed may have the number of another player's slot. It does not show how
// the host writes its speakers.
func TestForgedSpeakerIsNoSignOfOpenBC(t *testing.T) {
	line := func(sender objectid.PeerID, text string) *opcode.ChatMessage {
		return &opcode.ChatMessage{SenderID: sender, Text: stream.Text(text)}
	}
	g := newGame(t)
	for i := range objectid.Slot(5) {
		g.mute[fmt.Sprint(i)] = i != 2
		g.Join(fmt.Sprint(i), i.PeerID(), i, fmt.Sprint("P", i))
	}
	g.Reported()
	g.Host("2", line(0, "forged"), line(4, "hello"))
	require.Equal(t, []string{": forged", "P2: hello"}, g.Lines())
}
