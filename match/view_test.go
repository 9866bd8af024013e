package match_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// read returns the events of a recording in words, and the players. The recordings rename and forge were made by a
// server.
func read(t *testing.T, name string, kinds ...match.EventKind) (lines []string, players map[string]*match.Player) {
	f, err := os.Open("testdata/" + name)
	require.NoError(t, err)
	defer f.Close()
	m := match.Match{Events: true}
	players = map[string]*match.Player{}
	for step, err := range match.Read(f, &m) {
		require.NoError(t, err)
		for _, e := range step.Events {
			if slices.Contains(kinds, e.Kind) {
				lines = append(lines, e.String())
			}
		}
	}
	for p := range m.Players() {
		players[p.Name] = p
	}
	return lines, players
}

// A client says that it has another name. The host passes on neither the name nor what would show it.
func TestRefusedName(t *testing.T) {
	lines, players := read(t, "rename.jsonl", match.Join, match.Rename, match.Leave, match.Chat)
	require.Equal(t, []string{
		"Ann joins", "Ben joins", "Ben: I am Ben", "Ben: I am Ben and I cheat", "Ben leaves (left)", "Ann leaves (left)",
	}, lines)
	require.Equal(t, []string{"Ben"}, players["Ben"].Names)
}

// A client floods the chat. The host passes on eleven lines and refuses thirty. The ship destroys itself.
func TestRefusedChat(t *testing.T) {
	lines, players := read(t, "forge.jsonl", match.Rename, match.Chat, match.Explode)
	require.Len(t, lines, 12)
	require.Equal(t, []string{"Ben: I use a cheat", "Ben: 0000", "Ben explodes: destroys itself"}, []string{lines[0], lines[1], lines[11]})
	require.Equal(t, 30, players["Ben"].Refused)
}

// A claim waits for the host. What the host passes on to nobody is none, as soon as it passes on something later of the
// client. Two equal lines that the host passes on are two.
func TestClaims(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Lines()
	say := func(text string) *opcode.ChatMessage {
		return &opcode.ChatMessage{SenderID: 2, Text: stream.Text(text)}
	}
	g.Client("1", say("first"), say("refused"), say("gg"), say("gg"))
	require.Empty(t, g.Reported())
	g.All(say("first"))
	require.Equal(t, []string{"Ann: first"}, g.Reported())
	g.All(say("gg"), say("gg"))
	require.Equal(t, []string{"Ann: gg", "Ann: gg"}, g.Reported())
	g.Client("1", say("last"))
	require.Equal(t, []string{"Ann: last"}, g.Lines(), "at the end of the input")
	for p := range g.m.Players() {
		require.Equal(t, map[string]int{"Ann": 1, "Ben": 0}[p.Name], p.Refused)
	}
}

// A player is of the team that the host passes on, whatever team the client chooses after it. Without an observed link
// that would show it, the client is believed.
func TestClaimOfTeam(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	team := func() opcode.Team {
		for p := range g.m.Players() {
			if p.PeerID == 2 {
				return p.Team
			}
		}
		return opcode.TeamNone
	}
	choice := func(team opcode.Team) *opcode.TeamMessage { return &opcode.TeamMessage{PlayerID: 2, Team: team} }
	g.Client("1", choice(opcode.TeamTwo))
	require.Equal(t, opcode.TeamTwo, team())
	g.Join("2", 3, 1, "Ben")
	g.Client("1", choice(opcode.TeamOne))
	require.Equal(t, opcode.TeamTwo, team())
	g.Host("2", choice(opcode.TeamOne))
	require.Equal(t, opcode.TeamOne, team())
	g.Client("1", choice(opcode.TeamTwo))
	require.Equal(t, opcode.TeamOne, team())
}

// A capture begins late, so that nobody knows the slots. A client creates the ship of another player under a name.
// The host does not pass it on: the client has neither the slot, the name nor the shots of the other player. With the
// next ship, which the host passes on, it has its slot.
func TestShipOfAnotherSlotInALateCapture(t *testing.T) {
	g := newGame(t)
	g.mute["1"], g.mute["2"] = true, true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Eve")
	g.Fly("1", "Akira", 0, base(0, 0))
	clear(g.mute)
	g.All(missionInit())
	for _, client := range g.clients() {
		g.Client(client, &opcode.StateUpdate{})
	}
	g.titles[3] = "Ann"
	g.Client("2", g.creation(3, "Akira", 0, base(0, 0)))
	shot := opcode.NewBeamFire(base(0, 5), 2, compress.EncodeVector3(0, 1, 0), base(1, 0))
	g.Client("1", shot)
	g.Others("1", shot)
	g.Die(base(0, 0), objectid.None, objectid.NoPeer)
	for range 10 {
		g.Wait(10 * time.Second)
		g.All(&opcode.StateUpdate{})
	}
	require.Equal(t, []string{"peer 2 joins", "peer 2 fires 0x40000004 at 0x4003ffff", "peer 2 explodes", "peer 3 joins"}, g.Reported())
	require.Equal(t, []string{"2 0 [] true", "3 none [] true"}, g.Roster())
	g.titles[3] = "Eve"
	g.Fly("2", "Akira", 1, base(1, 0))
	require.Equal(t, []string{"Eve flies Akira"}, g.Reported())
	require.Equal(t, []string{"2 0 [] true", "3 1 [Eve] true"}, g.Roster())
	require.Equal(t, []objectid.ID{objectid.None, base(1, 0)}, g.ships())
}

// What a client says that is not in the game is nothing: the host ignores it before the game and after the leave. Nor has
// it passed on what waits when it kicks the client. Nobody else is observed here who could be told.
func TestClaimsOutsideTheGame(t *testing.T) {
	g := newGame(t)
	g.Connect("1", 2)
	g.Name("1", "Eve")
	line := &opcode.ChatMessage{SenderID: 2, Text: stream.Text("vote for me")}
	g.Client("1", line, g.creation(2, "Akira", 0, base(0, 0)))
	g.Host("1", settings(0), &opcode.GameInit{})
	g.Client("1", line)
	require.Empty(t, g.Lines())
	g.Enter("1")
	g.Client("1", line)
	g.Host("1", &transport.Boot{Reason: transport.BootRemoved, PeerID: 2})
	g.Client("1", line)
	require.Equal(t, []string{"Eve joins", "Eve leaves (kicked)"}, g.Lines())
}

// The last line of a client that leaves is an event at once if only its own link could have shown it.
func TestLastWord(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Client("1", &opcode.ChatMessage{SenderID: 2, Text: stream.Text("bye")})
	g.Client("1", &transport.Disconnect{PeerID: 2})
	require.Equal(t, []string{"Ann joins", "Ann: bye", "Ann leaves (left)"}, g.Reported())
}

// A claim without which the host speaks on is none. One after which the host is not seen any more is an event: the
// link of the other client, which would be told of the shot, has ended. Of the line, the own link would have an echo.
func TestClaimsOverTime(t *testing.T) {
	g := duel(t)
	g.mute["2"] = true
	g.torpedo("1")
	g.Client("1", &opcode.ChatMessage{SenderID: 2, Text: stream.Text("hello?")})
	require.Empty(t, g.Reported())
	g.Idle("1", 50)
	require.Equal(t, []string{"Ann fires Torpedoes / Forward Torp 2 at Ben"}, g.Lines())
}

// A message before which another one is missing waits, and means what it meant at its number.
func TestMessagesBehindAGap(t *testing.T) {
	g := newGame(t)
	g.mute["2"], g.mute["3"] = true, true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Lines()
	next := g.seqs["1s2cgame"]
	missing := transport.NewData(next, g.payload(opcode.NewPlayerLeft(3)))
	g.seqs["1s2cgame"]++
	g.Host("1", &transport.Disconnect{PeerID: 3}, nameChange(t, 3, "Cid"))
	g.Host("1", opcode.NewPlayerJoined(3), &opcode.ChatMessage{SenderID: 3, Text: stream.Text("I am Cid")})
	require.Nil(t, g.last.Sender)
	require.Equal(t, []string{"Ben leaves (left)"}, g.Reported())
	g.Host("1", missing)
	require.Equal(t, []string{"Cid joins", "Cid: I am Cid"}, g.Reported())
}

// A gap ends when the receiver acknowledges the message that the capture does not have.
func TestGapOfTheCapture(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Lines()
	lost := g.next("1s2cgame")
	g.Host("1", &opcode.ChatMessage{SenderID: 1, Text: stream.Text("welcome")})
	require.Empty(t, g.Reported())
	g.Client("1", transport.NewMessage(0, &transport.Ack{Seq: lost}))
	require.Equal(t, []string{"peer 1: welcome"}, g.Reported())
	g.next("1s2cgame")
	g.Host("1", &opcode.ChatMessage{SenderID: 1, Text: stream.Text("hello")})
	g.Wait(46 * time.Second)
	g.events = append(g.events, g.m.Tick(g.now)...)
	require.Equal(t, []string{"peer 1: hello"}, g.Reported(), "or after some time")
}

// A sender that is silent for long behind a gap sends the missing message when it speaks again.
func TestGapOfASilentSender(t *testing.T) {
	for silence, want := range map[time.Duration][]string{
		40 * time.Second: {"Ann: first", "Ann: second"},
		50 * time.Second: {"Ann: second"},
	} {
		g := newGame(t)
		g.mute["s2c"] = true
		g.Join("1", 2, 0, "Ann")
		g.Reported()
		missing := transport.NewData(g.next("1c2sgame"), g.payload(&opcode.ChatMessage{SenderID: 2, Text: stream.Text("first")}))
		g.Client("1", &opcode.ChatMessage{SenderID: 2, Text: stream.Text("second")})
		g.Wait(silence)
		g.Client("1", &transport.DoNothing{})
		g.Client("1", missing)
		require.Equal(t, want, g.Reported(), silence)
	}
}

// A message that the capture has lost is given up when its sender has sent many others.
func TestGapOfABusySender(t *testing.T) {
	g := newGame(t)
	g.mute["s2c"] = true
	g.Join("1", 2, 0, "Ann")
	g.Reported()
	g.next("1c2sgame")
	g.Client("1", &opcode.ChatMessage{SenderID: 2, Text: stream.Text("hello")})
	for range 400 {
		g.Wait(10 * time.Millisecond)
		g.Client("1", &transport.DoNothing{})
	}
	require.Equal(t, []string{"Ann: hello"}, g.Reported())
}

// Numbers modulo 256, as those of OpenBC, have no gap after 255: a claim that the host has refused stays refused.
func TestNumbersModulo256AreNoGap(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	line := func(sender objectid.PeerID, text string) *opcode.ChatMessage {
		return &opcode.ChatMessage{SenderID: sender, Text: stream.Text(text)}
	}
	for g.seqs["1s2cgame"] < 255 {
		g.Host("1", line(1, "welcome"))
	}
	g.Lines()
	g.Client("1", line(2, "refused"))
	late := transport.NewData(255, g.payload(line(1, "number 255")))
	g.seqs["1s2cgame"] = 0
	g.Host("1", line(1, "number 0"))
	require.Empty(t, g.Reported())
	g.Host("1", late)
	require.Equal(t, []string{"peer 3: number 255", "peer 3: number 0"}, g.Reported())
	for range 60 {
		g.Wait(time.Second)
		g.Host("1", line(1, "later"))
	}
	require.NotContains(t, g.Reported(), "Ann: refused")
}

// The host does not receive a Disconnect, or does not follow it because it has lost the message before. It tells a
// newcomer of the player, and ends the connection later.
func TestDisconnectThatTheHostDoesNotFollow(t *testing.T) {
	for _, lost := range []string{"nothing", "the message before"} {
		g := newGame(t)
		g.Join("1", 2, 0, "Ann")
		g.Join("2", 3, 1, "Ben")
		g.Fly("1", "Akira", 0, base(0, 0))
		if lost != "nothing" {
			g.next("1c2ssystem")
		}
		g.Client("1", &transport.Disconnect{PeerID: 2})
		g.Wait(20 * time.Second)
		g.Join("3", 4, 2, "Cid")
		g.Host("3", g.creation(2, "Akira", 0, base(0, 0)))
		g.Wait(20 * time.Second)
		g.Say("2", "hello")
		require.Empty(t, g.Kinds(match.Leave), lost)
		g.Gone("1")
		g.Die(base(0, 0), objectid.None, objectid.NoPeer)
		g.Flush()
		require.Equal(t, []string{
			"join: Ann joins", "join: Ben joins", "join: Cid joins", "explode: Ann explodes: " + match.Removed, "leave: Ann leaves (timed out)",
		}, g.Kinds(match.Join, match.Leave, match.Explode), lost)
	}
}

// A Disconnect is the time of the leave. If the capture has lost that the host has followed it, it counts later.
func TestDisconnect(t *testing.T) {
	for _, told := range []bool{true, false} {
		g := newGame(t)
		g.Join("1", 2, 0, "Ann")
		g.Join("2", 3, 1, "Ben")
		g.Client("1", &transport.Disconnect{PeerID: 2})
		at := g.now
		require.Empty(t, g.Kinds(match.Leave))
		if g.Wait(time.Second); told {
			g.Gone("1")
		}
		delete(g.names, "1")
		g.Wait(time.Minute)
		g.Say("2", "hello")
		g.Wait(time.Minute)
		g.Say("2", "alone")
		require.Equal(t, []string{"leave: Ann leaves (left)"}, g.Kinds(match.Leave), "%v", told)
		for _, e := range g.events {
			require.False(t, e.Kind == match.Leave && e.Time != at, "%v", e.Time)
		}
	}
}

// A message that does not decode is no gap: nothing waits for it.
func TestMalformedMessageIsNoGap(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Lines()
	malformed := &opcode.Unknown{Op: opcode.OpStartFiring, Data: []byte{1}}
	g.Client("1", malformed)
	g.Client("1", g.creation(2, "Akira", 0, base(0, 0)))
	g.Host("1", malformed)
	g.Host("1", &opcode.ChatMessage{SenderID: 1, Text: stream.Text("hello")})
	require.Equal(t, []string{"Ann flies Akira", "peer 1: hello"}, g.Reported())
}

// Datagrams to other addresses begin no link, and change nothing.
func TestStrayDatagrams(t *testing.T) {
	datagrams := testdata.Battle(t)
	m := match.Match{Events: true}
	want := follow(&m, datagrams)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{16, 300, testdata.Either(10_000, 3000)} {
		m := match.Match{Events: true}
		var events []match.Event
		for i, d := range datagrams {
			for step := range m.Receive(deciphered(d)) {
				events = append(events, step.Events...)
			}
			for range n*(i+1)/len(datagrams) - n*i/len(datagrams) {
				stray := match.Datagram{Time: d.Time(), Client: fmt.Sprint("10.0.0.1:", rng.IntN(1<<16)), Server: fmt.Sprint("10.9.9.9:", rng.IntN(1<<16)), FromHost: rng.IntN(2) > 0, Data: make([]byte, 24)}
				for k := range stray.Data {
					stray.Data[k] = byte(rng.Uint32())
				}
				for step := range m.Receive(stray) {
					require.True(t, step.Link.Stranger)
					events = append(events, step.Events...)
				}
			}
		}
		require.Equal(t, want, append(events, m.Flush()...), n)
	}
}

// names returns a name and what stands for it if it is unknown: "peer N" for each connection of that name.
func names(m *match.Match, name string) []string {
	all := []string{name}
	for p := range m.Players() {
		if name != "" && p.Name == name {
			all = append(all, fmt.Sprint("peer ", p.PeerID))
		}
	}
	return all
}

// Each datagram of a recording is left out with some probability. Nobody is given what another player has done.
func TestLoss(t *testing.T) {
	kinds := []match.EventKind{match.Chat, match.Fire, match.Kill, match.Explode, match.Ship}
	for name, r := range recordings {
		datagrams := r.datagrams(t)
		m := match.Match{Events: true}
		possible := map[string]bool{}
		for _, e := range follow(&m, datagrams) {
			if e.Weapon, e.Reason = "", ""; slices.Contains(kinds, e.Kind) {
				e.Target, e.Class = "", ""
				possible[e.String()] = true
				if e.Kind == match.Kill { // OpenBC names the killer by a ship, which may be unknown
					possible[(&match.Event{Kind: match.Explode, Player: e.Player}).String()] = true
				}
				for _, player := range names(&m, e.Player) {
					for _, killer := range names(&m, e.Killer) {
						e.Player, e.Killer = player, killer
						if e.Victim != "" {
							e.Victim = player
						}
						possible[e.String()] = true
					}
				}
			}
		}
		for seed := range seeds() {
			rng := rand.New(rand.NewPCG(seed, 5))
			most := []float64{0.01, 0.05, 0.2}[seed%3]
			lossy := slices.DeleteFunc(slices.Clone(datagrams), func(d recordingDatagram) bool { return rng.Float64() < most })
			m := match.Match{Events: true}
			for _, e := range follow(&m, lossy) {
				if e.Weapon, e.Reason = "", ""; slices.Contains(kinds, e.Kind) && e.Player != "" && !strings.HasPrefix(e.Player, "0x") {
					e.Target, e.Class = "", ""
					require.True(t, possible[e.String()], "%s, seed %d: %v", name, seed, &e)
				}
			}
		}
	}
}

// A server crashes and is started again. The players of before are gone, and the next ones play another match.
func TestServerCrash(t *testing.T) {
	for _, again := range []float32{2, 103} { // the second one is by chance the last time of the first server
		g := newGame(t)
		joinAt := func(client string, peer objectid.PeerID, slot objectid.Slot, name string, game float32) {
			g.Connect(client, peer)
			g.Name(client, name)
			s := settings(slot)
			s.GameTime = game
			g.Host(client, s, &opcode.GameInit{})
			g.Enter(client)
		}
		joinAt("1", 2, 0, "Ann", 100)
		g.Wait(3 * time.Second)
		joinAt("2", 3, 1, "Ben", 103)
		g.Wait(200 * time.Second)
		clear(g.names) // kill -9
		joinAt("3", 2, 0, "Cid", again)
		require.Equal(t, []string{"Ann joins", "Ben joins", "Ann leaves (timed out)", "Ben leaves (timed out)", "Cid joins"}, g.Lines())
		require.Equal(t, 1, g.last.Link.Match)
		g.Wait(3 * time.Second)
		joinAt("4", 3, 1, "Dee", again+3)
		require.Equal(t, []string{"Dee joins"}, g.Lines())
		require.Equal(t, 1, g.last.Link.Match)
	}
}

// The next client has sent its Connect before the crash, and again after it.
func TestConnectBeforeAServerCrash(t *testing.T) {
	g := newGame(t)
	g.Connect("1", 3)
	g.Name("1", "Ann")
	s := settings(1)
	s.GameTime = 100
	g.Host("1", s, &opcode.GameInit{})
	g.Enter("1")
	g.mute["2 s2c"] = true
	g.Connect("2", 2)
	g.mute["2 s2c"] = false
	g.Host("1", &transport.DoNothing{})
	g.Wait(5 * time.Second)
	clear(g.names) // kill -9
	g.names["2"] = 2
	g.Host("2", transport.NewMessage(0, &transport.ConnectReply{PeerID: 2}))
	g.Name("2", "Cid")
	s.PlayerSlot, s.GameTime = 0, 1
	g.Host("2", s, &opcode.GameInit{})
	g.Enter("2")
	require.Equal(t, []string{"Ann joins", "Ann leaves (timed out)", "Cid joins"}, g.Lines())
	require.Equal(t, 1, g.last.Link.Match)
}

// The capture lacks the Disconnect of a client and the reply to the next one with the same peer ID, whom other links
// name.
func TestPeerIDUsedAgainInAGap(t *testing.T) {
	for _, connect := range []bool{true, false} {
		g := newGame(t)
		g.Join("1", 2, 0, "Ann")
		g.Join("2", 3, 1, "Eve")
		g.mute["2"] = true
		g.Leave("2")
		g.Wait(12 * time.Second)
		g.mute["3 c2s"], g.mute["3 s2c"] = !connect, true
		g.Connect("3", 3)
		g.mute["3 c2s"], g.mute["3 s2c"] = false, false
		g.Name("3", "Bob")
		g.Host("3", settings(1), &opcode.GameInit{})
		g.Enter("3")
		g.Fly("1", "Galaxy", 0, base(0, 0))
		g.Fly("3", "Akira", 1, base(1, 0))
		g.Die(base(0, 0), base(1, 0), 3)
		require.Equal(t, []string{
			"Ann joins", "Eve joins", "Eve leaves (left)", "Bob joins", "Ann flies Galaxy", "Bob flies Akira", "Bob destroys Ann",
		}, g.Lines(), connect)
	}
}

// A datagram counts whether its messages are ranged over or not.
func TestReceiveWithoutRange(t *testing.T) {
	m := match.Match{Events: true}
	for _, d := range testdata.Battle(t) {
		m.Receive(deciphered(d))
	}
	m.Flush()
	var roster []string
	for p := range m.Players() {
		roster = append(roster, fmt.Sprintf("%v %v %v %v", p.PeerID, p.Slot, p.Names, p.InGame))
	}
	require.Equal(t, recordings["battle"].roster, roster)
}

// A capture that begins late shows whether the host passes on a line, once it has shown that the client of a link is in the
// game.
func TestRefusedLineInALateCapture(t *testing.T) {
	g := newGame(t)
	g.mute["1"], g.mute["2"] = true, true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	clear(g.mute)
	g.Say("2", "hello")
	g.Client("1", &opcode.ChatMessage{SenderID: 2, Text: stream.Text("refused")})
	for range 10 {
		g.Wait(10 * time.Second)
		g.Say("2", "hello")
	}
	require.NotContains(t, strings.Join(g.Lines(), "\n"), "refused")
}

// A client says twice what the host changes. It is refused twice.
func TestChangedLines(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Lines()
	for range 2 {
		g.Client("1", &opcode.ChatMessage{SenderID: 2, Text: stream.Text("darn")})
		g.All(&opcode.ChatMessage{SenderID: 2, Text: stream.Text("****")})
	}
	g.Say("1", "hello")
	require.Equal(t, []string{"Ann: ****", "Ann: ****", "Ann: hello"}, g.Lines())
	for p := range g.m.Players() {
		require.Equal(t, 2, p.Refused)
	}
}

// The only link shows a player's whole stay without a name, and then the name of the next one with the peer ID.
func TestNameOfTheNextPlayer(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Host("1", opcode.NewPlayerJoined(3), opcode.NewPlayerLeft(3), nameChange(t, 3, "Ben"), opcode.NewPlayerJoined(3))
	require.Equal(t, []string{"Ann joins", "peer 3 joins", "peer 3 leaves (left)", "Ben joins"}, g.Lines())
}

// The system channel has told all of a player before the game channel tells the join.
func TestJoinAfterTheSystemChannelHasToldTheLeave(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Host("1", nameChange(t, 3, "Ben"), &transport.Disconnect{PeerID: 3}, opcode.NewPlayerJoined(3), opcode.NewPlayerLeft(3))
	require.Equal(t, []string{"Ann joins", "Ben joins", "Ben leaves (left)"}, g.Lines())
}

// A client leaves without having been in the game. The next one with the peer ID joins.
func TestJoinIsNotOfWhoHasLeftBefore(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	for _, client := range []string{"2", "3"} {
		g.Connect(client, 3)
		g.Client(client, &transport.DoNothing{})
		if client == "2" {
			g.Client(client, &transport.Disconnect{PeerID: 3})
		}
	}
	g.Host("1", opcode.NewPlayerJoined(3), &opcode.ChatMessage{SenderID: 3, Text: stream.Text("hi")}, nameChange(t, 3, "Ben"))
	g.titles[3] = "Ben"
	g.Host("1", g.creation(3, "Akira", 1, base(1, 0)))
	require.Equal(t, []string{"Ann joins", "peer 3: hi", "Ben joins", "Ben flies Akira"}, g.Lines())
}

// Who has left before a client was in the game cannot be the one whose join the client is told.
func TestJoinIsNotOfWhoHasLeftBeforeTheLink(t *testing.T) {
	g := newGame(t)
	g.try("2", 3)
	g.Join("1", 2, 0, "Ann")
	g.Connect("3", 3)
	g.Client("3", &transport.DoNothing{})
	g.Host("1", opcode.NewPlayerJoined(3))
	require.Equal(t, []string{"Ann joins", "peer 3 joins"}, g.Lines())
}

// A client leaves without having been in the game. The own link of the next one with the peer ID shows that it is.
func TestJoinOfWhoIsInTheGame(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.try("2", 3)
	g.Join("3", 3, 1, "Ben")
	g.Host("1", &opcode.ChatMessage{SenderID: 3, Text: stream.Text("hi")})
	require.Equal(t, []string{"Ann joins", "Ben joins", "Ben: hi"}, g.Lines())
}

// trio returns a match of Ann, Ben and Cid, whose link is not observed.
func trio(t *testing.T) *game {
	g := newGame(t)
	g.mute["3"] = true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 4, 1, "Ben")
	g.Join("3", 3, 2, "Cid")
	g.Lines()
	return g
}

// A line waits behind a gap, while another link shows that its player leaves and the next one with the peer ID joins.
func TestLineBehindAGapBeforeTheNextPlayer(t *testing.T) {
	g := trio(t)
	lost := g.next("1s2cgame")
	g.Host("1", &opcode.ChatMessage{SenderID: 3, Text: stream.Text("bye")})
	g.Host("2", &transport.Disconnect{PeerID: 3}, opcode.NewPlayerLeft(3), nameChange(t, 3, "Dee"), opcode.NewPlayerJoined(3))
	g.Client("1", transport.NewMessage(0, &transport.Ack{Seq: lost}))
	require.Equal(t, []string{"Cid leaves (left)", "Dee joins", "Cid: bye"}, g.Lines())
}

// The next player with a peer ID comes while the link of another client has lost the end of the one before. A ship there
// is of the one whose name it has.
func TestNameAfterALostLeave(t *testing.T) {
	g := trio(t)
	g.Host("2", &transport.Disconnect{PeerID: 3}, opcode.NewPlayerLeft(3), nameChange(t, 3, "Dee"), opcode.NewPlayerJoined(3))
	g.titles[3] = "Cid"
	g.Host("1", g.creation(3, "Akira", 2, base(2, 0)))
	g.titles[3] = "Dee"
	g.Host("1", g.creation(3, "Galaxy", 2, base(2, 1)))
	require.Equal(t, []string{"Cid leaves (left)", "Dee joins", "Cid flies Akira", "Dee flies Galaxy"}, g.Lines())
}

// A ship that a late link tells under a name that nobody has is of the player whom the link means.
func TestForgedNameOnALateLink(t *testing.T) {
	g := trio(t)
	g.Host("2", &transport.Disconnect{PeerID: 3}, opcode.NewPlayerLeft(3), opcode.NewPlayerJoined(3))
	g.titles[3] = "Eve"
	g.Host("1", g.creation(3, "Akira", 2, base(2, 0)))
	require.Equal(t, []string{"Cid leaves (left)", "Cid flies Akira", "peer 3 joins"}, g.Lines())
}

// The host refuses a line. When it passes on an equal one later, that is not the refused one, although it has passed on
// nothing of the player before.
func TestLineThatEqualsARefusedOne(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Lines()
	line := &opcode.ChatMessage{SenderID: 2, Text: stream.Text("gg")}
	g.Client("1", line)
	for range 50 {
		g.Wait(time.Second)
		g.All(&transport.DoNothing{})
	}
	require.Empty(t, g.Reported())
	g.Client("1", line)
	sent := g.now
	g.All(line)
	require.Len(t, g.events, 1)
	require.Equal(t, sent, g.events[0].Time)
}

// The next connection of a player says a line that the host refuses. The equal one that a late link tells is of the
// connection before, and so is the leave after it.
func TestLineThatEqualsARefusedOneOfTheNextConnection(t *testing.T) {
	g := newGame(t)
	g.mute["2"] = true
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Join("4", 5, 2, "Cid")
	line := &opcode.ChatMessage{SenderID: 3, Text: stream.Text("gg")}
	g.Delay("1 s2c")
	g.Host("1", line)
	g.Leave("2")
	g.Join("3", 3, 1, "Ben")
	g.Client("3", line)
	for range 47 {
		g.Wait(time.Second)
		g.Others("1", &transport.DoNothing{})
	}
	g.Lines()
	g.Arrive("1 s2c")
	require.Equal(t, []string{"Ben: gg"}, g.Lines())
	require.Equal(t, []string{"2 0 [Ann] true", "3 none [Ben] false", "5 2 [Cid] true", "3 1 [Ben] true"}, g.Roster())
}

// All players leave at once. None of their links can show that the host has followed the others.
func TestAllLeaveAtOnce(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Lines()
	g.Client("1", &transport.Disconnect{PeerID: 2})
	g.Client("2", &transport.Disconnect{PeerID: 3})
	g.Connect("3", 4)
	require.Equal(t, []string{"Ann leaves (left)", "Ben leaves (left)"}, g.Reported())
}

// The host has refused an earlier Connect of a client. The refusal comes late, with the number of another message.
func TestLateRefusal(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Host("1", transport.NewMessage(0, &transport.Boot{Reason: transport.BootTimeout, PeerID: objectid.NoPeer}))
	g.Say("1", "hello")
	require.Equal(t, []string{"Ann joins", "Ann: hello"}, g.Lines())
	g.Host("1", &transport.Boot{Reason: transport.BootTimeout, PeerID: objectid.NoPeer})
	require.Equal(t, []string{"Ann leaves (timed out)"}, g.Lines())
}

// Two clients load the game under a peer ID, as two links tell, one after the other. The join is of the one whom the
// link has named.
func TestJoinOfWhomTheLinkHasNamed(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Lines()
	g.Host("1", nameChange(t, 7, "Cid"))
	g.Host("2", nameChange(t, 7, "Dee"), opcode.NewPlayerJoined(7))
	require.Equal(t, []string{"Dee joins"}, g.Lines())
}

// A newcomer is told how a score changes. The capture has lost the score before.
func TestChangeOfAScoreThatANewcomerWasTold(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.All(score(2, 3))
	g.Connect("3", 4)
	g.Name("3", "Cid")
	g.Host("3", settings(2), &opcode.GameInit{})
	g.Client("3", &opcode.NewPlayerInGame{})
	g.Lines()
	g.Host("3", &opcode.ScoreChange{VictimID: 2, VictimDeaths: 1})
	require.Equal(t, []string{"Ann has 3 kills, 1 deaths, 0 points"}, g.Lines())
}

// A player leaves and comes back with the same score. What a late link tells with it is of the first connection.
func TestScoreOfBothConnections(t *testing.T) {
	g := newGame(t)
	g.Join("2", 3, 1, "Ben")
	g.Join("3", 4, 2, "Cid")
	g.Join("1", 2, 0, "Ann")
	g.All(score(2, 1))
	g.Delay("2 s2c")
	g.All(score(2, 1))
	g.Say("1", "hello")
	g.Leave("1")
	g.Wait(time.Second)
	g.Join("1", 2, 0, "Ann")
	g.All(score(2, 1))
	g.Lines()
	g.Arrive("2 s2c")
	require.Empty(t, g.Lines())
}

// At the end of the input, the host has spoken for long enough without passing on a line.
func TestRefusedLineAtTheEnd(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Lines()
	g.Client("1", &opcode.ChatMessage{SenderID: 2, Text: stream.Text("hello?")})
	g.Idle("1", 20)
	require.Empty(t, g.Lines())
}

// The link of a client who has joined later does not show what the host has passed on before. The other one has lost
// something.
func TestClaimBeforeTheJoinOfTheOnlyObserver(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Join("2", 3, 1, "Ben")
	g.Connect("3", 4)
	g.Name("3", "Cid")
	g.Host("3", settings(2), &opcode.GameInit{})
	g.Lines()
	g.Client("1", g.creation(2, "Akira", 0, base(0, 0)))
	g.next("2s2cgame")
	g.Host("2", missionInit())
	g.Enter("3")
	g.Idle("3", 50)
	require.Equal(t, []string{"Cid joins", "Ann flies Akira"}, g.Lines())
}

// A link has lost the end of a player. What it tells of the ship is no sign that the next client with the peer ID, which
// loads the game, is in it.
func TestShipOfWhoHadThePeerIDOfALoadingClient(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Lines()
	g.Connect("2", 3)
	g.Name("2", "Ben")
	g.Host("1", g.creation(3, "Akira", 1, base(1, 0)))
	g.Flush()
	require.Empty(t, g.Kinds(match.Join))
}

// A late link tells damage of a ship. The next player in the slot has a ship with the same ID.
func TestLateDamage(t *testing.T) {
	g := duel(t)
	g.Delay("2 s2c")
	g.Host("2", g.hull(128, 1))
	g.Leave("1")
	g.Join("3", 4, 0, "Cid")
	g.Fly("3", "Akira", 0, base(0, 0))
	g.Lines()
	g.Arrive("2 s2c")
	require.Empty(t, g.Lines())
}

// A late link tells the death of a ship. The player has a ship with the same ID in the next match.
func TestLateDeathOfAShipOfTheMatchBefore(t *testing.T) {
	g := duel(t)
	g.Join("3", 4, 2, "Cid")
	g.Delay("2 s2c")
	death, err := opcode.NewObjectExploding(base(0, 0), objectid.None, objectid.NoPeer, 9.5)
	require.NoError(t, err)
	g.Host("2", death)
	g.All(&opcode.RestartGame{})
	g.mute["2"] = true
	g.Fly("1", "Akira", 0, base(0, 0))
	clear(g.mute)
	g.Arrive("2 s2c")
	g.Flush()
	require.Equal(t, base(0, 0), g.ships()[0])
	require.Equal(t, []string{"explode: Ann explodes"}, g.Kinds(match.Explode))
}

// A shot in the slot of nobody who is known is of the player whom it names, unless the host can be OpenBC, which writes
// any number, or the player has another slot.
func TestShotInAVacantSlot(t *testing.T) {
	for _, c := range []struct {
		number uint16
		peer   objectid.PeerID
		want   []string
	}{
		{300, 9, []string{"peer 9 joins", "peer 9 fires 0x400c0004"}},
		{30, 9, []string{" fires 0x400c0004"}},
		{300, 3, []string{" fires 0x400c0004"}},
	} {
		g := newGame(t)
		g.mute["1"], g.mute["2"] = true, true
		g.Join("1", 2, 0, "Ann")
		g.Join("2", 3, 1, "Ben")
		clear(g.mute)
		g.seqs["1s2cgame"] = c.number
		g.Host("1", nameChange(t, 2, "Ann"), nameChange(t, 3, "Ben"))
		g.Host("1", g.creation(2, "Akira", 0, base(0, 0)), g.creation(3, "Akira", 1, base(1, 0)))
		g.Lines()
		g.Host("1", opcode.NewBeamFire(base(3, 5), c.peer, compress.EncodeVector3(0, 1, 0), objectid.None))
		require.Equal(t, c.want, g.Lines())
	}
}

// A client has left before it was in the game, as the host has told after a score. The join is of the next one.
func TestJoinAfterAnAbsentPlayer(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Lines()
	g.Host("1", nameChange(t, 7, "Old"), score(7, 1))
	g.Host("1", &transport.Disconnect{PeerID: 7}, nameChange(t, 7, "New"))
	g.Host("1", opcode.NewPlayerJoined(7))
	g.Flush()
	require.Equal(t, []string{"join: New joins"}, g.Kinds(match.Join, match.Leave))
}

// A link has announced the join of a player, and lost the leave. The next join is of the next player with the peer ID.
func TestJoinAfterALostLeave(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.mute["2"] = true
	g.Join("2", 7, 5, "Fay")
	delete(g.names, "2")
	g.Connect("3", 7)
	g.Host("3", settings(5), &opcode.GameInit{})
	g.Host("1", opcode.NewPlayerJoined(7))
	g.Name("3", "Gus")
	require.Equal(t, []string{"Ann joins", "Fay joins", "Fay leaves (left)", "Gus joins"}, g.Lines())
}
