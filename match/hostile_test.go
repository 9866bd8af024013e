package match_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// Matches in which a host or a client does what it should not, with the events and the roster.
func TestHostile(t *testing.T) {
	long := strings.Repeat("x", 300)
	for name, c := range map[string]struct {
		play   func(g *game)
		want   []string
		roster []string
	}{
		"two clients with one name": {
			func(g *game) {
				g.Join("1", 2, 0, "Ann")
				g.Join("2", 3, 1, "Ann")
				g.Say("2", "hi")
				g.Leave("2")
				g.Wait(time.Minute)
				g.Join("2", 3, 1, "Ann")
				g.All(&opcode.DeletePlayerAnim{Name: stream.Text("Ann")}) // which one?
			},
			[]string{"Ann joins", "Ann joins", "Ann: hi", "Ann leaves (left)", "Ann joins"},
			[]string{"2 0 [Ann] true", "3 1 [Ann] false", "3 1 [Ann] true"},
		},
		"a name of 300 characters": {
			func(g *game) { g.Join("1", 2, 0, long) },
			[]string{long + " joins"},
			[]string{"2 0 [" + long + "] true"},
		},
		"a name that is too long, and one with a NUL": {
			func(g *game) {
				g.Join("1", 2, 0, strings.Repeat("日", 400))
				g.Say("1", "hi\x00hidden")
			},
			[]string{strings.Repeat("日", 341) + " joins", strings.Repeat("日", 341) + ": hi"},
			[]string{"2 0 [" + strings.Repeat("日", 341) + "] true"},
		},
		"an empty name": {
			func(g *game) {
				g.Join("1", 2, 0, "Ann")
				g.Name("1", "")
			},
			[]string{"Ann joins"},
			[]string{"2 0 [Ann] true"},
		},
		"a slot assigned twice": {
			func(g *game) {
				g.Join("1", 2, 0, "Ann")
				g.Join("2", 3, 0, "Ben")
				g.Fly("2", "Akira", 0, base(0, 0))
				g.Fly("1", "Galaxy", 0, base(0, 64))
			},
			[]string{"Ann joins", "Ben joins", "Ben flies Akira", "Ann flies Galaxy"},
			[]string{"2 0 [Ann] true", "3 0 [Ben] true"},
		},
		"NewPlayerInGame before Settings": {
			func(g *game) {
				g.Connect("1", 2)
				g.Name("1", "Ann")
				g.Client("1", &opcode.NewPlayerInGame{})
				g.Say("1", "am I in?")
			},
			[]string{"Ann: am I in?"},
			nil,
		},
		"Settings twice": {
			func(g *game) {
				g.Join("1", 2, 0, "Ann")
				g.Host("1", settings(3))
				g.Client("1", &opcode.NewPlayerInGame{})
			},
			[]string{"Ann joins"},
			[]string{"2 3 [Ann] true"},
		},
		"GameInit without Settings": {
			func(g *game) {
				g.Connect("1", 2)
				g.Name("1", "Ann")
				g.Host("1", &opcode.GameInit{}, missionInit())
				g.All(opcode.NewPlayerJoined(2))
			},
			[]string{"Ann joins"},
			[]string{"2 none [Ann] true"},
		},
		"slot 200": {
			func(g *game) {
				g.Connect("1", 2)
				g.Name("1", "Ann")
				g.Host("1", settings(-56), &opcode.GameInit{})
				g.Enter("1")
			},
			[]string{"Ann joins"},
			[]string{"2 none [Ann] true"},
		},
		"a host that assigns its own peer ID, and none": {
			func(g *game) {
				g.Connect("1", objectid.Host)
				g.Connect("2", -100)
				g.Host("1", opcode.NewPlayerJoined(-1), opcode.NewPlayerLeft(-1), opcode.NewPlayerLeft(99), &transport.Disconnect{PeerID: 99}, &transport.Boot{PeerID: 99})
			},
			nil, nil,
		},
		"peer IDs that the host did not assign": {
			func(g *game) {
				g.Join("1", 2, 0, "Ann")
				for peer := objectid.PeerID(3); peer < 90; peer++ {
					g.Receive("1", peer, &opcode.NewPlayerInGame{}, nameChange(g.t, peer, "x"))
				}
			},
			[]string{"Ann joins"},
			[]string{"2 0 [Ann] true"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := newGame(t)
			c.play(g)
			require.Equal(t, c.want, g.Lines())
			require.Equal(t, c.roster, g.Roster())
		})
	}
}

// Texts of GameSpy, empty datagrams and malformed messages are steps with errors, or none.
func TestMalformedDatagrams(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Lines()
	for _, c := range []struct {
		data []byte
		want error
	}{
		{[]byte(`\status\`), transport.ErrGameSpy},
		{testdata.Bytes("02 01 32 03 80"), transport.ErrBadLength},
		{testdata.Bytes("02 01 32 09 00 2C 02"), nil},
		{testdata.Bytes("01 01 EE"), transport.ErrUnknownType},
	} {
		g.Datagram(match.Datagram{Time: g.now, Client: "1", FromHost: c.data[0] == 1, Data: c.data})
		require.Error(t, g.last.Err)
		if c.want != nil {
			require.ErrorIs(t, g.last.Err, c.want)
		}
	}
	g.Datagram(match.Datagram{Time: g.now, Client: "1"})
	require.ErrorIs(t, g.last.Err, io.ErrUnexpectedEOF)
	g.Client("1", transport.NewUnreliable(nil), transport.NewUnreliable([]byte{byte(opcode.OpChatMessage), 2, 0}))
	require.Error(t, g.last.Err)
	require.IsType(t, &opcode.Unknown{}, g.last.Game)
	require.Empty(t, g.Lines())
}

// attacker makes datagrams with the messages that change most, of random players, ships and links.
type attacker struct {
	rng   *rand.Rand
	fast  opcode.Encoder
	ships []*opcode.ObjectCreateTeam
	seq   uint16
	now   time.Duration
}

func newAttacker(t *testing.T, seed uint64) *attacker {
	a := &attacker{rng: rand.New(rand.NewPCG(seed, 3))}
	for _, class := range stateupdate.Stock() {
		m, err := stateupdate.NewShip(1, class).Object()
		require.NoError(t, err)
		a.ships = append(a.ships, &opcode.ObjectCreateTeam{Object: m})
	}
	return a
}

func (a *attacker) peer() objectid.PeerID { return objectid.PeerID(a.rng.IntN(256) - 128) }

func (a *attacker) id() objectid.ID {
	id, _ := objectid.Base(objectid.Slot(a.rng.IntN(16)))
	return id + objectid.ID(a.rng.IntN(1<<14))
}

func (a *attacker) text() stream.Text {
	return stream.Text(strings.Repeat(string(rune('a'+a.rng.IntN(26))), a.rng.IntN(200)))
}

func (a *attacker) message() any {
	switch a.rng.IntN(22) {
	case 0:
		return &transport.ConnectReply{PeerID: a.peer()}
	case 1, 2:
		name, _ := transport.NewUTF16Z(string(a.text()))
		return &transport.NameChange{PeerID: a.peer(), Name: name}
	case 3:
		return &transport.Disconnect{PeerID: a.peer()}
	case 4:
		return &transport.Boot{PeerID: a.peer(), Reason: transport.BootReason(a.rng.IntN(4))}
	case 5:
		return settings(objectid.Slot(a.rng.IntN(20)))
	case 6:
		return &opcode.NewPlayerInGame{}
	case 7:
		return opcode.NewPlayerJoined(a.peer())
	case 8:
		return opcode.NewPlayerLeft(a.peer())
	case 9, 10:
		m := a.ships[a.rng.IntN(len(a.ships))]
		m.OwnerSlot, m.NetPlayerID, m.ObjectID = objectid.Slot(a.rng.IntN(16)), a.peer(), a.id()
		return m
	case 11:
		return &opcode.ChatMessage{SenderID: a.peer(), Text: a.text()}
	case 12:
		return opcode.NewScoreChange(a.peer(), int32(a.rng.Uint32()), a.peer(), int32(a.rng.Uint32()), 1)
	case 13:
		m, _ := opcode.NewObjectExploding(a.id(), a.id(), a.peer(), 1)
		return m
	case 14:
		return &opcode.EnterSet{ObjectID: a.id(), Set: a.text()}
	case 15:
		return &opcode.TorpedoFire{TubeID: a.id(), PlayerID: a.peer(), TargetID: a.id()}
	case 16:
		m, _ := opcode.NewCollisionEffect(a.id(), a.id(), nil, 1)
		return m
	case 17:
		return &opcode.DeletePlayerAnim{Name: a.text()}
	case 18:
		return &opcode.DestroyObject{ObjectID: a.id()}
	case 19:
		return &opcode.StateUpdate{ObjectID: a.id(), GameTime: float32(a.now.Seconds()), Flags: opcode.StateSubsystems, Data: []byte{0, 1, 2, 3}}
	case 20:
		if a.rng.IntN(20) == 0 {
			return &opcode.RestartGame{}
		}
		return &opcode.EndGame{}
	}
	return &transport.ConnectRequest{ConnID: a.rng.Uint32()}
}

// datagram returns the next datagram.
func (a *attacker) datagram() match.Datagram {
	a.now += time.Duration(a.rng.IntN(20)) * time.Millisecond
	d := match.Datagram{Time: a.now, Client: fmt.Sprint(a.rng.IntN(100)), Server: fmt.Sprint(a.rng.IntN(8) / 7 * a.rng.IntN(40)), FromHost: a.rng.IntN(3) > 0}
	p := transport.Packet{PeerID: a.peer()}
	if d.FromHost {
		p.PeerID = objectid.Host
	}
	for range 1 + a.rng.IntN(3) {
		switch m := a.message().(type) {
		case *transport.ConnectRequest:
			p.PeerID, d.FromHost = objectid.NoPeer, false
			p.Messages = append(p.Messages, transport.NewMessage(0, m))
		case transport.Body:
			a.seq++
			p.Messages = append(p.Messages, transport.NewMessage(a.seq, m))
		case opcode.Message:
			payload, err := a.fast.Append(nil, m)
			if err != nil {
				continue
			}
			p.Messages = append(p.Messages, transport.NewUnreliable(payload))
		}
	}
	d.Data, _ = p.MarshalBinary()
	return d
}

// Any number of hostile datagrams takes bounded memory, with valid messages that contradict each other and
// with floods of the transport. Later datagrams allocate as much as earlier ones.
func TestMillion(t *testing.T) {
	if testdata.UnderRace {
		t.Skip("takes too long")
	}
	total := testdata.Either(1_000_000, 12_000)
	m := match.Match{Events: true}
	a := newAttacker(t, 1)
	events := 0
	var allocated [4]uint64
	for part := range allocated {
		datagrams := make([]match.Datagram, total/len(allocated))
		for i := range datagrams {
			datagrams[i] = a.datagram()
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range datagrams {
			for step := range m.Receive(datagrams[i]) {
				events += len(step.Events)
			}
		}
		runtime.ReadMemStats(&after)
		allocated[part] = after.TotalAlloc - before.TotalAlloc
	}
	require.Less(t, allocated[3], 2*min(allocated[1], allocated[2]))
	require.Greater(t, events, total/10)
	t.Log(allocated, events)
	for _, flood := range testdata.Floods() {
		for _, d := range flood.Datagrams(testdata.Either(1<<20, 1<<16)) {
			for step := range m.Receive(match.Datagram{Time: a.now, Client: flood.Name, FromHost: d.FromHost, Data: d.Data}) {
				_ = step
			}
		}
	}
	runtime.GC()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	t.Log(memory.HeapAlloc>>20, "MiB")
	require.Less(t, memory.HeapAlloc, uint64(100<<20))
	requireBounded(t, &m)
	runtime.KeepAlive(&m)
}

// requireBounded requires that a Match is within its limits, and consistent.
func requireBounded(t testing.TB, m *match.Match) {
	links, players := 0, map[string]int{}
	for l := range m.Links() {
		links++
		if l.Player != nil && l.Player.Link != l {
			require.Fail(t, "the player has another link")
		}
	}
	require.LessOrEqual(t, links, 2048)
	for p := range m.Players() {
		players[p.Server]++
		require.LessOrEqual(t, len(p.Names), 8)
		require.Len(t, p.Since, len(p.Names))
		require.LessOrEqual(t, len(p.Name), 1024)
		if len(p.Names) > 0 {
			require.Equal(t, p.Name, p.Names[len(p.Names)-1])
		}
		if p.Link != nil {
			require.Same(t, p, p.Link.Player)
		}
	}
	require.LessOrEqual(t, len(players), 512)
	for _, n := range players {
		require.LessOrEqual(t, n, 128)
	}
}

// A Match that is at its limits forgets the oldest, and follows the others.
func TestLimits(t *testing.T) {
	g := newGame(t)
	g.server = "S"
	g.Join("1", 2, 0, "Ann")
	for i := range 200 {
		g.Name("1", fmt.Sprint("Ann", i))
	}
	g.Say("1", "still here")
	lines := g.Lines()
	require.Equal(t, "Ann199: still here", lines[len(lines)-1])
	for i := range 500 {
		g.Host("1", nameChange(t, objectid.PeerID(2+i%100), fmt.Sprint("P", i)), opcode.NewPlayerJoined(objectid.PeerID(2+i%100)))
		g.Host("1", opcode.NewPlayerLeft(objectid.PeerID(2+i%100)))
		g.Wait(time.Minute)
	}
	require.Len(t, g.Roster(), 128)
	for i := range 600 {
		g.server = fmt.Sprint(i)
		g.Join("1", 2, 0, "Ann")
		requireBounded(t, &g.m)
	}
}

// Clients that connect at any number of addresses do not displace the link of a player who is in the game, nor, if
// they do not use what the host replies, of one who joins. What is not of the game takes nothing at all.
func TestStrangersDoNotDisplacePlayers(t *testing.T) {
	g := newGame(t)
	flood := func() {
		for i := range 1000 {
			g.Datagram(match.Datagram{Time: g.now, Client: fmt.Sprint("x", i), Data: testdata.Bytes("FF 01 02")})
			require.True(t, g.last.Link.Stranger)
			g.forgeConnect(fmt.Sprint("z", i))
		}
	}
	answered := func() {
		for i := range 1000 {
			g.Receive(fmt.Sprint("y", i), objectid.NoPeer, &transport.ConnectRequest{})
			g.Host(fmt.Sprint("y", i), &transport.ConnectReply{PeerID: 9})
		}
	}
	g.Connect("1", 2)
	flood()
	g.Name("1", "Ann")
	answered()
	g.Host("1", settings(0), &opcode.GameInit{})
	flood()
	answered()
	g.Enter("1")
	flood()
	answered()
	g.Client("1", &transport.DoNothing{})
	require.NotNil(t, g.last.Link.Player)
	require.Equal(t, "Ann", g.last.Link.Player.Name)
	requireBounded(t, &g.m)
	n := 0
	for range g.m.Links() {
		n++
	}
	require.LessOrEqual(t, n, 257)
}

// FuzzMatch follows datagrams of a program of bytes, valid ones that are changed and arbitrary ones. A
// Match never panics, and stays within its limits.
func FuzzMatch(f *testing.F) {
	for seed := range byte(8) {
		f.Add(uint64(seed), []byte{seed, 0, 0, 1, 7, 255, 2, 9, 3, 3, 40, 1})
	}
	f.Add(uint64(9), []byte("\x05\x01\x01\x01"))
	recorded := testdata.Match(f)
	f.Fuzz(func(t *testing.T, seed uint64, program []byte) {
		m := match.Match{Events: seed%2 == 0}
		a := newAttacker2(seed)
		i := 0
		for _, op := range program[:min(len(program), 200)] {
			d := a.datagram()
			switch {
			case op < 64: // as it is
			case op < 128: // changed
				if len(d.Data) > 0 {
					d.Data[int(op)%len(d.Data)] ^= op
				}
			case op < 192: // of the recording
				d = deciphered(recorded[i%len(recorded)])
				i += int(op)
				if len(d.Data) > 2 {
					d.Data[2+int(seed%uint64(len(d.Data)-2))] ^= op
				}
			default: // of one client, or of nobody known
				d.Client, d.Server = "", ""
				d.Time = -d.Time
			}
			for step := range m.Receive(d) {
				if step.Message == nil || step.Link == nil {
					t.Fatal("an incomplete step")
				}
				if step.Ship == nil && step.Part.Subsystem != nil {
					t.Fatal("a part without a ship")
				}
			}
		}
		_ = m.Flush()
		requireBounded(t, &m)
	})
}

// newAttacker2 returns an attacker without ships of a class.
func newAttacker2(seed uint64) *attacker {
	return &attacker{rng: rand.New(rand.NewPCG(seed, 4)), ships: []*opcode.ObjectCreateTeam{{Object: opcode.Object{ClassID: opcode.ObjectShip, Species: opcode.SpeciesAkira}}}}
}

// Many programs ask a server for its status. The links of players stay.
func TestGameSpyFlood(t *testing.T) {
	g := newGame(t)
	g.Join("1", 2, 0, "Ann")
	g.Lines()
	player := g.last.Link
	for i := range 1000 {
		for _, fromHost := range []bool{false, true} {
			g.Datagram(match.Datagram{Time: g.now, Client: fmt.Sprint("browser ", i), FromHost: fromHost, Data: []byte(`\status\`)})
			require.ErrorIs(t, g.last.Err, transport.ErrGameSpy)
			require.Equal(t, fmt.Sprint("browser ", i), g.last.Link.Client)
			require.Nil(t, g.last.Link.Player)
		}
	}
	require.True(t, slices.Equal([]*match.Link{player}, slices.Collect(g.m.Links())))
	require.NotNil(t, player.Player)
	require.Empty(t, g.Lines())
}

// The host does not pass on the last line of a player whom it kicks, even if a capture has both at the same time.
func TestLineAtTheTimeOfAKick(t *testing.T) {
	for _, before := range []time.Duration{0, time.Second} {
		g := newGame(t)
		g.Join("1", 2, 0, "Ann")
		p := g.last.Link.Player
		g.Client("1", &opcode.ChatMessage{SenderID: 2, Text: stream.Text("last")})
		g.Wait(before - time.Millisecond) // which the next datagram adds
		g.Host("1", &transport.Boot{Reason: transport.BootRemoved, PeerID: 2})
		g.Flush()
		require.Equal(t, []string{"Ann joins", "Ann leaves (kicked)"}, g.Lines())
		require.Equal(t, 1, p.Refused)
	}
}

// A client reports a collision of an object that is of no player. It is not its own.
func TestCollisionOfAnObjectOfNoPlayer(t *testing.T) {
	g := duel(t)
	station := stateupdate.NewShip(0x10, stateupdate.Stock().Species(opcode.SpeciesFedStarbase))
	station.PeerID = 0
	m, err := station.Creation()
	require.NoError(t, err)
	g.All(m)
	g.collide("2", 0x10, base(0, 0))
	require.Empty(t, g.Lines())
}
