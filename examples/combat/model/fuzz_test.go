package model_test

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/combat/model"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// script reads the steps of a fuzz input. A script that has ended gives zeros.
type script []byte

func (s *script) next() (b byte) {
	if len(*s) > 0 {
		b, *s = (*s)[0], (*s)[1:]
	}
	return b
}

// number returns any number: a small one, or eight bytes of the script.
func (s *script) number() float64 {
	b := s.next()
	if b != 0xFF || len(*s) < 8 {
		return float64(int8(b)) / 8
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(*s))
	*s = (*s)[8:]
	return v
}

func (s *script) vector() [3]float64 { return [3]float64{s.number(), s.number(), s.number()} }

// object returns a ship, one of its parts or any other object.
func (s *script) object() objectid.ID {
	b := s.next()
	return []objectid.ID{anns, bens, carls, 0}[b>>6] + objectid.ID(b&63)
}

// FuzzWorld plays arbitrary calls. The World never panics, all values stay finite and in their range, and
// nobody is damaged without a hit.
func FuzzWorld(f *testing.F) {
	f.Add([]byte{0, 0, 64, 8, 9, 20, 9, 9, 9})
	f.Add([]byte{1, 1, 64, 0, 8, 0, 0, 0, 0, 9, 255, 9, 255})
	f.Add([]byte{2, 64, 0, 8, 0, 0, 8, 0, 0, 0, 8, 9, 99, 3, 64, 64, 127, 1, 9, 99})
	f.Add([]byte{4, 1, 2, 5, 64, 200, 9, 60, 6, 0, 9, 60, 7, 70, 1, 8, 1, 80, 8, 8, 80, 8, 255, 0, 0, 0, 0, 0, 0, 248, 127, 9, 60})
	f.Fuzz(func(t *testing.T, text []byte) {
		s, h, hit := script(text), newHarness(t), map[objectid.ID]bool{}
		for n := 0; len(s) > 0 && n < 200; n++ {
			h.play(&s)
			h.check(hit)
		}
	})
}

// play makes one call.
func (h *harness) play(s *script) {
	switch s.next() % 10 {
	case 0:
		_ = h.Fire(s.object(), s.object(), s.vector())
	case 1:
		_ = h.Shoot(s.object(), s.object(), s.vector(), s.vector())
	case 2:
		_ = h.Report(s.object(), "Multi1", model.Motion{Position: s.vector(), Velocity: s.vector(), Forward: s.vector(), Up: s.vector(), Cloaked: s.next() > 200}, s.next() > 200)
	case 3:
		contacts := make([]compress.Contact, s.next()%4)
		_ = h.Apply(&opcode.CollisionEffect{Event: opcode.Event{
			Class: opcode.ClassCollisionEvent, Code: opcode.ETObjectCollision, Dest: s.object(), Source: s.object(), Contacts: contacts, Force: float32(s.number()),
		}})
	case 4:
		e := opcode.Event{Dest: s.object(), Object: s.object(), Value: int32(int8(s.next()))}
		for _, m := range []opcode.Message{
			&opcode.StopFiring{Event: e}, &opcode.SubsystemStatus{Event: e}, &opcode.SetPhaserLevel{Event: e}, &opcode.TorpedoTypeChange{Event: e},
			&opcode.RepairListPriority{Event: e}, opcode.NewStartFiring(e.Dest, e.Object), &opcode.StopFiringAtTarget{Event: e},
		}[s.next()%7:] {
			_ = h.Apply(m)
			break
		}
	case 5:
		_ = h.Apply(&opcode.StateUpdate{ObjectID: s.object(), Power: []opcode.PowerEntry{{Index: s.next(), Value: s.next()}}})
	case 6:
		h.destroy(s.object())
	case 7:
		if ship := h.Ship(s.object()); ship != nil {
			ship.Helm = &stateupdate.Helm{Throttle: s.number(), Turn: s.vector(), Direct: s.next() > 128}
		}
	case 8:
		h.Strict = !h.Strict
		h.Remove(s.object())
	case 9:
		h.now += time.Duration(s.next()) * 10 * time.Millisecond
		h.events = append(h.events, h.Advance(h.now)...)
	}
}

// check requires that the values of all ships are in their range, and remembers the ships that were hit.
func (h *harness) check(hit map[objectid.ID]bool) {
	for _, e := range append(h.events, h.Advance(h.now)...) {
		hit[e.Ship] = hit[e.Ship] || e.Kind == model.Hit || e.Kind == model.Exploding
	}
	h.events = nil
	for _, id := range []objectid.ID{anns, bens, carls} {
		s := h.Ship(id)
		if s == nil {
			continue
		}
		full := stateOf(s)
		for i, c := range s.Condition {
			require.True(h, c >= 0 && c <= full[i])
			if !hit[id] && s.Alive() {
				require.InDelta(h, full[i], c, 0)
			}
		}
		for _, v := range append(s.Shields[:], s.Charge...) {
			require.True(h, v >= 0 && v <= 1e5)
		}
		for _, v := range append(append(s.Forward[:], s.Up[:]...), append(s.Position[:], s.Velocity[:]...)...) {
			require.False(h, math.IsNaN(v) || math.IsInf(v, 0))
		}
	}
}

// stateOf returns the points of each part of an undamaged ship.
func stateOf(s *model.Ship) (points []float64) {
	for _, sub := range s.Class.Subsystems {
		points = append(points, float64(sub.MaxCondition))
		for _, child := range sub.Children {
			points = append(points, float64(child.MaxCondition))
		}
	}
	return points
}
