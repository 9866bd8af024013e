package match_test

import (
	"slices"
	"strings"
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

// Joins, ships, chat and leaves stand once, although each link carries them.
func TestEventsStandOnce(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Obi")
	g.Join("3", 4, 2, "Cid")
	g.Fly("2", "Akira", 1, base(1, 0))
	g.Say("3", "hello")
	g.Say("3", "hello")
	g.Leave("2")
	require.Equal(t, []string{"Ann joins", "Obi joins", "Cid joins", "Obi flies Akira", "Cid: hello", "Cid: hello", "Obi leaves (left)"}, g.Lines())
	require.Equal(t, []string{"2 0 [Ann] true", "3 1 [Obi] false", "4 2 [Cid] true"}, g.Roster())
}

// An event has its player with the peer ID, the slot, the client and the ship.
func TestEventPlayer(t *testing.T) {
	g := newGame(t)
	g.server = "10.0.0.1:22101"
	g.Join("7", 2, 3, "Ann")
	g.Fly("7", "Akira", 3, base(3, 0))
	g.Say("7", "hello")
	require.Equal(t, match.Event{
		Time: g.events[2].Time, Kind: match.Chat, Player: "Ann", Peer: 2, Slot: 3, Client: "7", Ship: base(3, 0), Class: "Akira", Text: "hello",
	}, g.events[2])
	for p := range g.m.Players() {
		require.Equal(t, []any{"10.0.0.1:22101", base(3, 0), "7"}, []any{p.Server, p.Ship, p.Link.Client})
	}
}

// The player who joins with the peer ID and the slot of another one is not the one who leaves, also if
// the announcements of the leave reach a link late.
func TestReusedPeerIDs(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Obi")
	g.Fly("2", "Akira", 1, base(1, 0))
	g.Delay("1 s2c")
	g.Leave("2")
	g.Wait(2 * time.Second)
	g.Join("3", 3, 1, "Cady2")
	g.Fly("3", "Galaxy", 1, base(1, 0))
	g.Arrive("1 s2c")
	g.Say("3", "hello")
	require.Equal(t, []string{"Ann joins", "Obi joins", "Obi flies Akira", "Obi leaves (left)", "Cady2 joins", "Cady2 flies Galaxy", "Cady2: hello"}, g.Lines())
	require.Equal(t, []string{"2 0 [Ann] true", "3 1 [Obi] false", "3 1 [Cady2] true"}, g.Roster())
}

// Rejoins are new players, with the same link or another one, also if the leave was not observed.
func TestRejoins(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Obi")
	g.Leave("2")
	g.Wait(time.Second)
	g.Join("2", 3, 1, "Obi")
	g.Wait(time.Second)
	g.Join("2", 4, 1, "Obi") // no Disconnect
	g.Wait(time.Minute)
	g.Join("3", 4, 1, "Obi")
	require.Equal(t, []string{
		"Ann joins", "Obi joins", "Obi leaves (left)", "Obi joins", "Obi leaves (left)", "Obi joins", "Obi leaves (timed out)", "Obi joins",
	}, g.Lines())
}

// A client without a link of its own leaves and joins again with the same peer ID and name.
func TestRejoinsOfOthers(t *testing.T) {
	g := newGame(t)
	g.mute["2"] = true
	g.Join("1", 2, 0, "Ann")
	for range 2 {
		g.Join("2", 3, 1, "Obi")
		g.Fly("2", "Akira", 1, base(1, 0))
		g.Wait(time.Second)
		g.Leave("2")
		g.Wait(time.Second)
	}
	require.Equal(t, []string{"Ann joins", "Obi joins", "Obi flies Akira", "Obi leaves (left)", "Obi joins", "Obi flies Akira", "Obi leaves (left)"}, g.Lines())
	g.Join("2", 3, 1, "Pia")
	g.Say("2", "hi")
	require.Equal(t, []string{"Pia joins", "Pia: hi"}, g.Lines(), "the name comes before the join")
}

// The client on the only link leaves and joins again. Others who left or came in between do so when
// the host shows it.
func TestAbsenceOfTheOnlyLink(t *testing.T) {
	g := newGame(t)
	g.mute["2"], g.mute["3"], g.mute["4"], g.mute["5"] = true, true, true, true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Obi")
	g.Join("3", 4, 2, "Cid")
	g.Join("4", 5, 3, "Dee")
	g.Leave("1")
	g.Leave("2") // not observed
	g.Leave("3")
	g.Join("5", 4, 2, "Eve")
	g.Wait(time.Minute)
	g.Join("1", 2, 0, "Ann")
	require.Equal(t, []string{"Ann joins", "Obi joins", "Cid joins", "Dee joins", "Ann leaves (left)", "Ann joins", "Obi leaves (left)", "Cid leaves (left)"}, g.Lines())
	g.Fly("5", "Akira", 2, base(2, 0))
	require.Equal(t, []string{"Eve joins", "Eve flies Akira"}, g.Lines())
}

// A join waits for the name, and at most two seconds. Another event of the player ends the wait.
func TestJoinWaitsForTheName(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	joins := func(client string, peer objectid.PeerID) {
		g.Connect(client, peer)
		g.Host(client, settings(objectid.Slot(peer-2)))
		g.Client(client, &opcode.NewPlayerInGame{})
	}
	joins("2", 3)
	at := g.now
	require.Equal(t, []string{"Ann joins"}, g.Reported())
	g.Wait(1900 * time.Millisecond)
	g.Name("2", "Obi")
	require.Equal(t, "Obi joins", g.events[0].String())
	require.Equal(t, at, g.events[0].Time)
	require.Equal(t, []string{"Obi joins"}, g.Lines())

	joins("3", 4)
	g.Wait(2100 * time.Millisecond)
	g.Host("1", &transport.DoNothing{})
	require.Equal(t, []string{"peer 4 joins"}, g.Reported())
	g.Name("3", "Cid")
	require.Empty(t, g.Lines(), "the first name is no other name")

	joins("4", 5)
	g.Say("4", "hi")
	require.Equal(t, []string{"peer 5 joins", "peer 5: hi"}, g.Lines())

	joins("5", 6)
	g.Wait(-time.Hour) // such as in a capture of two days
	g.Host("1", &transport.DoNothing{})
	g.Wait(2100 * time.Millisecond)
	g.Host("1", &transport.DoNothing{})
	require.Equal(t, []string{"peer 6 joins"}, g.Reported(), "the time goes on after a step back")

	joins("6", 7)
	require.Equal(t, []string{"peer 7 joins"}, g.Lines(), "at the end")
}

// A host renames a client in the Settings. Until the join, another name is no event.
func TestRenames(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Connect("2", 3)
	g.Name("2", "Ann")
	renamed := settings(1)
	renamed.Renamed, renamed.NewName = true, stream.UTF16("A\x00n\x00n\x002\x00")
	g.Host("2", renamed)
	g.Enter("2")
	g.Delay("1 s2c")
	g.Name("2", "Ann2")
	g.Name("2", "Bob")
	g.Arrive("1 s2c")
	require.Equal(t, []string{"Ann joins", "Ann2 joins", "Ann2 is now Bob"}, g.Lines())
	require.Equal(t, []string{"2 0 [Ann] true", "3 1 [Ann Ann2 Bob] true"}, g.Roster())
}

// A host that gets a name after it has sent the Settings gives a client another name by a NameChange.
func TestRenameByTheHost(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Connect("2", 3)
	g.Host("2", settings(1), &opcode.GameInit{})
	g.Client("2", nameChange(t, 3, "Ann"), &opcode.NewPlayerInGame{})
	g.All(nameChange(t, 3, "Ann (2)"), opcode.NewPlayerJoined(3))
	require.Equal(t, []string{"2 0 [Ann] true", "3 1 [Ann Ann (2)] true"}, g.Roster())
}

// A host names a player twice at once. The second name is first in the datagram.
func TestNamesInOneDatagram(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Connect("2", 3)
	g.Host("2", settings(1), &opcode.GameInit{})
	g.Enter("2")
	first, second := nameChange(t, 3, "Player"), nameChange(t, 3, "Obi")
	g.Client("2", second)
	for client, n := range map[string]uint16{"1": 2, "2": 2} {
		g.Host(client, transport.NewMessage(n+1, second), transport.NewMessage(n, first))
	}
	require.Equal(t, []string{"2 0 [Ann] true", "3 1 [Obi Player Obi] true"}, g.Roster())
	require.Equal(t, []string{"Ann joins", "Player joins", "Player is now Obi"}, g.Lines())
	g.Host("2", transport.NewMessage(4, nameChange(t, 3, "Player")))
	require.Equal(t, []string{"Obi is now Player"}, g.Lines())
}

// A player without a link of its own has the name on the link that has named it first. Late names on
// other links change nothing.
func TestRenamesOfOthers(t *testing.T) {
	g := newGame(t)
	g.mute["3"] = true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Join("3", 4, 2, "Cid")
	g.Lines()
	g.Host("1", nameChange(t, 4, "Dan"))
	g.Host("1", nameChange(t, 4, "Eve"))
	g.Host("2", nameChange(t, 4, "Dan"))
	g.Host("2", nameChange(t, 4, "Eve"))
	require.Equal(t, []string{"Cid is now Dan", "Dan is now Eve"}, g.Lines())
	g.Leave("1")
	g.Host("2", nameChange(t, 4, "Fay"))
	require.Equal(t, []string{"Ann leaves (left)", "Eve is now Fay"}, g.Lines())
	require.Equal(t, "4 none [Cid Dan Eve Fay] true", g.Roster()[2])
}

// A client gives only itself a name, whatever peer ID it writes.
func TestForgedNames(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Client("2", nameChange(t, 2, "Eve"))
	require.Equal(t, "names another peer than the sender", g.last.Dialect)
	require.Equal(t, []string{"Ann joins", "Ben joins"}, g.Lines())
}

// A client that the host does not answer, and one with the peer ID of another client, change nothing.
func TestStrangers(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Lines()
	chat := &opcode.ChatMessage{SenderID: 2, Text: stream.Text("I am Ann")}
	g.Receive("x", 2, chat, nameChange(t, 2, "Eve"), &transport.Disconnect{PeerID: 2})
	g.Receive("y", 9, &opcode.NewPlayerInGame{}, chat)
	g.Host("z", &transport.DoNothing{})
	g.Receive("z", 2, chat, &transport.Disconnect{PeerID: 2})
	g.Receive("2", 2, chat, &transport.Disconnect{PeerID: 2}) // with another peer ID than the host has assigned
	require.Empty(t, g.Lines())
	require.Equal(t, []string{"2 0 [Ann] true", "3 1 [Ben] true"}, g.Roster())
	require.Nil(t, g.last.Sender)
}

// restart connects a client that has a connection.
func (g *game) restart(client string) {
	delete(g.seqs, client+"c2ssystem")
	g.Receive(client, objectid.NoPeer, &transport.ConnectRequest{ConnID: uint32(g.now)})
}

// forgeConnect sends a Connect with the address of a client, who has not sent it.
func (g *game) forgeConnect(client string) {
	g.Receive(client, objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{ConnID: 0xBAD0000 + uint32(g.now)}))
}

// A Connect with the address of a player does not end the player's connection: also if the host accepts or
// refuses it, the client goes on.
func TestForgedConnect(t *testing.T) {
	for name, reply := range map[string]transport.Body{
		"ignored": nil, "accepted": &transport.ConnectReply{PeerID: 9}, "refused": &transport.Boot{Reason: transport.BootPassword, PeerID: objectid.NoPeer},
	} {
		g := newGame(t)
		g.Join("1", 2, 0, "Ann")
		g.Join("2", 3, 1, "Ben")
		g.Fly("1", "Akira", 0, base(0, 0))
		g.Lines()
		for range 3 {
			g.forgeConnect("1")
			require.False(t, g.last.Message.NewConnection, name)
			if reply != nil {
				g.Host("1", transport.NewMessage(0, reply))
			}
			g.Wait(time.Second)
			g.Client("1", &opcode.StateUpdate{ObjectID: base(0, 0)})
			require.Equal(t, "Ann", g.last.Sender.Name, name)
			require.NotNil(t, g.last.Ship, name)
		}
		g.Say("1", "still here")
		require.Equal(t, []string{"Ann: still here"}, g.Lines(), name)
		require.Equal(t, []string{"2 0 [Ann] true", "3 1 [Ben] true"}, g.Roster(), name)
	}
}

// The same, if the capture began after the join of the player.
func TestForgedConnectInLateCapture(t *testing.T) {
	g := newGame(t)
	g.mute["1"] = true
	g.Join("1", 2, 0, "Ann")
	delete(g.mute, "1")
	g.Host("1", nameChange(t, 2, "Ann"))
	g.Client("1", &opcode.StateUpdate{})
	g.forgeConnect("1")
	g.Receive("1", 9, &opcode.ChatMessage{SenderID: 9, Text: stream.Text("I am Ann")})
	g.Say("1", "hello")
	require.Equal(t, []string{"Ann joins", "Ann: hello"}, g.Lines())
}

// A client that restarts is another player as soon as it uses its new peer ID, or as the host sends it
// Settings.
func TestRestartedClient(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.restart("1")
	g.Host("1", transport.NewMessage(0, &transport.ConnectReply{PeerID: 5}))
	require.Equal(t, []string{"Ann joins"}, g.Lines())
	g.names["1"], g.titles[5] = 5, "Bea"
	g.Client("1", nameChange(t, 5, "Bea"))
	require.True(t, g.last.Message.NewConnection)
	g.Host("1", settings(3), &opcode.GameInit{})
	g.Enter("1")
	g.Say("1", "back")
	require.Equal(t, []string{"Ann leaves (left)", "Bea joins", "Bea: back"}, g.Lines())
	require.Equal(t, []string{"2 0 [Ann] false", "5 3 [Bea] true"}, g.Roster())

	g.restart("1")
	g.names["1"], g.titles[7] = 7, "Cat" // the reply is not observed
	g.Host("1", settings(4), &opcode.GameInit{})
	g.Client("1", nameChange(t, 7, "Cat"))
	g.Enter("1")
	require.Equal(t, []string{"Bea leaves (left)", "Cat joins"}, g.Lines())

	g.restart("1") // OpenBC assigns the same peer ID again
	g.Host("1", transport.NewMessage(0, &transport.ConnectReply{PeerID: 7}))
	require.Equal(t, []string{"Cat leaves (left)"}, g.Lines())
	g.Client("1", nameChange(t, 7, "Dee"))
	g.titles[7] = "Dee"
	g.Host("1", settings(4), &opcode.GameInit{})
	g.Enter("1")
	require.Equal(t, []string{"Dee joins"}, g.Lines())
}

// A client that the host has refused does not become a player who is silent.
func TestRefusedStranger(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Lines()
	g.forgeConnect("x")
	g.Host("x", transport.NewMessage(0, &transport.Boot{Reason: transport.BootPassword, PeerID: objectid.NoPeer}))
	g.Wait(20 * time.Second)
	g.Receive("x", 2, &opcode.ChatMessage{SenderID: 2, Text: stream.Text("I am Ann")}, &transport.Disconnect{PeerID: 2})
	require.Nil(t, g.last.Sender)
	require.Empty(t, g.Lines())
	require.Equal(t, []string{"2 0 [Ann] true"}, g.Roster())
}

// Datagrams with the address of a client and another peer ID, or none, change nothing.
func TestForgedMotion(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Fly("1", "Akira", 0, base(0, 0))
	move := &opcode.StateUpdate{ObjectID: base(0, 0), Flags: opcode.StatePosition, Position: [3]float32{1, 2, 3}}
	for _, from := range []objectid.PeerID{77, objectid.NoPeer, objectid.Host - 1, 2} {
		g.Receive("1", from, move)
		ships := g.last.Link.Ships
		require.Equal(t, from == 2, ships.Ship(base(0, 0)).Position == move.Position, "%v", from)
		g.Receive("1", from, g.creation(2, "Galaxy", 0, base(0, 300)), &opcode.ChatMessage{SenderID: 2, Text: stream.Text("hi")})
		require.Equal(t, from == 2, ships.Ship(base(0, 300)) != nil, "%v", from)
	}
	require.Equal(t, []string{"Ann joins", "Ann flies Akira", "Ann flies Galaxy", "Ann: hi"}, g.Lines())
}

// OpenBC writes the slot into names, chat and NetPlayerID.
func TestOpenBC(t *testing.T) {
	g := newGame(t)
	g.mute["3"] = true
	g.joinOpenBC("1", 0, "Ann")
	g.joinOpenBC("2", 1, "Bob")
	g.joinOpenBC("3", 2, "Cid")
	g.sayOpenBC("2", "I am Bob")
	g.sayOpenBC("3", "Cid here")
	g.sayOpenBC("1", "from Ann")
	g.flyOpenBC("1", "Akira")
	g.flyOpenBC("2", "Akira")
	require.Equal(t, []string{
		"Ann joins", "Bob joins", "Cid joins", "Bob: I am Bob", "Cid: Cid here", "Ann: from Ann", "Ann flies Akira", "Bob flies Akira",
	}, g.Lines())
}

// A line of the host counts that differs from the line of the client.
func TestTextsThatDiffer(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Lines()
	for _, text := range []string{"darn", "hello"} {
		g.Client("1", &opcode.ChatMessage{SenderID: 2, Text: stream.Text(text)})
		g.All(&opcode.ChatMessage{SenderID: 2, Text: stream.Text(strings.Replace(text, "darn", "****", 1))})
	}
	g.All(&opcode.ChatMessage{SenderID: 2, Text: stream.Text("lost on the way")})
	g.All(&opcode.ChatMessage{SenderID: 1, Text: stream.Text("server message")})
	require.Equal(t, []string{"Ann: ****", "Ann: hello", "Ann: lost on the way", "peer 1: server message"}, g.Lines())
}

// A score of a player who has left, or of nobody, makes no player.
func TestScoresMakeNoPlayers(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Host("1", &opcode.Score{PlayerID: 9, Kills: 3}, &opcode.ScoreInit{PlayerID: 8, Deaths: 1}, opcode.NewScoreChange(7, 1, 6, 2, 100))
	g.Host("1", &opcode.ChatMessage{SenderID: 5, Text: stream.Text("who?")}, &opcode.TeamMessage{PlayerID: 4})
	require.Equal(t, []string{"Ann joins", "peer 5: who?"}, g.Lines())
	require.Equal(t, []string{"2 0 [Ann] true"}, g.Roster())
}

// Scores that the host repeats are no events. A score that was known before the player counts then.
func TestScores(t *testing.T) {
	g := newGame(t)
	g.mute["2"] = true
	g.Join("1", 2, 0, "Ann")
	g.Host("1", &opcode.Score{PlayerID: 3, Kills: 3, Deaths: 1, Score: 100})
	g.Join("2", 3, 1, "Ben")
	g.Lines()
	change := opcode.NewScoreChange(2, 1, 3, 4, 200)
	change.Damagers = []opcode.DamagerScore{{ID: 2, Score: 7}, {ID: 3, Score: 8}}
	g.All(change)
	g.Host("1", &opcode.ScoreInit{PlayerID: 2, Deaths: 1, Score: 7, Team: opcode.TeamTwo})
	g.Host("1", &opcode.TeamMessage{PlayerID: 3, Team: opcode.TeamOne})
	require.Equal(t, []string{"Ben has 4 kills, 1 deaths, 200 points", "Ann has 0 kills, 1 deaths, 0 points", "Ann has 0 kills, 1 deaths, 7 points"}, g.Lines())
	var teams []opcode.Team
	for p := range g.m.Players() {
		teams = append(teams, p.Team)
	}
	require.Equal(t, []opcode.Team{opcode.TeamTwo, opcode.TeamOne}, teams)
}

// The host tells a newcomer the scores. They may be older than the scores that other links have shown since the
// newcomer connected.
func TestScoresOvertaken(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.All(opcode.NewScoreChange(2, 1, 0, 0, 0))
	g.Lines()
	g.Connect("2", 3)
	g.Wait(time.Second)
	g.Host("1", opcode.NewScoreChange(2, 2, 0, 0, 0))
	g.Host("2", &opcode.Score{PlayerID: 2, Deaths: 1}, opcode.NewScoreChange(2, 2, 0, 0, 0))
	require.Equal(t, []string{"Ann has 0 kills, 2 deaths, 0 points"}, g.Lines())
	g.Host("2", &opcode.Score{PlayerID: 2, Kills: 1, Deaths: 2})
	g.Wait(time.Minute)
	g.All(&opcode.Score{PlayerID: 2}) // the host may reset the scores
	require.Equal(t, []string{"Ann has 1 kills, 2 deaths, 0 points", "Ann has 0 kills, 0 deaths, 0 points"}, g.Lines())
}

// A score that has waited on the game channel since before its player left is not the score of the next one with
// the peer ID.
func TestScoresOfEarlierPlayers(t *testing.T) {
	g := newGame(t)
	g.mute["2"] = true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Host("1", &transport.Disconnect{PeerID: 3}, nameChange(t, 3, "Cid"))
	g.Lines()
	g.Host("1", opcode.NewScoreChange(3, 7, 3, 5, 500), opcode.NewPlayerLeft(3), opcode.NewPlayerJoined(3))
	require.Equal(t, []string{"Ben has 5 kills, 0 deaths, 500 points", "Ben has 5 kills, 7 deaths, 500 points", "Cid joins"}, g.Lines())
	g.Host("1", opcode.NewScoreChange(3, 1, 3, 1, 100))
	require.Equal(t, []string{"Cid has 1 kills, 0 deaths, 100 points", "Cid has 1 kills, 1 deaths, 100 points"}, g.Lines())
}

// A score of a player who has left is not the next player's with the peer ID.
func TestScoresAfterALeave(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Join("3", 4, 2, "Cid")
	g.Leave("2")
	g.All(opcode.NewScoreChange(2, 1, 3, 5, 500)) // a torpedo of Ben has hit
	g.Join("4", 3, 1, "Dee")
	g.Lines()
	g.Host("1", opcode.NewScoreChange(3, 1, 2, 1, 100))
	require.Equal(t, []string{"Ann has 1 kills, 1 deaths, 100 points", "Dee has 0 kills, 1 deaths, 0 points"}, g.Lines())
}

// The reasons of leaves.
func TestLeaves(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(g *game)
		want string
	}{
		"left":                 {func(g *game) { g.Leave("2") }, "Ben leaves (left)"},
		"kicked":               {func(g *game) { g.Host("2", &transport.Boot{Reason: transport.BootRemoved, PeerID: 3}); g.Gone("2") }, "Ben leaves (kicked)"},
		"kicked, told late":    {func(g *game) { g.Gone("2"); g.Host("2", &transport.Boot{Reason: transport.BootBanned, PeerID: 3}) }, "Ben leaves (kicked)"},
		"kicked by OpenBC":     {func(g *game) { g.Host("2", &opcode.BootPlayer{Reason: opcode.RefusalBanned}); g.Gone("2") }, "Ben leaves (kicked)"},
		"host ends":            {func(g *game) { g.Host("2", &transport.Disconnect{PeerID: 1}) }, "Ben leaves (kicked)"},
		"timed out":            {func(g *game) { g.Host("2", &transport.Boot{Reason: transport.BootTimeout, PeerID: 3}); g.Gone("2") }, "Ben leaves (timed out)"},
		"the others are told":  {func(g *game) { g.All(&transport.Boot{Reason: transport.BootTimeout, PeerID: 3}); g.Gone("2") }, "Ben leaves (timed out)"},
		"told late":            {func(g *game) { g.Gone("2"); g.Host("1", &transport.Boot{Reason: transport.BootRemoved, PeerID: 3}) }, "Ben leaves (kicked)"},
		"silent":               {func(g *game) { g.Wait(45 * time.Second); g.Gone("2") }, "Ben leaves (timed out)"},
		"unknown":              {func(g *game) { g.Gone("2") }, "Ben leaves (left)"},
		"OpenBC's Disconnect":  {func(g *game) { g.Client("2", transport.Message{Type: 6, Short: true}); g.Gone("2") }, "Ben leaves (left)"},
		"only by the game":     {func(g *game) { g.Host("1", opcode.NewPlayerLeft(3)) }, "Ben leaves (left)"},
		"only by the name":     {func(g *game) { g.Host("1", &opcode.DeletePlayerAnim{Name: stream.Text("Ben")}) }, "Ben leaves (left)"},
		"announced by others":  {func(g *game) { g.mute["2"] = true; g.Leave("2") }, "Ben leaves (left)"},
		"connection reset":     {func(g *game) { g.Connect("2", 4); g.Client("2", &transport.DoNothing{}) }, "Ben leaves (left)"},
		"replaced after hours": {func(g *game) { g.Wait(time.Hour); g.Connect("2", 4); g.Client("2", &transport.DoNothing{}) }, "Ben leaves (timed out)"},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGame(t)
			g.Join("1", 2, 0, "Ann")
			g.Join("2", 3, 1, "Ben")
			g.Lines()
			c.end(g)
			require.Equal(t, []string{c.want}, g.Lines())
		})
	}
}

// A player who was refused, or leaves before the join, is in no event and not in the roster.
func TestGuests(t *testing.T) {
	g := newGame(t)
	g.Connect("1", 2)
	g.Name("1", "Ann")
	g.Host("1", &transport.Boot{Reason: transport.BootPassword, PeerID: 2})
	g.Connect("2", 3)
	g.Name("2", "Ben")
	g.Leave("2")
	require.Empty(t, g.Lines())
	require.Empty(t, g.Roster())
}

// A host that plays is a player.
func TestPlayingHost(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 1, "Ann")
	g.Host("1", nameChange(t, 1, "Hal"))
	g.titles[1] = "Hal"
	g.Host("1", g.creation(1, "Akira", 0, base(0, 0)))
	g.Host("1", &opcode.ChatMessage{SenderID: 1, Text: stream.Text("welcome")})
	require.Equal(t, []string{"Ann joins", "Hal joins", "Hal flies Akira", "Hal: welcome"}, g.Lines())
	g.Host("1", &opcode.EndGame{})
	require.Equal(t, "Hal", g.last.Sender.Name)
}

// A capture that begins after the joins has the players with their first signs.
func TestLateCapture(t *testing.T) {
	for _, hostFirst := range []bool{false, true} {
		g := newGame(t)
		g.mute["1"], g.mute["2"], g.mute["3"] = true, true, true
		g.Join("1", 2, 0, "Ann")
		g.Join("2", 3, 1, "Ben")
		g.Join("3", 4, 2, "Cid")
		g.Fly("1", "Akira", 0, base(0, 0))
		delete(g.mute, "1")
		if hostFirst {
			g.Host("1", &transport.DoNothing{})
		}
		g.Client("1", &opcode.StateUpdate{ObjectID: base(0, 0), Flags: opcode.StateSpeed})
		g.Host("1", &opcode.ChatMessage{SenderID: 3, Text: stream.Text("hi")})
		g.Fly("3", "Galaxy", 2, base(2, 0))
		g.Name("1", "Amy")
		g.Leave("2")
		require.Equal(t, []string{"peer 3 joins", "peer 3: hi", "Cid joins", "Cid flies Galaxy", "Amy joins", "peer 3 leaves (left)"}, g.Lines(), hostFirst)
	}
}

// Deaths of ships from before the capture are events. The player is known by the slot, if at all.
func TestLateDeaths(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Lines()
	g.Die(base(1, 0), base(0, 0), 2)
	g.Die(base(5, 0), objectid.None, 9)
	g.Die(base(6, 0), objectid.None, 0)
	require.Equal(t, []string{"Ann destroys Ben", "peer 9 destroys 0x4013ffff", "0x4017ffff explodes"}, g.Lines())
}

// A late end of a ship does not end the next ship with its ID.
func TestLateEndOfShip(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Obi")
	g.Join("3", 4, 2, "Cid")
	g.Fly("2", "Akira", 1, base(1, 0))
	g.Delay("3 s2c")
	g.All(&opcode.DestroyObject{ObjectID: base(1, 0)})
	g.Leave("2")
	g.Join("4", 3, 1, "Dee")
	g.Fly("4", "Galaxy", 1, base(1, 0))
	g.Arrive("3 s2c")
	g.Say("4", "hello")
	require.Equal(t, base(1, 0), g.events[len(g.events)-1].Ship)
	g.All(&opcode.RestartGame{})
	g.Lines()
	g.Fly("4", "Nebula", 1, base(1, 0))
	require.Equal(t, []string{"Dee flies Nebula"}, g.Lines())
}

// A client whose Connect has waited for the restart is told of the next one only.
func TestConnectBetweenRounds(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Receive("2", objectid.NoPeer, &transport.ConnectRequest{ConnID: 7})
	g.Wait(10 * time.Second)
	g.Host("1", &opcode.RestartGame{})
	g.Host("2", &transport.ConnectReply{PeerID: 3})
	g.Host("2", settings(1))
	g.Client("2", nameChange(t, 3, "Obi"), &opcode.NewPlayerInGame{})
	g.Host("2", opcode.NewPlayerJoined(3))
	g.Leave("1")
	g.Wait(20 * time.Second)
	g.Host("2", &opcode.RestartGame{})
	require.Len(t, g.Kinds(match.Restart), 2)
}

// Junk and queries begin no match.
func TestMatchNumbers(t *testing.T) {
	g := newGame(t)
	g.Datagram(match.Datagram{Client: "1", Server: "master", Data: []byte("\\status\\")})
	require.Equal(t, -1, g.last.Link.Match)
	g.server = "S"
	g.Join("1", 2, 0, "Ann")
	require.Zero(t, g.last.Link.Match)
	require.Zero(t, g.events[0].Match)
}

// One direction of all links suffices for joins, chat and leaves.
func TestOneDirection(t *testing.T) {
	for _, way := range []string{"c2s", "s2c"} {
		g := newGame(t)
		g.mute[way] = true
		g.Join("1", 2, 0, "Ann")
		g.Join("2", 3, 1, "Ben")
		g.Fly("1", "Akira", 0, base(0, 0))
		g.Say("1", "hello")
		g.Leave("2")
		require.Equal(t, []string{"Ann joins", "Ben joins", "Ann flies Akira", "Ann: hello", "Ben leaves (left)"}, g.Lines(), way)
	}
}

// Links with the same clients on two servers are two matches.
func TestTwoServers(t *testing.T) {
	g := newGame(t)
	play := func(server, name string) {
		g.server = server
		g.Join("1", 2, 0, name)
		g.Fly("1", "Akira", 0, base(0, 0))
		g.Say("1", "hello")
		g.names = map[string]objectid.PeerID{}
	}
	play("A", "Ann")
	play("B", "Ben")
	var matches []int
	for _, e := range g.events {
		matches = append(matches, e.Match)
	}
	require.Equal(t, []int{0, 0, 0, 1, 1, 1}, matches)
	require.Equal(t, []string{"Ann joins", "Ann flies Akira", "Ann: hello", "Ben joins", "Ben flies Akira", "Ben: hello"}, g.Lines())
	for l := range g.m.Links() {
		require.Equal(t, map[string]int{"A": 0, "B": 1}[l.Server], l.Match)
	}
}

// A restart, and the first mission after an end, begin another match.
func TestMatches(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Fly("1", "Akira", 0, base(0, 0))
	g.All(opcode.NewScoreChange(3, 1, 2, 1, 1000))
	g.All(&opcode.EndGame{Reason: opcode.EndFragLimit})
	g.All(&opcode.RestartGame{})
	g.Fly("1", "Akira", 0, base(0, 0))
	g.All(&opcode.EndGame{})
	g.All(missionInit())
	g.Fly("1", "Galaxy", 0, base(0, 0))
	var lines []string
	for _, e := range g.events[2:] {
		lines = append(lines, string(rune('0'+e.Match))+" "+e.String())
	}
	require.Equal(t, []string{
		"0 Ann flies Akira", "0 Ann has 1 kills, 0 deaths, 1000 points", "0 Ben has 0 kills, 1 deaths, 0 points",
		"0 the match ends: " + opcode.EndFragLimit.String(), "1 the match restarts", "1 Ann flies Akira",
		"1 the match ends: " + opcode.EndOver.String(), "2 Ann flies Galaxy",
	}, lines)
}

// The ships of players and others, and the systems that they enter.
func TestShips(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Fly("1", "Akira", 0, base(0, 0))
	station := stateupdate.NewShip(0x10, stateupdate.Stock().Species(opcode.SpeciesFedStarbase))
	station.PeerID = 0
	m, err := station.Creation()
	require.NoError(t, err)
	g.All(m)
	enter := func(set string) { g.All(&opcode.EnterSet{ObjectID: base(0, 0), Set: stream.Text(set + "\x00")}) }
	enter("Multi1")
	enter("Albirea")
	enter("Multi1")
	g.All(&opcode.EnterSet{ObjectID: 0x10, Set: stream.Text("x")}, &opcode.EnterSet{ObjectID: 0x999, Set: stream.Text("x")})
	g.All(&opcode.DestroyObject{ObjectID: base(0, 0)})
	g.Fly("1", "Galaxy", 0, base(0, 40))
	g.Fly("1", "Nebula", 0, base(0, 99)) // replaces the Galaxy
	require.Equal(t, []string{"Ann joins", "Ben joins", "Ann flies Akira", "Ann enters Albirea", "Ann enters Multi1", "Ann flies Galaxy", "Ann flies Nebula"}, g.Lines())
	for p := range g.m.Players() {
		require.Equal(t, map[string]objectid.ID{"Ann": base(0, 99), "Ben": objectid.None}[p.Name], p.Ship)
		break
	}
}

// A host gives up a client that has not proven its address, and assigns another peer ID when the client
// retransmits its Connect.
func TestPeerIDOfARetransmittedConnect(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	reply := func(peer objectid.PeerID) {
		g.Host("2", transport.NewMessage(0, &transport.ConnectReply{PeerID: peer}))
	}
	for _, peer := range []objectid.PeerID{13, 10} {
		g.Receive("2", objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{ConnID: 7}))
		reply(peer)
		g.Wait(13 * time.Second)
	}
	g.names["2"], g.seqs["2c2ssystem"], g.seqs["2s2csystem"] = 10, 1, 1
	g.Name("2", "Obi")
	reply(13) // is late
	g.Host("2", settings(1), &opcode.GameInit{})
	g.Enter("2")
	g.Fly("2", "Akira", 1, base(1, 0))
	require.Equal(t, []string{"Ann joins", "Obi joins", "Obi flies Akira"}, g.Lines())
	require.Equal(t, []string{"2 0 [Ann] true", "10 1 [Obi] true"}, g.Roster())
}

// A player dies, leaves, and comes back with a ship that has the same ID. The creation of the new ship ends
// the old one on the link of another player, after its own link has shown the new one.
func TestShipWithTheIDOfADeadShip(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Obi")
	g.Fly("2", "Akira", 1, base(1, 0))
	exploding, err := opcode.NewObjectExploding(base(1, 0), objectid.None, objectid.NoPeer, 9.5)
	require.NoError(t, err)
	g.All(exploding)
	g.Leave("2")
	g.Wait(time.Second)
	g.Join("3", 4, 1, "Obi")
	g.Fly("3", "Shuttle", 1, base(1, 0))
	require.Equal(t, []objectid.ID{objectid.None, objectid.None, base(1, 0)}, g.ships())
}

// A player leaves, and comes back with the same peer ID. Its ships get the IDs of the earlier ones again.
func TestShipWithTheIDOfAnEndedShip(t *testing.T) {
	g := newGame(t)
	g.mute["2"] = true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Obi")
	for range 2 {
		g.Others("2", g.creation(3, "Akira", 1, base(1, 0)))
		g.Others("2", &opcode.DestroyObject{ObjectID: base(1, 0)})
	}
	g.Others("2", g.creation(3, "Akira", 1, base(1, 0)))
	g.Die(base(1, 0), objectid.None, objectid.NoPeer)
	require.Equal(t, []string{"ship: Obi flies Akira", "ship: Obi flies Akira", "ship: Obi flies Akira", "explode: Obi explodes"}, g.Kinds(match.Ship, match.Explode))
}

// A client joins while another player dies. The host tells it of the ship before, and the link is late.
func TestLateShipOfANewcomer(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("3", 4, 2, "Cid")
	g.Fly("1", "Akira", 0, base(0, 0))
	g.Join("2", 3, 1, "Obi")
	ship := g.creation(2, "Akira", 0, base(0, 0))
	g.mute["2 s2c"] = true
	g.Die(base(0, 0), objectid.None, objectid.NoPeer)
	g.Fly("1", "Akira", 0, base(0, 200))
	g.mute["2 s2c"] = false
	g.Host("2", ship)
	for p := range g.m.Players() {
		if p.PeerID == 2 {
			require.Equal(t, base(0, 200), p.Ship)
		}
	}
}

// A late link shows how a player who has left changes its ship, whose ID the ship of the next player has.
func TestLateChangeOfShip(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("3", 4, 2, "Cid")
	g.Join("2", 3, 1, "Obi")
	g.Delay("1 s2c")
	g.Fly("2", "Akira", 1, base(1, 0))
	g.Fly("2", "Akira", 1, base(1, 9))
	g.Leave("2")
	g.Join("4", 5, 1, "Una")
	g.Fly("4", "Shuttle", 1, base(1, 0))
	g.Arrive("1 s2c")
	g.Die(base(1, 0), objectid.None, objectid.NoPeer)
	require.Equal(t, []string{"explode: Una explodes"}, g.Kinds(match.Explode))
}

// The host announces at once that a player has left, while the ship of the player still waits on the link.
func TestShipAfterTheAnnouncementOfALeave(t *testing.T) {
	g := newGame(t)
	g.mute["2"] = true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Obi")
	g.Host("1", &transport.Disconnect{PeerID: 3})
	g.Wait(10 * time.Second)
	g.Host("1", g.creation(3, "Akira", 1, base(1, 0)), opcode.NewPlayerLeft(3))
	require.Equal(t, []string{"Ann joins", "Obi joins", "Obi leaves (left)", "Obi flies Akira"}, g.Lines())
	require.Equal(t, []string{"2 0 [Ann] true", "3 none [Obi] false"}, g.Roster())
	exploding, err := opcode.NewObjectExploding(base(1, 0), objectid.None, objectid.NoPeer, 9.5)
	require.NoError(t, err)
	g.Host("1", exploding)
	require.Equal(t, []string{"explode: Obi explodes: " + match.Removed}, g.Kinds(match.Explode))
	require.Equal(t, []string{"2 0 [Ann] true", "3 none [Obi] false"}, g.Roster())
}

// The same, and an earlier player with the peer ID has had a ship with the ID.
func TestShipWithAnEarlierIDAfterTheAnnouncementOfALeave(t *testing.T) {
	g := newGame(t)
	g.mute["2"], g.mute["3"] = true, true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Obi")
	g.Host("1", g.creation(3, "Akira", 1, base(1, 0)), &opcode.DestroyObject{ObjectID: base(1, 0)})
	g.Leave("2")
	g.Wait(time.Minute)
	g.titles[3] = "Cid"
	g.Host("1", nameChange(t, 3, "Cid"), &transport.Disconnect{PeerID: 3}, g.creation(3, "Akira", 1, base(1, 0)))
	g.Kinds()
	g.Die(base(1, 0), objectid.None, objectid.NoPeer)
	require.Equal(t, []string{"explode: Cid explodes: " + match.Removed}, g.Kinds(match.Explode))
}

// The system channel of the only link announces a leave before the game channel announces the join.
func TestJoinAfterTheAnnouncementOfALeave(t *testing.T) {
	g := newGame(t)
	g.mute["2"] = true
	g.Join("1", 2, 0, "Ann")
	g.titles[3] = "Obi"
	g.Host("1", nameChange(t, 3, "Obi"), &transport.Disconnect{PeerID: 3})
	g.Wait(5 * time.Second)
	g.Host("1", opcode.NewPlayerJoined(3), g.creation(3, "Akira", 1, base(1, 0)), opcode.NewPlayerLeft(3))
	require.Equal(t, []string{"Ann joins", "Obi joins", "Obi leaves (left)", "Obi flies Akira"}, g.Lines())
	require.Equal(t, []string{"2 0 [Ann] true", "3 none [Obi] false"}, g.Roster())
	g.Host("1", nameChange(t, 3, "Cid"), opcode.NewPlayerJoined(3))
	require.Equal(t, []string{"Cid joins"}, g.Lines())
}

// The host tells a client who has just joined the name of a player, who leaves. The announcement of the leave
// overtakes the name.
func TestNameAfterTheAnnouncementOfALeave(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Obi")
	g.Connect("3", 4)
	g.Name("3", "Cid")
	g.Host("3", settings(2), &opcode.GameInit{})
	name := transport.NewMessage(2, nameChange(t, 3, "Obi"))
	ship := g.creation(3, "Akira", 1, base(1, 0))
	g.Client("2", &transport.Disconnect{PeerID: 3})
	g.Host("3", transport.NewMessage(3, &transport.Disconnect{PeerID: 3}), name, ship, opcode.NewPlayerLeft(3))
	require.Equal(t, []string{"2 0 [Ann] true", "3 1 [Obi] false"}, g.Roster())

	g.Host("3", transport.NewMessage(4, nameChange(t, 3, "Obi")), opcode.NewPlayerJoined(3))
	require.Equal(t, []string{"2 0 [Ann] true", "3 1 [Obi] false", "3 none [Obi] true"}, g.Roster())
}

// A player leaves and comes back. The system channel of the only link tells both before the game channel tells
// of the ships.
func TestReturnBeforeTheEndOfAShip(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	ship := g.creation(3, "Akira", 1, base(1, 0))
	g.Host("1", nameChange(t, 3, "Obi"), ship) // who has joined before
	g.Host("1", &transport.Disconnect{PeerID: 3}, nameChange(t, 3, "Obi"))
	require.Equal(t, []string{"2 0 [Ann] true", "3 1 [Obi] false"}, g.Roster())
	g.Host("1", &opcode.DestroyObject{ObjectID: base(1, 0)}, opcode.NewPlayerLeft(3), opcode.NewPlayerJoined(3), ship)
	g.Die(base(1, 0), objectid.None, objectid.NoPeer)
	require.Equal(t, []string{"explode: Obi explodes"}, g.Kinds(match.Explode))
	require.Equal(t, []string{"2 0 [Ann] true", "3 1 [Obi] false", "3 1 [Obi] true"}, g.Roster())
}

// A player joins and leaves, and comes back. The system channel of the only link tells both before the game channel tells
// of them.
func TestTwoJoinsBehindTheSystemChannel(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	ship := g.creation(3, "Akira", 1, base(1, 0))
	g.Host("1", nameChange(t, 3, "Obi"), &transport.Disconnect{PeerID: 3}, nameChange(t, 3, "Obi"))
	g.Host("1", opcode.NewPlayerJoined(3), ship)
	g.Die(base(1, 0), objectid.None, objectid.NoPeer)
	g.Host("1", opcode.NewPlayerLeft(3), &opcode.DeletePlayerAnim{Name: stream.Text("Obi")})
	g.Host("1", opcode.NewPlayerJoined(3), ship)
	g.Die(base(1, 0), objectid.None, objectid.NoPeer)
	g.Host("1", &transport.Disconnect{PeerID: 3})
	g.Host("1", opcode.NewPlayerLeft(3))
	g.Flush()
	require.Equal(t, []string{
		"Ann joins",
		"Obi joins", "Obi flies Akira", "Obi explodes", "Obi leaves (left)",
		"Obi joins", "Obi flies Akira", "Obi explodes", "Obi leaves (left)",
	}, g.Lines())
}

// The system channel of the only link has told of the next player with a peer ID before the game channel tells a join. It
// can be of the one or of the other, until a leave or the name on a ship shows whose it was.
func TestJoinOfOneOfTwo(t *testing.T) {
	for name, settle := range map[string]func(g *game){
		"leave": func(g *game) {
			g.Host("1", opcode.NewPlayerLeft(3), opcode.NewPlayerJoined(3))
		},
		"ship of the first": func(g *game) {
			g.titles[3] = "Obi"
			g.Host("1", g.creation(3, "Akira", 1, base(1, 0)), opcode.NewPlayerLeft(3), opcode.NewPlayerJoined(3))
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGame(t)
			g.Join("1", 2, 0, "Ann")
			g.Host("1", nameChange(t, 3, "Obi"), &transport.Disconnect{PeerID: 3}, nameChange(t, 3, "Cid"))
			g.Host("1", opcode.NewPlayerJoined(3), &opcode.Score{PlayerID: 3, Kills: 1}, &opcode.ChatMessage{SenderID: 3, Text: stream.Text("hello")})
			require.Nil(t, g.last.Sender)
			require.Equal(t, []string{"Ann joins", "peer 3: hello"}, g.Lines())
			settle(g)
			g.Host("1", &opcode.ChatMessage{SenderID: 3, Text: stream.Text("hello")})
			g.Flush()
			for p := range g.m.Players() {
				require.Zero(t, p.Kills, p.Name)
			}
			require.Equal(t, []string{"Obi joins", "Obi leaves (left)", "Cid joins", "Cid: hello"}, slices.DeleteFunc(g.Lines(), func(s string) bool { return strings.Contains(s, "flies") }))
		})
	}
	t.Run("ship of the second", func(t *testing.T) {
		g := newGame(t)
		g.Join("1", 2, 0, "Ann")
		g.Host("1", nameChange(t, 3, "Obi"), &transport.Disconnect{PeerID: 3}, nameChange(t, 3, "Cid"))
		g.titles[3] = "Cid"
		g.Host("1", opcode.NewPlayerJoined(3), g.creation(3, "Akira", 1, base(1, 0)), &opcode.ChatMessage{SenderID: 3, Text: stream.Text("hello")})
		require.Equal(t, []string{"Ann joins", "Cid joins", "Cid flies Akira", "Cid: hello"}, g.Lines())
		g.Host("1", &transport.Disconnect{PeerID: 3}, opcode.NewPlayerLeft(3))
		g.Flush()
		require.Equal(t, []string{"Cid leaves (left)"}, g.Lines())
	})
}

// A client connects and is cut off. The host gives up, and gives its peer ID to another client, whose link is not
// observed. Then the datagrams of the first client arrive.
func TestPeerIDOfAVanishedClient(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Connect("2", 3)
	g.Wait(15 * time.Second)
	g.Host("1", nameChange(t, 3, "Eve"), opcode.NewPlayerJoined(3))
	g.Client("2", nameChange(t, 3, "Obi"))
	require.Equal(t, []string{"2 0 [Ann] true", "3 none [Eve] true"}, g.Roster())
}

// A player dies, leaves, and comes back with another ship. A late link shows the first ship.
func TestLateShipOfAnEarlierPlayer(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Obi")
	g.Delay("1 s2c")
	g.Fly("2", "Akira", 1, base(1, 0))
	g.Die(base(1, 0), objectid.None, objectid.NoPeer)
	g.Leave("2")
	g.Join("3", 3, 1, "Obi")
	g.Fly("3", "Shuttle", 1, base(1, 9))
	g.Arrive("1 s2c")
	require.Equal(t, []objectid.ID{objectid.None, objectid.None, base(1, 9)}, g.ships())
}

// A host in a flood promises one peer ID to several clients. The first that uses it gets it.
func TestSharedPeerID(t *testing.T) {
	g := newGame(t)
	g.Connect("x", 3)
	g.Connect("1", 3)
	g.Name("1", "Ann")
	g.Connect("y", 3)
	g.Host("1", settings(0), &opcode.GameInit{})
	g.Client("1", &opcode.NewPlayerInGame{})
	require.NotNil(t, g.last.Link.Player)
	g.Host("1", opcode.NewPlayerJoined(3))
	g.Host("y", &transport.Boot{Reason: transport.BootTooManyPlayers, PeerID: 3})
	require.Equal(t, []string{"3 0 [Ann] true"}, g.Roster())
}

// A late link shows the ship of a player after another one has its peer ID.
func TestLateShipAfterTheNextName(t *testing.T) {
	g := newGame(t)
	g.mute["2"] = true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Obi")
	ship := g.creation(3, "Akira", 1, base(1, 0))
	g.Host("1", &transport.Disconnect{PeerID: 3})
	g.Wait(5 * time.Second)
	g.Host("1", nameChange(t, 3, "Cid"), ship)
	g.Die(base(1, 0), objectid.None, objectid.NoPeer)
	require.Equal(t, []string{"explode: Obi explodes: " + match.Removed}, g.Kinds(match.Explode))
}

// A client changes its ship, and the second message arrives first.
func TestShipsOutOfOrder(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	first, second := g.creation(2, "Akira", 0, base(0, 0)), g.creation(2, "Akira", 0, base(0, 9))
	g.Client("1", transport.NewData(2, g.payload(second)), transport.NewData(1, g.payload(first)))
	g.Host("1", &opcode.DestroyObject{ObjectID: base(0, 0)})
	require.Equal(t, []objectid.ID{base(0, 9)}, g.ships())
}

// The ship of a player, and the restart after it, wait on a link until the player has a ship of the next match.
func TestShipOfTheMatchBefore(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Obi")
	g.Delay("1 s2c")
	g.Fly("2", "Akira", 1, base(1, 0))
	g.All(&opcode.RestartGame{})
	g.Fly("2", "Galaxy", 1, base(1, 200))
	g.Join("3", 4, 2, "Cid")
	g.Fly("3", "Nebula", 2, base(2, 0)) // a client that joins after the restart is not told of it
	g.Arrive("1 s2c")
	require.Equal(t, []objectid.ID{objectid.None, base(1, 200), base(2, 0)}, g.ships())
	g.Fly("2", "Shuttle", 1, base(1, 400))
	require.Equal(t, []objectid.ID{objectid.None, base(1, 400), base(2, 0)}, g.ships())
	g.mute["2"] = true
	g.Fly("2", "Shuttle", 1, base(1, 600))
	require.Equal(t, []objectid.ID{objectid.None, base(1, 600), base(2, 0)}, g.ships())
}

// A client that has not heard of the restart creates a ship. It is of the next match, as the host has passed it on there.
func TestShipOfAClientBehindTheRestart(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Obi")
	g.Delay("1 s2c")
	g.All(&opcode.RestartGame{})
	g.Fly("1", "Akira", 0, base(0, 0))
	require.Equal(t, []objectid.ID{base(0, 0), objectid.None}, g.ships())
	g.Die(base(0, 0), objectid.None, objectid.NoPeer)
	g.Arrive("1 s2c")
	require.Equal(t, []string{"ship: Ann flies Akira"}, g.Kinds(match.Ship))
	require.Equal(t, []string{"explode: Ann explodes"}, g.Kinds(match.Explode))
}

// A client creates a ship just before a restart. It is of the next match, as the host has passed it on there.
func TestShipOfTheNextMatch(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Obi")
	ship := g.creation(2, "Akira", 0, base(0, 0))
	g.Client("1", ship)
	g.All(&opcode.RestartGame{})
	g.Lines()
	g.Others("1", ship)
	g.Die(base(0, 0), objectid.None, objectid.NoPeer)
	g.Flush()
	require.Equal(t, match.Explode, g.events[len(g.events)-1].Kind)
	require.Equal(t, 1, g.events[len(g.events)-1].Match)
}

// The own link of a client is late, and tells the death of the ship before the restart. The next one has the same ID.
func TestLateDeathOnTheOwnLink(t *testing.T) {
	g := duel(t)
	g.Delay("1 s2c")
	g.Die(base(0, 0), objectid.None, objectid.NoPeer)
	g.All(&opcode.RestartGame{})
	g.Fly("1", "Akira", 0, base(0, 0))
	g.Arrive("1 s2c")
	g.Flush()
	require.Equal(t, base(0, 0), g.ships()[0])
	require.Equal(t, []string{"explode: Ann explodes"}, g.Kinds(match.Explode))
}

// A ship dies while another client is joining, whom the host does not tell. The next ship with the ID dies, too.
func TestDeathOfTheNextShipWithAnID(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Fly("1", "Akira", 0, base(0, 0))
	g.Connect("2", 3)
	delete(g.names, "2")
	g.Die(base(0, 0), objectid.None, objectid.NoPeer)
	g.Leave("1")
	g.names["2"] = 3
	g.Name("2", "Obi")
	g.Host("2", settings(1), &opcode.GameInit{})
	g.Enter("2")
	g.Join("3", 4, 0, "Cid")
	g.Fly("3", "Galaxy", 0, base(0, 0))
	g.mute["3"] = true
	g.Die(base(0, 0), objectid.None, objectid.NoPeer)
	require.Equal(t, []string{"explode: Ann explodes", "explode: Cid explodes"}, g.Kinds(match.Explode))
}

// The slot of a player who has left has another player when a ship of the first one arrives.
func TestShipOfTheSlotsEarlierPlayer(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Obi")
	g.Delay("1 s2c")
	g.Fly("2", "Akira", 1, base(1, 200))
	g.Leave("2")
	g.Join("3", 4, 1, "Cid")
	g.Fly("3", "Galaxy", 1, base(1, 0))
	g.Arrive("1 s2c")
	require.Equal(t, []objectid.ID{objectid.None, objectid.None, base(1, 0)}, g.ships())
}

// Classes of a mod have precedence, and a link has at most 128 ships that were created.
func TestShipsOfALink(t *testing.T) {
	g := newGame(t)
	class := *stateupdate.Stock().Named("Akira")
	class.Name = "Akira of a mod"
	g.m.Classes = stateupdate.Catalogue{&class}
	g.Join("1", 2, 0, "Ann")
	g.Fly("1", "Akira", 0, base(0, 0))
	require.Equal(t, []string{"Ann joins", "Ann flies Akira of a mod"}, g.Lines())
	for i := range 300 {
		rock := stateupdate.NewShip(objectid.ID(1000+i), stateupdate.Stock().Species(opcode.SpeciesFedStarbase))
		m, err := rock.Creation()
		require.NoError(t, err)
		g.Host("1", m)
	}
	n := 0
	for range g.last.Link.Ships.Ships() {
		n++
	}
	require.Equal(t, 128, n)
}

// On a link of several clients, a ship after a restart is of the new match.
func TestShipAfterARestartOnASharedLink(t *testing.T) {
	g := newGame(t)
	g.Join("", 2, 0, "Ann")
	g.Host("", &opcode.RestartGame{}, g.creation(2, "Akira", 0, base(0, 0)))
	for p := range g.m.Players() {
		require.Equal(t, base(0, 0), p.Ship)
	}
}

// The ship that a client creates is its own, although the host has told a newcomer of the ship of an earlier player with
// the same ID since the client connected.
func TestShipWithAnIDThatWasToldAgain(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("4", 5, 3, "Dan")
	id := base(0, 0)
	g.Fly("1", "Galaxy", 0, id)
	again := g.creation(2, "Galaxy", 0, id)
	g.Connect("3", 4)
	g.Wait(time.Second)
	g.Join("2", 3, 1, "Ben")
	g.Host("2", again)
	g.Leave("1")
	g.Host("2", &opcode.DestroyObject{ObjectID: id})
	g.Host("4", &opcode.DestroyObject{ObjectID: id})
	g.Name("3", "Cid")
	g.Host("3", settings(0), &opcode.GameInit{})
	g.Enter("3")
	g.Lines()
	exploding, err := opcode.NewObjectExploding(id, objectid.None, objectid.NoPeer, 9.5)
	require.NoError(t, err)
	g.Client("3", g.creation(4, "Akira", 0, id))
	g.Host("3", exploding)
	require.Equal(t, []string{"ship: Cid flies Akira", "explode: Cid explodes"}, g.Kinds(match.Ship, match.Explode))
}

// A death has waited on the game channel until its killer has left, and another player has the killer's peer ID.
func TestKillerWhoHasLeft(t *testing.T) {
	g := newGame(t)
	g.mute["2"] = true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Obi")
	g.Fly("1", "Galaxy", 0, base(0, 0))
	g.mute["2"] = false
	g.Fly("2", "Akira", 1, base(1, 0))
	g.mute["2"] = true
	g.Host("1", &transport.Disconnect{PeerID: 3}, nameChange(t, 3, "Cid"))
	g.Kinds()
	exploding, err := opcode.NewObjectExploding(base(0, 0), base(1, 0), 3, 9.5)
	require.NoError(t, err)
	g.Host("1", exploding)
	require.Equal(t, []string{"kill: Obi destroys Ann"}, g.Kinds(match.Kill))
}

// On the only link, the game channel tells of a player whom the system channel has told to have left, and of the next one
// with the peer ID. The name on a ship shows who has joined.
func TestGameChannelBehindTheSystemChannel(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Host("1", nameChange(t, 3, "Fay"))
	g.Wait(5 * time.Second)
	g.Host("1", &transport.Disconnect{PeerID: 3}, nameChange(t, 3, "Joe"))
	g.Wait(time.Second)
	line := &opcode.ChatMessage{SenderID: 3, Text: stream.Text("of Fay")}
	ship := g.creation(3, "Akira", 1, base(1, 0))
	ship.PlayerName = stream.Text("Fay")
	g.Host("1", opcode.NewPlayerJoined(3), ship, line)
	g.Host("1", opcode.NewPlayerLeft(3), opcode.NewPlayerJoined(3))
	line = &opcode.ChatMessage{SenderID: 3, Text: stream.Text("of Joe")}
	g.Host("1", line)
	require.Equal(t, []string{"Ann joins", "Fay joins", "Fay leaves (left)", "Fay flies Akira", "Fay: of Fay", "Joe joins", "Joe: of Joe"}, g.Lines())
}

// The only link that tells a death is late. The killer has left since, and another player has the peer ID.
func TestKillOfAnEarlierOwner(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Eve")
	g.Join("3", 4, 2, "Cid")
	g.Fly("3", "Akira", 2, base(2, 0))
	g.Lines()
	g.mute["2 s2c"], g.mute["3 s2c"] = true, true
	g.Delay("1 s2c")
	death, err := opcode.NewObjectExploding(base(2, 0), objectid.None, 3, 9.5)
	require.NoError(t, err)
	g.All(death)
	g.Leave("2")
	g.Wait(time.Second)
	g.Join("4", 3, 1, "Bob")
	g.Arrive("1 s2c")
	require.Contains(t, g.Lines(), "Eve destroys Cid")
}

// Where no link shows the host, a line to the team is what its player says.
func TestTeamChatOfAnUnseenHost(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.mute["s2c"] = true
	g.Client("1", &opcode.TeamChatMessage{SenderID: 2, Text: stream.Text("to us")})
	g.Wait(time.Minute)
	require.Equal(t, []string{"Ann joins", "Ann to the team: to us"}, g.Lines())
}

// A player joins, leaves and joins again with the peer ID while the host does not hear a third client. The host tells that
// client of the second connection only.
func TestReturnWhileAClientIsNotHeard(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("3", 4, 2, "Cid")
	delete(g.names, "3")
	g.Join("2", 3, 1, "Ben")
	g.Leave("2")
	g.Join("4", 3, 1, "Ben")
	g.Fly("4", "Akira", 1, base(1, 0))
	score := &opcode.Score{PlayerID: 3, Kills: 1, Score: 1000}
	g.All(score)
	g.Lines()
	g.names["3"] = 4
	g.Host("3", nameChange(t, 3, "Ben"), opcode.NewPlayerJoined(3), score)
	require.Empty(t, g.Lines())
	g.Host("3", g.creation(3, "Akira", 1, base(1, 0)))
	require.Empty(t, g.Lines())
	g.Say("4", "hello")
	g.Die(base(1, 0), objectid.None, objectid.NoPeer)
	require.Equal(t, []string{"Ben: hello", "Ben explodes"}, g.Lines())
	require.Equal(t, []string{"2 0 [Ann] true", "4 2 [Cid] true", "3 1 [Ben] false", "3 1 [Ben] true"}, g.Roster())
}

// A match restarts once for all links of a capture that begins in its middle, of whose clients the other links show
// nothing.
func TestRestartInALateCapture(t *testing.T) {
	g := newGame(t)
	g.mute["1"], g.mute["2"] = true, true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	clear(g.mute)
	for client := range g.names {
		g.Client(client, &opcode.StateUpdate{})
	}
	g.All(&opcode.EndGame{})
	g.All(&opcode.RestartGame{})
	g.Fly("1", "Akira", 0, base(0, 0))
	g.Die(base(0, 0), objectid.None, objectid.NoPeer)
	require.Equal(t, []string{"the match ends: just over", "the match restarts", "Ann flies Akira", "Ann explodes"},
		slices.DeleteFunc(g.Lines(), func(line string) bool { return strings.HasSuffix(line, "joins") }))
}

// A leave that waits behind a gap is not of a player who has come after it, with the same name and peer ID.
func TestLeaveBeforeTheJoin(t *testing.T) {
	for _, leave := range []opcode.Message{&opcode.DeletePlayerAnim{Name: stream.Text("Ben")}, opcode.NewPlayerLeft(3)} {
		g := newGame(t)
		g.Join("1", 2, 0, "Ann")
		g.next("1s2cgame")
		g.Host("1", leave)
		g.Join("2", 3, 1, "Ben")
		g.Wait(time.Minute)
		g.Say("1", "hello")
		require.Equal(t, []string{"Ann joins", "Ben joins", "Ann: hello"}, g.Lines())
	}
}

// A client whose own link has lost that it is in the game is in it, if another link shows that. It restarts once with
// those who have joined later.
func TestRestartAfterALostJoin(t *testing.T) {
	g := newGame(t)
	g.Join("3", 4, 2, "Cid")
	g.Connect("1", 2)
	g.Name("1", "Ann")
	g.Host("1", settings(0), &opcode.GameInit{})
	g.mute["1 s2c"] = true
	g.Enter("1")
	g.Join("2", 3, 1, "Ben")
	delete(g.mute, "1 s2c")
	for _, client := range []string{"2", "3", "1"} {
		g.Host(client, &opcode.RestartGame{})
	}
	require.Equal(t, []string{"Cid joins", "Ann joins", "Ben joins", "the match restarts"}, g.Lines())
}

// A newcomer is told the name of a player and the star system of a ship as they are then, also if they were so before. Later
// changes are events, although no other link shows them.
func TestStatesOfANewcomer(t *testing.T) {
	g := newGame(t)
	g.mute["2"] = true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Fly("2", "Akira", 1, base(1, 0))
	change := func(set, name string) {
		g.All(&opcode.EnterSet{ObjectID: base(1, 0), Set: stream.Text(set + "\x00")}, nameChange(t, 3, name))
		g.titles[3] = name
	}
	change("Albirea", "Bob")
	change("Multi1", "Ben")
	g.Leave("1")
	g.Connect("3", 4)
	g.Name("3", "Cid")
	g.Host("3", settings(2), &opcode.GameInit{}, nameChange(t, 3, "Ben"))
	g.Client("3", &opcode.NewPlayerInGame{})
	g.Host("3", g.creation(3, "Akira", 1, base(1, 0)), opcode.NewPlayerJoined(4))
	g.Reported()
	change("Albirea", "Bob")
	require.Equal(t, []string{"system: Ben enters Albirea", "rename: Ben is now Bob"}, g.Kinds(match.System, match.Rename))
}

// The only link that tells a restart is late. A client that has joined since is in the next match, too.
func TestRestartOfALateLink(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Delay("1 s2c")
	g.All(&opcode.RestartGame{})
	g.Join("3", 4, 2, "Cid")
	g.Arrive("1 s2c")
	g.Host("3", score(4, 1))
	require.Equal(t, []string{"Ann joins", "Cid joins", "the match restarts", "Cid has 1 kills, 0 deaths, 0 points"}, g.Lines())
}

// A late link shows a ship of the match before. Its player has none in the next match.
func TestShipOfALinkBehindTheRestart(t *testing.T) {
	g := newGame(t)
	g.mute["2"] = true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Join("3", 4, 2, "Cid")
	g.Delay("1 s2c")
	g.Host("1", g.creation(3, "Akira", 1, base(1, 0)))
	g.All(&opcode.RestartGame{})
	g.Arrive("1 s2c")
	require.Equal(t, []objectid.ID{objectid.None, objectid.None, objectid.None}, g.ships())
}

// A newcomer is told a ship whose ID an earlier one had: of the same player, or of one who has left.
func TestShipOfANewcomer(t *testing.T) {
	for _, same := range []bool{true, false} {
		g := newGame(t)
		g.mute["2"], g.mute["3"] = true, true
		g.Join("1", 2, 0, "Ann")
		g.Join("2", 3, 1, "Ben")
		g.Fly("2", "Akira", 1, base(1, 0))
		client, peer, name := "2", objectid.PeerID(3), "Ben"
		if same {
			g.Die(base(1, 0), objectid.None, objectid.NoPeer)
		} else {
			g.Leave("2")
			client, peer, name = "3", 4, "Cid"
			g.Join("3", 4, 1, "Cid")
		}
		g.Fly(client, "Akira", 1, base(1, 0))
		g.Connect("4", 5)
		g.Name("4", "Dee")
		g.Host("4", settings(3), &opcode.GameInit{}, nameChange(t, peer, name))
		g.Client("4", &opcode.NewPlayerInGame{})
		g.Host("4", missionInit(), g.creation(peer, "Akira", 1, base(1, 0)), opcode.NewPlayerJoined(5))
		g.Reported()
		delete(g.names, "1")
		g.Die(base(1, 0), objectid.None, objectid.NoPeer)
		require.Equal(t, []string{name + " explodes"}, slices.DeleteFunc(g.Reported(), func(line string) bool { return strings.HasSuffix(line, "joins") }))
	}
}

// A late link shows the death of a ship of the match before. A ship of the next match with its ID lives.
func TestDeathOnALinkBehindTheRestart(t *testing.T) {
	g := newGame(t)
	g.mute["2"] = true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Join("3", 4, 2, "Cid")
	g.Delay("1 s2c")
	death, err := opcode.NewObjectExploding(base(1, 0), objectid.None, objectid.NoPeer, 9.5)
	require.NoError(t, err)
	g.Host("1", death)
	g.All(&opcode.RestartGame{})
	g.Fly("2", "Akira", 1, base(1, 0))
	g.Arrive("1 s2c")
	require.Equal(t, []objectid.ID{objectid.None, base(1, 0), objectid.None}, g.ships())
}

// The torpedo of a player who has left kills. The link has not announced the next player with the peer ID yet.
func TestKillAfterTheLeaveOfTheKiller(t *testing.T) {
	g := newGame(t)
	g.mute["3"] = true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Eve")
	g.Join("3", 4, 2, "Cid")
	g.Fly("2", "Akira", 1, base(1, 0))
	g.Fly("3", "Akira", 2, base(2, 0))
	g.Delay("1 s2c")
	g.Leave("2")
	g.Die(base(2, 0), base(1, 0), 3)
	g.Join("4", 3, 1, "Bob")
	g.Arrive("1 s2c")
	require.Equal(t, []string{"kill: Eve destroys Cid"}, g.Kinds(match.Kill))
}

// The only link that could show whether the host passes on a ship ends before it does.
func TestClaimWithoutAnObserver(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Lines()
	g.Client("2", g.creation(3, "Akira", 1, base(1, 0)))
	g.Host("1", &transport.Boot{Reason: transport.BootTimeout, PeerID: 2})
	require.Equal(t, []objectid.ID{objectid.None, objectid.None}, g.ships())
	g.m.Tick(g.now + 2*time.Second)
	require.Equal(t, []objectid.ID{objectid.None, base(1, 0)}, g.ships())
}

// A part of a ship has the ID that a destroyed one had.
func TestPartWithTheIDOfAWreck(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Fly("1", "Galaxy", 0, base(0, 5))
	g.Die(base(0, 5), objectid.None, objectid.NoPeer)
	g.Fly("1", "Akira", 0, base(0, 0))
	g.Lines()
	g.Host("2", opcode.NewBeamFire(base(0, 5), 2, compress.EncodeVector3(0, 1, 0), objectid.None))
	g.Flush()
	require.Equal(t, "Akira", g.events[len(g.events)-1].Class)
}

// A reply assigns the peer ID of the host, which no client has. A second reply assigns another one.
func TestRepliesBeforeTheClientSpeaks(t *testing.T) {
	g := newGame(t)
	g.Connect("1", 1)
	g.Receive("1", 2, &opcode.NewPlayerInGame{})
	require.NotNil(t, g.last.Link.Player)
	g.Connect("2", 3)
	g.Host("2", &transport.ConnectReply{PeerID: 4})
	require.False(t, g.last.Message.NewConnection)
	g.Receive("2", 4, &opcode.NewPlayerInGame{})
	require.Equal(t, objectid.PeerID(4), g.last.Link.Player.PeerID)
}

// Two players with one name leave. The leave of the second one is told by the name alone.
func TestSecondLeaveByTheName(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Gone("2")
	g.Join("3", 4, 1, "Ben")
	g.Lines()
	g.Host("1", &opcode.DeletePlayerAnim{Name: stream.Text("Ben")})
	require.Equal(t, []string{"Ben leaves (left)"}, g.Lines())
}
