package stateupdate

import (
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// split passes the statuses of a block that is right in every respect, and says whether it
// was. The walk says what is wrong with the others, and is the judge of this function in
// the tests: nearly every message of a host comes through here.
func (c *Class) split(m *opcode.StateUpdate, yield func(Status, error) bool) (ok, more bool) {
	i := int(m.StartIndex)
	if i < 0 || i >= len(c.Subsystems) {
		return false, true
	}
	b := block{data: m.Data, bools: newGroup(m.Bits)}
	for n := 0; len(b.data) > 0 && n < len(c.Subsystems); n++ {
		s := Status{Subsystem: &c.Subsystems[i], Index: uint8(i)}
		if !b.status(&s) {
			return false, true
		}
		if !yield(s, nil) {
			return true, false
		}
		i = c.next(i)
	}
	return len(b.data) == 0 && b.bools.left == 0 && !b.bools.bad, true
}

// block is what is left of a block.
type block struct {
	data  []byte
	bools group
}

// status takes the next status, and says whether that was one.
func (b *block) status(s *Status) bool {
	data, children := b.data, len(s.Subsystem.Children)
	if len(data) <= children {
		return false
	}
	s.Condition = Level(data[0])
	s.Parts, data = Levels(data[1:1+children:1+children]), data[1+children:]
	switch kind := s.Subsystem.Kind; {
	case kind == KindReactor:
		if len(data) < 2 {
			return false
		}
		s.MainBattery, s.BackupBattery, data = Level(data[0]), Level(data[1]), data[2:]
	case kind.Powered():
		var ok bool
		if data, ok = b.bools.power(s, data); !ok {
			return false
		}
		if kind == KindShield {
			if len(data) < facings {
				return false
			}
			s.Parts, data = Levels(data[:facings:facings]), data[facings:]
		}
	}
	b.data = data
	return !b.bools.bad
}

// power takes the bool of a powered subsystem, and its power if there is one. It returns
// the rest of the data.
func (g *group) power(s *Status, data []byte) (rest []byte, ok bool) {
	if g.left == 0 {
		if len(data) == 0 || g.room != 0 {
			return nil, false
		}
		*g, data = openGroup(data[0]), data[1:]
	}
	s.HasPower = g.values&1 != 0
	g.values >>= 1
	g.left--
	if s.HasPower {
		if len(data) == 0 {
			return nil, false
		}
		s.Power, data = PowerPercent(data[0]), data[1:]
	}
	return data, true
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
