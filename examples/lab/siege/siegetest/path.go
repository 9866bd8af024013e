package siegetest

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/opcode"
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
	*siege.Guest
	began time.Time
	sent  []recorded
}

// AppendDatagram implements [siege.Client].
func (c *recordingClient) AppendDatagram(dst []byte, now time.Time) []byte {
	b := c.Guest.AppendDatagram(dst, now)
	if len(b) > 0 {
		c.sent = append(c.sent, recorded{now.Sub(c.began), slices.Clone(b)})
	}
	return b
}

// record lets a player join, launch a ship, talk, and records what its client sends.
func record(w *siege.World, name string) *recordingClient {
	c := &recordingClient{Guest: w.Connect(name, "", nil), began: w.Now}
	w.Clients[w.Order[len(w.Order)-1]] = c
	c.WaitForGame()
	c.Launch("akira", 0)
	w.Run(time.Second)
	c.Say(&opcode.ChatMessage{SenderID: c.PeerID(), Text: []byte("hello")})
	w.Run(time.Second)
	return c
}

// replay sends a recording again with its times, from an address that receives nothing.
func replay(w *siege.World, c *recordingClient, from netip.AddrPort) {
	began := w.Now
	for _, r := range c.sent {
		w.Run(max(0, r.at-w.Now.Sub(began)))
		b := slices.Clone(r.datagram)
		cipher.Encrypt(b)
		w.Post(from, siege.ServerAddr, b)
	}
	w.Run(time.Second)
}

// Replay replays a recorded session from other ports while its player is in the game, and from
// all ports after the player has left. Nobody enters the game: the recording acknowledges other numbers than the server
// sends.
func Replay(t *testing.T, start siege.Start) {
	trials := testdata.Either(640, 48)
	if testdata.UnderRace {
		trials = 8
	}
	for _, random := range []bool{false, true} {
		for trial := range trials {
			w := siege.NewWorld(t, start, join.HostOptions{Hub: transport.HubOptions{RandomPeerIDs: random, Rand: rand.NewChaCha8([32]byte{byte(trial), byte(trial >> 8)})}})
			ann := w.Join("Ann")
			vic := record(w, "Vic")
			addr := w.AddrOf(vic)
			other := netip.AddrPortFrom(addr.Addr(), addr.Port()+1)
			lines := len(vic.Heard)
			replay(w, vic, other)
			require.Nil(t, vic.Ended)
			require.True(t, w.InGame(addr))
			require.Len(t, vic.Heard, lines, "the player hears nothing of it")

			recording := slices.Clone(vic.sent)
			vic.Close()
			w.Run(time.Second)
			vic.sent = recording
			replay(w, vic, addr)
			w.Run(2 * time.Minute)
			replay(w, vic, other)
			require.Equal(t, 1, w.Server.Host.Hub().Len())
			require.Nil(t, ann.Ended)
		}
	}
}

// DisturbedPath reorders and duplicates the datagrams of one player by up to two seconds, and
// repeats some after half a minute. The player and the others stay, and each line of chat arrives
// once and in order.
func DisturbedPath(t *testing.T, start siege.Start) {
	w := siege.NewWorld(t, start, join.HostOptions{})
	ann, vic := w.Join("Ann"), w.Connect("Vic", "", nil)
	addr := w.AddrOf(vic)
	w.Paths = map[netip.AddrPort]siege.Weather{addr: {Repeat: 0.5, Delay: 20 * time.Millisecond, Jitter: 2 * time.Second, Late: 0.1}}
	w.Until(30*time.Second, func() bool { return vic.Count(opcode.OpDeletePlayerUI) > 0 })
	vic.Launch("akira", 0)
	ann.Launch("akira", 0)
	var want []string
	for i := range 300 {
		if i%4 == 0 {
			line := fmt.Sprint("line ", i)
			want = append(want, line)
			for _, g := range []*siege.Guest{ann, vic} {
				g.Say(&opcode.ChatMessage{SenderID: g.PeerID(), Text: []byte(line)})
			}
		}
		w.Run(time.Second)
		require.Nil(t, vic.Ended, "after %d s", i)
		require.Nil(t, ann.Ended)
	}
	w.Run(time.Minute)
	for _, g := range []*siege.Guest{ann, vic} {
		for _, from := range []*siege.Guest{ann, vic} {
			var got []string
			for _, m := range g.Heard {
				if chat, ok := m.(*opcode.ChatMessage); ok && chat.SenderID == from.PeerID() {
					got = append(got, chat.Text.String())
				}
			}
			require.Equal(t, want, got, "%s of %s", g.Name, from.Name)
		}
	}
	require.True(t, w.InGame(addr))
}
