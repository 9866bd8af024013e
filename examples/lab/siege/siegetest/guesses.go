package siegetest

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// guesser is somebody who forges the address of a player, receives nothing, and tries all peer IDs.
type guesser struct {
	*siege.World
	vic  *siege.Guest
	addr netip.AddrPort
	ids  []objectid.PeerID // in the order of the guesses
	sent int               // datagrams
}

// forge sends messages in the name of the player, which the server has at once.
func (g *guesser) forge(id objectid.PeerID, m transport.Message) {
	g.sent++
	g.SpoofNow(g.addr, transport.Packet{PeerID: id, Messages: []transport.Message{m}})
}

// gone reports whether the session of the player has ended.
func (g *guesser) gone() bool { return !g.InGame(g.addr) }

// disconnect ends the session of the player by a Disconnect with the next sequence number: the
// client has sent a Connect and a NameChange.
func (g *guesser) disconnect(t *testing.T) {
	for _, id := range g.ids {
		if g.forge(id, transport.NewMessage(2, &transport.Disconnect{PeerID: id})); g.gone() {
			return
		}
	}
	t.Fatal("no ID is right")
}

// speak sends a line of chat in the name of the player.
func (g *guesser) speak(t *testing.T) {
	session := g.Member(g.addr).Session
	before := session.Counters().Payloads
	for _, id := range g.ids {
		chat := siege.Marshal(t, &opcode.ChatMessage{SenderID: id, Text: []byte("I give up")})
		if g.forge(id, transport.Message{Type: transport.TypeData, Body: chat}); session.Counters().Payloads > before {
			g.Run(time.Second)
			require.Equal(t, 1, g.vic.Count(opcode.OpChatMessage))
			return
		}
	}
	t.Fatal("no ID is right")
}

// GuessedPeerID forges the address of a player, and guesses the peer ID. The protocol cannot
// prevent this, so the test measures how many datagrams it takes, on average, with the default IDs
// and with -randomids. The table in .github/SECURITY.md has these numbers.
func GuessedPeerID(t *testing.T, start siege.Start) {
	trials := testdata.Either(1000, 100)
	for _, c := range []struct {
		name        string
		act         func(*guesser, *testing.T)
		usual, wide float64 // expected with default IDs, and with -randomids
	}{
		{"end a session", (*guesser).disconnect, 8.5, 62.5},
		{"speak for a player", (*guesser).speak, 8.5, 62.5}, // the mean of 1 to 16, and of 1 to 124
	} {
		for _, random := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, random IDs %v", c.name, random), func(t *testing.T) {
				sent, want := 0, c.usual
				if random {
					want = c.wide
				}
				for trial := range trials {
					w := siege.NewWorld(t, start, join.HostOptions{Hub: transport.HubOptions{RandomPeerIDs: random, Rand: rand.NewChaCha8([32]byte{byte(trial), byte(trial >> 8)})}})
					vic := w.Join("Vic")
					w.Run(500 * time.Millisecond)
					g := &guesser{World: w, vic: vic, addr: w.AddrOf(vic)}
					for id := objectid.PeerID(2); id < 127 && (random || id < 18); id++ {
						if id != '\\' {
							g.ids = append(g.ids, id)
						}
					}
					rng := rand.New(rand.NewPCG(uint64(trial), 7))
					rng.Shuffle(len(g.ids), func(i, j int) { g.ids[i], g.ids[j] = g.ids[j], g.ids[i] })
					c.act(g, t)
					sent += g.sent
				}
				mean := float64(sent) / float64(trials)
				t.Logf("%.1f datagrams on average", mean)
				require.InEpsilon(t, want, mean, testdata.Either(0.1, 0.3))
			})
		}
	}
}

// WrongNumbers sends Disconnects and payloads with the right peer ID and wrong sequence numbers
// in the name of a player. The player stays, and hears and says all that follows.
func WrongNumbers(t *testing.T, start siege.Start) {
	w := siege.NewWorld(t, start, join.HostOptions{})
	ann, vic := w.Join("Ann"), w.Join("Vic")
	w.Run(time.Second)
	addr, id := w.AddrOf(vic), vic.PeerID()
	for i := range 600 {
		for _, seq := range []uint16{0, 1, 3, uint16(4 + i), 0x8000, 0xFFFF} {
			w.Spoof(addr, transport.Packet{PeerID: id, Messages: []transport.Message{transport.NewMessage(seq, &transport.Disconnect{PeerID: id})}})
		}
		for _, seq := range []uint16{0, 3, uint16(0x7FFF - i), 0xFFFF} {
			w.Spoof(addr, transport.Packet{PeerID: id, Messages: []transport.Message{transport.NewData(seq, []byte{byte(opcode.OpHostMessage)})}})
		}
		if i%60 == 0 {
			vic.Say(&opcode.ChatMessage{SenderID: id, Text: []byte("hello")})
		}
		w.Run(time.Second)
		require.True(t, w.InGame(addr), "after %d s", i)
	}
	require.Nil(t, vic.Ended)
	require.Equal(t, 10, ann.Count(opcode.OpChatMessage))
}
