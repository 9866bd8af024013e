package main

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// guesser is somebody who forges the address of a player, receives nothing, and tries all peer IDs.
type guesser struct {
	*world
	vic  *guest
	addr netip.AddrPort
	ids  []objectid.PeerID // in the order of the guesses
	sent int               // datagrams
}

// forge sends messages in the name of the player, which the server has at once.
func (g *guesser) forge(id objectid.PeerID, m transport.Message) {
	g.sent++
	g.spoofNow(g.addr, transport.Packet{PeerID: id, Messages: []transport.Message{m}})
}

// gone reports whether the session of the player has ended.
func (g *guesser) gone() bool { return !g.inGame(g.addr) }

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
	session := g.match.find(func(p *player) bool { return p.session.Addr() == g.addr }).session
	before := session.Counters().Payloads
	for _, id := range g.ids {
		chat := marshal(t, &opcode.ChatMessage{SenderID: id, Text: []byte("I give up")})
		if g.forge(id, transport.Message{Type: transport.TypeData, Body: chat}); session.Counters().Payloads > before {
			g.run(time.Second)
			require.Equal(t, 1, g.vic.count(opcode.OpChatMessage))
			return
		}
	}
	t.Fatal("no ID is right")
}

// takeOver opens a session beside the one of the player, once a Connect comes when the player has
// been silent for 3 s, and acknowledges its first message unseen.
func (g *guesser) takeOver(t *testing.T) {
	for range 30 {
		g.forge(objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{ConnID: uint32(g.sent)}))
		g.run(500 * time.Millisecond)
		if g.match.hub.Counters().Drops[transport.DropBusyConnect] < uint64(g.sent) {
			break
		}
	}
	for _, id := range g.ids {
		g.forge(id, transport.NewMessage(0, &transport.DoNothing{}))
		g.run(5 * step)
		if g.forge(id, transport.NewMessage(0, &transport.Ack{})); g.gone() {
			return
		}
	}
	t.Fatal("no ID is right")
}

// TestGuessedPeerID forges the address of a player, and guesses the peer ID. The protocol cannot
// prevent this, so the test measures how many datagrams it takes, on average, with the default IDs
// and with -randomids. The table in .github/SECURITY.md has these numbers.
func TestGuessedPeerID(t *testing.T) {
	trials := testdata.Either(1000, 100)
	for _, c := range []struct {
		name        string
		act         func(*guesser, *testing.T)
		usual, wide float64 // expected with default IDs, and with -randomids
	}{
		{"end a session", (*guesser).disconnect, 8.5, 62.5},
		{"speak for a player", (*guesser).speak, 8.5, 62.5}, // the mean of 1 to 16, and of 1 to 124
		{"take over a session", (*guesser).takeOver, 6.5 + 2*8.5, 6.5 + 2*62.5},
	} {
		for _, random := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, random IDs %v", c.name, random), func(t *testing.T) {
				sent, want := 0, c.usual
				if random {
					want = c.wide
				}
				for trial := range trials {
					w := newWorld(t, options{randomIDs: random, rand: rand.NewChaCha8([32]byte{byte(trial), byte(trial >> 8)})}, nil)
					vic := w.join("Vic")
					w.run(500 * time.Millisecond)
					g := &guesser{world: w, vic: vic, addr: w.addrOf(vic)}
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

// TestWrongNumbers sends Disconnects and payloads with the right peer ID and wrong sequence numbers
// in the name of a player. The player stays, and hears and says all that follows.
func TestWrongNumbers(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann, vic := w.join("Ann"), w.join("Vic")
	w.run(time.Second)
	addr, id := w.addrOf(vic), vic.PeerID()
	for i := range 600 {
		for _, seq := range []uint16{0, 1, 3, uint16(4 + i), 0x8000, 0xFFFF} {
			w.spoof(addr, transport.Packet{PeerID: id, Messages: []transport.Message{transport.NewMessage(seq, &transport.Disconnect{PeerID: id})}})
		}
		for _, seq := range []uint16{0, 3, uint16(0x7FFF - i), 0xFFFF} {
			w.spoof(addr, transport.Packet{PeerID: id, Messages: []transport.Message{transport.NewData(seq, []byte{byte(opcode.OpHostMessage)})}})
		}
		if i%60 == 0 {
			vic.say(&opcode.ChatMessage{SenderID: id, Text: []byte("hello")})
		}
		w.run(time.Second)
		require.True(t, w.inGame(addr), "after %d s", i)
	}
	require.Nil(t, vic.ended)
	require.Equal(t, 10, ann.count(opcode.OpChatMessage))
}
