package match_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// lose lets the capture miss what the host sends to a client, and the gap end.
func (g *game) lose(client string, send func()) {
	g.t.Helper()
	g.mute[client+" s2c"] = true
	send()
	g.mute[client+" s2c"] = false
	g.Host(client, missionInit())
	g.Wait(46 * time.Second)
	g.Host(client, missionInit())
}

func score(player objectid.PeerID, kills int32) *opcode.Score {
	return &opcode.Score{PlayerID: player, Kills: kills}
}

// A late link tells a score that another link has lost, and that is not the last one any more.
func TestLostScoreOfALateLink(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.All(score(2, 1))
	g.Lines()
	g.Delay("2 s2c")
	g.lose("1", func() { g.All(score(2, 2)) })
	g.All(score(2, 3))
	g.Arrive("2 s2c")
	require.Equal(t, []string{"Ann has 3 kills, 0 deaths, 0 points"}, g.Lines())
}

// A link that is late by more than a Match retains tells no score again.
func TestLateByManyScores(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Delay("2 s2c")
	for kills := range int32(70) {
		g.All(score(2, kills+1))
	}
	g.Arrive("2 s2c")
	g.Flush()
	require.Len(t, g.Kinds(match.Score), 70)
}

// The link has lost the ship of the player who has the slot now, and knows the object IDs of the ship before.
func TestShotOfALostShip(t *testing.T) {
	g := duel(t)
	g.Leave("1")
	g.mute["3"] = true
	g.Join("3", 2, 0, "Cid")
	g.lose("2", func() { g.Fly("3", "Akira", 0, base(0, 0)) })
	g.beam("3", objectid.None)
	g.Say("3", "hello")
	g.Flush()
	require.Empty(t, g.Kinds(match.Fire))
	require.Equal(t, []string{"chat: Cid: hello"}, g.Kinds(match.Chat))
}

// The link has lost the ship of a player, in whose slot another player had a ship with the same object IDs.
func TestShotOfALostShipInAUsedSlot(t *testing.T) {
	g := duel(t)
	g.Leave("1")
	g.Join("3", 2, 0, "Cid")
	weapon := g.part("Akira", base(0, 0), "Phasers")
	g.Host("2", opcode.NewBeamFire(weapon, 2, compress.EncodeVector3(0, 1, 0), objectid.None))
	require.Equal(t, "Cid", g.last.Sender.Name)
	g.torpedo("2") // at the lost ship
	require.Equal(t, []string{"fire: Ben fires Torpedoes / Aft Torpedo 1 at 0x3fffffff"}, g.Kinds(match.Fire)[1:])
}

// A death that waits behind a gap has no later cause.
func TestDeathBehindAGap(t *testing.T) {
	g := duel(t)
	g.next("1s2cgame")
	delete(g.names, "2") // the other link shows it later
	g.Die(base(1, 0), objectid.None, objectid.NoPeer)
	g.names["2"] = 3
	g.Wait(5 * time.Second)
	g.torpedo("1")
	g.Wait(46 * time.Second)
	g.Host("1", missionInit())
	g.Flush()
	require.Equal(t, []string{"explode: Ben explodes"}, g.Kinds(match.Explode))
}

// A late link still means the player who had the slot before.
func TestShotInASlotThatAnotherPlayerHas(t *testing.T) {
	g := newGame(t)
	g.Join("2", 3, 1, "Ben")
	g.Join("1", 2, 0, "Ann")
	g.mute["1"], g.mute["3"] = true, true
	g.Delay("2 s2c")
	g.beam("1", objectid.None) // of a ship that was not observed
	g.Leave("1")
	g.mute["3"] = false
	g.Join("3", 2, 0, "Cid")
	g.Arrive("2 s2c")
	g.Flush()
	for _, e := range g.events {
		require.False(t, e.Kind == match.Fire && e.Player == "Cid", e.String())
	}
}

// The next player with a peer ID joins. The host had announced the one before to nobody.
func TestJoinAfterAPlayerWhoWasNotAnnounced(t *testing.T) {
	g := newGame(t)
	g.Join("2", 3, 1, "Ben")
	g.Connect("1", 2)
	g.Name("1", "Ann")
	g.Host("1", settings(0), &opcode.GameInit{})
	g.Client("1", &opcode.NewPlayerInGame{}, &transport.Disconnect{PeerID: 2})
	delete(g.names, "1")
	g.Host("2", &transport.Disconnect{PeerID: 2})
	g.mute["3"] = true
	g.Join("3", 2, 0, "Cid")
	g.Say("3", "hello")
	g.Flush()
	require.Equal(t, []string{"join: Ben joins", "join: Ann joins", "join: Cid joins", "chat: Cid: hello"}, g.Kinds(match.Join, match.Chat))
}

// The host tells a client twice of a ship.
func TestShipThatIsToldAgain(t *testing.T) {
	g := duel(t)
	g.Host("2", g.creation(2, "Galaxy", 0, base(0, 0)))
	require.ErrorIs(t, g.last.Err, stateupdate.ErrExists)
	require.Equal(t, "Akira", g.last.Ship.Class.Name)
	require.Empty(t, g.Lines())
}

// A late link tells the first name of a player, which another link has lost and the player's client has shown.
func TestFirstNameOfALateLink(t *testing.T) {
	g := newGame(t)
	g.Join("2", 3, 1, "Ben")
	g.Delay("2 s2c")
	g.Connect("1", 2)
	ann := nameChange(t, 2, "Ann")
	g.Client("1", ann)
	g.next("1s2csystem")
	g.Host("2", ann)
	g.Host("1", settings(0), &opcode.GameInit{})
	g.Client("1", &opcode.NewPlayerInGame{})
	g.Host("1", missionInit(), opcode.NewPlayerJoined(2))
	g.Name("1", "Bea")
	g.Wait(46 * time.Second)
	g.Host("1", missionInit())
	g.Arrive("2 s2c")
	g.Flush()
	require.Equal(t, []string{"join: Ben joins", "join: Ann joins", "rename: Ann is now Bea"}, g.Kinds(match.Join, match.Rename))
}

// A client uses a peer ID that the host has given to another client since.
func TestOutdatedPeerID(t *testing.T) {
	g := newGame(t)
	g.Connect("1", 2)
	delete(g.names, "1")
	g.Wait(time.Minute)
	g.Join("2", 2, 0, "Ann")
	g.Receive("1", 2, nameChange(t, 2, "Eve"))
	require.Equal(t, []string{"2 0 [Ann] true"}, g.Roster())
	g.Say("2", "hello")
	require.Equal(t, []string{"Ann joins", "Ann: hello"}, g.Lines())
}

// A link that is late by more than a Match retains tells nothing twice.
func TestLateByManyLines(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Delay("2 s2c")
	for i := range 600 {
		g.Say("1", fmt.Sprint("line ", i))
	}
	g.Arrive("2 s2c")
	g.Flush()
	require.Len(t, g.Kinds(match.Chat), 600)
}

// A link that shows nothing of the program of its host has the host of another link.
func TestSlotsOnALinkThatShowsNothing(t *testing.T) {
	g := newGame(t)
	g.joinOpenBC("1", 0, "Ann")
	g.joinOpenBC("2", 1, "Ben")
	g.joinOpenBC("3", 2, "Cid")
	g.Lines()
	g.mute["1"], g.mute["2"], g.mute["3"] = true, true, true
	g.mute["4"] = true
	g.joinOpenBC("4", 3, "Dee")
	g.mute["4"] = false
	for _, name := range []string{"Ann", "Ben", "Cid"} { // what the link has shown
		g.Host("4", nameChange(t, map[string]objectid.PeerID{"Ann": 2, "Ben": 3, "Cid": 4}[name], name))
	}
	g.Host("4", &opcode.ChatMessage{SenderID: 2, Text: stream.Text("hello")})
	require.Equal(t, []string{"Cid: hello"}, g.Lines())
}

// A player who is known by the ship alone leaves, and the announcement with the peer ID is lost.
func TestLeaveByNameOfAPlayerWithoutAnnouncement(t *testing.T) {
	g := newGame(t)
	g.titles[3] = "Ben"
	g.Host("1", g.creation(3, "Akira", 1, base(1, 0)))
	g.lose("1", func() { g.Host("1", opcode.NewPlayerLeft(3)) })
	g.Host("1", &opcode.DeletePlayerAnim{Name: stream.Text("Ben")})
	require.Equal(t, []string{"Ben joins", "Ben flies Akira", "Ben leaves (left)"}, g.Lines())
}

// The death of a ship confirms that the player has it, and not what else the client claims.
func TestDeathConfirmsTheShipAlone(t *testing.T) {
	g := duel(t)
	m := &opcode.StartFiring{Event: opcode.Event{Class: opcode.ClassStartFiringEvent, Code: opcode.ETStartFiringNotify, Dest: g.part("Akira", base(0, 0), "Phasers")}}
	g.Client("1", m) // the host does not pass it on
	g.Die(base(0, 0), base(1, 0), 3)
	g.Fly("1", "Galaxy", 0, base(0, 100))
	g.Wait(time.Minute)
	g.Say("2", "hello")
	require.Empty(t, g.Kinds(match.Fire))
}

// A link that has lost the leave of a player and the join of the next one with the peer ID shows a line of one of them.
func TestLineAfterALostLeave(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Say("1", "hello")
	g.lose("2", func() {
		g.Leave("1")
		g.Join("3", 2, 0, "Cid")
	})
	g.Lines()
	g.Host("2", &opcode.ChatMessage{SenderID: 2, Text: stream.Text("hello again")})
	require.Equal(t, []string{"peer 2: hello again"}, g.Lines())
}

// The capture loses the end of a player, and the Connect of the next one with the peer ID. A newcomer is told the ship of
// the second one.
func TestNextPlayerAfterALostEnd(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Wait(time.Minute)
	g.mute["2 c2s"] = true
	g.Connect("2", 2)
	g.Host("2", nameChange(t, 2, "Ben")) // before anything of its client
	g.mute["2 c2s"] = false
	g.Client("2", nameChange(t, 2, "Ben"))
	g.Host("2", settings(0), &opcode.GameInit{})
	g.Client("2", &opcode.NewPlayerInGame{})
	g.Host("2", opcode.NewPlayerJoined(2))
	delete(g.names, "1")
	g.titles[2] = "Ben"
	g.Fly("2", "Akira", 0, base(0, 0))
	require.Equal(t, []string{"2 0 [Ann] false", "2 0 [Ben] true"}, g.Roster())

	g.Connect("3", 3)
	g.Name("3", "Cid")
	g.Host("3", nameChange(t, 2, "Ben"), settings(1), &opcode.GameInit{})
	g.Client("3", &opcode.NewPlayerInGame{})
	g.Host("3", &opcode.Score{PlayerID: 2, Kills: 1}, g.creation(2, "Akira", 0, base(0, 0)), opcode.NewPlayerJoined(3))
	g.Flush()
	require.Equal(t, []string{"Ann joins", "Ann leaves (timed out)", "Ben joins", "Ben flies Akira", "Cid joins", "Ben has 1 kills, 0 deaths, 0 points"}, g.Lines())
}

// A late link tells changes of scores, each of a part of a score.
func TestLateChangesOfScores(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Lines()
	g.Delay("2 s2c")
	g.All(&opcode.ScoreChange{VictimID: 2, VictimDeaths: 1})
	g.All(&opcode.ScoreChange{VictimID: 2, VictimDeaths: 2})
	g.All(&opcode.ScoreChange{KillerID: 2, KillerKills: 1, KillerScore: 100, VictimID: 3, VictimDeaths: 1})
	g.Arrive("2 s2c")
	require.Equal(t, []string{
		"Ann has 0 kills, 1 deaths, 0 points", "Ann has 0 kills, 2 deaths, 0 points", "Ann has 1 kills, 2 deaths, 100 points", "Ben has 0 kills, 1 deaths, 0 points",
	}, g.Lines())
}

// A retransmission that comes after a gap has ended is of the player who had the peer ID before, if many messages have
// come in between, too.
func TestRetransmissionOfALostLine(t *testing.T) {
	for name, until := range map[string]int{"after the gap": 10, "after many messages": 70, "after many that are lost, too": 0} {
		g := newGame(t)
		g.Join("2", 3, 1, "Ben")
		g.Join("1", 2, 0, "Ann")
		g.mute["1"], g.mute["3"] = true, true
		lost := transport.NewData(g.next("2s2cgame"), g.payload(&opcode.ChatMessage{SenderID: 2, Text: stream.Text("lost")}))
		g.lose("2", func() {
			for range 70 - until {
				g.Host("2", missionInit())
			}
		})
		for range until {
			g.Host("2", missionInit())
		}
		g.Leave("1")
		g.Join("3", 2, 0, "Cid")
		g.Host("2", lost)
		g.Say("3", "hello")
		g.Flush()
		require.Equal(t, []string{"chat: Cid: hello"}, g.Kinds(match.Chat), name)
	}
}

// The step of a retransmission does not change whom the game channel means. The channel is behind the system channel,
// which has already told of the next two players with the peer ID.
func TestRetransmissionOfACreation(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.mute["2"], g.mute["3"], g.mute["4"] = true, true, true
	g.Join("2", 3, 1, "Ben")
	creation := transport.NewData(g.seqs["1s2cgame"], g.payload(g.creation(3, "Akira", 1, base(1, 0))))
	g.Fly("2", "Akira", 1, base(1, 0))
	g.Host("1", &transport.Disconnect{PeerID: 3}, nameChange(t, 3, "Cid"), &transport.Disconnect{PeerID: 3}, nameChange(t, 3, "Ben"))
	g.Host("1", opcode.NewPlayerLeft(3))
	g.Host("1", creation)
	g.titles[3] = "Cid"
	g.Host("1", opcode.NewPlayerJoined(3), g.creation(3, "Galaxy", 1, base(1, 0)))
	require.Equal(t, "Cid", g.last.Sender.Name)
	g.Flush()
	require.Equal(t, []string{"ship: Ben flies Akira", "ship: Cid flies Galaxy"}, g.Kinds(match.Ship))
}

// Behind a gap, a channel tells of a player who has left meanwhile, and whose join no other link has shown. The next
// player with the peer ID had not connected then.
func TestJoinBehindAGap(t *testing.T) {
	line := func(text string) *opcode.ChatMessage {
		return &opcode.ChatMessage{SenderID: 3, Text: stream.Text(text)}
	}
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.next("1s2cgame") // the capture has lost it
	g.Connect("2", 3)
	g.Name("2", "Ben")
	g.Host("2", settings(1), &opcode.GameInit{})
	g.mute["2 c2s"] = true
	g.Client("2", &opcode.NewPlayerInGame{})
	g.mute["2 c2s"] = false
	g.next("2s2cgame") // this one, too
	g.Host("2", opcode.NewPlayerJoined(3))
	g.Host("1", opcode.NewPlayerJoined(3), line("I am Ben"))
	g.Client("2", &transport.Disconnect{PeerID: 3})
	delete(g.names, "2")
	g.Host("1", &transport.Disconnect{PeerID: 3}, opcode.NewPlayerLeft(3))
	g.Wait(time.Second)
	g.Join("3", 3, 1, "Cid")
	g.Host("1", line("I am Cid"))
	g.Wait(46 * time.Second)
	g.Host("1", missionInit())
	g.Flush()
	require.Equal(t, []string{"chat: Ben: I am Ben", "chat: Cid: I am Cid"}, g.Kinds(match.Chat))
}

// A message that has come before a leave means the player who has left then, although it is followed later.
func TestNameBehindAGap(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("3", 4, 2, "Cid")
	g.Join("2", 3, 1, "Ben")
	g.next("1s2cgame") // the capture has lost it
	g.Fly("2", "Akira", 1, base(1, 0))
	g.Leave("2")
	g.Join("4", 3, 1, "Ben")
	g.Fly("4", "Galaxy", 1, base(1, 0))
	g.Wait(46 * time.Second)
	g.Host("1", missionInit())
	g.Flush()
	require.Equal(t, []string{"ship: Ben flies Akira", "ship: Ben flies Galaxy"}, g.Kinds(match.Ship))
}

// A link has lost the announcements of two players with a peer ID. Nobody knows whose line comes then, and nobody joins
// with it. A line that has come before the second one connected is of the first.
func TestLineOfOneOfTwo(t *testing.T) {
	for name, want := range map[string]string{"before": "chat: Ben: hello", "after": "chat: peer 3: hello"} {
		g := newGame(t)
		g.Join("1", 2, 0, "Ann")
		hello := func() { g.Host("1", &opcode.ChatMessage{SenderID: 3, Text: stream.Text("hello")}) }
		g.mute["1 s2c"] = true
		g.Join("2", 3, 1, "Ben")
		g.mute["1 s2c"] = false
		if name == "before" {
			hello() // behind the gap
		}
		g.mute["1 s2c"] = true
		g.Leave("2")
		g.Wait(time.Second)
		g.Join("3", 3, 1, "Cid")
		g.mute["1 s2c"] = false
		g.Host("1", missionInit())
		g.Wait(46 * time.Second)
		if name == "after" { // the link is late
			hello()
			g.Host("1", opcode.NewPlayerLeft(3), opcode.NewPlayerJoined(3))
		}
		g.Flush()
		require.Equal(t, []string{"join: Ann joins", "join: Ben joins", "join: Cid joins", want}, g.Kinds(match.Join, match.Chat), name)
	}
}

// What waits behind a gap when a connection ends was before the end.
func TestLeaveBehindAGap(t *testing.T) {
	for name, end := range map[string]func(*game){
		"Disconnect":  func(g *game) { g.Client("1", &transport.Disconnect{PeerID: 2}) },
		"new Connect": func(g *game) { g.Connect("1", 5) },
	} {
		g := newGame(t)
		g.mute["s2c"] = true
		g.Join("1", 2, 0, "Ann")
		g.next("1c2sgame")
		g.Client("1", &opcode.ChatMessage{SenderID: 2, Text: stream.Text("bye")})
		end(g)
		g.Flush()
		require.Equal(t, []string{"join: Ann joins", "chat: Ann: bye", "leave: Ann leaves (left)"}, g.Kinds(match.Join, match.Chat, match.Leave), name)
	}
}

// A late link tells a newcomer the team of a player who has chosen another one since.
func TestTeamOfALateLink(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Delay("2 s2c")
	g.Host("2", &opcode.ScoreInit{PlayerID: 2, Team: opcode.TeamOne})
	g.All(&opcode.TeamMessage{PlayerID: 2, Team: opcode.TeamTwo})
	g.Arrive("2 s2c")
	for p := range g.m.Players() {
		require.Equal(t, map[string]opcode.Team{"Ann": opcode.TeamTwo, "Ben": opcode.TeamNone}[p.Name], p.Team)
	}
}

// A link on which many ships are created and none ends forgets the oldest ones.
func TestManyShipsOfALink(t *testing.T) {
	g := newGame(t)
	g.mute["2"] = true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	id := func(i int) objectid.ID { return base(1, objectid.ID(100*i)) }
	for i := range 600 {
		g.Host("1", g.creation(3, "Akira", 1, id(i)))
	}
	g.Reported()
	for i := range 600 {
		g.Host("1", &opcode.EnterSet{ObjectID: id(i), Set: stream.Text("Albirea\x00")})
	}
	require.Len(t, g.events, 512)
	require.Equal(t, id(600-512), g.events[0].Ship)
}

// In a capture that begins late, the first change of a score on a link changes the score that another link has shown.
func TestChangeOfAScoreInALateCapture(t *testing.T) {
	g := newGame(t)
	g.mute["1"], g.mute["2"] = true, true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	clear(g.mute)
	g.Say("1", "hello")
	g.Lines()
	g.Host("1", &opcode.Score{PlayerID: 2, Kills: 3, Deaths: 2, Score: 100})
	g.Host("2", &opcode.ScoreChange{KillerID: 2, KillerKills: 4, KillerScore: 200, VictimID: objectid.NoPeer})
	require.Equal(t, []string{"peer 2 has 3 kills, 2 deaths, 100 points", "peer 2 has 4 kills, 2 deaths, 200 points"}, g.Lines())
}

// The only link that would show whether the host passes on a shot has lost it. It counts.
func TestShotThatALinkHasLost(t *testing.T) {
	g := duel(t)
	g.lose("2", func() { g.torpedo("1") })
	g.beam("1", objectid.None)
	g.Flush()
	require.Equal(t, []string{"fire: Ann fires Torpedoes / Forward Torp 2 at Ben", "fire: Ann fires Phasers"}, g.Kinds(match.Fire))
}

// A capture begins when one link is late and tells a restart that others have told before. The creations of later ships
// stand once, whichever link tells them first, and also if a newcomer is told of them.
func TestRestartThatOthersHaveToldBefore(t *testing.T) {
	g := newGame(t)
	for i, name := range []string{"Ann", "Ben", "Cid"} {
		client := strconv.Itoa(i + 1)
		g.mute[client] = true
		g.Join(client, objectid.PeerID(2+i), objectid.Slot(i), name)
	}
	clear(g.mute)
	g.All(missionInit())
	g.Client("2", &opcode.StateUpdate{})
	g.Host("1", &opcode.RestartGame{})
	g.Join("4", 5, 3, "Dee")
	g.Lines()
	dee, ben := g.creation(5, "Akira", 3, base(3, 0)), g.creation(3, "Galaxy", 1, base(1, 0))
	g.Client("4", dee)
	g.Client("2", ben)
	for _, client := range []string{"3", "2", "1"} {
		g.Host(client, dee)
		if client != "2" {
			g.Host(client, ben)
		}
	}
	g.Host("4", ben)
	g.Connect("5", 6)
	g.Name("5", "Eve")
	g.Host("5", settings(4), &opcode.GameInit{}, nameChange(t, 5, "Dee"), dee, nameChange(t, 3, "Ben"), ben)
	g.Enter("5")
	require.Equal(t, []string{"Dee flies Akira", "Ben flies Galaxy", "Eve joins"}, g.Lines())
}

// The creation of the next ship with an object ID waits behind a gap. What the tracker shows of it is no damage of the
// ship before.
func TestDamageOfAShipBehindAGap(t *testing.T) {
	g := duel(t)
	g.Leave("1")
	g.Lines()
	g.mute["3"] = true
	g.Join("3", 4, 0, "Cid")
	missing := g.next("2s2cgame")
	g.Fly("3", "Akira", 0, base(0, 0))
	g.Host("2", g.hull(128, 1))
	g.Host("2", transport.NewData(missing, g.payload(missionInit())))
	g.Host("2", g.hull(64, 2))
	require.Equal(t, []string{"Cid joins", "Cid flies Akira", "Cid Hull: 50% to 25%"}, g.Lines())
}

// A link has lost the leave of a player and the ship of the next one in the slot, which has the same object IDs.
func TestDamageOfALostShip(t *testing.T) {
	g := duel(t)
	g.Join("4", 5, 3, "Dee")
	g.Lines()
	g.lose("2", func() {
		g.Leave("1")
		g.mute["3"], g.mute["4"] = true, true
		g.Join("3", 4, 0, "Cid")
		g.Fly("3", "Akira", 0, base(0, 0))
	})
	g.Host("2", g.hull(128, 1))
	require.Equal(t, []string{"Ann leaves (left)"}, g.Lines())
}

// A capture begins late, and does not show whether the host has passed on the ship that a client creates under another
// name and in another slot: it loses that, or ends. Neither the name nor the slot is the client's.
func TestNameOfALostShip(t *testing.T) {
	for _, ends := range []bool{false, true} {
		g := newGame(t)
		g.mute["1"], g.mute["2"] = true, true
		g.Join("1", 2, 0, "Ann")
		g.Join("2", 3, 1, "Eve")
		clear(g.mute)
		g.All(missionInit())
		g.Client("1", &opcode.StateUpdate{})
		g.Client("2", &opcode.StateUpdate{})
		g.Wait(3 * time.Second)
		g.titles[3] = "Ann"
		g.Client("2", g.creation(3, "Akira", 0, base(0, 0)))
		if !ends {
			g.lose("1", func() { g.next("1s2cgame") })
		}
		require.Equal(t, []string{"peer 2 joins", "peer 3 joins", "peer 3 flies Akira"}, g.Lines())
		require.Equal(t, []string{"2 none [] true", "3 none [] true"}, g.Roster())
	}
}
