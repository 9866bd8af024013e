package game

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// A client whose name is taken, or that the game cannot show, gets another one with its
// settings. It repeats that name, and the others hear of no other.
func TestRenamedBySettings(t *testing.T) {
	for _, c := range []struct {
		name  string
		taken []string
		want  string // empty: not renamed
	}{
		{"Ann", []string{"Bob"}, ""},
		{"Ann", []string{"Ann"}, "Ann (2)"},
		{"aNN", []string{"Ann"}, "aNN (2)"},
		{"\u00c9MILE", []string{"\u00e9mile"}, "\u00c9MILE (2)"},
		{"Ann", []string{"Ann", "Ann", "Ann"}, "Ann (4)"},
		{"Ann", []string{"Ann (2)", "Ann"}, "Ann (3)"},
		{"Ann (2)", []string{"Ann", "Ann"}, "Ann (2) (2)"},
		{"Dedicated Server", nil, "Dedicated Server (2)"},
		{"dedicated SERVER", []string{"Dedicated Server (2)"}, "dedicated SERVER (3)"},
		{"Zo\u00eb \u20ac", nil, ""},
		{"\u0141ukasz", nil, "ukasz"},
		{"\u0141ukasz", []string{"Ukasz"}, "ukasz (2)"},
		{"\u65e5\u672c", nil, "Player"},
		{"\u4e2d\u56fd", []string{"\u65e5\u672c"}, "Player (2)"},
		{"Ann\U0001f680", []string{"Ann"}, "Ann (2)"},
		{" Ann\t", nil, "Ann"},
		{"\u200b", nil, "Player"},
		{"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxyy", nil, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
		{strings.Repeat("y", 190), nil, "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"},
	} {
		w := newWorld(t, options{}, nil)
		first := w.Join("First")
		for _, name := range c.taken {
			w.Join(name)
		}
		g := w.Join(c.name)
		w.Run(time.Second)
		settings := last[*opcode.Settings](g)
		name := c.want
		if name == "" {
			name = c.name
		}
		require.Equal(t, c.want != "", settings.Renamed, c.name)
		require.Equal(t, c.want, settings.NewName.String(), c.name)
		require.Equal(t, name, g.Name)
		require.Equal(t, name, w.seat(g.Slot).Name)
		require.Equal(t, "NameChange "+string(rune('0'+g.PeerID()))+" "+name, lastNameChange(first))
		require.Zero(t, dropped(w, "second name"), c.name)

		// The right name is in the log of the chat, in browsers and in the Disconnect.
		log := logTo(w)
		g.Say(&opcode.ChatMessage{SenderID: g.PeerID(), Text: stream.Text("hello")})
		w.Run(time.Second)
		require.Equal(t, g.PeerID(), last[*opcode.ChatMessage](first).SenderID)
		require.Regexp(t, `msg=chat player.peer=\d+ player.name=("?)\Q`+name+`\E`, log.String())
		require.Contains(t, w.match.serverInfo().Players, name)
		g.Close()
		w.Run(time.Second)
		require.Equal(t, name, last[*opcode.DeletePlayerAnim](first).Name.String())
	}
}

// lastNameChange returns the last NameChange that a guest has heard.
func lastNameChange(g *guest) (line string) {
	for _, l := range g.Lines {
		if len(l) > 10 && l[:10] == "NameChange" {
			line = l
		}
	}
	return line
}

// A client that keeps its name is called by the name that the settings gave it, and hears
// so.
func TestRenameIgnored(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann := w.Join("Ann")
	other := w.Connect("Ann", "", nil)
	other.Stubborn = true
	other.WaitForGame()
	require.Equal(t, "Ann", other.Name)
	require.Contains(t, other.Lines, "NameChange 3 Ann (2)")
	require.Equal(t, "NameChange 3 Ann (2)", lastNameChange(ann))
	other.SayName("Ann")
	other.SayName("Dan")
	w.Run(time.Second)
	require.Equal(t, 2, dropped(w, "second name"))
	require.Equal(t, "NameChange 3 Ann (2)", lastNameChange(ann))
	require.Equal(t, "Ann (2)", w.seat(other.Slot).Name)
	other.Close()
	w.Run(time.Second)
	require.Equal(t, "Ann (2)", last[*opcode.DeletePlayerAnim](ann).Name.String())
	require.NotNil(t, w.named("Ann"))
}

// A client that repeats its name makes the host tell nobody anything.
func TestRepeatedName(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann, bob := w.Join("Ann"), w.Join("Bob")
	w.Run(time.Second)
	heard, said := len(ann.Lines), len(bob.Lines)
	for range 40 {
		bob.SayName("Bob")
	}
	w.Run(2 * time.Second)
	require.Len(t, ann.Lines, heard)
	require.Len(t, bob.Lines, said)
	require.Zero(t, dropped(w, "second name"))
}

// Two clients that join at the same time with one name get two.
func TestSameNameAtTheSameTime(t *testing.T) {
	w := newWorld(t, options{}, nil)
	all := []*guest{w.Connect("Ann", "", nil), w.Connect("ANN", "", nil), w.Connect("ann", "", nil)}
	for _, g := range all {
		g.WaitForGame()
	}
	w.Run(time.Second)
	for i, want := range []string{"Ann", "ANN (2)", "ann (3)"} {
		require.Equal(t, want, all[i].Name)
		require.NotNil(t, w.named(want))
	}
}
