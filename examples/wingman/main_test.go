package main

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/lab/simulated"
	"github.com/bcwire/bcwire/examples/server/game"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

const (
	hostAddr = "10.0.0.1:22101"
	annAddr  = "10.0.1.1:5000"
	wingAddr = "10.0.1.2:5000"
)

// world is a server with two players in a bubble: Ann, whom the test flies, and a wingman. The server refuses motion
// that no ship of the class is capable of.
type world struct {
	t       *testing.T
	network simulated.Network
	match   *game.Match
	loop    udp.Loop
	stop    func()
	refused int // messages that the server has refused or noted

	ann   *wingman // flown by the test
	ended chan error
}

func bubble(t *testing.T, test func(*testing.T, *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, ended: make(chan error, 1)}
		w.match = game.New(time.Now(), game.Options{
			Host:   join.HostOptions{Hub: transport.HubOptions{Rand: testdata.LowestIDs}},
			Combat: true, Strict: true,
			Dropped: func(string) { w.refused++ }, Noted: func() { w.refused++ },
		})
		ctx, stop := context.WithCancel(context.Background())
		w.stop = stop
		socket, served := w.network.Listen(hostAddr), make(chan error, 1)
		go func() {
			served <- udp.Serve(ctx, socket, w.match.Hub(), udp.Handler{Event: w.match.Handle, Tick: w.match.Tick, Loop: &w.loop})
		}()
		t.Cleanup(func() {
			stop()
			require.NoError(t, <-served)
		})
		w.ann = w.join(annAddr, "Ann")
		w.ann.Advance(0)
		w.ann.Ship().Position = [3]float32{200, 0, 0}
		creation, err := w.ann.Ship().Creation()
		require.NoError(t, err)
		require.NoError(t, w.ann.player.Send(creation))
		wing := w.join(wingAddr, "Wingman")
		go func() { w.ended <- wing.run(t.Context()) }()
		test(t, w)
	})
}

// join lets a player join.
func (w *world) join(from, name string) *wingman {
	w.t.Helper()
	conn, err := udp.Dial(w.t.Context(), hostAddr, udp.Options{Conn: w.network.Listen(from)})
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = conn.Close() })
	require.NoError(w.t, conn.Join(w.t.Context(), join.Options{Name: name}))
	return newWingman(conn, "")
}

// fly flies Ann's ship with a speed on a course that turns, and calls see every tick after it has received what the
// server sends.
func (w *world) fly(d time.Duration, speed, turn float64, see func()) {
	w.t.Helper()
	s := w.ann.Ship()
	for range d / interval {
		ctx, cancel := context.WithTimeout(w.t.Context(), interval)
		for m, err := range w.ann.player.Messages(ctx) {
			if err == nil {
				_, _ = w.ann.Apply(m)
			}
		}
		cancel()
		x, y, _ := s.Forward.Float32()
		angle := math.Atan2(float64(y), float64(x)) + turn*interval.Seconds()
		s.SetHeading(float32(math.Cos(angle)), float32(math.Sin(angle)), 0)
		s.Speed = compress.EncodeFloat16(float32(speed))
		s.Position[0] += float32(math.Cos(angle) * speed * interval.Seconds())
		s.Position[1] += float32(math.Sin(angle) * speed * interval.Seconds())
		messages, err := w.ann.Advance(time.Since(w.ann.player.State().Began))
		require.NoError(w.t, err)
		for _, m := range messages {
			_ = w.ann.player.Send(m)
		}
		if see != nil {
			see()
		}
	}
}

// gap returns the distance between the ships of Ann and of the wingman, which Ann must see.
func (w *world) gap() float64 {
	w.t.Helper()
	other := w.ann.target()
	require.NotNil(w.t, other)
	require.Equal(w.t, "Wingman", other.PlayerName)
	return vector(other.Motion.Course().Position).plus(vector(w.ann.Course.Position).times(-1)).length()
}

func TestKeepsItsDistance(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.fly(2*time.Second, 0, 0, nil)
		require.Greater(t, w.gap(), 2.0*distance)
		w.fly(3*time.Minute, 4, 0.1, nil)
		within := func() { require.InDelta(t, distance, w.gap(), 4) }
		w.fly(time.Minute, 4, 0.1, within)
		w.fly(time.Minute, 4, -0.05, within)
		w.fly(20*time.Second, 0, 0, nil) // Ann stops
		w.fly(time.Minute, 0, 0, within)
		require.Zero(t, w.refused)
	})
}

// The wingman has another ship some seconds after the end of the first one.
func TestNextShip(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.fly(2*time.Second, 0, 0, nil)
		first := w.ann.target().ID
		require.NoError(t, w.loop.Do(t.Context(), func() { w.match.Broadcast(&opcode.DestroyObject{ObjectID: first}) }))
		w.fly(time.Second, 0, 0, nil)
		require.Nil(t, w.ann.target())
		w.fly(6*time.Second, 0, 0, nil)
		require.Equal(t, first+objectid.ID(w.ann.Ship().Class.Objects()), w.ann.target().ID)
		w.fly(time.Minute, 0, 0, nil)
		require.InDelta(t, distance, w.gap(), 4)
	})
}

// A wingman follows only its leader. Without one, it stays.
func TestLeader(t *testing.T) {
	w := alone(t, "Bob")
	for i, c := range []struct {
		name, system string
		peer         objectid.PeerID
		want         bool
	}{
		{"Ann", "Multi1", 3, false},
		{"Bob", "Multi2", 4, false},
		{"Bob", "Multi1", objectid.NoPeer, false}, // a station
		{"Bob", "Multi1", 4, true},
	} {
		id, _ := objectid.Base(objectid.Slot(i + 1))
		w.add(t, id, c.peer, c.name, c.system, [3]float32{0, 100, 0})
		require.Equal(t, c.want, w.target() != nil, "%v", c)
		w.steer()
		require.Equal(t, c.want, w.Helm.Throttle != 0)
	}
	explosion, err := opcode.NewObjectExploding(w.target().ID, objectid.None, objectid.NoPeer, 9.5)
	require.NoError(t, err)
	_, err = w.Apply(explosion)
	require.NoError(t, err)
	require.Nil(t, w.target())
}

// alone returns a wingman with a ship at the origin, and without a server.
func alone(t *testing.T, leader string) *wingman {
	f := &stateupdate.Flight{Class: stateupdate.Stock().Named("akira"), PeerID: 2, Name: "Wingman"}
	_, err := f.Advance(0)
	require.NoError(t, err)
	return &wingman{leader: leader, Flight: f}
}

// add adds a ship of another player.
func (w *wingman) add(t *testing.T, id objectid.ID, peer objectid.PeerID, name, system string, at [3]float32) {
	s := stateupdate.NewShip(id, w.Ship().Class)
	s.PeerID, s.PlayerName, s.SetName, s.Position = peer, name, system, at
	creation, err := s.Creation()
	require.NoError(t, err)
	_, err = w.Apply(creation)
	require.NoError(t, err)
}

// A ship whose leader is exactly behind it turns around.
func TestTurnsAround(t *testing.T) {
	w := alone(t, "")
	w.add(t, 0x4003FFFF, 3, "Ann", "Multi1", [3]float32{0, -500, 0})
	for i := range 150 {
		w.steer()
		_, err := w.Advance(time.Duration(i) * interval)
		require.NoError(t, err)
	}
	require.Less(t, w.Course.Forward[1], -0.95)
	require.InDelta(t, w.Ship().Class.Physics.MaxSpeed, w.Ship().Speed.Float32(), 0.1)
}

// The wingman survives garbage, and updates of ships that are nowhere or too far away.
func TestHostile(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.fly(2*time.Second, 0, 0, nil)
		nan, inf := float32(math.NaN()), float32(math.Inf(1))
		r := rand.New(rand.NewPCG(1, 2))
		send := func(payload []byte) {
			require.NoError(t, w.loop.Do(t.Context(), func() { _ = w.match.Members()[1].Session.Send(payload, transport.Reliable) }))
		}
		ids := []objectid.ID{w.ann.Ship().ID, w.ann.target().ID, 77}
		for i := range 300 {
			payload, err := opcode.Marshal(&opcode.StateUpdate{
				ObjectID: ids[i%len(ids)], Flags: opcode.StatePosition | opcode.StateSpeed | opcode.StateForward,
				GameTime: float32(time.Since(w.ann.player.State().Began).Seconds()),
				Position: [][3]float32{{nan, inf, 0}, {math.MaxFloat32, 0, -math.MaxFloat32}, {}}[r.IntN(3)],
				Speed:    compress.Float16(r.Uint32()),
			})
			require.NoError(t, err)
			send(payload)
			send(payload[:r.IntN(len(payload))])
			garbage := make([]byte, 1+r.IntN(40))
			for i := range garbage {
				garbage[i] = byte(r.Uint32())
			}
			if op := opcode.Code(garbage[0]); op != opcode.OpBootPlayer && op != opcode.OpRestartGame { // they end the session or the ships
				send(garbage)
			}
			w.fly(interval, 0, 0, nil)
		}
		w.fly(2*time.Minute, 0, 0, nil)
		require.InDelta(t, distance, w.gap(), 4)
	})
}

// The wingman ends with the server, and knows the reason.
func TestServerEnds(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		w.fly(2*time.Second, 0, 0, nil)
		w.stop()
		require.ErrorIs(t, <-w.ended, join.ErrLeft)
	})
}
