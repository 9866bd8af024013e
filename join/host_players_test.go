package join_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// addPlayer adds a player of the program.
func (w *world) addPlayer(name string) *join.Member {
	w.t.Helper()
	m, err := w.host.AddPlayer(name)
	require.NoError(w.t, err)
	return m
}

// The other players learn of a player of the program as of any player, also those who join later, and hear what it says
// and does.
func TestAddPlayer(t *testing.T) {
	var entered []string
	w := newWorld(t, join.HostOptions{Idle: time.Minute, Enter: func(m *join.Member) { entered = append(entered, m.Name) }})
	ann := w.join("Ann")
	before := len(ann.lines)
	ghost := w.addPlayer("ann\n")
	require.Equal(t, []string{"Ann", "ann (2)"}, entered)
	require.Equal(t, join.Player{PeerID: 3, Slot: 1, Name: "ann (2)", Team: opcode.TeamNone}, ghost.Player)
	require.Equal(t, ghost, w.host.Members()[1])
	w.run(time.Second)
	require.Equal(t, []string{"NameChange 3 ann (2)", "DeletePlayerUI", "Score"}, ann.lines[before:])

	w.host.Relay(ghost, &opcode.TeamMessage{PlayerID: 3, Team: opcode.TeamTwo})
	ghost.Kills = 4
	base, _ := objectid.Base(ghost.Slot)
	ship := &opcode.ObjectCreateTeam{OwnerSlot: ghost.Slot, NetPlayerID: 3, Object: opcode.Object{ClassID: opcode.ObjectShip, ObjectID: base}}
	w.host.Relay(ghost, ship)
	w.host.Relay(ghost, &opcode.ChatMessage{SenderID: 3, Text: stream.Text("boo")})
	w.host.Relay(ghost, &opcode.TeamChatMessage{SenderID: 3, Text: stream.Text("nobody hears it")})
	w.run(time.Second)
	require.Equal(t, []string{"TeamMessage", "ObjectCreateTeam", "ChatMessage"}, ann.lines[before+3:])
	bob := w.join("Bob")
	w.run(time.Second)
	want := join.Player{PeerID: 3, Slot: objectid.NoSlot, Name: "ann (2)", Team: opcode.TeamTwo, Kills: 4}
	require.Contains(t, bob.State().Other, want, "the program sends the ships of others")

	// A round is for all, and a player of the program is never idle or silent.
	for range 5 {
		ann.say(&opcode.ChatMessage{Text: stream.Text("hello")})
		bob.say(&opcode.ChatMessage{Text: stream.Text("hello")})
		w.run(30 * time.Second)
	}
	w.host.Restart()
	require.Zero(t, ghost.Kills)
	w.requireInGame(ann, bob)
	require.Len(t, w.host.Members(), 3)
}

// A player of the program leaves, or is kicked, as any player.
func TestAddedPlayerLeaves(t *testing.T) {
	for name, c := range map[string]struct {
		leave func(*transport.Session)
		first string
		end   transport.EndReason
	}{
		"left":   {func(s *transport.Session) { s.Close() }, "Disconnect 3", transport.EndLeft},
		"kicked": {func(s *transport.Session) { s.Boot(transport.BootRemoved) }, "Boot 3 removed by host", transport.EndBooted},
	} {
		t.Run(name, func(t *testing.T) {
			var left []transport.EndReason
			w := newWorld(t, join.HostOptions{Leave: func(_ *join.Member, end transport.EndReason) { left = append(left, end) }})
			ann := w.join("Ann")
			ghost := w.addPlayer("Ghost")
			w.run(time.Second)
			before := len(ann.lines)
			c.leave(ghost.Session)
			c.leave(ghost.Session)
			w.run(time.Second)
			require.Equal(t, []string{c.first, "DeletePlayerUI", "DeletePlayerAnim"}, ann.lines[before:])
			require.Equal(t, []transport.EndReason{c.end}, left)
			require.Empty(t, ann.State().Other)
			require.Len(t, w.host.Members(), 1)
			require.Equal(t, "Ghost", w.addPlayer("Ghost").Name)
		})
	}
}

// Players of the program count for the limit of players. Clients do not get the reserved ones.
func TestPlayerLimitWithAddedPlayers(t *testing.T) {
	w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: 4}, Reserved: 1})
	requireFull := func() {
		late := w.connect(join.Options{Name: "Late"})
		w.run(time.Second)
		require.ErrorIs(t, late.err(), join.ErrFull)
	}
	ann := w.join("Ann")
	require.EqualValues(t, 4, ann.State().Mission.PlayerLimit)
	w.join("Bob")
	w.join("Cat")
	requireFull()
	ghost := w.addPlayer("Ghost")
	requireFull()
	_, err := w.host.AddPlayer("Another")
	require.ErrorIs(t, err, join.ErrFull)
	ann.leave()
	w.run(time.Second)
	ann = w.join("Ann")
	requireFull()

	ghost.Session.Close()
	w.run(time.Second)
	requireFull()
	w.addPlayer("Ghost")
	ann.leave()
	w.run(time.Second)
	w.addPlayer("Second Ghost")
	requireFull()

	all := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: objectid.Slots}, Reserved: -1})
	for i := range objectid.Slots {
		require.Equal(t, i, len(all.host.Members()))
		all.addPlayer("Ghost")
	}
	_, err = all.host.AddPlayer("Ghost")
	require.ErrorIs(t, err, join.ErrFull)
}

// What is about a player of the program waits on the account of the Host: a player who cannot keep up with a ghost loses
// the ghost's shots and chat, and nothing of other players.
func TestAddedPlayerWaitsOnTheHostsAccount(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	ann, bob := w.join("Ann"), w.join("Bob")
	ghost := w.addPlayer("Ghost")
	w.run(time.Second)
	deaf := w.clients[ann.addr]
	w.clients[ann.addr] = deafened{deaf}
	for range 400 { // more than is sent without an Ack
		w.host.Broadcast(&opcode.UICollisionSetting{})
	}
	bob.say(&opcode.ChatMessage{Text: stream.Text("help")})
	w.run(time.Second)
	line := &opcode.ChatMessage{SenderID: ghost.PeerID, Text: make(stream.Text, 200)}
	for range 5000 {
		w.host.Relay(ghost, line)
	}
	w.host.Send(opcode.NewScoreChange(ghost.PeerID, 1, bob.id(), 1, 0), w.host.Members()...)
	w.run(20 * time.Second)
	w.clients[ann.addr] = deaf
	ann.heard = nil
	w.run(30 * time.Second)
	w.requireInGame(ann, bob)
	help := 0
	for _, m := range ann.heard {
		if chat, ok := m.(*opcode.ChatMessage); ok && chat.SenderID == bob.id() {
			help++
		}
	}
	require.Equal(t, 1, help)
	require.Less(t, ann.count(opcode.OpChatMessage), 1000)
	require.Equal(t, 1, ann.count(opcode.OpScoreChange))

	// None of its ships is lost. A player who cannot keep up with them is kicked, as with all that the Host says.
	w.clients[ann.addr] = deafened{deaf}
	base, _ := objectid.Base(ghost.Slot)
	for i := range objectid.ID(2000) {
		w.host.Relay(ghost, &opcode.ObjectCreateTeam{OwnerSlot: ghost.Slot, Object: opcode.Object{ClassID: opcode.ObjectShip, ObjectID: base + i}})
		w.run(step)
	}
	require.Contains(t, bob.lines, "Boot 2 timed out")
	w.requireInGame(bob)
}

// A player who hears nothing for 40 s knows afterwards who is there. It is told no more of others than it had room for.
func TestAddedPlayersComeAndGo(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	ann := w.join("Ann")
	w.run(time.Second)
	w.clients[ann.addr] = deafened{ann}
	for range 520 {
		w.addPlayer("Ghost").Session.Close()
		w.run(50 * time.Millisecond)
	}
	before := len(ann.lines)
	w.clients[ann.addr] = ann
	w.run(time.Minute)
	w.requireInGame(ann)
	require.Empty(t, ann.State().Other)
	require.Less(t, len(ann.lines[before:]), 600)
}

// A program may make a player of its own leave while the player enters.
func TestAddedPlayerLeavesAtOnce(t *testing.T) {
	w := newWorld(t, join.HostOptions{Enter: func(m *join.Member) {
		if m.Name == "Ghost" {
			m.Session.Close()
		}
	}})
	ann := w.join("Ann")
	w.addPlayer("Ghost")
	w.run(time.Second)
	require.Empty(t, ann.State().Other)
	require.Len(t, w.host.Members(), 1)
}

// Another mission ends the sessions of the clients that have the old one, also of those that load it. All who join then
// have the new one: those who come again, who have waited, and whose files were being compared.
func TestNextMission(t *testing.T) {
	var left []string
	w := newWorld(t, join.HostOptions{Leave: func(m *join.Member, end transport.EndReason) {
		left = append(left, fmt.Sprint(m.Name, " ", end))
	}})
	ann, bob := w.join("Ann"), w.join("Bob")
	loading := w.connectSlow("Loading", 10*time.Second)
	w.run(time.Second)
	ghost := w.addPlayer("Ghost")
	ghost.Kills = 3
	checking := w.connect(join.Options{Name: "Checking"})
	w.run(100 * time.Millisecond)
	w.clients[checking.addr] = deafened{checking}
	w.host.End(opcode.EndTimeUp)
	waits := w.connect(join.Options{Name: "Waits"})
	w.run(3 * time.Second)
	require.Equal(t, join.StageConnecting, waits.stage())
	before := len(bob.lines)

	settings := opcode.Settings{Map: stream.Text("Multiplayer.Episode.Mission2.Mission2"), PlayerSlot: 9, Renamed: true, NewName: stream.UTF16("xx")}
	w.host.NextMission(settings, opcode.MissionInit{System: opcode.SystemMulti5, FragLimit: 7})
	require.Equal(t, []*join.Member{ghost}, w.host.Members())
	require.Zero(t, ghost.Kills)
	require.Equal(t, []string{"Ann closed", "Bob closed"}, left)
	w.run(2 * time.Second)
	for _, g := range []*guest{ann, bob, loading} {
		require.ErrorIs(t, g.err(), join.ErrLeft)
		require.Zero(t, g.count(opcode.OpRestartGame))
	}
	require.Equal(t, []string{}, bob.lines[before:], "nobody is told that the others leave, too")
	require.Equal(t, join.StageChecking, checking.stage())
	w.clients[checking.addr] = checking

	for _, g := range []*guest{waits, checking, w.join("Ann"), w.join("Bob"), w.join("Loading")} {
		w.until(5*time.Second, func() bool { return g.stage() == join.StageInGame })
		s := g.State()
		require.Equal(t, "Multiplayer.Episode.Mission2.Mission2", s.Settings.Map.String())
		require.False(t, s.Settings.Renamed)
		require.Equal(t, &opcode.MissionInit{PlayerLimit: 8, System: opcode.SystemMulti5, TimeLimit: opcode.NoLimit, FragLimit: 7}, s.Mission)
		require.Equal(t, "Ghost", s.NameOf(ghost.PeerID))
		require.Zero(t, g.count(opcode.OpEndGame))
	}
	require.Len(t, w.host.Members(), 6)

	// A program may change the mission as soon as somebody leaves.
	left = nil
	w = newWorld(t, join.HostOptions{})
	*w.host = *join.NewHost(w.now, join.HostOptions{Leave: func(m *join.Member, _ transport.EndReason) {
		left = append(left, m.Name)
		w.host.NextMission(opcode.Settings{}, opcode.MissionInit{})
	}})
	for range 4 {
		w.join("Ann")
	}
	w.host.NextMission(opcode.Settings{}, opcode.MissionInit{})
	w.run(time.Second)
	require.Empty(t, w.host.Members())
	require.ElementsMatch(t, []string{"Ann", "Ann (2)", "Ann (3)", "Ann (4)"}, left)
	ann = w.join("Ann")
	require.Equal(t, "Multiplayer.Episode.Mission1.Mission1", ann.State().Settings.Map.String())
	ann.say(&opcode.RestartGame{}) // and needs no function for it
	w.run(time.Second)
	w.requireInGame(ann)
}

// All clients of a full server come again at once, and at 10 % loss, as bots do, also while somebody floods it.
func TestNextMissionOfAFullServer(t *testing.T) {
	w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: objectid.Slots}})
	w.loss = 0.1
	var all []*guest
	for i := range objectid.Slots {
		g := w.connectSlow(fmt.Sprint("Player ", i), time.Duration(i)*time.Second)
		all = append(all, g)
	}
	w.run(10 * time.Second) // some load
	for round := range 3 {
		w.host.End(opcode.EndOver)
		w.run(time.Second)
		settings := opcode.Settings{Map: stream.Text(fmt.Sprint("Mission ", round))}
		w.host.NextMission(settings, opcode.MissionInit{PlayerLimit: objectid.Slots + 1})
		done := func() bool {
			in := 0
			for i, g := range all {
				if g.stage() == join.StageEnded {
					w.drop(g)
					all[i] = w.connectSlow(fmt.Sprint("Player ", i), 3*time.Second, g.addr)
				}
				if s := g.State(); s.Stage == join.StageInGame && s.Settings.Map.String() == settings.Map.String() {
					in++
				}
			}
			return in == len(all)
		}
		w.until(time.Minute, done)
		require.Len(t, w.host.Members(), objectid.Slots)
		require.EqualValues(t, objectid.Slots, all[0].State().Mission.PlayerLimit)
	}
}

// A program begins the next mission when a player leaves. Each player leaves once.
func TestNextMissionInLeave(t *testing.T) {
	var host *join.Host
	left := map[string]int{}
	o, lines := logged(join.HostOptions{Leave: func(m *join.Member, _ transport.EndReason) {
		if left[m.Name]++; len(left) < 3 {
			host.NextMission(opcode.Settings{}, opcode.MissionInit{})
		}
	}})
	w := newWorld(t, o)
	host = w.host
	ann := w.join("Ann")
	w.join("Bob")
	w.join("Cat")
	ann.leave()
	w.run(time.Second)
	require.Equal(t, map[string]int{"Ann": 1, "Bob": 1, "Cat": 1}, left)
	require.Equal(t, 3, strings.Count(strings.Join(lines(), "\n"), "msg=left"))
}
