package stateupdate

import (
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// split passes the statuses of a block that is right in every respect, and says whether it
// was. The walk says what is wrong with the others, and is the judge of this function in
// the tests: nearly every message of a host comes through here.
func (c *Class) split(m *opcode.StateUpdate, yield func(Status, error) bool) (ok, more bool) {
	data, bools := m.Data, newGroup(m.Bits)
	i := int(m.StartIndex)
	if i < 0 || i >= len(c.Subsystems) {
		return false, true
	}
	for n := 0; len(data) > 0 && n < len(c.Subsystems); n++ {
		s := Status{Subsystem: &c.Subsystems[i], Index: uint8(i)}
		children := len(s.Subsystem.Children)
		if len(data) <= children {
			return false, true
		}
		s.Condition = Level(data[0])
		s.Parts, data = Levels(data[1:1+children:1+children]), data[1+children:]
		if kind := s.Subsystem.Kind; kind == KindReactor {
			if len(data) < 2 {
				return false, true
			}
			s.MainBattery, s.BackupBattery, data = Level(data[0]), Level(data[1]), data[2:]
		} else if kind.Powered() {
			if bools.left == 0 {
				if len(data) == 0 || bools.room != 0 {
					return false, true
				}
				bools, data = openGroup(data[0]), data[1:]
			}
			s.HasPower = bools.values&1 != 0
			bools.values >>= 1
			bools.left--
			if s.HasPower {
				if len(data) == 0 {
					return false, true
				}
				s.Power, data = PowerPercent(data[0]), data[1:]
			}
			if kind == KindShield {
				if len(data) < facings {
					return false, true
				}
				s.Parts, data = Levels(data[:facings:facings]), data[facings:]
			}
		}
		if bools.bad {
			return false, true
		}
		if !yield(s, nil) {
			return true, false
		}
		i = c.next(i)
	}
	return len(data) == 0 && bools.left == 0 && !bools.bad, true
}

// group is an open bit group.
type group struct {
	values uint8 // the bools that are not read yet
	left   uint8 // how many they are
	room   uint8 // how many may follow in the same byte
	bad    bool
}

func openGroup(b uint8) group {
	left, values := b>>5, b&0x1F
	return group{values: values, left: left, room: 5 - left, bad: left-1 >= 5 || values>>left != 0}
}

func newGroup(open stream.Bits) group {
	if open.Read == 0 {
		return group{}
	}
	g := openGroup(open.Byte)
	g.bad = g.bad || open.Read > g.left
	g.values >>= open.Read & 7
	g.left -= open.Read
	return g
}
