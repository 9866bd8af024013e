package main

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
			o.event(e)
		}
	}
}

func (w *world) connectOdd(name string, o odd) *guest {
	o.guest = w.connect(name, "", nil)
	w.clients[w.order[len(w.order)-1]] = &o
	return o.guest
}

// forgedConnect is a Connect of somebody who will not hear the answer.
func (w *world) forgedConnect(i int) {
	p := transport.Packet{PeerID: objectid.NoPeer, Messages: []transport.Message{
		transport.NewMessage(0, &transport.ConnectRequest{ConnID: uint32(i)}),
	}}
	b, err := p.MarshalBinary()
	require.NoError(w.t, err)
	w.match.hub.Receive(w.now, netip.AddrPortFrom(netip.AddrFrom4([4]byte{9, 9, byte(i >> 8), byte(i)}), 5), b)
	w.events()
}

// Connects from forged addresses do not keep players out, and are not shown as players.
func TestHalfOpenSlots(t *testing.T) {
	w := newWorld(t, options{}, nil)
	for i := range 8 {
		w.forgedConnect(i)
	}
	w.run(step)
	require.Zero(t, w.match.serverInfo().NumPlayers)
	require.Zero(t, w.match.freeSlot(objectid.NoPeer), "a Connect takes no slot")
	g := w.connect("Ann", "", nil)
	for i := range 300 {
		w.forgedConnect(100 + i)
		w.run(2 * step)
	}
	require.Equal(t, 1, g.count(opcode.OpDeletePlayerUI))
	require.Nil(t, g.ended)
	require.Equal(t, 1, w.match.serverInfo().NumPlayers)
	w.run(15 * time.Second)
	require.Equal(t, 1, w.match.hub.Len())
}

func TestPlayersOfOneAddress(t *testing.T) {
	w := newWorld(t, options{perIP: 2}, nil)
	for i := range 3 {
		g := w.connect(fmt.Sprint("Ann ", i), "", nil)
		delete(w.clients, w.order[i])
		w.order[i] = netip.AddrPortFrom(netip.MustParseAddr("6.6.6.6"), uint16(1000+i))
		w.clients[w.order[i]] = g
		w.run(2 * time.Second)
	}
	require.Equal(t, 2, w.match.hub.Len())
}

// A program that died and was started again has its place, though the match is full.
func TestComingBackToAFullMatch(t *testing.T) {
	w := newWorld(t, options{maxPlayers: 2}, nil)
	ann, bob := w.join("Ann"), w.join("Bob")
	addr := w.order[0]
	ann.launch("akira", 0)
	w.run(time.Second)
	again := w.connect("Ann", "", nil)
	w.clients[addr], w.order = again, w.order[:2]
	w.until(20*time.Second, func() bool { return again.count(opcode.OpDeletePlayerUI) > 0 })
	w.run(time.Second)
	require.Equal(t, 2, w.match.hub.Len())
	require.Same(t, w.match.named("Ann"), w.match.slots[2], "the slot of its new peer ID")
	require.Contains(t, bob.lines, "Boot 2 timed out")
	require.Equal(t, 1, bob.count(opcode.OpDestroyObject))
	require.Nil(t, bob.ended)
}

// Who has no name is given one, and can be kicked; nobody can take the host's.
func TestNameless(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann := w.join("Ann")
	nobody := w.connectOdd("", odd{noName: true})
	host := w.join("dedicated server")
	w.join("A\u200b\u202e\u009b")
	w.run(time.Second)
	require.Contains(t, ann.lines, "NameChange 3 Player")
	require.Contains(t, nobody.lines, "NameChange 3 Player")
	require.Contains(t, host.lines, "NameChange 4 dedicated server (2)")
	for _, p := range w.match.slots[:4] {
		require.NotContains(t, p.name, "\u200b")
		require.NotContains(t, p.name, "\u009b")
	}
	require.NoError(t, nobody.SendSystem(&transport.NameChange{PeerID: 3, Name: systemText(t, "Late")}))
	require.NoError(t, nobody.SendSystem(&transport.NameChange{PeerID: 3, Name: systemText(t, "Other")}))
	w.run(time.Second)
	require.Contains(t, ann.lines, "NameChange 3 Late")
	require.Equal(t, 1, dropped(w, "second name"))

	w.match.command("kick")
	w.match.command("kick #77")
	w.run(time.Second)
	require.Equal(t, 4, w.match.hub.Len())
	w.match.command("kick #3")
	w.run(time.Second)
	require.NotNil(t, nobody.ended)
}

// Players in the game hear who leaves, and how. Nobody hears of a client that still joins,
// and such a client hears of nobody.
func TestLeaveIsAnnounced(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann, bob := w.join("Ann"), w.join("Bob")
	joining := w.connectOdd("Cat", odd{hold: true})
	nobody := w.connectOdd("", odd{noName: true, hold: true})
	w.run(time.Second)
	w.match.sent(w.match.named("Ann"), transport.ErrQueueFull)
	nobody.Close()
	w.run(time.Second)
	require.Equal(t, &transport.Boot{Reason: transport.BootTimeout, PeerID: ann.PeerID()}, ann.ended.Body)
	require.Contains(t, bob.lines, "Boot 2 timed out")
	require.NotContains(t, strings.Join(joining.lines, ";"), "Boot")
	for _, g := range []*guest{bob, joining} {
		require.NotContains(t, strings.Join(g.lines, ";"), "Disconnect 5")
	}
	require.Zero(t, joining.count(opcode.OpDeletePlayerUI))
}

// A score waits for a player who gets as far as the game, and all hear of it.
func TestScoresOfThoseWhoComeBack(t *testing.T) {
	w := newWorld(t, options{}, nil)
	ann, bob := w.join("Ann"), w.join("Bob")
	w.match.named("Ann").score.kills = 7
	ann.Close()
	w.run(time.Second)
	half := w.connectOdd("Ann", odd{hold: true})
	w.run(time.Second)
	half.Close()
	w.run(time.Second)
	again := w.join("Ann")
	w.run(time.Second)
	want := &opcode.Score{PlayerID: again.PeerID(), Kills: 7}
	require.Equal(t, want, last[*opcode.Score](bob))
	require.Equal(t, want, last[*opcode.Score](again))
	bob.Close()
	w.run(time.Second)
	require.Empty(t, w.match.finished)
}

// A client that loads the game while the round ends is informed. Wrong passwords are refused even
// then.
func TestComingAfterTheEnd(t *testing.T) {
	w := newWorld(t, options{pause: time.Minute}, nil)
	late := w.connectOdd("Ann", odd{hold: true})
	w.run(time.Second)
	w.match.command("end")
	late.say(&opcode.NewPlayerInGame{})
	wrong := w.connect("Bob", "wrong", nil)
	w.run(time.Second)
	require.Equal(t, opcode.EndOver, last[*opcode.EndGame](late).Reason)
	require.Equal(t, &transport.Boot{Reason: transport.BootPassword, PeerID: objectid.NoPeer}, wrong.ended.Body)
	require.Equal(t, 1, dropped(w, "refused connect"))
}

// A client that connects between two rounds waits for the next one, at most 45 s.
func TestComingBetweenRounds(t *testing.T) {
	for _, v := range []struct {
		pause time.Duration
		in    bool
	}{{15 * time.Second, true}, {44 * time.Second, true}, {time.Minute, false}} {
		w := newWorld(t, options{pause: v.pause}, nil)
		w.match.command("end")
		ann := w.connect("Ann", "", nil)
		w.run(v.pause - time.Second)
		require.Empty(t, w.match.players(nil))
		w.run(3 * time.Second)
		if v.in {
			require.Len(t, w.match.players(nil), 1, v.pause)
			continue
		}
		require.NotNil(t, ann.ended, v.pause)
		require.Empty(t, w.match.waiting)
	}
	// The client is told when it has waited for 45 s, and it may be one of many.
	w := newWorld(t, options{pause: time.Hour}, nil)
	w.match.command("end")
	for i := range 300 {
		w.forgedConnect(i)
	}
	w.run(time.Second)
	require.Len(t, w.match.waiting, maxWaiting)
	w.run(46 * time.Second)
	require.Empty(t, w.match.waiting)
	require.Equal(t, maxWaiting, dropped(w, "refused connect"))
}

// A match that closes lets nobody in.
func TestComingWhileItCloses(t *testing.T) {
	w := newWorld(t, options{}, nil)
	w.join("Ann")
	w.match.close(w.now)
	w.match.hub.Close()
	late := w.connect("Bob", "", nil)
	w.run(1500 * time.Millisecond)
	require.Empty(t, late.lines)
	require.True(t, w.match.hub.Flushed())
	require.Positive(t, dropped(w, "closed"))
}

// What is said to a team stays in the team, and who comes late learns the teams.
func TestTeams(t *testing.T) {
	w, ann, bob, cat := three(t, options{})
	for _, g := range []*guest{ann, bob} {
		g.say(&opcode.TeamMessage{PlayerID: g.PeerID(), Team: opcode.TeamOne})
	}
	w.run(time.Second)
	ann.say(&opcode.TeamChatMessage{SenderID: ann.PeerID(), Text: stream.Text("hello")})
	w.run(time.Second)
	for g, n := range map[*guest]int{ann: 1, bob: 1, cat: 0} {
		require.Equal(t, n, g.count(opcode.OpTeamChatMessage), g.name)
	}
	late := w.join("Dan")
	require.Equal(t, 2, late.count(opcode.OpTeamMessage))
}

// Queries do not cost more than the tick in which they come.
func TestFloodOfQueries(t *testing.T) {
	w := newWorld(t, options{}, nil)
	w.join("Ann")
	for range 100 {
		w.match.hub.Receive(w.now, netip.MustParseAddrPort("9.9.9.9:1"), []byte(`\status\`))
		w.events()
	}
	require.Positive(t, dropped(w, "query"))
	info := w.match.info
	require.NotNil(t, info)
	w.match.hub.Receive(w.now, netip.MustParseAddrPort("9.9.9.8:1"), []byte(`\status\`))
	w.events()
	require.Same(t, info, w.match.info)
	w.run(2 * tick)
	require.Nil(t, w.match.info)
}

// What cannot be acted on is counted.
func TestCounters(t *testing.T) {
	w := newWorld(t, options{}, &checksum.Server{Policy: checksum.Strict, Manifest: oneFile(1)})
	bad := w.connect("Bad", "", oneFile(2))
	w.until(5*time.Second, func() bool { return bad.count(opcode.OpSystemChecksumFailed) > 0 })
	bad.say(&opcode.HostMessage{})
	w.run(200 * time.Millisecond)
	require.Equal(t, 1, dropped(w, "refused"))
	muteGuest := w.connect("Mute", "", oneFile(1))
	muteGuest.mute = true
	w.run(time.Second)
	muteGuest.say(&opcode.FileTransferAck{})
	w.run(time.Second)
	require.Equal(t, 1, dropped(w, "out of turn"))

	w, ann, _, cat := three(t, options{})
	cat.tell(&opcode.StateUpdate{ObjectID: cat.id(0), GameTime: 5})
	ann.tell(&opcode.StateUpdate{ObjectID: ann.id(1), GameTime: 5})
	w.run(time.Second)
	require.Equal(t, 1, dropped(w, "no ship"))
	require.Equal(t, 1, dropped(w, "forged"))
}

// A player dies of its own hand, and the log has no player where there is none.
func TestLogOfNobody(t *testing.T) {
	w, ann, _, _ := three(t, options{})
	log := logTo(w)
	ann.say(&opcode.HostMessage{})
	w.run(time.Second)
	require.Contains(t, log.String(), "killer=none")
}
