package game

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// odd is a guest that does not do everything that a client does.
type odd struct {
	*guest
	noName bool
	hold   bool // it does not come into the game
}

// Receive implements client.
func (o *odd) Receive(now time.Time, datagram []byte) {
	o.Session.Receive(now, datagram)
	for e := range o.Events() {
		switch {
		case o.noName && e.Kind == transport.EventConnected:
		case o.hold && e.Kind == transport.EventPayload && e.Payload[0] == byte(opcode.OpGameInit):
		default:
			o.Handle(e)
		}
	}
}

func (w *world) connectOdd(name string, o odd) *guest {
	o.guest = w.Connect(name, "", nil)
	w.Clients[w.Order[len(w.Order)-1]] = &o
	return o.guest
}

// forgedConnect is a Connect of somebody who will not hear the answer.
func (w *world) forgedConnect(i int) {
	p := transport.Packet{PeerID: objectid.NoPeer, Messages: []transport.Message{
		transport.NewMessage(0, &transport.ConnectRequest{ConnID: uint32(i)}),
	}}
	b, err := p.MarshalBinary()
	require.NoError(w.T, err)
	w.match.Hub().Receive(w.Now, netip.AddrPortFrom(netip.AddrFrom4([4]byte{9, 9, byte(i >> 8), byte(i)}), 5), b)
	w.Events()
}

// Connects from forged addresses do not keep players out, and are not shown as players.
func TestHalfOpenSlots(t *testing.T) {
	w := newWorld(t, options{}, nil)
	for i := range 8 {
		w.forgedConnect(i)
	}
	w.Run(step)
	require.Zero(t, w.match.serverInfo().NumPlayers)
	g := w.Connect("Ann", "", nil)
	for i := range 300 {
		w.forgedConnect(100 + i)
		w.Run(2 * step)
	}
	require.Equal(t, 1, g.Count(opcode.OpDeletePlayerUI))
	require.Nil(t, g.Ended)
	require.Equal(t, 1, w.match.serverInfo().NumPlayers)
	w.Run(15 * time.Second)
	require.Equal(t, 1, w.match.Hub().Len())
}

func TestPlayersOfOneAddress(t *testing.T) {
	w := newWorld(t, options{perIP: 2}, nil)
	for i := range 3 {
		g := w.Connect(fmt.Sprint("Ann ", i), "", nil)
		delete(w.Clients, w.Order[i])
		w.Order[i] = netip.AddrPortFrom(netip.MustParseAddr("6.6.6.6"), uint16(1000+i))
		w.Clients[w.Order[i]] = g
		w.Run(2 * time.Second)
	}
	require.Equal(t, 2, w.match.Hub().Len())
}

// A program that died and was started again has its place, though the match is full.
func TestComingBackToAFullMatch(t *testing.T) {
	w := newWorld(t, options{maxPlayers: 2}, nil)
	ann, bob := w.Join("Ann"), w.Join("Bob")
	addr := w.Order[0]
	ann.Launch("akira", 0)
	w.Run(time.Second)
	again := w.Connect("Ann", "", nil)
	w.Clients[addr], w.Order = again, w.Order[:2]
	w.Until(20*time.Second, func() bool { return again.Count(opcode.OpDeletePlayerUI) > 0 })
	w.Run(time.Second)
	require.Equal(t, 2, w.match.Hub().Len())
	require.Same(t, w.named("Ann"), w.seat(2), "the slot of its new peer ID")
	require.Contains(t, bob.Lines, "Boot 2 timed out")
	require.Equal(t, 1, bob.Count(opcode.OpDestroyObject))
	require.Nil(t, bob.Ended)
}

// Who has no name is given one, and can be kicked; nobody can take the host's.
func TestNameless(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann := w.Join("Ann")
	nobody := w.connectOdd("", odd{noName: true})
	host := w.Join("dedicated server")
	w.Join("A\u200b\u202e\u009b")
	w.Run(time.Second)
	require.Contains(t, ann.Lines, "NameChange 3 Player")
	require.Contains(t, nobody.Lines, "NameChange 3 Player")
	require.Contains(t, host.Lines, "NameChange 4 dedicated server (2)")
	for _, p := range w.match.Members() {
		require.NotContains(t, p.Name, "\u200b")
		require.NotContains(t, p.Name, "\u009b")
	}
	require.NoError(t, nobody.SendSystem(&transport.NameChange{PeerID: 3, Name: systemText(t, "Late")}))
	require.NoError(t, nobody.SendSystem(&transport.NameChange{PeerID: 3, Name: systemText(t, "Other")}))
	w.Run(time.Second)
	require.Contains(t, ann.Lines, "NameChange 3 Late")
	require.Equal(t, 1, dropped(w, "second name"))

	w.match.Command("kick")
	w.match.Command("kick #77")
	w.Run(time.Second)
	require.Equal(t, 4, w.match.Hub().Len())
	w.match.Command("kick #3")
	w.Run(time.Second)
	require.NotNil(t, nobody.Ended)
}

// Players in the game hear who leaves, and how. Nobody hears of a client that still joins,
// and such a client hears of nobody.
func TestLeaveIsAnnounced(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann, bob := w.Join("Ann"), w.Join("Bob")
	joining := w.connectOdd("Cat", odd{hold: true})
	nobody := w.connectOdd("", odd{noName: true, hold: true})
	w.Run(time.Second)
	w.named("Ann").Session.Boot(transport.BootTimeout)
	nobody.Close()
	w.Run(time.Second)
	require.Equal(t, &transport.Boot{Reason: transport.BootTimeout, PeerID: ann.PeerID()}, ann.Ended.Body)
	require.Contains(t, bob.Lines, "Boot 2 timed out")
	require.NotContains(t, strings.Join(joining.Lines, ";"), "Boot")
	for _, g := range []*guest{bob, joining} {
		require.NotContains(t, strings.Join(g.Lines, ";"), "Disconnect 5")
	}
	require.Zero(t, joining.Count(opcode.OpDeletePlayerUI))
}

// A score waits for a player who gets as far as the game, and all hear of it.
func TestScoresOfThoseWhoComeBack(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann, bob := w.Join("Ann"), w.Join("Bob")
	w.named("Ann").Kills = 7
	ann.Close()
	w.Run(time.Second)
	half := w.connectOdd("Ann", odd{hold: true})
	w.Run(time.Second)
	half.Close()
	w.Run(time.Second)
	again := w.Join("Ann")
	w.Run(time.Second)
	want := &opcode.Score{PlayerID: again.PeerID(), Kills: 7}
	require.Equal(t, want, last[*opcode.Score](bob))
	require.Equal(t, want, last[*opcode.Score](again))
	bob.Close()
	w.Run(time.Second)
	require.Empty(t, w.match.finished)
}

// A client that loads the game while the round ends is informed. A wrong password is refused in the next round.
func TestComingAfterTheEnd(t *testing.T) {
	w := newWorld(t, options{pause: time.Minute}, nil)
	late := w.connectOdd("Ann", odd{hold: true})
	w.Run(time.Second)
	w.match.Command("end")
	late.Say(&opcode.NewPlayerInGame{})
	w.Run(time.Second)
	require.Equal(t, opcode.EndOver, last[*opcode.EndGame](late).Reason)

	w = newWorld(t, options{pause: 10 * time.Second, password: "engage"}, nil)
	w.match.Command("end")
	wrong := w.Connect("Bob", "wrong", nil)
	w.Run(9 * time.Second)
	require.Nil(t, wrong.Ended)
	w.Run(5 * time.Second)
	require.Equal(t, transport.BootPassword, wrong.Ended.Body.(*transport.Boot).Reason)
}

// A client that connects between two rounds waits for the next one, at most 40 s.
func TestComingBetweenRounds(t *testing.T) {
	for _, v := range []struct {
		pause time.Duration
		in    bool
	}{{15 * time.Second, true}, {39 * time.Second, true}, {time.Minute, false}} {
		w := newWorld(t, options{pause: v.pause}, nil)
		w.match.Command("end")
		ann := w.Connect("Ann", "", nil)
		w.Run(v.pause - time.Second)
		require.Empty(t, w.match.players())
		w.Run(3 * time.Second)
		if v.in {
			require.Len(t, w.match.players(), 1, v.pause)
			continue
		}
		require.Equal(t, &transport.Boot{Reason: transport.BootTimeout, PeerID: objectid.NoPeer}, ann.Ended.Body)
	}
	// The client is told when it has waited for 40 s, and it may be one of many.
	w := newWorld(t, options{pause: time.Hour}, nil)
	w.match.Command("end")
	refused := 0
	w.Transmit = func([]byte, netip.AddrPort) (int, error) {
		refused++
		return 0, nil
	}
	for i := range 300 {
		w.forgedConnect(i)
	}
	w.Run(time.Second)
	require.Zero(t, refused)
	w.Run(40 * time.Second)
	require.Equal(t, 256, refused)
}

// What is said to a team stays in the team, and who comes late learns the teams.
func TestTeams(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	for _, g := range []*guest{ann, bob} {
		g.Say(&opcode.TeamMessage{PlayerID: g.PeerID(), Team: opcode.TeamOne})
	}
	w.Run(time.Second)
	ann.Say(&opcode.TeamChatMessage{SenderID: ann.PeerID(), Text: stream.Text("hello")})
	w.Run(time.Second)
	for g, n := range map[*guest]int{ann: 1, bob: 1, cat: 0} {
		require.Equal(t, n, g.Count(opcode.OpTeamChatMessage), g.Name)
	}
	late := w.Join("Dan")
	require.Equal(t, 2, late.Count(opcode.OpTeamMessage))
}

// Queries do not cost more than the tick in which they come.
func TestFloodOfQueries(t *testing.T) {
	w := newWorld(t, options{}, nil)
	w.Join("Ann")
	for range 100 {
		w.match.Hub().Receive(w.Now, netip.MustParseAddrPort("9.9.9.9:1"), []byte(`\status\`))
		w.Events()
	}
	require.Positive(t, dropped(w, "query"))
	info := w.match.info
	require.NotNil(t, info)
	w.match.Hub().Receive(w.Now, netip.MustParseAddrPort("9.9.9.8:1"), []byte(`\status\`))
	w.Events()
	require.Same(t, info, w.match.info)
	w.Run(2 * tick)
	require.Nil(t, w.match.info)
}

// What cannot be acted on is counted.
func TestCounters(t *testing.T) {
	w := newWorld(t, options{}, &checksum.Server{Policy: checksum.Strict, Manifest: oneFile(1)})
	bad := w.Connect("Bad", "", oneFile(2))
	w.Until(5*time.Second, func() bool { return bad.Count(opcode.OpSystemChecksumFailed) > 0 })
	bad.Say(&opcode.HostMessage{})
	w.Run(200 * time.Millisecond)
	require.Equal(t, 1, dropped(w, "refused"))
	muteGuest := w.Connect("Mute", "", oneFile(1))
	muteGuest.Mute = true
	w.Run(time.Second)
	muteGuest.Say(&opcode.FileTransferAck{})
	w.Run(time.Second)
	require.Equal(t, 1, dropped(w, "early"))

	w, ann, _, cat := three(t, options{})
	cat.Tell(&opcode.StateUpdate{ObjectID: cat.Object(0), GameTime: 5})
	ann.Tell(&opcode.StateUpdate{ObjectID: ann.Object(1), GameTime: 5})
	w.Run(time.Second)
	require.Equal(t, 1, dropped(w, "no ship"))
	require.Equal(t, 1, dropped(w, "forged"))
}

// A player dies of its own hand, and the log has no player where there is none.
func TestLogOfNobody(t *testing.T) {
	w, ann, _, _ := three(t, options{})
	log := logTo(w)
	ann.Say(&opcode.HostMessage{})
	w.Run(time.Second)
	require.Contains(t, log.String(), "killer=none")
}

// TestIdlePlayers kicks players who have sent nothing of the game for a while, and no others.
func TestIdlePlayers(t *testing.T) {
	w := newWorld(t, options{idle: time.Minute}, nil)
	ann, bob := w.Join("Ann"), w.Join("Bob")
	for range 12 {
		ann.Say(&opcode.ChatMessage{SenderID: ann.PeerID(), Text: []byte("here")})
		w.Run(10 * time.Second)
	}
	require.Nil(t, ann.Ended)
	require.NotNil(t, bob.Ended)
	require.Equal(t, transport.BootTimeout, bob.Ended.Body.(*transport.Boot).Reason)
}
