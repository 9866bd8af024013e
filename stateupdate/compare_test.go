package stateupdate_test

import (
	"fmt"
	"math"
	"slices"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// levels returns pointers to a ship's conditions, parts and batteries, always in the same
// order.
func levels(s *stateupdate.Ship) (all []*byte) {
	for i := range s.Subsystems {
		own := &s.Subsystems[i]
		all = append(all, (*byte)(&own.Condition))
		for k := range own.Parts {
			all = append(all, &own.Parts[k])
		}
		if own.Subsystem.Kind == stateupdate.KindReactor {
			all = append(all, (*byte)(&own.MainBattery), (*byte)(&own.BackupBattery))
		}
	}
	return all
}

func values(s *stateupdate.Ship) (all []byte) {
	for _, p := range levels(s) {
		all = append(all, *p)
	}
	return all
}

// valuesSeen records every value that each part of a ship has had, as codes of the wire.
type valuesSeen struct {
	levels  [][256]bool
	power   []map[stateupdate.Power]bool
	forward map[compress.Vector3]bool
	up      map[compress.Vector3]bool
	speed   map[compress.Float16]bool
}

func (v *valuesSeen) add(s *stateupdate.Ship) {
	if v.levels == nil {
		v.levels = make([][256]bool, len(levels(s)))
		v.power = make([]map[stateupdate.Power]bool, len(s.Subsystems))
		for i := range v.power {
			v.power[i] = map[stateupdate.Power]bool{}
		}
		v.forward, v.up, v.speed = map[compress.Vector3]bool{}, map[compress.Vector3]bool{}, map[compress.Float16]bool{}
	}
	for i, p := range levels(s) {
		v.levels[i][*p] = true
	}
	for i := range s.Subsystems {
		power := s.Subsystems[i].Power
		v.power[i][stateupdate.PowerPercent(power.Percent())] = true
		v.power[i][stateupdate.PowerSetting(setting(power))] = true
	}
	v.forward[s.Forward], v.up[s.Up], v.speed[s.Speed] = true, true, true
}

// check returns an error if a tracked ship has a value that the ship never had.
func (v *valuesSeen) check(s *stateupdate.Ship, role role) error {
	for i, p := range levels(s) {
		if !v.levels[i][*p] {
			return fmt.Errorf("level %d: %d", i, *p)
		}
	}
	for i := range s.Subsystems {
		if p := s.Subsystems[i].Power; !v.power[i][p] {
			return fmt.Errorf("power of %s: %d", s.Subsystems[i].Subsystem.Name, p)
		}
	}
	if role != toOwner && !(v.forward[s.Forward] && v.up[s.Up] && v.speed[s.Speed]) {
		return fmt.Errorf("motion %+v", s.Motion)
	}
	return nil
}

// checkChange returns an error if a change does not describe the difference between two
// states.
func checkChange(before *stateupdate.Ship, change stateupdate.Change) error {
	n := 0
	for i := range before.Subsystems {
		old, own := &before.Subsystems[i], &change.Ship.Subsystems[i]
		same := old.Condition == own.Condition && slices.Equal(old.Parts, own.Parts) && old.Power == own.Power &&
			old.MainBattery == own.MainBattery && old.BackupBattery == own.BackupBattery && old.Off == own.Off
		if same == change.Subsystems.Has(i) {
			return fmt.Errorf("change of %s: %v", own.Subsystem.Name, !same)
		}
		if !same {
			n++
		}
	}
	if change.Subsystems.Len() != n {
		return fmt.Errorf("%d systems changed, not %d", n, change.Subsystems.Len())
	}
	was, is := before.Motion, change.Ship.Motion
	for flag, differs := range map[opcode.StateFlags]bool{
		opcode.StatePosition: was.Position != is.Position, opcode.StateForward: was.Forward != is.Forward, opcode.StateUp: was.Up != is.Up,
		opcode.StateSpeed: was.Speed != is.Speed, opcode.StateCloak: was.Cloaked != is.Cloaked,
	} {
		if differs != (change.Motion&flag != 0) {
			return fmt.Errorf("change of %v: %v", flag, differs)
		}
	}
	return nil
}

// near returns an error if two positions differ by more than the precision of a delta from
// base. Encoding truncates the components of the direction to 127ths and the length to a step.
func near(base, want, got [3]float32) error {
	d := compress.EncodeVector4(want[0]-base[0], want[1]-base[1], want[2]-base[2])
	length := float64(d.Mag.Float32())
	step := float64((d.Mag + 1).Float32()) - length
	for i := range want {
		ulp := math.Abs(float64(want[i])) / (1 << 22)
		if math.Abs(float64(want[i]-got[i])) > (length+step)/127+step+ulp {
			return fmt.Errorf("%v is not near %v, from %v", got, want, base)
		}
	}
	return nil
}
