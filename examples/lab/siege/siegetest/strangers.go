package siegetest

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// The tests in this file are about single datagrams and cheap sessions with which a stranger could
// end the session of a player, or keep players out. The rows of .github/SECURITY.md name them.

// SpoofedConnect spoofs a Connect every second from the address of a player who is silent,
// except for keepalives. The player stays, and is not muted.
func SpoofedConnect(t *testing.T, start siege.Start) {
	for _, openBC := range []bool{false, true} {
		w := siege.NewWorld(t, start, join.HostOptions{})
		ann, vic := w.Join("Ann"), w.Join("Vic")
		w.Run(time.Second)
		addr := w.AddrOf(vic)
		for second := range 600 {
			if openBC {
				datagram := append([]byte{0xFF, 1}, testdata.Bytes("0308010000007F00")...)
				cipher.Encrypt(datagram)
				w.Post(addr, siege.ServerAddr, datagram)
			} else {
				w.Spoof(addr, siege.ConnectPacket(uint32(1000+second)))
			}
			if second%60 == 30 {
				ann.Say(&opcode.ChatMessage{SenderID: ann.PeerID(), Text: []byte("hello")})
			}
			w.Run(time.Second)
			require.True(t, w.InGame(addr), "after %d s", second)
		}
		require.Nil(t, vic.Ended)
		require.Equal(t, 10, vic.Count(opcode.OpChatMessage))
	}
}

// SpoofedConnectWithPeerID spoofs Connects from the address of a silent player, and uses each
// peer ID, so that it finds the one of the new session. That does not open, and the player stays.
func SpoofedConnectWithPeerID(t *testing.T, start siege.Start) {
	w := siege.NewWorld(t, start, join.HostOptions{})
	vic := w.Join("Vic")
	w.Run(time.Second)
	addr := w.AddrOf(vic)
	for second := range 120 {
		w.Spoof(addr, siege.ConnectPacket(uint32(1000+second)))
		w.Run(100 * time.Millisecond)
		for id := objectid.PeerID(2); id < 20; id++ {
			if id != vic.PeerID() {
				w.Spoof(addr, transport.Packet{PeerID: id, Messages: []transport.Message{transport.NewMessage(0, &transport.DoNothing{})}})
			}
		}
		w.Run(900 * time.Millisecond)
		require.True(t, w.InGame(addr), "after %d s", second)
		require.Equal(t, 1, w.Server.Host.Hub().Len())
	}
	require.Nil(t, vic.Ended)
}

// Restart restarts a client on its port. It is in the game within 5 s of its restart, and the
// server has forgotten the earlier session.
func Restart(t *testing.T, start siege.Start) {
	for _, silence := range []time.Duration{20 * time.Millisecond, time.Second, 4 * time.Second} {
		w := siege.NewWorld(t, start, join.HostOptions{})
		ann, vic := w.Join("Ann"), w.Join("Vic")
		vic.Launch("akira", 0)
		w.Run(time.Second)
		addr := w.AddrOf(vic)
		w.Drop(vic)
		w.Run(silence)
		again := w.ConnectFrom("Vic", addr, 0)
		began := w.Now
		w.Until(5*time.Second, func() bool { return again.Count(opcode.OpDeletePlayerUI) > 0 })
		t.Log(silence, "of silence: in the game after", w.Now.Sub(began))
		w.Run(time.Second)
		require.Len(t, w.Server.Host.Members(), 2)
		require.Equal(t, 1, ann.Count(opcode.OpDestroyObject))
	}
}

// SpoofedPeerIDWhileJoining sends wrong peer IDs from the address of a client that joins.
func SpoofedPeerIDWhileJoining(t *testing.T, start siege.Start) {
	for _, every := range []time.Duration{siege.Step, 5 * siege.Step, 50 * siege.Step} {
		w := siege.NewWorld(t, start, join.HostOptions{})
		w.Weather.Delay = 50 * time.Millisecond
		vic := w.Connect("Vic", "", nil)
		addr := w.AddrOf(vic)
		began := w.Now
		for !w.InGame(addr) && w.Now.Sub(began) < 5*time.Second {
			if w.Now.Sub(began)%every == 0 {
				w.Spoof(addr, transport.Packet{PeerID: 77, Messages: []transport.Message{transport.NewMessage(0, &transport.DoNothing{})}})
			}
			w.Run(siege.Step)
		}
		require.True(t, w.InGame(addr), every)
		require.Less(t, w.Now.Sub(began), time.Second, every)
	}
}

// SpoofedSessionsOfTheAddress opens forged sessions from other ports of the IP address of a
// client, with the right peer IDs. The client joins all the same.
func SpoofedSessionsOfTheAddress(t *testing.T, start siege.Start) {
	for _, every := range []time.Duration{10 * siege.Step, 25 * siege.Step, 90 * siege.Step} {
		w := siege.NewWorld(t, start, join.HostOptions{})
		w.Weather.Delay = 50 * time.Millisecond
		addr, port := netip.MustParseAddrPort("172.16.2.9:22101"), uint16(40000)
		var vic *siege.Loader
		began := w.Now
		for joined := false; !joined; {
			at := w.Now.Sub(began)
			require.Less(t, at, 25*time.Second, every)
			if at%every == 0 {
				port++
				w.Spoof(netip.AddrPortFrom(addr.Addr(), port), siege.ConnectPacket(uint32(port)))
			}
			if at%every == 6*siege.Step { // after the reply
				for id := objectid.PeerID(2); id < 18; id++ {
					w.Spoof(netip.AddrPortFrom(addr.Addr(), port), transport.Packet{PeerID: id, Messages: []transport.Message{transport.NewMessage(0, &transport.DoNothing{})}})
				}
			}
			if at == 20*time.Second {
				vic = w.ConnectFrom("Vic", addr, 0)
			}
			w.Run(siege.Step)
			joined = w.InGame(addr)
		}
		require.Nil(t, vic.Ended)
	}
}

// FullServer forges sessions beside the one of a silent player on a full server, and uses all peer IDs.
// The server stays full of its players, and refuses another client.
func FullServer(t *testing.T, start siege.Start) {
	w := siege.NewWorld(t, start, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: objectid.Slots}})
	var players []*siege.Guest
	for i := range objectid.Slots {
		players = append(players, w.Join(fmt.Sprint("Player ", i)))
	}
	silent := players[0]
	addr := w.AddrOf(silent)
	w.Drop(silent)
	w.Run(4 * time.Second)
	w.SpoofNow(addr, siege.ConnectPacket(1))
	for id := objectid.PeerID(2); id < 127; id++ { // all but the one of the player
		if id != silent.PeerID() && id != '\\' {
			w.SpoofNow(addr, transport.Packet{PeerID: id, Messages: []transport.Message{transport.NewMessage(0, &transport.DoNothing{})}})
		}
	}
	require.Equal(t, objectid.Slots, w.Server.Host.Hub().Len())
	late := w.Connect("Late", "", nil)
	w.Until(2*time.Second, func() bool { return late.Ended != nil })
	require.Equal(t, &transport.Boot{Reason: transport.BootTooManyPlayers, PeerID: objectid.NoPeer}, late.Ended.Body)
	require.Len(t, w.Server.Host.Members(), objectid.Slots)
	for _, g := range players[1:] {
		require.Nil(t, g.Ended)
	}
}

// ForgedAddress connects from a forged address and guesses the peer ID, but no Ack. The address gets at
// most three times the bytes, and 128.
func ForgedAddress(t *testing.T, start siege.Start) {
	w := siege.NewWorld(t, start, join.HostOptions{})
	ann := w.Join("Ann")
	victim := netip.MustParseAddrPort("172.16.5.1:22101")
	out, in := 0, 17
	transmit := w.Transmit
	w.Transmit = func(b []byte, to netip.AddrPort) (int, error) {
		if to == victim {
			out += len(b)
		}
		return transmit(b, to)
	}
	w.SpoofNow(victim, siege.ConnectPacket(5))
	w.Run(100 * time.Millisecond)
	for id := objectid.PeerID(2); id < 18; id++ {
		if id != ann.PeerID() {
			w.SpoofNow(victim, transport.Packet{PeerID: id, Messages: []transport.Message{transport.NewMessage(0, &transport.DoNothing{})}})
			in += 3
		}
	}
	w.Run(time.Minute)
	require.LessOrEqual(t, out, 3*in+128)
	require.Positive(t, out)
	require.Nil(t, ann.Ended)
}

// PasswordGuesses guesses passwords. A network may guess ten times, and then once a second. Each guess is logged or
// counted. A client who knows the password joins at once during guesses that are forged in the name of its network.
func PasswordGuesses(t *testing.T, start siege.Start) {
	var log byteCounter
	w := siege.NewWorld(t, start, join.HostOptions{Password: "engage", Log: slog.New(slog.NewTextHandler(&log, nil))})
	told, port := 0, 1000
	var all []*siege.Guest
	for began := w.Now; w.Now.Sub(began) < 20*time.Second; w.Run(siege.Step) {
		for ; len(all) < 4; port++ {
			all = append(all, w.ConnectAt("Eve", "guess", netip.AddrPortFrom(netip.MustParseAddr("172.16.4.1"), uint16(port))))
		}
		all = slices.DeleteFunc(all, func(g *siege.Guest) bool {
			if g.Ended == nil {
				return false
			}
			if boot, ok := g.Ended.Body.(*transport.Boot); ok && boot.Reason == transport.BootPassword {
				told++
			}
			w.Drop(g)
			return true
		})
	}
	require.InDelta(t, 30, told, 3)
	require.Positive(t, log)
	require.Less(t, int(log), 8000)

	slowest := time.Duration(0)
	for trial := range testdata.Either(200, 10) {
		slowest = max(slowest, joinDuringGuesses(t, start, byte(trial)))
	}
	t.Log("with 400 forged guesses a second, the client joins after at most", slowest)
	require.Less(t, slowest, 5*time.Second)
}

// joinDuringGuesses returns the time after which a client joins who knows the password, while somebody
// forges guesses of its network.
func joinDuringGuesses(t *testing.T, start siege.Start, seed byte) time.Duration {
	w := siege.NewWorld(t, start, join.HostOptions{Password: "engage", Hub: transport.HubOptions{Rand: rand.NewChaCha8([32]byte{seed})}})
	w.Rand = rand.New(rand.NewPCG(uint64(seed), 2))
	addr := netip.MustParseAddrPort("172.16.4.2:22101")
	forge := func(d time.Duration, done func() bool) {
		for end := w.Now.Add(d); w.Now.Before(end) && !done(); w.Run(siege.Step) {
			for range 4 {
				guess(w, netip.AddrPortFrom(addr.Addr(), uint16(1000+w.Rand.IntN(60000))))
			}
		}
	}
	forge(10*time.Second, func() bool { return false })
	began := w.Now
	w.ConnectAt("Vic", "engage", addr)
	forge(30*time.Second, func() bool { return w.InGame(addr) })
	require.True(t, w.InGame(addr))
	return w.Now.Sub(began)
}

// guess forges a Connect with a wrong password.
func guess(w *siege.World, from netip.AddrPort) {
	w.Spoof(from, transport.Packet{PeerID: objectid.NoPeer, Messages: []transport.Message{
		transport.NewMessage(0, &transport.ConnectRequest{ConnID: w.Rand.Uint32(), Password: siege.SystemText(w.T, "guess")}),
	}})
}
