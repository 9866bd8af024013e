package stateupdate_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// BenchmarkBlockBar compares decoding and splitting a message with decoding alone, for a round
// of blocks of every stock class, with and without power.
func BenchmarkBlockBar(b *testing.B) {
	blocks := allBlocks(b)
	testdata.AtMost(b, testdata.Limit{Aim: 4, Slowest: 6.28}, func() { decode(blocks) }, func() { decodeAndSplit(blocks) })
}

type update struct {
	class   *stateupdate.Class
	payload []byte
	message opcode.StateUpdate
}

func allBlocks(t testing.TB) (all []*update) {
	for _, class := range stateupdate.Stock() {
		for _, role := range []stateupdate.Role{stateupdate.HostToOwner, stateupdate.HostToOther} {
			e, ship := stateupdate.Encoder{Role: role}, stateupdate.NewShip(1, class)
			for i := range 6 {
				payload, err := e.Append(nil, float32(i)/10, ship)
				require.NoError(t, err)
				u := &update{class: class, payload: payload}
				require.NoError(t, opcode.Unmarshal(payload, &u.message))
				all = append(all, u)
			}
		}
	}
	return all
}

var sink int

func decode(blocks []*update) {
	for _, u := range blocks {
		if err := opcode.Unmarshal(u.payload, &u.message); err != nil {
			panic(err)
		}
	}
}

func decodeAndSplit(blocks []*update) {
	for _, u := range blocks {
		if err := opcode.Unmarshal(u.payload, &u.message); err != nil {
			panic(err)
		}
		for s, err := range u.class.Block(&u.message) {
			if err != nil {
				panic(err)
			}
			sink += int(s.Condition)
		}
	}
}

// BenchmarkSplitBar compares the fast path for the blocks of the recorded match with the walk.
func BenchmarkSplitBar(b *testing.B) {
	var blocks []*update
	p := newPipeline(testdata.Match(b))
	p.frame(func(l *link, payload []byte) {
		m, err := l.decoder.Decode(payload)
		require.NoError(b, err)
		change, err := l.tracker.Apply(m)
		require.NoError(b, err)
		if m, ok := m.(*opcode.StateUpdate); ok && m.Flags&opcode.StateSubsystems != 0 && m.Bits == (stream.Bits{}) {
			u := &update{class: change.Ship.Class, message: *m}
			u.message.Data = bytes.Clone(m.Data)
			blocks = append(blocks, u)
		}
	})
	require.Greater(b, len(blocks), 500)
	each := func(s stateupdate.Status, err error) bool {
		sink += int(s.Condition)
		return err == nil
	}
	run := func(read func(c *stateupdate.Class, m *opcode.StateUpdate) bool) func() {
		return func() {
			for _, u := range blocks {
				if !read(u.class, &u.message) {
					panic("malformed block")
				}
			}
		}
	}
	testdata.AtLeast(b, testdata.Limit{Aim: 1.3},
		run(func(c *stateupdate.Class, m *opcode.StateUpdate) bool { return c.WalkBlock(m, each) }),
		run(func(c *stateupdate.Class, m *opcode.StateUpdate) bool { return c.SplitBlock(m, each) }))
}

// BenchmarkBlock splits a captured block of 14 bytes.
func BenchmarkBlock(b *testing.B) {
	class := stateupdate.Stock().Named("akira")
	m := opcode.StateUpdate{
		Flags: opcode.StateSubsystems, StartIndex: 8,
		Data: []byte{0xFF, 0x60, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
	}
	testdata.Bytewise(b, m.Data, func() {
		for s, err := range class.Block(&m) {
			if err != nil {
				b.Fatal(err)
			}
			sink += int(s.Condition)
		}
	})
}

// BenchmarkMatch is a second of a match with 16 ships. Ten times, the host sends an update of
// each ship to each of 16 peers, and the peers track the ships.
func BenchmarkMatch(b *testing.B) {
	const peers = 16
	ships := make([]*stateupdate.Ship, peers)
	courses := make([]course, peers)
	var encoders [peers][peers]stateupdate.Encoder
	var trackers [peers]stateupdate.Tracker
	playable := stateupdate.Stock()[:15]
	for i := range ships {
		ships[i] = stateupdate.NewShip(slotID(i), playable[i%len(playable)])
		courses[i].ship = ships[i]
		for peer := range peers {
			encoders[i][peer].Role = stateupdate.HostToOther
			if i == peer {
				encoders[i][peer].Role = stateupdate.HostToOwner
			}
			object, err := ships[i].Object()
			require.NoError(b, err)
			_, err = trackers[peer].Apply(&opcode.ObjectCreate{Object: object})
			require.NoError(b, err)
		}
	}
	var now float32
	var m opcode.StateUpdate
	buf := make([]byte, 0, 256)
	tick := func() {
		now += 0.1
		for i, ship := range ships {
			courses[i].step(5, 0.2, 0.1)
			ship.Subsystems[i%len(ship.Subsystems)].Condition--
			for peer := range peers {
				var err error
				buf, err = encoders[i][peer].Append(buf[:0], now, ship)
				if err == nil {
					err = opcode.Unmarshal(buf, &m)
				}
				if err == nil {
					_, err = trackers[peer].Apply(&m)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	for range 20 { // allocates the buffers of encoders and trackers
		tick()
	}
	b.ReportAllocs()
	for b.Loop() {
		for range 10 {
			tick()
		}
	}
	perUpdate := float64(b.Elapsed().Nanoseconds()) / float64(b.N) / (10 * peers * peers)
	b.ReportMetric(perUpdate, "ns/update")
	b.ReportMetric(perUpdate*10*peers*peers/1e7, "%core")
}
