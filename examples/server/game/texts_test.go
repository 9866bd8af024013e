package game

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/examples/internal/terminal/terminaltest"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// TestHostilePlayer lets a player in the game create ships with the IDs of others, ten thousand ships
// of its own, and request all objects there are. The others stay, see their ships, and hear no more
// than the limits allow.
func TestHostilePlayer(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann, bob, eve := w.Join("Ann"), w.Join("Bob"), w.Join("Eve")
	ann.Launch("akira", 0)
	bob.Launch("akira", 0)
	w.Run(time.Second)
	memory := siege.LiveHeap()
	creations := func(g *guest) int { return g.Count(opcode.OpObjectCreateTeam) + g.Count(opcode.OpObjectCreate) }
	before, began := creations(ann), w.Now
	turns := testdata.Either(20_000, 2_000)
	for i := range turns {
		for _, other := range []*guest{ann, bob} {
			if i < turns/2 { // and then its own ships alone, so that more of them are within the limits
				stolen := siege.Creation(t, other, i%7)
				_ = eve.Send(marshal(t, stolen), transport.Reliable)
				stolen.OwnerSlot, stolen.NetPlayerID = eve.Slot, eve.PeerID()
				_ = eve.Send(marshal(t, stolen), transport.Reliable)
				_ = eve.Send(marshal(t, &opcode.RequestObject{ObjectID: other.Object(0)}), transport.Unreliable)
			}
		}
		_ = eve.Send(marshal(t, siege.Creation(t, eve, i)), transport.Reliable)
		w.Run(20 * time.Millisecond)
		eve.Heard, eve.Lines = nil, nil
		require.Nil(t, ann.Ended)
		require.Nil(t, bob.Ended)
	}
	w.Run(time.Second)
	seconds := w.Now.Sub(began).Seconds()
	t.Logf("%d ships in %.0f s", creations(ann)-before, seconds)
	require.LessOrEqual(t, float64(creations(ann)-before), seconds/2+4)
	require.Greater(t, float64(creations(ann)-before), seconds/8)
	require.Positive(t, dropped(w, "forged"))
	require.Same(t, w.named("Ann"), w.match.owner(ann.Object(0)))
	require.Same(t, w.named("Bob"), w.match.owner(bob.Object(0)))
	ann.Heard, ann.Lines, ann.Updates, bob.Heard, bob.Lines, bob.Updates, eve.Updates = nil, nil, nil, nil, nil, nil, nil
	require.Less(t, siege.LiveHeap()-memory, int64(2<<20))
}

// TestHostileTexts sends all 256 characters of the game, and bidirectional, zero-width and escape
// characters, in names, passwords and chat. The log has printable characters
// only, in lines of the server's own.
func TestHostileTexts(t *testing.T) {
	var all stream.Text
	for i := 1; i < 256; i++ {
		all = append(all, byte(i))
	}
	for _, asJSON := range []bool{false, true} {
		t.Run(fmt.Sprint("JSON ", asJSON), func(t *testing.T) {
			w := newWorld(t, options{password: "engage"}, nil)
			var log bytes.Buffer
			w.log.Handler = terminal.Logger(&log, asJSON, true).Handler()
			for i, evil := range []string{"\u202eeve\u202c", "\u200bEve\u200d\ufeff", "Eve\x1b[2J\x1b]0;x\a", "Eve\nlevel=INFO msg=quit", "\u0085\u009b31m\u2028\x7f", all.String()[:32], "\U000e0041\u2066"} {
				_ = w.Connect(evil, "no"+evil, nil)
				g := w.Connect(evil, "engage", nil)
				g.WaitForGame()
				require.LessOrEqual(t, len([]rune(g.Name)), 64)
				for _, text := range []stream.Text{all[:200], all[56:], stream.Text("\x1b[31m\x9b31m\x90\x9d0;x\x9c\xad")} {
					g.Say(&opcode.ChatMessage{SenderID: g.PeerID(), Text: text})
				}
				g.Say(&opcode.TeamChatMessage{SenderID: g.PeerID(), Text: all[:100]})
				w.Run(2 * time.Second)
				g.Launch("akira", i)
				w.match.Command("players")
				w.match.Command(fmt.Sprintf("kick #%d", g.PeerID()))
				w.Run(time.Second)
			}
			require.Greater(t, strings.Count(log.String(), "chat"), 12)
			terminaltest.RequirePlain(t, log.String())
			for line := range strings.Lines(log.String()) {
				require.False(t, strings.HasPrefix(line, "level="), "a line of the server's own: %s", line)
			}
		})
	}
}

// What players and the console write does nothing to a terminal that shows the log.
func TestHostileTextsInLog(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		w := newWorld(t, options{}, nil)
		var log bytes.Buffer
		w.log.Handler = terminal.Logger(&log, asJSON, true).Handler()
		const name = "x\x1b[2J\nforged: line\t\x7f\u0090\u009d\u202e"
		g := w.Join(name)
		text := stream.Text(name)
		g.Say(&opcode.ChatMessage{SenderID: g.PeerID(), Text: text})
		g.Name = strings.TrimSuffix(name, "\u202e") // the name of a ship is in Windows-1252
		g.Launch("akira", 0)
		g.Say(&opcode.VersionMismatch{Name: text})
		for _, command := range []string{"kick ", "", "say "} {
			require.False(t, w.match.Command(command+terminaltest.Hostile))
		}
		w.Run(time.Second)
		require.Contains(t, log.String(), "forged: line")
		require.Contains(t, log.String(), "no such player")
		require.Contains(t, log.String(), "no such command")
		require.Contains(t, log.String(), "chat")
		terminaltest.RequirePlain(t, log.String())
	}
}
