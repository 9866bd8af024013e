package join_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// The join of the first player has the messages of the captures, in their order.
func TestJoinOfTheFirst(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	g := w.join("Ann")
	w.run(time.Second)
	require.Equal(t, []string{
		"ConnectReply 2", "ChecksumRequest", "NameChange 2 Ann",
		"ChecksumRequest", "ChecksumRequest", "ChecksumRequest", "ChecksumRequest",
		"ChecksumComplete", "Settings", "GameInit", "MissionInit", "DeletePlayerUI",
	}, g.lines)
	s := g.State()
	require.Equal(t, join.Player{PeerID: 2, Slot: 0, Name: "Ann", Team: opcode.TeamNone}, s.Self)
	require.Empty(t, s.Other)
	require.NoError(t, s.Err)
	require.Equal(t, "Multiplayer.Episode.Mission1.Mission1", s.Settings.Map.String())
	require.Equal(t, &opcode.MissionInit{PlayerLimit: 8, System: 1, TimeLimit: opcode.NoLimit, FragLimit: opcode.NoLimit}, s.Mission)
	require.Len(t, w.host.Members(), 1)
	m := w.host.Members()[0]
	require.Equal(t, join.Player{PeerID: 2, Slot: 0, Name: "Ann", Team: opcode.TeamNone}, m.Player)
	require.Empty(t, w.drops)
}

// The second player learns the name, score and team of the first one, and what the program sends.
func TestJoinOfTheSecond(t *testing.T) {
	var host *join.Host
	w := newWorld(t, join.HostOptions{Enter: func(m *join.Member) {
		host.Send(&opcode.ObjectNotFound{ObjectID: 1}, m)
		if m.Name == "Bob" {
			m.Kills, m.Points = 3, 3000
		}
	}})
	host = w.host
	ann := w.join("Ann")
	ann.say(&opcode.TeamMessage{PlayerID: 2, Team: opcode.TeamTwo})
	w.run(time.Second)
	w.host.Members()[0].Deaths = 7
	before := len(ann.lines)
	bob := w.join("Bob")
	w.run(time.Second)
	require.Equal(t, []string{
		"ConnectReply 3", "ChecksumRequest", "NameChange 3 Bob",
		"ChecksumRequest", "ChecksumRequest", "ChecksumRequest", "ChecksumRequest",
		"ChecksumComplete", "Settings", "GameInit", "NameChange 2 Ann", "MissionInit", "Score", "ObjectNotFound", "TeamMessage",
		"DeletePlayerUI", "Score",
	}, bob.lines)
	require.Equal(t, []string{"NameChange 3 Bob", "DeletePlayerUI", "Score"}, ann.lines[before:])
	s := bob.State()
	require.Equal(t, join.Player{PeerID: 3, Slot: 1, Name: "Bob", Team: opcode.TeamNone, Kills: 3, Points: 3000}, s.Self)
	require.Equal(t, "Ann", s.NameOf(2))
	s = ann.State()
	require.Equal(t, []join.Player{{PeerID: 3, Slot: objectid.NoSlot, Name: "Bob", Team: opcode.TeamNone, Kills: 3, Points: 3000}}, s.Other)
	require.Equal(t, []string{"Bob", "the host", "peer 9"}, []string{s.NameOf(3), s.NameOf(objectid.Host), s.NameOf(9)})
}

// fifteen is a source of random bytes by which a Hub assigns the peer ID 17 first.
type fifteen struct{}

func (fifteen) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 15
	}
	return len(b), nil
}

// The limit of players is not the number of slots: a slot goes with the peer ID.
func TestSlotsBeyondThePlayerLimit(t *testing.T) {
	w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: 2}, Hub: transport.HubOptions{Rand: fifteen{}}})
	ann, bob := w.join("Ann"), w.join("Bob")
	require.Equal(t, objectid.PeerID(17), ann.id())
	require.Equal(t, objectid.Slot(15), ann.State().Self.Slot)
	require.Equal(t, bob.id(), bob.State().Self.Slot.PeerID())
	cat := w.connect(join.Options{Name: "Cat"})
	w.run(2 * time.Second)
	require.ErrorIs(t, cat.err(), join.ErrFull)
}

// The other players are told who leaves, with the reason.
func TestLeaving(t *testing.T) {
	for name, c := range map[string]struct {
		leave func(*world, *guest)
		wait  time.Duration
		first string
		err   error
		end   transport.EndReason
	}{
		"left":   {func(_ *world, g *guest) { g.leave() }, 2 * time.Second, "Disconnect 2", nil, transport.EndLeft},
		"silent": {func(w *world, g *guest) { w.remove(g) }, 47 * time.Second, "Boot 2 timed out", nil, transport.EndTimeout},
		"kicked": {func(w *world, _ *guest) { w.member(2).Session.Boot(transport.BootRemoved) }, 2 * time.Second, "Boot 2 removed by host", join.ErrRefused, transport.EndBooted},
		"fragments": {func(w *world, g *guest) {
			for _, total := range []uint8{3, 2} {
				w.forge(g.addr, g.id(), transport.Message{Type: transport.TypeData, Reliable: true, Fragment: true, FragTotal: total, Seq: 40, Body: []byte{1}})
			}
		}, 2 * time.Second, "Boot 2 removed by host", nil, transport.EndBadFragment},
		"closed": {func(w *world, _ *guest) { w.member(2).Session.Close() }, 2 * time.Second, "Boot 2 removed by host", join.ErrLeft, transport.EndClosed},
		"banned": {func(w *world, _ *guest) { w.member(2).Session.Boot(transport.BootBanned) }, 2 * time.Second, "Boot 2 banned", join.ErrBanned, transport.EndBooted},
	} {
		t.Run(name, func(t *testing.T) {
			var left []transport.EndReason
			w := newWorld(t, join.HostOptions{Leave: func(m *join.Member, end transport.EndReason) {
				require.EqualValues(t, 2, m.PeerID)
				require.EqualValues(t, 7, m.Ship, "the program removes it")
				left = append(left, end)
			}})
			ann, bob := w.join("Ann"), w.join("Bob")
			w.run(time.Second)
			w.member(2).Ship = 7
			before := len(bob.lines)
			c.leave(w, ann)
			w.run(c.wait)
			require.Equal(t, []string{c.first, "DeletePlayerUI", "DeletePlayerAnim"}, bob.lines[before:])
			player, _ := last[*opcode.DeletePlayerUI](bob).Left()
			require.EqualValues(t, 2, player)
			require.Equal(t, "Ann", last[*opcode.DeletePlayerAnim](bob).Name.String())
			require.Equal(t, []transport.EndReason{c.end}, left)
			require.Len(t, w.host.Members(), 1)
			require.Empty(t, bob.State().Other)
			if c.err != nil {
				require.ErrorIs(t, ann.err(), c.err)
			}
			w.join("Cat")
		})
	}
}
