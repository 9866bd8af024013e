package player

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/bot/internal/hosttest"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// messageCount returns the number of messages that a hostile host sends.
func messageCount() int { return testdata.Either(1_000_000, 20_000) }

// joinedPlayer returns a player in the game. Tests pass payloads to it without a session.
func joinedPlayer(t testing.TB) *link {
	l := newLink(t, Options{Ship: akira(), Fire: true}, hosttest.Options{})
	l.quiet = true
	l.join()
	return l
}

// requirePlaying requires that the player still sends updates and chat.
func (l *link) requirePlaying() {
	l.t.Helper()
	l.quiet, l.lines = false, nil
	if l.player.State() != InGame {
		l.hostSends(&opcode.RestartGame{})
	}
	l.waitUntil("a ship", 5*time.Second, func() bool { return l.player.State() == InGame })
	l.host.Last().Updates = nil
	l.advance(time.Second)
	require.InDelta(l.t, 10, len(l.host.Last().Updates), 1)
	require.NoError(l.t, l.player.Say("still here"))
	l.advance(time.Second)
	require.Len(l.t, l.reports("still here"), 1)
}

// requireLimits requires that the state of a player is within its limits.
func requireLimits(t testing.TB, p *Player) {
	require.LessOrEqual(t, len(p.Peers()), 125)
	n := 0
	for range p.flight.Tracker.Ships() {
		n++
	}
	require.LessOrEqual(t, n, maxShips+maxUnknown)
}

func payload(t testing.TB, m opcode.Message) []byte {
	b, err := opcode.Marshal(m)
	require.NoError(t, err)
	return b
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Many ships of all players, and of no player, take little memory.
func TestManyShips(t *testing.T) {
	l := joinedPlayer(t)
	create := payload(t, otherShip(t, 3, 1))
	before := heap()
	for i := range uint32(messageCount()) {
		create[2] = byte(i % 251)
		binary.LittleEndian.PutUint32(create[7:], 0x22+i*3)
		l.pass(create)
	}
	requireLimits(t, l.player)
	require.Less(t, heap(), before+4<<20)
	l.requirePlaying()
}

// Many lines of chat, scores, names, updates and deaths take little memory.
func TestEndlessMessages(t *testing.T) {
	l := joinedPlayer(t)
	long := stream.Text(strings.Repeat("x", 60000))
	line := payload(t, &opcode.ChatMessage{SenderID: 3, Text: long[:100]})
	before := heap()
	for range messageCount() {
		l.pass(line)
	}
	for i := range int32(5_000) {
		l.pass(payload(t, &opcode.Score{PlayerID: objectid.PeerID(i), Kills: i}))
		l.pass(payload(t, &opcode.StateUpdate{ObjectID: objectid.ID(i), Flags: opcode.StatePower}))
		l.pass(payload(t, &opcode.DestroyObject{ObjectID: objectid.ID(i)}))
		joined := opcode.NewPlayerJoined(3)
		joined.PlayerID = objectid.PeerID(int8(i))
		l.pass(payload(t, joined))
		name := systemText(t, strings.Repeat("ö", int(i%700)))
		l.passSystem(&transport.NameChange{PeerID: objectid.PeerID(i%126 + 2), Name: name})
	}
	l.pass(payload(t, &opcode.ChatMessage{Text: long}))
	l.pass(payload(t, &opcode.ScoreChange{Damagers: make([]opcode.DamagerScore, 255)}))
	requireLimits(t, l.player)
	require.Less(t, heap(), before+512<<10)
	l.requirePlaying()
}

// A message that comes with an error changes nothing, even if all its fields are decoded.
func TestMessagesWithErrorsChangeNothing(t *testing.T) {
	l := joinedPlayer(t)
	l.hostSends(otherShip(t, 3, 1))
	l.quiet, l.lines = false, nil
	ship := l.player.Ship()
	for i, b := range [][]byte{
		testdata.Bytes("350affff01000000" + "0100000002000000"), // MissionInit of Kobayashi Maru
		append(payload(t, hosttest.Mission()), 0),
		append(payload(t, &opcode.EndGame{}), 0),
		append(payload(t, &opcode.RestartGame{}), 0),
		append(payload(t, &opcode.DestroyObject{ObjectID: ship.ID}), 0),
		append(payload(t, &opcode.DestroyObject{ObjectID: otherShip(t, 3, 1).ObjectID}), 0),
		append(payload(t, exploding(t, ship.ID, 2)), 0),
		append(payload(t, opcode.NewPlayerJoined(5)), 0),
		append(payload(t, opcode.NewPlayerLeft(3)), 0),
		append(payload(t, &opcode.Score{PlayerID: 3, Kills: 7}), 0),
		append(payload(t, &opcode.ChatMessage{SenderID: 3, Text: stream.Text("hello")}), 0),
		payload(t, &opcode.ChatMessage{SenderID: 3, Text: stream.Text("hello")})[:9],
		append(payload(t, &opcode.Settings{PlayerSlot: 9}), 0),
		payload(t, &opcode.Score{PlayerID: 3, Kills: 7})[:16],
	} {
		l.pass(b)
		require.Equal(t, uint64(i+1), l.player.Counters().Malformed, "%x", b)
		require.Equal(t, InGame, l.player.State(), "%x", b)
		require.Equal(t, ship, l.player.Ship(), "%x", b)
		require.Empty(t, l.lines, "%x", b)
	}
	require.Equal(t, "Multi1", l.player.Ship().SetName)
	l.requirePlaying()
}

// If a message of the join comes with an error, the player names the error when it gives up.
func TestSettingsWithAnErrorEndTheJoin(t *testing.T) {
	l := newLink(t, Options{Name: "Ann"}, hosttest.Options{Hook: func(c *hosttest.Client, m opcode.Message) bool {
		if m, ok := m.(*opcode.ChecksumResponse); ok && m.Index == 255 {
			settings := append(payload(t, &opcode.Settings{Map: stream.Text(hosttest.Map)}), 0x21)
			require.NoError(t, c.Session.Send(settings, transport.Reliable))
			c.Send(&opcode.GameInit{})
			return true
		}
		return false
	}})
	require.EqualError(t, l.ended(), "join: comparing files: the server does not answer: opcode: decode Settings at offset 46: bytes after the last field")
	_, n := last[*opcode.NewPlayerInGame](l.host.Last())
	require.Zero(t, n)
}

// Random payloads, and mutated payloads of every message, leave the player in the game.
func TestGarbage(t *testing.T) {
	l := joinedPlayer(t)
	r := rand.New(rand.NewPCG(1, 2))
	var seeds [][]byte
	for code := range 256 {
		b, err := opcode.Marshal(opcode.New(opcode.Code(code)))
		require.NoError(t, err)
		seeds = append(seeds, b)
	}
	seeds = append(seeds, payload(t, otherShip(t, 3, 1)), payload(t, exploding(t, l.player.Ship().ID, 2)))
	for i := range 200_000 {
		b := append([]byte(nil), seeds[i%len(seeds)]...)
		for range r.IntN(20) {
			b = append(b, byte(r.Uint32()))
		}
		for range r.IntN(4) {
			b[r.IntN(len(b))] = byte(r.Uint32())
		}
		if code := opcode.Code(b[0]); code == opcode.OpBootPlayer {
			continue // ends the session
		}
		l.pass(b)
		if i%1000 == 0 {
			l.advance(100 * time.Millisecond)
		}
	}
	require.NotZero(t, l.player.Counters().Malformed)
	require.NoError(t, l.player.Err())
	requireLimits(t, l.player)
	l.hostSends(&opcode.RestartGame{})
	l.requirePlaying()
}

// Positions and times that are not numbers are not applied.
func TestNaN(t *testing.T) {
	nan := float32(math.NaN())
	l := newLink(t, Options{Ship: akira(), Fire: true}, hosttest.Options{
		Settings: &opcode.Settings{GameTime: nan, Map: stream.Text("X")},
	})
	c := l.join()
	create := otherShip(t, 3, 1)
	bad := otherShip(t, 4, 2)
	bad.Position, bad.Orientation = [3]float32{nan, nan, nan}, [4]float32{nan, nan, nan, nan}
	c.Send(create, bad)
	for i := range 100 {
		at := nan
		if i%2 == 0 {
			at = float32(i)
		}
		for _, id := range []objectid.ID{create.ObjectID, bad.ObjectID, l.player.Ship().ID} {
			c.Send(&opcode.StateUpdate{
				ObjectID: id, GameTime: at, Flags: 0x3F, Position: [3]float32{nan, float32(math.Inf(1)), nan}, Data: []byte{1, 2, 3},
			})
		}
		l.advance(100 * time.Millisecond)
	}
	require.NotZero(t, l.player.Counters().Inapplicable)
	for _, s := range l.player.Ships() {
		require.False(t, math.IsNaN(float64(s.Position[0]+s.Position[1])))
	}
	last := c.Updates[len(c.Updates)-1]
	require.NoError(t, opcode.Validate(last))
	require.InDelta(t, 10, last.GameTime, 2)
	l.requirePlaying()
}

// Random datagrams, before and after joining, do not end the player.
func TestGarbageDatagrams(t *testing.T) {
	for _, joined := range []bool{false, true} {
		l := newLink(t, Options{Ship: akira()}, hosttest.Options{})
		l.quiet = true
		if joined {
			l.join()
		}
		banned := []byte{byte(opcode.OpBootPlayer), byte(opcode.OpEndGame)}
		r := rand.New(rand.NewPCG(3, 4))
		for range 50_000 {
			d := make([]byte, 2+r.IntN(60))
			for i := range d {
				d[i] = byte(r.Uint32())
			}
			d[0], d[1], d[2%len(d)] = 1, 1, 0x32
			if len(d) > 5 {
				d[3], d[4] = byte(len(d)-2), 0 // unreliable, and not a Disconnect
				if bytes.IndexByte(banned, d[5]) >= 0 {
					d[5] = 0xFF
				}
			}
			l.client.Receive(l.now, d)
		}
		requireLimits(t, l.player)
		require.NoError(t, l.player.Err())
		l.join()
		l.requirePlaying()
	}
}

// A clock that jumps neither stops the player nor moves its ship far.
func TestClockJumps(t *testing.T) {
	l := joinedPlayer(t)
	at := l.player.Ship().Position
	p, c, now := l.player, l.client, l.now
	for _, jump := range []time.Duration{-time.Hour, 10 * time.Second, -10 * 365 * 24 * time.Hour, time.Second} {
		now = now.Add(jump)
		for n := 0; len(c.AppendDatagram(nil, now)) > 0; n++ {
			require.Less(t, n, 10)
		}
		require.False(t, c.NextDeadline().Before(now))
		require.Less(t, c.NextDeadline().Sub(now), 10*time.Second)
	}
	require.Less(t, distance(&at, &p.Ship().Position), 40.0*40)
	require.Equal(t, InGame, l.player.State())
}

// Updates, the most frequent messages, take hardly any memory.
func TestAllocations(t *testing.T) {
	l := joinedPlayer(t)
	create := otherShip(t, 3, 1)
	l.hostSends(create)
	c := l.client
	theirs := stateupdate.NewShip(create.ObjectID, stateupdate.Stock().Named("galaxy"))
	encoder := stateupdate.Encoder{Receiver: objectid.NoPeer}
	var datagram, buf []byte
	gameTime := time.Duration(0)
	now := l.now
	allocs := testing.AllocsPerRun(500, func() {
		gameTime += 100 * time.Millisecond
		now = now.Add(100 * time.Millisecond)
		buf, _ = encoder.Append(buf[:0], gameTime, theirs)
		datagram = append(datagram[:0], byte(objectid.Host), 1, byte(transport.TypeData), byte(len(buf)+3), 0)
		datagram = append(datagram, buf...)
		c.Receive(now, datagram)
		for d := c.AppendDatagram(buf[:0], now); len(d) > 0; d = c.AppendDatagram(buf[:0], now) {
		}
	})
	require.LessOrEqual(t, allocs, 1.0, "only shots and the loop over the ships allocate")
	require.Equal(t, InGame, l.player.State())
}
