package model_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/combat/model"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stateupdate"
)

// random is a generator of numbers, the same on every platform.
type random uint64

// between returns a number from low to high.
func (r *random) between(low, high float64) float64 {
	*r = *r*6364136223846793005 + 1442695040888963407
	return low + float64((high-low)*float64(*r>>40))/(1<<24)
}

func (r *random) vector(length float64) [3]float64 {
	return [3]float64{r.between(-length, length), r.between(-length, length), r.between(-length, length)}
}

// duelists returns a World with two ships at places of a seed.
func duelists(t *testing.T, seed uint64, first, second string) *model.World {
	w, r := new(model.World), random(seed)
	for i, class := range []string{first, second} {
		id := []objectid.ID{anns, bens}[i]
		require.NoError(t, w.Add(id, stateupdate.Stock().Named(class), "", model.Motion{Position: r.vector(100), Forward: r.vector(1), Up: [3]float64{0, 0, 1}}))
	}
	return w
}

// pilot flies a ship to another one and fires all that bears.
func pilot(w *model.World, id, enemy objectid.ID) {
	s, e := w.Ship(id), w.Ship(enemy)
	if s == nil || e == nil || !s.Alive() || !e.Alive() {
		return
	}
	f, u := s.Forward, s.Up
	right := [3]float64{
		float64(f[1]*u[2]) - float64(f[2]*u[1]), float64(f[2]*u[0]) - float64(f[0]*u[2]), float64(f[0]*u[1]) - float64(f[1]*u[0]),
	}
	var to [3]float64 // in the frame of the ship
	distance := 0.0
	for axis := range 3 {
		d := e.Position[axis] - s.Position[axis]
		distance += float64(d * d)
		to[0], to[1], to[2] = to[0]+float64(d*right[axis]), to[1]+float64(d*f[axis]), to[2]+float64(d*u[axis])
	}
	h := &stateupdate.Helm{Throttle: 1, Turn: [3]float64{to[2] / 20, 0, -to[0] / 20}}
	if to[1] < 0 {
		h.Turn = [3]float64{0, 0, 1}
	}
	if distance < 40*40 {
		h.Throttle = 0.2
	}
	s.Helm = h
	for i, sub := range s.Class.Subsystems {
		switch sub.Kind {
		case stateupdate.KindPhaser, stateupdate.KindPulse, stateupdate.KindTorpedo:
			system, _ := s.Class.PartID(id, i, -1)
			_ = w.Fire(system, enemy, [3]float64{}) // refused if the system does not work
		}
	}
}

// duel lets two pilots fight until the end of one of them, for at most ten minutes. It calls watch each tenth of a
// second. Duels that are fair and end by fire need a better pilot; see package bot/pilot.
func duel(t *testing.T, seed uint64, first, second string, watch func(*model.World)) {
	w := duelists(t, seed, first, second)
	for now := time.Duration(0); now < 10*time.Minute; now += 100 * time.Millisecond {
		pilot(w, anns, bens)
		pilot(w, bens, anns)
		w.Advance(now)
		if !w.Ship(anns).Alive() || !w.Ship(bens).Alive() {
			return
		}
		watch(w)
	}
}

// The same duels have the same bits on every platform. CI runs this test on 386, too, and with -long on arm64 and
// s390x. The digest is from amd64.
func TestSameBits(t *testing.T) {
	t.Parallel()
	digest := sha256.New()
	write := func(values ...float64) {
		for _, v := range values {
			_ = binary.Write(digest, binary.LittleEndian, math.Float64bits(v)) // a hash returns no error
		}
	}
	for seed, ships := range [][2]string{{"galaxy", "vorcha"}, {"kessokheavy", "sovereign"}, {"warbird", "akira"}, {"birdofprey", "marauder"}} {
		duel(t, uint64(seed), ships[0], ships[1], func(w *model.World) {
			for _, id := range []objectid.ID{anns, bens} {
				s := w.Ship(id)
				write(s.Position[:]...)
				write(s.Velocity[:]...)
				write(s.Forward[:]...)
				write(s.Shields[:]...)
				write(s.Condition...)
				write(s.Charge...)
			}
		})
	}
	require.Equal(t, "00bc9cb5481b75d2", hex.EncodeToString(digest.Sum(nil)[:8]))
}

// BenchmarkSecond computes a second of a match of sixteen ships that fight.
func BenchmarkSecond(b *testing.B) {
	w, r := new(model.World), random(1)
	classes := stateupdate.Stock()[:15]
	for i := range 16 {
		id, _ := objectid.Base(objectid.Slot(i))
		if err := w.Add(id, classes[i%len(classes)], "", model.Motion{Position: r.vector(100), Forward: r.vector(1), Up: [3]float64{0, 0, 1}}); err != nil {
			b.Fatal(err)
		}
	}
	now := time.Duration(0)
	for b.Loop() {
		for range 10 {
			now += 100 * time.Millisecond
			for i := range 16 {
				id, _ := objectid.Base(objectid.Slot(i))
				enemy, _ := objectid.Base(objectid.Slot((i + 1) % 16))
				if s := w.Ship(id); s != nil {
					for k := range s.Condition {
						s.Condition[k] += 100 // nobody dies
					}
				}
				pilot(w, id, enemy)
			}
			w.Advance(now)
		}
	}
}
