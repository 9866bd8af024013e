package main

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/examples/internal/terminal/terminaltest"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// The tests in this file are about recorded sessions that are sent again, about somebody on the path
// of a player, and about players who attack others.

// recorded is a datagram that a client has sent.
type recorded struct {
	at       time.Duration // since its Connect
	datagram []byte        // deciphered
}

// recordingClient records what its client sends.
type recordingClient struct {
	*guest
	began time.Time
	sent  []recorded
}

// AppendDatagram implements client.
func (c *recordingClient) AppendDatagram(dst []byte, now time.Time) []byte {
	b := c.guest.AppendDatagram(dst, now)
	if len(b) > 0 {
		c.sent = append(c.sent, recorded{now.Sub(c.began), slices.Clone(b)})
	}
	return b
}

// record lets a player join, launch a ship, talk, and records what its client sends.
func (w *world) record(name string) *recordingClient {
	c := &recordingClient{guest: w.connect(name, "", nil), began: w.now}
	w.clients[w.order[len(w.order)-1]] = c
	c.waitForGame()
	c.launch("akira", 0)
	w.run(time.Second)
	c.say(&opcode.ChatMessage{SenderID: c.PeerID(), Text: []byte("hello")})
	w.run(time.Second)
	return c
}

// replay sends a recording again with its times, from an address that receives nothing.
func (w *world) replay(c *recordingClient, from netip.AddrPort) {
	began := w.now
	for _, r := range c.sent {
		w.run(max(0, r.at-w.now.Sub(began)))
		b := slices.Clone(r.datagram)
		cipher.Encrypt(b)
		w.post(from, serverAddr, b)
	}
	w.run(time.Second)
}

// TestReplay replays a recorded session from other ports while its player is in the game, and from
// all ports after the player has left. Nobody enters the game, except where the peer ID of the
// recording is assigned again by chance: one replay in 16, or in 124 with -randomids. The forged
// player then says what was recorded, and the server gives the player up like any silent client.
func TestReplay(t *testing.T) {
	trials := testdata.Either(640, 48)
	if testdata.UnderRace {
		trials = 8
	}
	for _, random := range []bool{false, true} {
		entered := 0
		for trial := range trials {
			w := newWorld(t, options{randomIDs: random, rand: rand.NewChaCha8([32]byte{byte(trial), byte(trial >> 8)})}, nil)
			ann := w.join("Ann")
			vic := w.record("Vic")
			addr := w.addrOf(vic)
			other := netip.AddrPortFrom(addr.Addr(), addr.Port()+1)
			lines := len(vic.heard)
			w.replay(vic, other)
			require.Nil(t, vic.ended)
			require.True(t, w.inGame(addr))
			require.False(t, w.inGame(other))
			require.Len(t, vic.heard, lines, "the player hears nothing of it")

			recording := slices.Clone(vic.sent)
			vic.Close()
			w.run(time.Second)
			vic.sent = recording
			w.replay(vic, addr) // a Connect counts once
			require.False(t, w.inGame(addr))
			w.run(2 * time.Minute)
			heard := ann.count(opcode.OpChatMessage)
			w.replay(vic, other)
			if w.inGame(other) {
				entered++
				require.LessOrEqual(t, ann.count(opcode.OpChatMessage), heard+1)
				w.run(time.Minute)
				require.False(t, w.inGame(other))
			}
			require.Nil(t, ann.ended)
		}
		t.Logf("random IDs %v: %d of %d replays enter the game", random, entered, trials)
		require.LessOrEqual(t, entered, 1+trials/map[bool]int{false: 5, true: 20}[random])
	}
}

// TestDisturbedPath reorders and duplicates the datagrams of one player by up to two seconds, and
// repeats some after half a minute. The player and the others stay, and each line of chat arrives
// once and in order.
func TestDisturbedPath(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann, vic := w.join("Ann"), w.connect("Vic", "", nil)
	addr := w.addrOf(vic)
	w.paths = map[netip.AddrPort]weather{addr: {repeat: 0.5, delay: 20 * time.Millisecond, jitter: 2 * time.Second, late: 0.1}}
	w.until(30*time.Second, func() bool { return vic.count(opcode.OpDeletePlayerUI) > 0 })
	vic.launch("akira", 0)
	ann.launch("akira", 0)
	var want []string
	for i := range 300 {
		if i%4 == 0 {
			line := fmt.Sprint("line ", i)
			want = append(want, line)
			for _, g := range []*guest{ann, vic} {
				g.say(&opcode.ChatMessage{SenderID: g.PeerID(), Text: []byte(line)})
			}
		}
		w.run(time.Second)
		require.Nil(t, vic.ended, "after %d s", i)
		require.Nil(t, ann.ended)
	}
	w.run(time.Minute)
	for _, g := range []*guest{ann, vic} {
		for _, from := range []*guest{ann, vic} {
			var got []string
			for _, m := range g.heard {
				if chat, ok := m.(*opcode.ChatMessage); ok && chat.SenderID == from.PeerID() {
					got = append(got, chat.Text.String())
				}
			}
			require.Equal(t, want, got, "%s of %s", g.name, from.name)
		}
	}
	require.True(t, w.inGame(addr))
}

// TestHostilePlayer lets a player in the game create ships with the IDs of others, ten thousand ships
// of its own, and request all objects there are. The others stay, see their ships, and hear no more
// than the limits allow.
func TestHostilePlayer(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann, bob, eve := w.join("Ann"), w.join("Bob"), w.join("Eve")
	ann.launch("akira", 0)
	bob.launch("akira", 0)
	w.run(time.Second)
	memory := liveHeap()
	creations := func(g *guest) int { return g.count(opcode.OpObjectCreateTeam) + g.count(opcode.OpObjectCreate) }
	before, began := creations(ann), w.now
	turns := testdata.Either(20_000, 2_000)
	for i := range turns {
		for _, other := range []*guest{ann, bob} {
			if i < turns/2 { // and then its own ships alone, so that more of them are within the limits
				stolen := creation(t, other, i%7)
				_ = eve.Send(marshal(t, stolen), transport.Reliable)
				stolen.OwnerSlot, stolen.NetPlayerID = eve.slot, eve.PeerID()
				_ = eve.Send(marshal(t, stolen), transport.Reliable)
				_ = eve.Send(marshal(t, &opcode.RequestObject{ObjectID: other.id(0)}), transport.Unreliable)
			}
		}
		_ = eve.Send(marshal(t, creation(t, eve, i)), transport.Reliable)
		w.run(20 * time.Millisecond)
		eve.heard, eve.lines = nil, nil
		require.Nil(t, ann.ended)
		require.Nil(t, bob.ended)
	}
	w.run(time.Second)
	seconds := w.now.Sub(began).Seconds()
	t.Logf("%d ships in %.0f s", creations(ann)-before, seconds)
	require.LessOrEqual(t, float64(creations(ann)-before), seconds/2+4)
	require.Greater(t, float64(creations(ann)-before), seconds/8)
	require.Positive(t, dropped(w, "forged"))
	require.Same(t, w.match.named("Ann"), w.match.owner(ann.id(0)))
	require.Same(t, w.match.named("Bob"), w.match.owner(bob.id(0)))
	ann.heard, ann.lines, ann.updates, bob.heard, bob.lines, bob.updates, eve.updates = nil, nil, nil, nil, nil, nil, nil
	require.Less(t, liveHeap()-memory, int64(2<<20))
}

// creation returns the creation of a ship of a guest.
func creation(t testing.TB, g *guest, index int) *opcode.ObjectCreateTeam {
	ship := stateupdate.NewShip(g.id(index), stateupdate.Stock().Named("akira"))
	ship.PlayerName, ship.SetName = g.name, "Multi1"
	object, err := ship.Object()
	require.NoError(t, err)
	return &opcode.ObjectCreateTeam{OwnerSlot: g.slot, NetPlayerID: g.PeerID(), Object: object}
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
			var log output
			w.match.log = terminal.Logger(&log, asJSON, true)
			for i, evil := range []string{"\u202eeve\u202c", "\u200bEve\u200d\ufeff", "Eve\x1b[2J\x1b]0;x\a", "Eve\nlevel=INFO msg=quit", "\u0085\u009b31m\u2028\x7f", all.String()[:32], "\U000e0041\u2066"} {
				_ = w.connect(evil, "no"+evil, nil)
				g := w.connect(evil, "engage", nil)
				g.waitForGame()
				require.LessOrEqual(t, len([]rune(g.name)), 64)
				for _, text := range []stream.Text{all[:200], all[56:], stream.Text("\x1b[31m\x9b31m\x90\x9d0;x\x9c\xad")} {
					g.say(&opcode.ChatMessage{SenderID: g.PeerID(), Text: text})
				}
				g.say(&opcode.TeamChatMessage{SenderID: g.PeerID(), Text: all[:100]})
				w.run(2 * time.Second)
				g.launch("akira", i)
				w.match.command("players")
				w.match.command(fmt.Sprintf("kick #%d", g.PeerID()))
				w.run(time.Second)
			}
			require.Greater(t, strings.Count(log.String(), "chat"), 12)
			terminaltest.RequirePlain(t, log.String())
			for line := range strings.Lines(log.String()) {
				require.False(t, strings.HasPrefix(line, "level="), "a line of the server's own: %s", line)
			}
		})
	}
}
