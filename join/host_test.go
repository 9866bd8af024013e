package join_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// A client whose name is taken, or that the game cannot show, gets another one with its Settings. All
// players, and the client itself, know it by that name.
func TestNamesAreUnique(t *testing.T) {
	for _, c := range []struct {
		name  string
		taken []string
		want  string // empty: not renamed
	}{
		{"Ann", []string{"Bob"}, ""},
		{"Ann", []string{"Ann"}, "Ann (2)"},
		{"aNN", []string{"Ann"}, "aNN (2)"},
		{"\u00c9MILE", []string{"\u00e9mile"}, "\u00c9MILE (2)"},
		{"Ann", []string{"Ann", "Ann", "Ann"}, "Ann (4)"},
		{"Ann", []string{"Ann (2)", "Ann"}, "Ann (3)"},
		{"dedicated SERVER", []string{"Dedicated Server (2)"}, "dedicated SERVER (3)"},
		{"Zo\u00eb \u20ac", nil, ""},
		{"\u0141ukasz", []string{"Ukasz"}, "ukasz (2)"},
		{"\u65e5\u672c", nil, "Player"},
		{"\u4e2d\u56fd", []string{"\u65e5\u672c"}, "Player (2)"},
		{" Ann\t", nil, "Ann"},
		{"Ann" + strings.Repeat(" ", 30) + ".", []string{"Ann"}, "Ann ."},
		{strings.Repeat("x", 31) + " .", []string{strings.Repeat("x", 31)}, strings.Repeat("x", 31) + " (2)"},
		{"Dedicated  Server", nil, "Dedicated Server (2)"},
		{"\u202eAnn\x1b[2J", nil, "Ann[2J"},
		{strings.Repeat("x", 200), nil, strings.Repeat("x", 32)},
	} {
		other := opcode.Settings{Renamed: true, NewName: stream.UTF16("Z\x00"), Opaque: true, Rest: []byte{1}} // which the Host sets
		w := newWorld(t, join.HostOptions{Settings: other})
		first := w.join("First")
		for _, name := range c.taken {
			w.join(name)
		}
		g := w.join(c.name)
		w.run(time.Second)
		settings := last[*opcode.Settings](g)
		name := c.want
		if name == "" {
			name = c.name
		}
		require.Equal(t, c.want != "", settings.Renamed, c.name)
		require.Equal(t, c.want, settings.NewName.String())
		require.Equal(t, name, g.State().Self.Name)
		require.Equal(t, name, w.member(g.id()).Name)
		state := first.State()
		require.Equal(t, name, state.NameOf(g.id()))
		require.Zero(t, w.drops["second name"])
		g.leave()
		w.run(time.Second)
		require.Equal(t, name, last[*opcode.DeletePlayerAnim](first).Name.String())
	}
}

// A client that ignores its new name, sends another one, or sends its name late or many times.
func TestNamesOfStubbornClients(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	ann, other := w.join("Ann"), w.join("Ann")
	w.run(time.Second)
	before := len(ann.lines)
	for _, name := range []string{"Ann", "Dan", "Ann (2)"} {
		other.sendName(name)
	}
	w.run(time.Second)
	require.Equal(t, 2, w.drops["second name"])
	require.Len(t, ann.lines, before)
	require.Equal(t, []string{"NameChange 3 Ann (2)", "NameChange 3 Ann (2)"}, other.lines[len(other.lines)-2:], "it is told its name")
	require.Equal(t, "Ann (2)", w.member(other.id()).Name)

	late := w.join("")
	require.Equal(t, "Player", w.member(late.id()).Name)
	before = len(ann.lines)
	late.sendName("")
	w.run(time.Second)
	require.Len(t, ann.lines, before)
	late.sendName("Ann")
	w.run(time.Second)
	require.Equal(t, "Ann (3)", w.member(late.id()).Name)
	state := ann.State()
	require.Equal(t, "Ann (3)", state.NameOf(late.id()))
	late.sendName("Zed")
	w.run(time.Second)
	require.Equal(t, "Ann (3)", w.member(late.id()).Name, "once")
	for range 400 {
		late.sendName("Ann (3)")
	}
	w.run(5 * time.Second)
	require.Positive(t, w.drops["rate"])
	require.Len(t, w.host.Members(), 3)

	loads := w.connectSlow("", 5*time.Second)
	w.run(time.Second)
	before = len(ann.lines)
	loads.sendName("Zoe")
	w.run(time.Second)
	require.Len(t, ann.lines, before, "it is not in the game")
	w.run(5 * time.Second)
	require.Equal(t, "Zoe", w.member(loads.id()).Name)
	loads.leave()
	w.run(time.Second)

	// Three clients with one name at the same time.
	all := []*guest{w.connect(join.Options{Name: "Cat"}), w.connect(join.Options{Name: "CAT"}), w.connect(join.Options{Name: "cat"})}
	w.run(3 * time.Second)
	for i, want := range []string{"Cat", "CAT (2)", "cat (3)"} {
		require.Equal(t, want, all[i].State().Self.Name)
	}
}

// Only the right password enters. A server without a password accepts any.
func TestPassword(t *testing.T) {
	w := newWorld(t, join.HostOptions{Password: "engage"})
	wrong, right := w.connect(join.Options{Password: "warp"}), w.connect(join.Options{Password: "engage"})
	w.run(3 * time.Second)
	require.ErrorIs(t, wrong.err(), join.ErrPassword)
	require.Equal(t, join.StageInGame, right.stage())
	w = newWorld(t, join.HostOptions{})
	any := w.connect(join.Options{Password: "warp"})
	w.run(3 * time.Second)
	require.Equal(t, join.StageInGame, any.stage())
}

// The policy decides about the files of a client.
func TestPolicy(t *testing.T) {
	manifest := func(hash opcode.Hash, version string) *checksum.Manifest {
		rounds := checksum.Rounds()[:1]
		rounds[0].Tree = &checksum.Tree{Files: []checksum.File{{
			Name: "App.pyc", NameHash: opcode.Hash(checksum.StringHash("App.pyc")), Content: []opcode.Hash{hash},
		}}}
		return &checksum.Manifest{Name: "test", GameVersion: version, Rounds: rounds}
	}
	for name, c := range map[string]struct {
		files *checksum.Server
		o     join.Options
		want  error
	}{
		"none on all":        {nil, join.Options{}, nil},
		"the same":           {&checksum.Server{Policy: checksum.Strict, Manifest: manifest(1, "")}, join.Options{Manifest: manifest(1, "")}, nil},
		"other":              {&checksum.Server{Policy: checksum.Strict, Manifest: manifest(1, "")}, join.Options{Manifest: manifest(2, "")}, join.ErrFiles},
		"none":               {&checksum.Server{Manifest: manifest(1, "")}, join.Options{}, join.ErrFiles},
		"version":            {&checksum.Server{Policy: checksum.Strict, Manifest: manifest(1, "")}, join.Options{Manifest: manifest(1, "61")}, join.ErrVersion},
		"stock, other":       {&checksum.Server{Policy: checksum.Stock, Manifest: manifest(1, "")}, join.Options{Manifest: manifest(2, "")}, join.ErrFiles},
		"vanilla on vanilla": {&checksum.Server{Policy: checksum.AllowExtra, Manifest: checksum.Vanilla()}, join.Options{Manifest: checksum.Vanilla()}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o, lines := logged(join.HostOptions{Files: c.files})
			w := newWorld(t, o)
			g := w.connect(c.o)
			w.run(40 * time.Second)
			require.Equal(t, c.want != nil, strings.Contains(strings.Join(lines(), "\n"), "files differ"))
			if c.want == nil {
				require.Equal(t, join.StageInGame, g.stage())
				return
			}
			require.ErrorIs(t, g.err(), c.want)
			require.Empty(t, w.host.Members())
			require.Zero(t, w.host.Hub().Len())
		})
	}

	w := newWorld(t, join.HostOptions{Files: &checksum.Server{Policy: checksum.Strict, Manifest: manifest(1, "")}})
	g := w.connectSilent() // also to a rejection
	w.run(time.Second)
	g.silent, g.load, g.loaded = false, time.Hour, w.now.Add(time.Hour)
	g.say(&opcode.ChecksumResponse{NoFiles: true})
	g.say(&opcode.NewPlayerInGame{})
	w.run(time.Second)
	require.Equal(t, map[string]int{"refused": 1}, w.drops)
}

// With LearnFirst, the first client that enters decides about the files of the others, also of those that load.
func TestFirstToEnterDecides(t *testing.T) {
	w := newWorld(t, join.HostOptions{Files: &checksum.Server{Policy: checksum.LearnFirst}})
	ann, bob := w.connect(join.Options{Manifest: checksum.Vanilla()}), w.connect(join.Options{Manifest: checksum.Vanilla()})
	eve := w.connect(join.Options{})
	bob.load, eve.load = 5*time.Second, 5*time.Second
	w.run(8 * time.Second)
	w.requireInGame(ann, bob)
	require.ErrorIs(t, eve.err(), join.ErrRefused)
	require.Zero(t, ann.count(opcode.OpDeletePlayerAnim), "she was never in the game")
}

// A client that does not respond to a request for hashes, like the game without the files, is kicked.
func TestSilentAboutFiles(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	g := w.connectSilent()
	w.run(40 * time.Second)
	require.ErrorIs(t, g.err(), join.ErrRefused)
	require.Empty(t, w.host.Members())
	require.Zero(t, w.host.Hub().Len())
}

// A client has 30 s for each round of files.
func TestSlowAboutFiles(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	g := w.connectSilent()
	for _, r := range checksum.Rounds() {
		w.run(22 * time.Second)
		g.say(&opcode.ChecksumResponse{Index: r.Index, NoFiles: true})
	}
	w.run(2 * time.Second)
	w.requireInGame(g)
}

// The more sessions are used up, the less time a client has for its files.
func TestPatience(t *testing.T) {
	w := newWorld(t, join.HostOptions{Hub: transport.HubOptions{MaxSessions: 4}})
	var all []*guest
	for range 4 {
		all = append(all, w.connectSilent())
		w.run(time.Second)
	}
	var ended []int // after each 5 s
	for range 8 {
		w.run(5 * time.Second)
		n := 0
		for _, g := range all {
			if g.stage() == join.StageEnded {
				n++
			}
		}
		ended = append(ended, n)
	}
	require.Equal(t, []int{1, 1, 2, 2, 2, 4, 4, 4}, ended)
}

// A network may have four sessions by default.
func TestSessionsOfOneNetwork(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	var all []*guest
	for port := range 5 {
		all = append(all, w.connect(join.Options{}, addr(1, 1000+port)))
		w.run(2 * time.Second)
	}
	w.requireInGame(all[:4]...)
	require.ErrorIs(t, all[4].err(), join.ErrFull)
}

// A client that never loads the mission is kicked after LoadTimeout. One that never acknowledges
// MissionInit does not enter.
func TestDeadlinesOfStages(t *testing.T) {
	w := newWorld(t, join.HostOptions{LoadTimeout: 30 * time.Second})
	g := w.connectSlow("Ann", time.Hour)
	w.run(25 * time.Second)
	require.NoError(t, g.err())
	w.run(8 * time.Second)
	require.ErrorIs(t, g.err(), join.ErrRefused)

	g = w.connectSlow("Bob", 5*time.Second)
	w.until(10*time.Second, func() bool { return g.stage() == join.StageEntering })
	w.run(2 * step)
	w.remove(g)
	w.run(70 * time.Second)
	require.Empty(t, w.host.Members())
	require.Zero(t, w.host.Hub().Len())
}

// An idle player is kicked, if the option says so.
func TestIdle(t *testing.T) {
	w := newWorld(t, join.HostOptions{Idle: time.Minute})
	ann, bob := w.join("Ann"), w.join("Bob")
	for range 12 {
		ann.say(&opcode.ChatMessage{Text: stream.Text("here")})
		_ = bob.Send(&opcode.TeamMessage{PlayerID: 3, Team: 7}) // which the Host drops; or the session has ended
		w.run(10 * time.Second)
	}
	require.NoError(t, ann.err())
	require.ErrorIs(t, bob.err(), join.ErrRefused)
	require.EqualError(t, bob.err(), "join: in the game: refused by the server: timed out")
	cat := w.connectSlow("Cat", 70*time.Second)
	w.run(75 * time.Second)
	w.requireInGame(cat)
}

// Between two rounds the players stay, and new clients wait for at most 40 s and are then refused.
func TestRounds(t *testing.T) {
	w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{TimeLimit: 10}})
	ann := w.join("Ann")
	require.EqualValues(t, 600, ann.State().Mission.EndTime)
	m := w.member(2)
	m.Kills, m.Ship = 3, 7
	w.host.End(opcode.EndTimeUp)
	w.host.End(opcode.EndFragLimit)
	bob := w.connect(join.Options{Name: "Bob"})
	w.run(30 * time.Second)
	require.Equal(t, 1, ann.count(opcode.OpEndGame))
	require.Equal(t, opcode.EndTimeUp, last[*opcode.EndGame](ann).Reason)
	require.Equal(t, join.StageConnecting, bob.stage())
	for i := range 1000 {
		w.forge(addr(5000+i, 1), objectid.NoPeer, connectRequest(i)) // more than the Host holds
	}
	w.receive(addr(1, 1), []byte(`\status\`))
	w.run(2 * time.Second)
	w.host.Restart()
	require.Zero(t, m.Kills)
	require.Zero(t, m.Ship)
	w.until(3*time.Second, func() bool { return bob.stage() == join.StageInGame })
	require.Equal(t, 1, ann.count(opcode.OpRestartGame))
	require.InDelta(t, 632, bob.State().Mission.EndTime, 2)

	w.host.End(opcode.EndOver)
	late := w.connect(join.Options{Name: "Late"})
	w.run(42 * time.Second) // before it gives up
	require.ErrorIs(t, late.err(), join.ErrRefused)
	require.Equal(t, "join: connecting: refused by the server: timed out", late.err().Error())
	require.Len(t, w.host.Members(), 2)

	// A client that loads when the round ends learns the end.
	w.host.Restart()
	cat := w.connectSlow("Cat", 5*time.Second)
	w.run(3 * time.Second)
	w.host.End(opcode.EndScoreLimit)
	w.run(5 * time.Second)
	require.Equal(t, opcode.EndScoreLimit, last[*opcode.EndGame](cat).Reason)
}

// The program receives messages that are authorized and validated, and relays them by their rule.
func TestMessages(t *testing.T) {
	var got []string
	var host *join.Host
	w := newWorld(t, join.HostOptions{Message: func(from *join.Member, m opcode.Message) {
		got = append(got, fmt.Sprint(from.Name, " ", m.Opcode()))
		host.Relay(from, m)
	}})
	host = w.host
	ann, bob, cat := w.join("Ann"), w.join("Bob"), w.join("Cat")
	late := w.connectSlow("Late", time.Minute)
	w.run(time.Second)
	counts := func(code opcode.Code) [4]int {
		return [4]int{ann.count(code), bob.count(code), cat.count(code), late.count(code)}
	}
	base, _ := objectid.Base(0)
	ann.say(opcode.NewStartFiring(base+6, objectid.None))
	ann.say(&opcode.TorpedoFire{TubeID: base + 7, PlayerID: 3})
	ann.say(&opcode.BeamFire{WeaponID: base + 8, PlayerID: 3})
	ann.say(&opcode.ChatMessage{SenderID: 3, Text: stream.Text("\x01a\x7Fl\x00l\r\nBob: é\t")})
	ann.say(&opcode.TeamMessage{PlayerID: 2, Team: opcode.TeamOne})
	bob.say(&opcode.TeamMessage{PlayerID: 3, Team: opcode.TeamOne})
	bobs, _ := objectid.Base(1)
	bob.say(&opcode.ObjectCreateTeam{OwnerSlot: 1, NetPlayerID: 3, Object: opcode.Object{ClassID: opcode.ObjectShip, ObjectID: bobs, PlayerName: stream.Text("Ann")}})
	w.run(time.Second)
	bob.say(&opcode.TeamChatMessage{SenderID: 9, Text: stream.Text("team")})
	cat.say(&opcode.StateUpdate{})
	cat.say(&opcode.HostMessage{})
	cat.say(&opcode.NewPlayerInGame{Modem: true})
	w.run(time.Second)
	require.Equal(t, []string{
		"Ann StartFiring", "Ann TorpedoFire", "Ann BeamFire", "Ann ChatMessage", "Ann TeamMessage", "Bob TeamMessage", "Bob ObjectCreateTeam", "Bob TeamChatMessage",
		"Cat HostMessage", "Cat NewPlayerInGame",
	}, got)
	require.Equal(t, [4]int{0, 1, 1, 0}, counts(opcode.OpStartFiring))
	require.Equal(t, [4]int{0, 1, 1, 0}, counts(opcode.OpTorpedoFire))
	require.Equal(t, [4]int{1, 1, 1, 0}, counts(opcode.OpChatMessage))
	require.Equal(t, [4]int{1, 1, 0, 0}, counts(opcode.OpTeamChatMessage))
	require.Equal(t, [4]int{2, 2, 2, 0}, counts(opcode.OpTeamMessage))
	require.Equal(t, [4]int{}, counts(opcode.OpHostMessage))
	require.EqualValues(t, 2, last[*opcode.TorpedoFire](bob).PlayerID)
	require.EqualValues(t, 2, last[*opcode.BeamFire](bob).PlayerID)
	require.EqualValues(t, 2, last[*opcode.ChatMessage](cat).SenderID)
	require.Equal(t, stream.Text("allBob: é"), last[*opcode.ChatMessage](cat).Text)
	require.EqualValues(t, 3, last[*opcode.TeamChatMessage](ann).SenderID)
	require.Equal(t, "Bob", last[*opcode.ObjectCreateTeam](ann).PlayerName.String())
	require.Equal(t, opcode.TeamOne, w.member(3).Team)
	require.True(t, w.member(4).Modem)

	// Messages that clients may not send.
	before := len(got)
	send := func(g *guest, payload []byte) { require.NoError(t, g.session.Send(payload, transport.Reliable)) }
	marshal := func(m opcode.Message) []byte {
		b, err := opcode.Marshal(m)
		require.NoError(t, err)
		return b
	}
	other, _ := objectid.Base(1)
	send(ann, marshal(opcode.NewStartFiring(other+6, objectid.None)))
	send(ann, marshal(&opcode.DestroyObject{ObjectID: other}))
	send(ann, marshal(&opcode.TeamMessage{PlayerID: 3, Team: opcode.TeamTwo}))
	send(ann, marshal(&opcode.TeamMessage{PlayerID: 2, Team: 7}))
	send(ann, append(marshal(&opcode.ChatMessage{}), 0))
	send(ann, []byte{byte(opcode.OpStartFiring)})
	send(ann, []byte{0xF0, 1})
	send(ann, nil)
	large := append([]byte{byte(opcode.OpObjectCreateTeam)}, make([]byte, transport.MaxUnfragmentedPayload)...)
	send(ann, large)
	send(ann, large[:transport.MaxUnfragmentedPayload])
	send(ann, append(marshal(opcode.NewStopFiring(base+6)), 0))
	w.member(2).Ship = base
	send(ann, marshal(&opcode.StateUpdate{ObjectID: base + 1}))
	send(late, marshal(&opcode.ChatMessage{Text: stream.Text("early")}))
	w.run(2 * time.Second)
	require.Len(t, got, before)
	require.Equal(t, map[string]int{
		"forged": 5, "direction": 1, "invalid": 1, "trailing": 1, "malformed": 1, "unknown": 1, "empty": 1, "oversize": 2, "early": 1,
	}, w.drops)
	require.Len(t, w.host.Members(), 3)

	w.host.Broadcast(&opcode.DestroyObject{ObjectID: base})
	require.Equal(t, base, w.member(2).Ship, "the program sets it")
	late.say(&opcode.NewPlayerInGame{Modem: true})
	w.run(time.Second)
	require.True(t, w.member(late.id()).Modem)
}

// Without a function of the program, the Host relays. A message that does not encode is logged.
func TestRelayByDefault(t *testing.T) {
	var log bytes.Buffer
	w := newWorld(t, join.HostOptions{Log: slog.New(slog.NewTextHandler(&log, nil))})
	ann, bob := w.join("Ann"), w.join("Bob")
	ann.say(&opcode.ChatMessage{Text: stream.Text("hello")})
	w.host.Broadcast(&opcode.ChatMessage{Text: make(stream.Text, 1<<17)})
	w.run(time.Second)
	require.Equal(t, "hello", last[*opcode.ChatMessage](bob).Text.String())
	require.Contains(t, log.String(), "message not sent")
	require.Contains(t, log.String(), `msg=joined player.peer=3 player.name=Bob`)
}

// A program decides about the team and the modem of a player before the Host follows them. A player whose team is
// not as it says is told its team.
func TestTheProgramDecidesFirst(t *testing.T) {
	var host *join.Host
	accept := func(*opcode.TeamMessage) bool { return false }
	w := newWorld(t, join.HostOptions{Message: func(from *join.Member, m opcode.Message) {
		team, ok := m.(*opcode.TeamMessage)
		if ok && accept(team) || m.Opcode() == opcode.OpTeamChatMessage {
			host.Relay(from, m)
		}
	}})
	host = w.host
	ann, bob := w.join("Ann"), w.join("Bob")
	say := func(g *guest, m opcode.Message) (anns, bobs int) {
		code := m.Opcode()
		anns, bobs = ann.count(code), bob.count(code)
		g.say(m)
		w.run(time.Second)
		return ann.count(code) - anns, bob.count(code) - bobs
	}
	anns, bobs := say(ann, &opcode.TeamMessage{PlayerID: 2, Team: opcode.TeamOne})
	require.Equal(t, [2]int{1, 0}, [2]int{anns, bobs}, "refused")
	require.Equal(t, opcode.TeamNone, w.member(2).Team)
	require.Equal(t, &opcode.TeamMessage{PlayerID: 2, Team: opcode.TeamNone}, last[*opcode.TeamMessage](ann))

	accept = func(*opcode.TeamMessage) bool { return true }
	anns, bobs = say(ann, &opcode.TeamMessage{PlayerID: 2, Team: opcode.TeamOne})
	require.Equal(t, [2]int{1, 1}, [2]int{anns, bobs}, "accepted")
	require.Equal(t, opcode.TeamOne, w.member(2).Team)

	accept = func(m *opcode.TeamMessage) bool {
		m.Team = opcode.TeamTwo // to keep the teams equal
		return true
	}
	anns, bobs = say(bob, &opcode.TeamMessage{PlayerID: 3, Team: opcode.TeamOne})
	require.Equal(t, [2]int{1, 1}, [2]int{anns, bobs}, "changed")
	require.Equal(t, &opcode.TeamMessage{PlayerID: 3, Team: opcode.TeamTwo}, last[*opcode.TeamMessage](ann))
	require.Equal(t, &opcode.TeamMessage{PlayerID: 3, Team: opcode.TeamTwo}, last[*opcode.TeamMessage](bob))

	anns, bobs = say(bob, &opcode.TeamMessage{PlayerID: 2, Team: opcode.TeamTwo})
	require.Equal(t, [2]int{0, 0}, [2]int{anns, bobs}, "forged, and its own team is as it says")
	anns, bobs = say(bob, &opcode.TeamMessage{PlayerID: 2, Team: opcode.TeamOne})
	require.Equal(t, [2]int{0, 0}, [2]int{anns, bobs}, "forged, and it says nothing of its own team")
	accept = func(m *opcode.TeamMessage) bool {
		m.Team = opcode.TeamOne
		return false
	}
	anns, bobs = say(bob, &opcode.TeamMessage{PlayerID: 3, Team: opcode.TeamTwo})
	require.Equal(t, [2]int{0, 0}, [2]int{anns, bobs}, "changed and refused, and its own team is as it has said")
	anns, bobs = say(bob, &opcode.TeamMessage{PlayerID: 3, Team: 7})
	require.Equal(t, [2]int{0, 1}, [2]int{anns, bobs}, "no team")
	anns, bobs = say(ann, &opcode.TeamChatMessage{Text: stream.Text("to my team")})
	require.Equal(t, [2]int{1, 0}, [2]int{anns, bobs}, "the teams are as the program says")

	say(ann, &opcode.NewPlayerInGame{Modem: true})
	require.False(t, w.member(2).Modem)
}

// Neither side acts on an opcode that a relay puts in place of an unwanted message.
func TestUnusedOpcodeIsIgnored(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	ann, bob := w.join("Ann"), w.join("Bob")
	w.run(time.Second)
	before, heard := ann.State(), len(bob.heard)
	filler := &opcode.Unknown{Op: opcode.OpBeginSendFile}
	bob.say(filler)
	w.host.Send(filler, w.member(2))
	w.run(time.Second)
	require.Equal(t, map[string]int{"direction": 1}, w.drops)
	require.Equal(t, before, ann.State())
	require.Equal(t, opcode.OpBeginSendFile, ann.heard[len(ann.heard)-1].Opcode())
	require.Len(t, bob.heard, heard)
	w.requireInGame(ann, bob)
}

// beacon is a message of a mod, which players may send about themselves.
type beacon struct {
	PlayerID objectid.PeerID
	Text     stream.Text
}

func (m *beacon) Opcode() opcode.Code { return 0x60 }

func (m *beacon) Walk(c *stream.Codec) {
	c.Field("PlayerID").Int32((*int32)(&m.PlayerID))
	c.Field("Text").String8(&m.Text)
}

func (m *beacon) Authorize(from opcode.Sender) error {
	if m.PlayerID != from.PeerID {
		return opcode.ErrForged
	}
	return nil
}

// beacons returns a decoder with the message of the mod.
func beacons(t *testing.T) *opcode.Decoder {
	decoder := &opcode.Decoder{}
	require.NoError(t, decoder.Register(0x60, func() opcode.Message { return new(beacon) }))
	return decoder
}

// A program registers the messages of a mod. They are authorized and limited like the messages of the game.
func TestMessageOfAMod(t *testing.T) {
	var host *join.Host
	w := newWorld(t, join.HostOptions{Decoder: beacons(t), Message: func(from *join.Member, m opcode.Message) {
		host.Broadcast(m)
	}})
	host = w.host
	ann, bob := w.join("Ann"), w.join("Bob")
	ann.say(&beacon{PlayerID: bob.id()})
	ann.say(&opcode.Unknown{Op: 0x61})
	ann.say(&beacon{PlayerID: ann.id(), Text: stream.Text("x")})
	w.run(time.Second)
	require.Equal(t, map[string]int{"forged": 1, "unknown": 1}, w.drops)
	require.Equal(t, &opcode.Unknown{Op: 0x60, Data: []byte{2, 0, 0, 0, 1, 'x'}}, last[*opcode.Unknown](bob))
	require.Equal(t, 1, bob.count(0x60))
	for range 1200 { // a minute of all that a player may send
		_ = ann.Send(&beacon{PlayerID: ann.id(), Text: make(stream.Text, 250)})
		w.run(50 * time.Millisecond)
	}
	w.requireInGame(ann, bob)
	require.Greater(t, bob.count(0x60), 60)
	require.Less(t, bob.count(0x60), 60*5)
}

// The messages of a player are limited, so that it cannot fill the queues of the others.
func TestRateLimits(t *testing.T) {
	ships, chat, updates := 0, 0, 0
	var host *join.Host
	w := newWorld(t, join.HostOptions{Message: func(from *join.Member, m opcode.Message) {
		switch m.(type) {
		case *opcode.ObjectCreateTeam:
			ships++
		case *opcode.ChatMessage, *opcode.TeamChatMessage:
			chat++
		case *opcode.StateUpdate:
			updates++
		}
		host.Relay(from, m)
	}})
	host = w.host
	ann, eve := w.join("Ann"), w.join("Eve")
	base, _ := objectid.Base(1)
	const seconds = 60
	for i := range seconds * 50 {
		_ = eve.Send(&opcode.ChatMessage{Text: stream.Text("spam")})
		_ = eve.Send(&opcode.StateUpdate{ObjectID: base})
		_ = eve.Send(&opcode.StateUpdate{ObjectID: base})
		_ = eve.Send(opcode.NewStartFiring(base+6, objectid.None))
		_ = eve.Send(&opcode.ObjectCreateTeam{OwnerSlot: 1, NetPlayerID: 3, Object: opcode.Object{ClassID: opcode.ObjectShip, ObjectID: base + objectid.ID(i)}})
		w.run(20 * time.Millisecond)
	}
	require.LessOrEqual(t, chat, 2*seconds+10)
	require.LessOrEqual(t, ships, seconds/2+4)
	require.LessOrEqual(t, updates, 40*seconds+80)
	require.Greater(t, updates, 30*seconds)
	require.Positive(t, ships)
	require.Positive(t, chat)
	require.LessOrEqual(t, ann.count(opcode.OpStartFiring), 25*seconds+50)
	require.NoError(t, ann.err())

	// One kind of message alone.
	dan := w.join("Dan")
	base, _ = objectid.Base(dan.State().Self.Slot)
	say := func(perSecond int, m opcode.Message) {
		w.run(10 * time.Second)
		for range 10 * perSecond {
			_ = dan.Send(m)
			w.run(time.Second / time.Duration(perSecond))
		}
		w.run(time.Second)
	}
	ships, updates = 0, 0
	say(40, &opcode.StateUpdate{ObjectID: base, Flags: opcode.StatePower, Power: make([]opcode.PowerEntry, 40)})
	require.InDelta(t, 400, updates, 5, "they cost nothing of what is relayed")
	before := ann.count(opcode.OpStartFiring)
	say(25, opcode.NewStartFiring(base+6, objectid.None))
	require.InDelta(t, 250, ann.count(opcode.OpStartFiring)-before, 5)
	chat = 0
	say(10, &opcode.TeamChatMessage{Text: stream.Text("spam")})
	require.InDelta(t, 2*10+10, chat, 1)
	say(10, &opcode.ObjectCreateTeam{OwnerSlot: dan.State().Self.Slot, NetPlayerID: dan.id(), Object: opcode.Object{ClassID: opcode.ObjectShip, ObjectID: base}})
	require.InDelta(t, 10/2+3, ships, 1)

	ann.say(&opcode.ChatMessage{Text: stream.Text("still here")})
	w.run(2 * time.Second)
	require.True(t, slices.ContainsFunc(ann.heard, func(m opcode.Message) bool {
		line, ok := m.(*opcode.ChatMessage)
		return ok && line.SenderID == ann.id() && line.Text.String() == "still here"
	}))
}

// A player who cannot keep up with what the Host must say is kicked, and the others are told.
func TestQueueFull(t *testing.T) {
	var log bytes.Buffer
	w := newWorld(t, join.HostOptions{Log: slog.New(slog.NewTextHandler(&log, nil))})
	ann, bob := w.join("Ann"), w.join("Bob")
	w.remove(ann)
	member := w.member(ann.id())
	for range 2000 {
		w.host.Send(&opcode.UICollisionSetting{}, member)
	}
	w.run(time.Second)
	require.Equal(t, 1, strings.Count(log.String(), "cannot keep up"))
	require.Contains(t, bob.lines, "Boot 2 timed out")
	require.Len(t, w.host.Members(), 1)

	for range 2000 { // unreliable: what does not fit is lost, and does not wait
		w.host.Send(&opcode.StateUpdate{}, w.member(bob.id()))
	}
	w.run(time.Minute)
	require.Equal(t, 1024, bob.count(opcode.OpStateUpdate))
	w.requireInGame(bob)
}

// A player who hears nothing for a while is not ended for what others say. Afterwards it hears the last state of each
// object, after the creation, and the messages of the account that sent less.
func TestWhatWaits(t *testing.T) {
	var host *join.Host
	w := newWorld(t, join.HostOptions{Message: func(from *join.Member, m opcode.Message) { host.Relay(from, m) }})
	host = w.host
	ann, bob, eve := w.join("Ann"), w.join("Bob"), w.join("Eve")
	base := func(g *guest) objectid.ID {
		id, _ := objectid.Base(g.State().Self.Slot)
		return id
	}
	relay := func(g *guest, m opcode.Message) { host.Relay(w.member(g.id()), m) }
	deaf := w.clients[ann.addr]
	w.clients[ann.addr] = deafened{deaf}
	for range 300 { // fill what is sent without an Ack
		relay(eve, opcode.NewStartFiring(base(eve)+1, objectid.None))
	}
	relay(bob, &opcode.ChatMessage{SenderID: bob.id(), Text: stream.Text("help")})
	ship := &opcode.ObjectCreateTeam{OwnerSlot: 1, NetPlayerID: bob.id(), Object: opcode.Object{ClassID: opcode.ObjectShip, ObjectID: base(bob)}}
	relay(bob, ship)
	for range 1000 {
		relay(bob, opcode.NewStartFiring(base(bob)+6, objectid.None))
		relay(bob, opcode.NewStopFiring(base(bob)+6))
		relay(bob, opcode.NewStartFiring(base(bob)+7, objectid.None))
	}
	for i := range objectid.ID(5000) { // parts that Eve invents
		relay(eve, opcode.NewStartFiring(base(eve)+i, objectid.None))
		relay(eve, &opcode.ChatMessage{SenderID: eve.id(), Text: make(stream.Text, 200)})
	}
	gone := &opcode.ObjectCreateTeam{OwnerSlot: 1, NetPlayerID: bob.id(), Object: opcode.Object{ClassID: opcode.ObjectShip, ObjectID: base(bob) + 100}}
	relay(bob, gone)
	host.Broadcast(&opcode.DestroyObject{ObjectID: base(bob) + 100})
	w.run(30 * time.Second)
	w.clients[ann.addr] = deaf
	ann.heard = nil
	w.run(30 * time.Second)
	w.requireInGame(ann, bob, eve)
	var bobs []string
	chat := 0
	for _, m := range ann.heard {
		switch m := m.(type) {
		case *opcode.ChatMessage:
			if chat++; m.SenderID == bob.id() {
				bobs = append(bobs, m.Text.String())
			}
		case *opcode.ObjectCreateTeam:
			bobs = append(bobs, fmt.Sprint("create ", m.ObjectID-base(bob)))
		case *opcode.DestroyObject:
			bobs = append(bobs, fmt.Sprint("destroy ", m.ObjectID-base(bob)))
		case *opcode.StartFiring:
			if slot, _ := m.Dest.Slot(); slot == 1 {
				bobs = append(bobs, fmt.Sprint("start ", m.Dest-base(bob)))
			}
		case *opcode.StopFiring:
			bobs = append(bobs, fmt.Sprint("stop ", m.Dest-base(bob)))
		}
	}
	text := func(id int) string { return fmt.Sprint(objectid.ID(id)) }
	require.Equal(t, []string{"help", "create " + text(0), "stop " + text(6), "start " + text(7), "destroy " + text(100)}, bobs)
	require.Less(t, chat, 1000)

	w.clients[ann.addr] = ackless{ann}
	relay(bob, &opcode.ChatMessage{SenderID: bob.id(), Text: stream.Text("still there?")})
	w.run(40 * time.Second)
	require.NotNil(t, w.member(ann.id()))
	w.run(10 * time.Second)
	require.Nil(t, w.member(ann.id()), "it is ended for what it does not acknowledge")
}

// deafen makes a guest receive nothing, and fills what the host sends without an Ack. The function that it returns ends
// this, and lets the guest hear what has waited.
func (w *world) deafen(g *guest) (hear func()) {
	w.clients[g.addr] = deafened{g}
	for range 300 {
		w.host.Send(&opcode.UICollisionSetting{}, w.member(g.id()))
	}
	return func() {
		w.run(time.Second)
		w.clients[g.addr] = g
		g.heard = nil
		w.run(10 * time.Second)
		w.requireInGame(g)
	}
}

// A newer state waits in place of an older one with the same subject. What is lasting is not replaced.
func TestNewerStates(t *testing.T) {
	const bob = 3 // with the slot 1
	base, _ := objectid.Base(1)
	anns, _ := objectid.Base(0)
	ship := opcode.Object{ClassID: opcode.ObjectShip, ObjectID: base}
	explosion, err := opcode.NewObjectExploding(base, objectid.None, bob, 9)
	require.NoError(t, err)
	cloak := &opcode.StartCloaking{Event: opcode.Event{Class: opcode.ClassEvent, Code: opcode.ETStartCloakingNotify, Dest: base + 6}}
	uncloak := &opcode.StopCloaking{Event: opcode.Event{Class: opcode.ClassEvent, Code: opcode.ETStopCloakingNotify, Dest: base + 6}}
	for name, c := range map[string]struct {
		relayed   opcode.Message // of Bob, or nil
		broadcast []opcode.Message
		want      int // how many of them wait
	}{
		"teams":       {&opcode.TeamMessage{PlayerID: bob, Team: opcode.TeamOne}, []opcode.Message{&opcode.TeamMessage{PlayerID: bob, Team: opcode.TeamTwo}}, 1},
		"scores":      {nil, []opcode.Message{&opcode.Score{PlayerID: bob}, &opcode.Score{PlayerID: bob, Kills: 1}, &opcode.Score{PlayerID: 2}}, 2},
		"firing":      {opcode.NewStartFiring(base+6, objectid.None), []opcode.Message{opcode.NewStopFiring(base + 6), opcode.NewStopFiring(base + 7)}, 2},
		"cloaking":    {cloak, []opcode.Message{uncloak}, 1},
		"cloak, fire": {cloak, []opcode.Message{opcode.NewStopFiring(base + 6)}, 2},
		"parts":       {opcode.NewSubsystemStatus(base+6, true), []opcode.Message{opcode.NewSubsystemStatus(base+6, false), opcode.NewSubsystemStatus(base+7, false)}, 2},
		"sources":     {&opcode.PythonEvent{Event: opcode.Event{Source: base + 6}}, []opcode.Message{&opcode.PythonEvent{Event: opcode.Event{Source: base + 6}}}, 1},
		"one part":    {opcode.NewSubsystemStatus(base+6, true), []opcode.Message{&opcode.PythonEvent{Event: opcode.Event{Code: opcode.ETStartCloakingNotify, Dest: base + 6}}}, 2},
		"another's":   {opcode.NewSubsystemStatus(anns+6, true), []opcode.Message{opcode.NewSubsystemStatus(anns+6, true)}, 2},
		"deletion":    {nil, []opcode.Message{&opcode.ObjectCreate{Object: ship}, &opcode.DestroyObject{ObjectID: base}}, 1},
		"next ship":   {nil, []opcode.Message{&opcode.ObjectCreateTeam{Object: ship}, explosion, &opcode.ObjectCreateTeam{Object: ship}, explosion}, 4},
		"chat":        {&opcode.ChatMessage{SenderID: bob}, []opcode.Message{&opcode.ChatMessage{SenderID: bob}}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, join.HostOptions{})
			ann := w.join("Ann")
			w.join("Bob")
			hear := w.deafen(ann)
			if c.relayed != nil {
				w.host.Relay(w.member(bob), c.relayed)
			}
			for _, m := range c.broadcast {
				w.host.Broadcast(m)
			}
			hear()
			heard := slices.DeleteFunc(ann.heard, func(m opcode.Message) bool { return m.Opcode() == opcode.OpUICollisionSetting })
			require.Len(t, heard, c.want)
			require.Equal(t, fmt.Sprint(c.broadcast[len(c.broadcast)-1]), fmt.Sprint(heard[c.want-1]))
		})
	}
}

// A player who says too much loses shots and chat first, and then events of parts, but not its ship and the ship's end.
// What the Host says is not lost.
func TestFloods(t *testing.T) {
	base, _ := objectid.Base(0)
	for name, flood := range map[string]func(i objectid.ID) opcode.Message{
		"chat":      func(objectid.ID) opcode.Message { return &opcode.ChatMessage{Text: make(stream.Text, 50)} },
		"torpedoes": func(i objectid.ID) opcode.Message { return &opcode.TorpedoFire{TubeID: base + i} },
		"beams":     func(i objectid.ID) opcode.Message { return &opcode.BeamFire{WeaponID: base + i} },
		"parts":     func(i objectid.ID) opcode.Message { return opcode.NewStartFiring(base+i, objectid.None) },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, join.HostOptions{})
			bob, ann := w.join("Bob"), w.join("Ann")
			hear := w.deafen(ann)
			w.host.Broadcast(&opcode.ChatMessage{SenderID: objectid.Host, Text: stream.Text("welcome")})
			w.host.Relay(w.member(bob.id()), &opcode.ObjectCreateTeam{NetPlayerID: bob.id(), Object: opcode.Object{ClassID: opcode.ObjectShip, ObjectID: base}})
			explosion, err := opcode.NewObjectExploding(base, objectid.None, bob.id(), 9)
			require.NoError(t, err)
			w.host.Relay(w.member(bob.id()), explosion)
			const most = 1600
			for i := range objectid.ID(most) {
				w.host.Relay(w.member(bob.id()), flood(i))
			}
			hear()
			require.Equal(t, 1, ann.count(opcode.OpObjectCreateTeam))
			require.Equal(t, 1, ann.count(explosion.Opcode()))
			require.Less(t, ann.count(flood(0).Opcode()), most)
			require.True(t, slices.ContainsFunc(ann.heard, func(m opcode.Message) bool {
				line, ok := m.(*opcode.ChatMessage)
				return ok && line.SenderID == objectid.Host
			}))

			hear = w.deafen(ann)
			for i := range objectid.ID(2000) { // more than waits, of which none is said rather than done
				w.host.Relay(w.member(bob.id()), &opcode.ObjectCreateTeam{NetPlayerID: bob.id(), Object: opcode.Object{ClassID: opcode.ObjectShip, ObjectID: base + i}})
			}
			hear()
		})
	}
}

// What has been sent does not count as waiting.
func TestNothingIsLostAfterAPause(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	ann, bob := w.join("Ann"), w.join("Bob")
	for range 3 {
		hear := w.deafen(ann)
		for range 600 {
			w.host.Relay(w.member(bob.id()), &opcode.ChatMessage{Text: make(stream.Text, 50)})
		}
		hear()
		require.Equal(t, 600, ann.count(opcode.OpChatMessage))
	}
}

// What is said while something waits comes after it, and what is said later comes at once. An unreliable message
// overtakes what waits, and a message that the session cannot take as a whole waits.
func TestOrderOfWhatWaits(t *testing.T) {
	w := newWorld(t, join.HostOptions{})
	ann, bob := w.join("Ann"), w.join("Bob")
	n := 0
	say := func() {
		w.host.Relay(w.member(bob.id()), &opcode.ChatMessage{Text: stream.Text(fmt.Sprintf("%4d", n))})
		n++
	}
	w.deafen(ann)
	for range 600 {
		say()
	}
	w.clients[ann.addr] = ann
	ann.heard = nil
	w.host.Send(&opcode.StateUpdate{}, w.member(ann.id()))
	for range 1000 {
		say()
		w.run(step)
	}
	w.run(time.Second)
	var lines []string
	for _, m := range ann.heard {
		switch m := m.(type) {
		case *opcode.ChatMessage:
			lines = append(lines, m.Text.String())
		case *opcode.StateUpdate:
			require.Empty(t, lines)
			lines = append(lines, "")
		}
	}
	require.Len(t, lines, 1+n)
	require.True(t, slices.IsSorted(lines))

	w.until(time.Second, func() bool { return w.tickAt.Sub(w.now) >= 8*step })
	say()
	w.run(6 * step)
	require.Equal(t, n, ann.count(opcode.OpChatMessage))

	w.clients[ann.addr] = deafened{ann}
	for range 180 {
		w.host.Send(&opcode.Unknown{Op: 0x60, Data: make([]byte, 2000)}, w.member(ann.id()))
	}
	w.run(time.Second)
	w.clients[ann.addr] = ann
	w.run(20 * time.Second)
	require.Equal(t, 180, ann.count(0x60))
}

// deafened is a client that receives nothing.
type deafened struct{ client }

func (deafened) Receive(time.Time, []byte) {}

// ackless is a guest whose Acks are lost.
type ackless struct{ *guest }

func (a ackless) AppendDatagram(dst []byte, now time.Time) []byte {
	d := a.guest.AppendDatagram(nil, now)
	if len(d) == 0 {
		return dst
	}
	p := transport.Packet{PeerID: a.id(), Messages: []transport.Message{doNothing()}}
	for m := range transport.Messages(d) {
		if m.Type != transport.TypeAck {
			p.Messages = append(p.Messages, *m)
		}
	}
	d, err := p.MarshalBinary()
	require.NoError(a.w.t, err)
	return append(dst, d...)
}

// The slot of a client is its peer ID less 2 where that is free. The limit of players holds.
func TestSlots(t *testing.T) {
	w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: 3}})
	ann := w.join("Ann")
	w.join("Bob")
	w.join("Cat")
	late := w.connect(join.Options{})
	w.run(time.Second)
	require.ErrorIs(t, late.err(), join.ErrFull)
	require.ErrorContains(t, late.err(), "join: connecting: ")

	// Two clients are compared for one slot.
	one := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: 1}})
	first, second := one.connect(join.Options{}), one.connect(join.Options{})
	one.run(2 * time.Second)
	one.requireInGame(first)
	require.ErrorIs(t, second.err(), join.ErrFull)
	require.ErrorContains(t, second.err(), "join: comparing files: ")
	ann.leave()
	w.run(time.Second)
	dan := w.join("Dan")
	require.EqualValues(t, 5, dan.id())
	require.EqualValues(t, 3, dan.State().Self.Slot)
	var slots []objectid.Slot
	for _, m := range w.host.Members() {
		slots = append(slots, m.Slot)
	}
	require.Equal(t, []objectid.Slot{1, 2, 3}, slots)
}

// openBC is a client like OpenBC's: it writes its own forms of Connect, name, Ack and Disconnect, sends
// nothing again, and acknowledges no system message.
type openBC struct {
	t     *testing.T
	peer  byte
	seq   byte
	out   [][]byte // messages to send
	heard []opcode.Code
	chat  []opcode.ChatMessage
}

func newOpenBC(t *testing.T) *openBC {
	return &openBC{t: t, peer: 0xFF, out: [][]byte{testdata.Bytes("0308010000007F00")}}
}

// AppendDatagram implements client.
func (c *openBC) AppendDatagram(dst []byte, _ time.Time) []byte {
	if len(c.out) == 0 {
		return dst
	}
	dst = append(dst, c.peer, byte(len(c.out)))
	for _, m := range c.out {
		dst = append(dst, m...)
	}
	c.out = nil
	return dst
}

// reliable sends a payload with the counter in the low byte.
func (c *openBC) reliable(payload ...byte) {
	m := binary.LittleEndian.AppendUint16([]byte{0x32}, uint16(5+len(payload))|0x8000)
	c.out = append(c.out, append(append(m, c.seq, 0), payload...))
	c.seq++
}

// Receive implements client.
func (c *openBC) Receive(_ time.Time, datagram []byte) {
	for m, err := range transport.Messages(datagram) {
		require.NoError(c.t, err)
		switch m.Type {
		case transport.TypeConnect:
			c.peer = m.Body[0]
		case transport.TypeData:
			c.data(m)
		}
	}
}

func (c *openBC) data(m *transport.Message) {
	if m.Reliable {
		c.out = append(c.out, []byte{0x01, byte(m.Seq), byte(m.Seq >> 8), 0x80})
	}
	if len(m.Body) == 0 {
		return
	}
	msg, err := opcode.Decode(m.Body)
	require.NoError(c.t, err)
	c.heard = append(c.heard, msg.Opcode())
	switch msg := msg.(type) {
	case *opcode.ChecksumRequest:
		c.answer(msg)
	case *opcode.GameInit:
		c.reliable(byte(opcode.OpNewPlayerInGame), 0x20)
	case *opcode.ChatMessage:
		c.chat = append(c.chat, *msg)
	}
}

// answer sends the hash of a leaf name, and for the last round its own short form.
func (c *openBC) answer(m *opcode.ChecksumRequest) {
	switch m.Index {
	case 0:
		c.reliable(testdata.Bytes("2100" + "43E20C7E" + "2FCBAF4D" + "0100" + "77B63E37" + "68A7A0F8" + "00")...)
		c.out = append(c.out, testdata.Bytes("001480000000"+"7F000001"+"420065006E0061000000")) // "Bena", as slot 0
		c.out[len(c.out)-1][1] = byte(len(c.out[len(c.out)-1]))
	case 255:
		c.reliable(testdata.Bytes("21FF" + "00000000000000")...)
	default:
		c.reliable(append([]byte{0x21, m.Index}, testdata.Bytes("15D331B8"+"000000")...)...)
	}
}

// A client of OpenBC joins, chats with its slot, stays and leaves in its own way.
func TestOpenBCClient(t *testing.T) {
	w := newWorld(t, join.HostOptions{Files: &checksum.Server{}})
	ann := w.join("Ann")
	c := newOpenBC(t)
	w.add(c)
	w.until(5*time.Second, func() bool { return len(c.heard) > 0 && c.heard[len(c.heard)-1] == opcode.OpDeletePlayerUI })
	require.Equal(t, []opcode.Code{
		opcode.OpChecksumRequest, opcode.OpChecksumRequest, opcode.OpChecksumRequest, opcode.OpChecksumRequest,
		opcode.OpChecksumRequest, opcode.OpChecksumComplete, opcode.OpSettings, opcode.OpGameInit,
		opcode.OpMissionInit, opcode.OpScore, opcode.OpDeletePlayerUI,
	}, c.heard)
	require.Equal(t, "Bena", w.member(3).Name)
	c.reliable(append([]byte{byte(opcode.OpChatMessage), 1, 0, 0, 0, 2, 0}, "hi"...)...)
	for range 60 { // its keepalive, for longer than the peer timeout
		w.run(time.Second)
		c.out = append(c.out, []byte{0x00, 0x02})
	}
	require.Equal(t, []opcode.ChatMessage{{SenderID: 3, Text: stream.Text("hi")}}, c.chat)
	require.EqualValues(t, 3, last[*opcode.ChatMessage](ann).SenderID)
	c.out = append(c.out, []byte{0x06, 0x02})
	w.run(time.Second)
	require.Nil(t, w.member(3))
	require.Equal(t, opcode.OpDeletePlayerAnim, ann.heard[len(ann.heard)-1].Opcode())
}

// A client that predicts the requests may answer them before they arrive. It gets no Settings before the last answer.
func TestResponsesBeforeRequests(t *testing.T) {
	var errs []error
	w := newWorld(t, join.HostOptions{Dropped: func(_ *join.Member, _ string, err error) { errs = append(errs, err) }})
	g := w.connectSilent()
	w.until(2*time.Second, func() bool { return g.count(opcode.OpChecksumRequest) == 1 })
	for round := range uint8(2) {
		g.say(&opcode.ChecksumResponse{Index: round, NoFiles: true})
	}
	g.say(&opcode.NewPlayerInGame{})
	w.run(time.Second)
	require.Equal(t, map[string]int{"early": 1}, w.drops)
	require.ErrorIs(t, errs[0], checksum.ErrUnexpected)
	require.Equal(t, 3, g.count(opcode.OpChecksumRequest))
	g.say(&opcode.NewPlayerInGame{}) // before Settings
	w.run(time.Second)
	require.Equal(t, 2, w.drops["early"])
	require.Empty(t, w.host.Members())
}

// Input that no client of the game sends does not harm the other players, whatever its time is.
func TestBadInput(t *testing.T) {
	for name, act := range map[string]func(w *world, eve *guest){
		"a name of 300 characters": func(w *world, eve *guest) {
			for seq, n := range []int{150, 300} { // a Session does not send the longer one
				name := name16(strings.Repeat("\u65e5", n))
				m := binary.LittleEndian.AppendUint16([]byte{byte(eve.id()), 1, 0}, uint16(10+len(name))|0x8000)
				m = append(m, byte(2+seq), 0, byte(eve.id()), 127, 0, 0, 1)
				w.receive(eve.addr, append(m, name...))
			}
		},
		"a query": func(w *world, eve *guest) { w.receive(eve.addr, []byte(`\status\`)) },
		"messages of a host": func(w *world, eve *guest) {
			for range 2 {
				eve.say(&opcode.Settings{PlayerSlot: 0})
				eve.say(&opcode.GameInit{})
				eve.say(&opcode.MissionInit{})
				eve.say(opcode.NewPlayerJoined(2))
				eve.say(opcode.NewPlayerLeft(2))
				eve.say(&opcode.EndGame{})
			}
		},
		"NewPlayerInGame again and again": func(w *world, eve *guest) {
			for range 20 {
				eve.say(&opcode.NewPlayerInGame{})
			}
		},
		"a ship in the slot of another player": func(w *world, eve *guest) {
			base, _ := objectid.Base(0)
			eve.say(&opcode.ObjectCreateTeam{NetPlayerID: 2, Object: opcode.Object{ClassID: opcode.ObjectShip, ObjectID: base}})
		},
		"the name of another player": func(w *world, eve *guest) { eve.sendName("Ann") },
		"a Boot about another player": func(w *world, eve *guest) {
			require.NoError(t, eve.session.SendSystem(&transport.Boot{PeerID: 2}))
		},
	} {
		for _, joining := range []bool{true, false} {
			w := newWorld(t, join.HostOptions{})
			ann := w.join("Ann")
			var eve *guest
			if joining {
				eve = w.connectSilent()
				w.until(2*time.Second, func() bool { return eve.stage() == join.StageChecking })
			} else {
				eve = w.join("Eve")
			}
			act(w, eve)
			w.run(time.Second)
			bob := w.join("Bob")
			w.run(time.Second)
			w.requireInGame(ann, bob)
			require.Equal(t, "Ann", w.member(ann.id()).Name, name)
			require.NotEqual(t, ann.State().Self.Slot, bob.State().Self.Slot, name)
			if m := w.member(eve.id()); m != nil {
				require.Equal(t, "Eve", m.Name, name)
			}
			require.Zero(t, ann.count(opcode.OpEndGame), name)
		}
	}
}

// Times that go back, and times in the far future, do not stop a Host.
func TestTimeJumps(t *testing.T) {
	w := newWorld(t, join.HostOptions{Mission: opcode.MissionInit{TimeLimit: 5}})
	const century = 100 * 365 * 24 * time.Hour
	for _, jump := range []time.Duration{-time.Hour, 0, 24 * time.Hour, -48 * time.Hour, century, -2 * century, century, century, century} {
		w.now = w.now.Add(jump)
		before := w.host.GameTime()
		w.run(2 * step)
		g := w.join("Ann")
		w.requireInGame(g)
		require.Greater(t, w.host.GameTime(), before)
		chat := g.count(opcode.OpChatMessage)
		for range 30 { // more than a burst, so that the limits must go on
			g.say(&opcode.ChatMessage{SenderID: g.id(), Text: stream.Text("hello")})
			w.run(time.Second)
		}
		require.Equal(t, chat+30, g.count(opcode.OpChatMessage))
		g.leave()
		w.run(200 * step)
		w.drop(g)
	}
}
