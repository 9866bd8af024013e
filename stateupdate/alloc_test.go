package stateupdate_test

import (
	"bytes"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

func TestIterationAllocs(t *testing.T) {
	blocks := allBlocks(t)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		for _, u := range blocks {
			for s, err := range u.class.Block(&u.message) {
				if err != nil {
					t.Fatal(err)
				}
				sink += int(s.Condition)
			}
		}
	}))
	classes := stateupdate.Stock()
	blobs := make([][]byte, len(classes))
	for i, class := range classes {
		blobs[i] = blobOf(t, class, i%2 == 0)
	}
	require.EqualValues(t, len(classes), testing.AllocsPerRun(10, func() { // a codec for each
		for i, class := range classes {
			for s, err := range class.Blob(blobs[i]) {
				if err != nil {
					t.Fatal(err)
				}
				sink += int(s.Condition)
			}
		}
	}))
	m, all := opcode.StateUpdate{}, stateupdate.NewShip(1, classes[0]).Subsystems
	buf := make([]byte, 0, 128)
	require.EqualValues(t, 2, testing.AllocsPerRun(10, func() {
		buf, _ = classes[0].AppendUpdate(buf[:0], &m, all)
		buf, _ = classes[0].AppendBlob(buf[:0], all)
	}))
}

// A ship that changes constantly is encoded and tracked without allocations.
func TestSteadyStateAllocs(t *testing.T) {
	for _, role := range roles {
		for _, class := range append(stateupdate.Stock(), nil) {
			ship := newShip(1, class)
			course := course{ship: ship}
			e := role.encoder()
			var d stateupdate.Tracker
			object, err := ship.Object()
			require.NoError(t, err)
			_, _ = d.Apply(&opcode.ObjectCreate{Object: object})
			var dec opcode.Decoder
			var now float32
			buf := make([]byte, 0, 128)
			tick := func() {
				now += 0.1
				course.step(5, 0.2, 0.1)
				for i := range ship.Subsystems {
					ship.Subsystems[i].Condition--
					ship.Subsystems[i].Power = stateupdate.PowerPercent(uint8(ship.Subsystems[i].Condition) / 2)
				}
				var err error
				if buf, err = e.Append(buf[:0], seconds(now), ship); err != nil {
					t.Fatal(err)
				}
				if len(buf) == 0 {
					return
				}
				m, err := dec.Decode(buf)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := d.Apply(m); err != nil {
					t.Fatal(err)
				}
			}
			for range 20 { // allocates the buffers
				tick()
			}
			require.Zero(t, testing.AllocsPerRun(50, tick), "%v, role %d", class, role)
		}
	}
}

// Several goroutines can use the stock classes at the same time.
func TestConcurrentUse(t *testing.T) {
	blocks := allBlocks(t)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for _, u := range blocks {
				statuses, err := collect(u.class.Block(&u.message))
				again, appendErr := u.class.AppendUpdate(nil, &u.message, statuses)
				if err := errors.Join(err, appendErr); err != nil || !bytes.Equal(u.payload, again) {
					t.Error(u.class.Key, err)
				}
				ship := stateupdate.NewShip(1, stateupdate.Stock().Species(u.class.Species))
				if object, err := ship.Object(); err != nil || stateupdate.Stock().Named(u.class.Name).Species != object.Species {
					t.Error(u.class.Key, err)
				}
			}
		})
	}
	all.Wait()
}
