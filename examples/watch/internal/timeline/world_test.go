package timeline

import (
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// scene is a match whose messages a test sends.
type scene struct {
	t      *testing.T
	store  *Store
	now    float64
	seqs   map[objectid.PeerID]uint16
	system uint16 // number of the next message of the host on the system channel
	client string
	server netip.AddrPort // not known unless a test sets it
}

func newScene(t *testing.T) *scene {
	return &scene{t, open(t, Options{Plain: true, Live: true}), 0, map[objectid.PeerID]uint16{}, 1, "1", netip.AddrPort{}}
}

// send adds a datagram of a peer on the link of the client.
func (s *scene) send(from objectid.PeerID, messages ...transport.Message) {
	s.t.Helper()
	dir := recording.ToServer
	if from == objectid.Host {
		dir = recording.ToClient
	}
	p := transport.Packet{PeerID: from, Messages: messages}
	data, err := p.MarshalBinary()
	require.NoError(s.t, err)
	s.now++
	d := &show.Datagram{Number: int(s.now), Time: s.now, Dir: dir, Client: s.client, Data: data}
	if s.server.IsValid() {
		d.Src, d.Dst = s.server, netip.MustParseAddrPort("192.0.2.9:1000")
	}
	require.NoError(s.t, s.store.Add(d))
}

// game sends messages of the game, each reliably in a datagram.
func (s *scene) game(from objectid.PeerID, messages ...opcode.Message) {
	s.t.Helper()
	for _, m := range messages {
		payload, err := opcode.Marshal(m)
		require.NoError(s.t, err)
		s.send(from, transport.NewData(s.seqs[from], payload))
		s.seqs[from]++
	}
}

// name sends the name of a player.
func (s *scene) name(peer objectid.PeerID, name string) {
	s.t.Helper()
	text, err := transport.NewUTF16Z(name)
	require.NoError(s.t, err)
	s.tell(&transport.NameChange{PeerID: peer, Name: text})
}

// tell sends a message of the host on the system channel.
func (s *scene) tell(b transport.Body) {
	s.t.Helper()
	s.send(objectid.Host, transport.NewMessage(s.system, b))
	s.system++
}

// join sends the name of a player who is in the game.
func (s *scene) join(peer objectid.PeerID, name string) {
	s.t.Helper()
	s.name(peer, name)
	s.game(objectid.Host, opcode.NewPlayerJoined(peer))
}

// ship returns the creation of a ship for the player in a slot.
func (s *scene) ship(slot int, class string) *opcode.ObjectCreateTeam {
	s.t.Helper()
	id, _ := objectid.Base(objectid.Slot(slot))
	ship := stateupdate.NewShip(id, stateupdate.Stock().Named(class))
	ship.OwnerSlot, ship.PeerID, ship.PlayerName, ship.SetName = objectid.Slot(slot), objectid.PeerID(slot+2), fmt.Sprint("Player", slot), "Multi1"
	ship.Position = [3]float32{1, 2, 3}
	creation, err := ship.Creation()
	require.NoError(s.t, err)
	return creation.(*opcode.ObjectCreateTeam)
}

// lines returns the events as texts.
func (s *scene) lines() (all []string) {
	s.t.Helper()
	events, _, err := s.store.Events(1, 0, 1000)
	require.NoError(s.t, err)
	for _, e := range events {
		all = append(all, strings.TrimSpace(strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s %s", e.Kind, e.Player, e.OtherPlayer, e.Weapon, e.Text)), " ")))
	}
	return all
}

// changes returns all changes, and requires that they have a JSON form.
func (s *scene) changes() []Change {
	s.t.Helper()
	w := window(s.t, s.store, 1, 0, 30)
	_, err := json.Marshal(w)
	require.NoError(s.t, err)
	return w.Changes
}

// snapshot returns the state at the end.
func (s *scene) snapshot() *Snapshot {
	s.t.Helper()
	return window(s.t, s.store, 1, s.now+1, s.now+1).Snapshot
}

// last returns the last change of a kind.
func last(t *testing.T, kind string, changes []Change) Change {
	t.Helper()
	for _, c := range slices.Backward(changes) {
		if c.Kind == kind {
			return c
		}
	}
	t.Fatal("no change of kind", kind)
	return Change{}
}

func kinds(changes []Change) (all []string) {
	for _, c := range changes {
		all = append(all, c.Kind)
	}
	return all
}

// A message that comes with an error changes nothing, even if all its fields are decoded.
func TestMessagesWithErrorsChangeNothing(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.join(2, "Ann")
	ship := s.ship(0, "akira")
	s.game(2, ship)
	events, before := s.lines(), jsonOf(t, s.snapshot())
	mission, err := opcode.Marshal(&opcode.MissionInit{PlayerLimit: 10, TimeLimit: opcode.NoLimit})
	require.NoError(t, err)
	for _, m := range []opcode.Message{
		&opcode.Unknown{Op: opcode.OpMissionInit, Data: append(mission[1:], 0, 0, 0)},
		&opcode.EndGame{}, &opcode.RestartGame{}, &opcode.DestroyObject{ObjectID: ship.ObjectID}, opcode.NewPlayerLeft(2), opcode.NewPlayerJoined(3),
		&opcode.Score{PlayerID: 2, Kills: 5}, &opcode.ScoreChange{VictimID: 2}, &opcode.TeamMessage{PlayerID: 2}, &opcode.Settings{PlayerSlot: 7},
		&opcode.ChatMessage{SenderID: 2}, &opcode.TeamChatMessage{SenderID: 2},
	} {
		payload, err := opcode.Marshal(m)
		require.NoError(t, err)
		s.send(objectid.Host, transport.NewUnreliable(append(payload, 0)))
		s.send(objectid.Host, transport.NewUnreliable(payload[:len(payload)-1]))
	}
	require.Equal(t, events, s.lines())
	require.Equal(t, before, jsonOf(t, s.snapshot()))
}

// OpenBC's server writes the slot of the sender into chat. Each line is credited to the player who said
// it.
func TestChatIsCreditedToItsSpeaker(t *testing.T) {
	t.Parallel()
	for name, slots := range map[string]bool{"OpenBC": true, "stock": false} {
		t.Run(name, func(t *testing.T) {
			sender := func(peer objectid.PeerID) objectid.PeerID {
				if slots {
					return peer - 2
				}
				return peer
			}
			s := newScene(t)
			s.join(2, "Ann")
			s.join(3, "Ben")
			s.join(4, "Cid")
			if slots {
				s.game(objectid.Host, &opcode.NewPlayerInGame{})
			}
			s.game(3, &opcode.ChatMessage{SenderID: 3, Text: stream.Text("hello")})
			s.game(
				objectid.Host, &opcode.ChatMessage{SenderID: sender(3), Text: stream.Text("hello")},
				&opcode.ChatMessage{SenderID: sender(4), Text: stream.Text("from Cid")},
				&opcode.TeamChatMessage{SenderID: sender(2), Text: stream.Text("from Ann")},
			)
			require.Equal(t, []string{"chat Ben hello", "chat Cid from Cid", "teamchat Ann from Ann"}, s.lines()[3:])
			list, err := s.store.Messages(Query{Count: 100})
			require.NoError(t, err)
			var subjects []int8
			for _, m := range list.Rows {
				if strings.Contains(m.Name, "Chat") {
					subjects = append(subjects, *m.Subject)
				}
			}
			require.Equal(t, []int8{3, 3, 4, 2}, subjects)

			// The link of a player who has said nothing.
			s.client = "2"
			s.join(4, "Cid")
			s.game(objectid.Host, &opcode.ChatMessage{SenderID: sender(4), Text: stream.Text("again")})
			events, _, err := s.store.Events(2, 0, 10)
			require.NoError(t, err)
			require.Equal(t, "Cid", events[len(events)-1].Player)
		})
	}
}

func TestFight(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.join(2, "Ann")
	s.join(3, "Ben")
	ann, ben := s.ship(0, "akira"), s.ship(1, "warbird")
	s.game(2, ann)
	s.game(objectid.Host, ben)
	class := stateupdate.Stock().Named("akira")
	index := func(kind stateupdate.Kind) int {
		return int(stateupdate.NewShip(ann.ObjectID, class).FirstOf(kind).Index)
	}
	tube, ok := class.PartID(ann.ObjectID, index(stateupdate.KindTorpedo), 0)
	require.True(t, ok)
	phaser, ok := class.PartID(ann.ObjectID, index(stateupdate.KindPhaser), -1)
	require.True(t, ok)
	sensor, ok := class.PartID(ann.ObjectID, index(stateupdate.KindSensor), -1)
	require.True(t, ok)
	collision, err := opcode.NewCollisionEffect(ann.ObjectID, ben.ObjectID, []compress.Contact{{}}, 100)
	require.NoError(t, err)
	s.game(2,
		collision,
		opcode.NewStartFiring(phaser, ben.ObjectID),
		opcode.NewStopFiring(phaser),
		opcode.NewTorpedoFire(tube, 2, compress.Vector3{Y: 127}, ben.ObjectID, compress.Contact{}),
	)
	exploding, err := opcode.NewObjectExploding(ben.ObjectID, ann.ObjectID, 2, 5)
	require.NoError(t, err)
	s.game(objectid.Host,
		opcode.NewSubsystemStatus(sensor, false),
		&opcode.Explosion{ObjectID: ben.ObjectID, Radius: compress.EncodeFloat16(50), Damage: compress.EncodeFloat16(600)},
		opcode.NewDamaged(sensor, sensor+1),
		exploding,
		exploding,
		&opcode.ScoreChange{KillerID: 2, KillerKills: 1, KillerScore: 70, VictimID: 3, VictimDeaths: 1, Damagers: []opcode.DamagerScore{{ID: 3, Score: 5}}},
	)
	require.Equal(t, []string{
		"join Ann", "join Ben",
		"collision Ann Ben",
		"system Ann Sensor Array is switched off",
		"system Ann Sensor Array is damaged",
		"kill Ann Ben Torpedoes / Forward Torp 1",
		"score Ann Ann has 1 kills, 0 deaths, 70 points",
		"score Ben Ben has 0 kills, 1 deaths, 0 points",
		"score Ben Ben has 0 kills, 1 deaths, 5 points",
	}, s.lines())

	changes := s.changes()
	require.Equal(t, []string{
		"player", "player", "create", "create",
		"collision", "beam", "beamstop", "torpedo", "state", "explosion", "dying", "player", "player",
	}, kinds(changes))
	require.Equal(t, `{"t":10,"m":9,"kind":"torpedo","id":"0x3fffffff","weapon":"Torpedoes / Forward Torp 1","from":[1,2,3],"direction":[0,1,0],"target":"0x4003ffff"}`, jsonOf(t, changes[7]))
	require.Equal(t, `{"t":8,"m":7,"kind":"beam","id":"0x3fffffff","weapon":"Phasers","from":[1,2,3],"direction":null,"target":"0x4003ffff"}`, jsonOf(t, changes[5]))
	require.Equal(t, `{"t":7,"m":6,"kind":"collision","id":"0x3fffffff","position":[1,2,3],"other":"0x4003ffff"}`, jsonOf(t, changes[4]))
	died := last(t, "dying", changes)
	require.Equal(t, "0x4003ffff", *died.ID)
	state := last(t, "state", changes)
	require.Equal(t, "0x3fffffff", *state.ID)
	require.Len(t, state.State, 1)
	require.False(t, state.State[0].On)

	end := s.snapshot()
	require.Equal(t, "0x3fffffff@5", end.Ships[0].Key)
	require.False(t, end.Ships[0].State[state.State[0].Index].On)
	require.Equal(t, "dying", end.Ships[1].Life)
	require.Equal(t, []int32{1, 0}, []int32{end.Players[0].Kills, end.Players[0].Deaths})
	require.Equal(t, []int32{0, 1}, []int32{end.Players[1].Kills, end.Players[1].Deaths})

	s.game(objectid.Host, &opcode.RestartGame{})
	require.Empty(t, s.snapshot().Ships)
	require.Equal(t, []string{"remove", "remove"}, kinds(s.changes())[15:])
	require.Contains(t, s.lines(), "end the match restarts")
}

// A new name comes with the old one alone, by which the page finds the colour of the player.
func TestRenamed(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.join(2, "Ann")
	s.name(2, "Bea")
	require.Equal(t, []string{"join Ann", "rename Bea Ann"}, s.lines())
}

// A player who leaves and another one with the same peer ID are two players.
// After a block that cannot be read, every subsystem may be stale until a block has its state. An
// OpenBC server sends no facings.
func TestStaleBars(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	creation := s.ship(0, "sovereign")
	s.game(2, creation)
	block := func(start int8, data string) {
		s.game(objectid.Host, &opcode.StateUpdate{ObjectID: creation.ObjectID, GameTime: float32(s.now), Flags: opcode.StateSubsystems, StartIndex: start, Data: testdata.Bytes(data)})
	}
	stale := func() (names []string) {
		for _, state := range s.snapshot().Ships[0].State {
			if state.Stale != "" {
				names = append(names, fmt.Sprintf("%s: %s", stateupdate.Stock().Named("sovereign").Subsystems[state.Index].Name, state.Stale))
			}
		}
		return names
	}
	block(0, "ff ff 20 ff ff ff ff ff ff")
	require.Empty(t, stale())
	block(0, "ff ff ff")
	require.Len(t, stale(), 11)
	require.Equal(t, "Hull: an update could not be read", stale()[0])
	require.Len(t, last(t, "state", s.changes()).State, 11)
	block(0, "ff ff 20 ff ff ff ff ff ff")
	require.Len(t, stale(), 9)
	require.Len(t, last(t, "state", s.changes()).State, 2)
	block(2, "ff 60"+strings.Repeat("ff", 13))
	block(6, "ff 40"+strings.Repeat("ff", 9))
	block(8, "ff ff ff ff ff 40 ff ff ff")
	require.Len(t, stale(), 1)
	block(10, "ff ff ff 20 ff ff ff ff ff ff")
	require.Empty(t, stale())

	block(0, "ff ff ff 20 ff ff ff ff ff ff 20")
	require.Empty(t, stale())
	shields := last(t, "state", s.changes()).State
	require.Len(t, shields, 1)
	require.Nil(t, shields[0].Facings)
	require.Nil(t, shields[0].Power)
	points, err := s.store.Plot(1, s.snapshot().Ships[0].Key)
	require.NoError(t, err)
	require.Regexp(t, `,-1,-1,-1,-1,-1,-1\]$`, jsonOf(t, points[len(points)-1]))
	n := len(s.changes())
	block(0, "ff ff ff 20 ff ff ff ff ff ff 20")
	require.Len(t, s.changes(), n)
}

func TestPlayersComeAndGo(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.join(2, "Ann")
	s.join(3, "Ben")
	s.game(objectid.Host, &opcode.ScoreInit{PlayerID: 3, Kills: 4, Score: 9, Team: opcode.TeamOne}, &opcode.TeamMessage{PlayerID: 2, Team: 1})
	require.Equal(t, `{"peer":3,"name":"Ben","team":0,"kills":4,"deaths":0,"here":true}`, jsonOf(t, s.snapshot().Players[1]))
	s.game(objectid.Host, opcode.NewPlayerJoined(3), opcode.NewPlayerLeft(3), &opcode.DeletePlayerAnim{Name: stream.Lossy("Ben")})
	s.tell(&transport.Disconnect{PeerID: 3})
	require.False(t, s.snapshot().Players[1].Here)
	s.join(3, "Cid")
	require.Equal(t, `{"peer":3,"name":"Cid","team":null,"kills":0,"deaths":0,"here":true}`, jsonOf(t, s.snapshot().Players[1]))
	s.game(objectid.Host, &opcode.DeletePlayerAnim{Name: stream.Lossy("Cid")}, &opcode.DeletePlayerAnim{Name: stream.Lossy("nobody")})
	s.tell(&transport.Boot{PeerID: 2})
	require.Equal(t, []string{
		"join Ann", "join Ben", "score Ben Ben has 4 kills, 0 deaths, 9 points", "leave Ben left", "join Cid", "leave Cid left", "leave Ann kicked",
	}, s.lines())

	s.send(objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{ConnID: 99}))
	require.Len(t, s.snapshot().Players, 2)
	last(t, "reset", s.changes())
}

// A client ends no ship, and changes no subsystem: the host alone does.
func TestForgedEnd(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.join(2, "Ann")
	s.join(3, "Ben")
	ben := s.ship(1, "warbird")
	s.game(objectid.Host, ben)
	sensor, ok := stateupdate.Stock().Named("warbird").PartID(ben.ObjectID, 0, -1)
	require.True(t, ok)
	before := s.snapshot()
	s.game(2, &opcode.DestroyObject{ObjectID: ben.ObjectID}, opcode.NewSubsystemStatus(sensor, false))
	require.Equal(t, jsonOf(t, before), jsonOf(t, s.snapshot()))
}

// A line is one event, although the host sends it back, and none if the host does not. The game shows Windows-1252
// until a NUL.
func TestChat(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.join(2, "Ann")
	s.join(3, `<img src=x onerror=alert(1)>`)
	say := func(sender objectid.PeerID, text string) *opcode.ChatMessage {
		return &opcode.ChatMessage{SenderID: sender, Text: stream.Text(text)}
	}
	s.game(2, say(2, "hi"), say(2, "hi"))
	s.game(objectid.Host, say(2, "hi"), say(3, "hi"), say(2, "hi"), say(2, "from another computer"))
	s.game(2, say(3, "forged"))
	s.game(objectid.Host,
		say(3, "caf\xe9 \x93quoted\x94\x00hidden"),
		say(3, "\u202etxet"),
		say(9, "<script>alert(1)</script>"),
		say(3, strings.Repeat("x", 255)),
		say(-5, string([]byte{0x81, 0x8d, 0xff, 0x01, 0x7f})),
		&opcode.TeamChatMessage{SenderID: 3, Text: stream.Lossy("secret")},
	)
	lines := s.lines()
	require.Equal(t, []string{
		"chat Ann hi", "chat <img src=x onerror=alert(1)> hi", "chat Ann hi", "chat Ann from another computer",
		"chat <img src=x onerror=alert(1)> café “quoted”",
	}, lines[2:7])
	require.Equal(t, "chat peer 9 <script>alert(1)</script>", lines[9])
	require.Equal(t, "teamchat <img src=x onerror=alert(1)> secret", lines[12])
	for _, line := range lines {
		require.True(t, utf8.ValidString(line))
		require.NotContains(t, line, "\x00")
	}
}

// Names and notes of any bytes become valid UTF-8 of a limited length.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a", text("a\x00b"))
	require.Equal(t, "a\uFFFDb", text("a\xffb"))
	require.Equal(t, strings.Repeat("é", maxText/2)+"…", text(strings.Repeat("é", maxText)))
	s := newScene(t)
	s.tell(&transport.NameChange{PeerID: 2, Name: transport.UTF16Z{0x00, 0xd8, 'x', 0, 0, 0}})
	s.tell(&transport.NameChange{PeerID: 3, Name: transport.UTF16Z{'x'}})
	s.game(objectid.Host, opcode.NewPlayerJoined(2), opcode.NewPlayerJoined(3))
	require.Equal(t, "\uFFFDx", s.snapshot().Players[0].Name)
	require.Len(t, s.snapshot().Players, 2)
	for _, p := range s.snapshot().Players {
		require.True(t, utf8.ValidString(p.Name))
	}
	for _, m := range []string{"\x00", "<b>\x00\xff", strings.Repeat("\xf0", 5000)} {
		var row Row
		row.split(appendText(nil, &show.Message{Type: m, Err: fmt.Errorf("%s", m)}))
		require.True(t, utf8.ValidString(row.Type) && utf8.ValidString(row.Error))
		require.NotEmpty(t, row.Error)
	}
}

// Ships of unknown classes, without a creation, and with numbers that are not finite are shown.
func TestOddShips(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	nan := float32(math.NaN())
	odd := s.ship(0, "akira")
	odd.Species = 77
	s.game(objectid.Host, odd)
	broken := s.ship(1, "warbird")
	broken.Position, broken.Orientation, broken.VelocityMagnitude = [3]float32{nan, 1, 2}, [4]float32{nan}, float32(math.Inf(1))
	s.game(objectid.Host, broken)
	update := &opcode.StateUpdate{ObjectID: 5, GameTime: 1, Flags: opcode.StatePosition | opcode.StateSpeed, Position: [3]float32{4, 5, 6}}
	infinite := &opcode.StateUpdate{ObjectID: broken.ObjectID, GameTime: 1, Flags: opcode.StatePosition, Position: [3]float32{float32(math.Inf(-1))}}
	cloaks := &opcode.StateUpdate{ObjectID: broken.ObjectID, GameTime: 2, Flags: opcode.StateCloak, Cloak: true}
	far := &opcode.StateUpdate{ObjectID: broken.ObjectID, GameTime: 3, Flags: opcode.StatePosition, Position: [3]float32{math.MaxFloat32}}
	delta := &opcode.StateUpdate{ObjectID: broken.ObjectID, GameTime: 4, Flags: opcode.StateDelta}
	s.game(objectid.Host, update, infinite, cloaks, far, delta)
	unknown := objectid.ID(12345)
	s.game(objectid.Host, opcode.NewStopFiring(unknown), opcode.NewTorpedoFire(unknown, 2, compress.Vector3{}, objectid.None, compress.Contact{}),
		&opcode.Explosion{ObjectID: unknown}, opcode.NewDamaged(unknown, unknown), &opcode.DestroyObject{ObjectID: 5})

	changes := s.changes()
	require.Contains(t, s.lines(), "cloak Player1 cloaks")
	ships := s.snapshot().Ships
	require.Len(t, ships, 2)
	require.Empty(t, ships[0].Systems)
	require.Equal(t, `[]`, jsonOf(t, ships[0].State))
	require.True(t, *ships[1].Cloaked)
	last(t, "remove", changes)
	created := last(t, "create", changes)
	require.Equal(t, []string{"0x00000005", "unknown", ""}, []string{created.Ship.ID, created.Ship.Life, created.Ship.Class})
	require.Nil(t, created.Ship.Slot)
	torpedo := last(t, "torpedo", changes)
	require.Nil(t, torpedo.ID)
	require.Nil(t, torpedo.From)
	require.Nil(t, torpedo.Target)
	require.Nil(t, last(t, "explosion", changes).Position)
	require.Nil(t, vector(1, nan, 2))
	require.Nil(t, number(float32(math.Inf(1))))
}

// Plots have a limit of points, and keep the whole time.
func TestPlot(t *testing.T) {
	t.Parallel()
	ship := stateupdate.NewShip(1, stateupdate.Stock().Named("akira"))
	ship.Life = stateupdate.Alive
	p := &plot{}
	for n := range 20_000 {
		p.add(float64(n), ship)
		require.LessOrEqual(t, len(p.points), maxPoints)
	}
	require.Zero(t, p.points[0][0])
	require.Greater(t, p.points[len(p.points)-1][0], 19_900.0)
	require.Equal(t, `[0,255,255,255,255,255,255,255]`, jsonOf(t, p.points[0]))
	require.Equal(t, `[3,-1,-1,-1,-1,-1,-1,-1]`, jsonOf(t, pointOf(3, stateupdate.NewShip(1, nil))))

	// A change soon after a point counts, although another second passes without a change.
	p = &plot{}
	p.add(1, ship)
	ship.FirstOf(stateupdate.KindHull).Condition = 33
	p.add(1.4, ship)
	require.Equal(t, `[[1,255,255,255,255,255,255,255],[1.4,33,255,255,255,255,255,255]]`, jsonOf(t, p.all()))
	ship.FirstOf(stateupdate.KindHull).Condition = 0
	p.add(9, ship)
	require.Equal(t, `[[1,255,255,255,255,255,255,255],[1.4,33,255,255,255,255,255,255],[9,0,255,255,255,255,255,255]]`, jsonOf(t, p.all()))

	s := shared(t)
	dee := window(t, s, 1, 15, 15).Snapshot.Ships[3]
	points, err := s.Plot(1, dee.Key)
	require.NoError(t, err)
	require.Greater(t, len(points), 10)
	points, err = s.Plot(1, "nothing")
	require.NoError(t, err)
	require.Empty(t, points)
	_, err = s.Plot(44, dee.Key)
	require.ErrorIs(t, err, ErrNotFound)
}
