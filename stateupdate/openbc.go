package stateupdate

import (
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// isOpenBC reports whether a block is OpenBC's and not the game's. The rest b begins with a shield
// generator, after n subsystems that read the same in both forms.
func (c *Class) isOpenBC(m *opcode.StateUpdate, b block, n int) bool {
	if !c.fitsOpenBC(m) {
		return false
	}
	for i := (int(m.StartIndex) + n) % len(c.Subsystems); len(b.data) > 0 && n < len(c.Subsystems); n++ {
		s := Status{Subsystem: &c.Subsystems[i]}
		if !b.status(&s) {
			return true
		}
		i = c.next(i)
	}
	return !b.complete()
}

// hasGroup reports whether the first bit group is valid if the i-th subsystem, a shield generator,
// has the form of OpenBC. The data have at most most subsystems. This quick test rejects nearly all
// blocks of the game.
func (c *Class) hasGroup(data []byte, i, most int) bool {
	at := 1
	for ; at < len(data) && most > 1; most-- {
		i = c.next(i)
		s := &c.Subsystems[i]
		at += 1 + len(s.Children)
		switch s.Kind {
		case KindHull, KindShield:
		case KindReactor:
			at += 2
		default:
			return at < len(data) && !openGroup(data[at]).bad
		}
	}
	return at == len(data)
}

// hasOpenBC reports whether Block reads a block as OpenBC's.
func (c *Class) hasOpenBC(m *opcode.StateUpdate) (found bool) {
	ok, _ := c.split(m, func(s Status, _ error) bool {
		found = found || s.OpenBC
		return true
	})
	return ok && found
}

// fitsOpenBC reports whether a block has the form of OpenBC and follows all its rules; see Status.
// Truncated blocks of the game do not follow them.
func (c *Class) fitsOpenBC(m *opcode.StateUpdate) bool {
	b, i := block{data: m.Data}, int(m.StartIndex)
	if m.Flags != opcode.StateSubsystems || m.Bits != (stream.Bits{}) || i < 0 || i >= len(c.Subsystems) {
		return false
	}
	var with, without, full bool // subsystems with and without power; the block is long enough
	for n := 0; len(b.data) > 0; n++ {
		s := Status{Subsystem: &c.Subsystems[i]}
		if full || n == len(c.Subsystems) || !b.statusOpenBC(&s) || s.Power > maxPower {
			return false
		}
		if kind := s.Subsystem.Kind; kind.Powered() && kind != KindShield {
			with, without = with || s.HasPower, without || !s.HasPower
		}
		i = c.next(i)
		full = n > 0 && 1+len(m.Data)-len(b.data) >= blockStop
	}
	return full && b.complete() && !(with && without)
}

// splitOpenBC is like split for a block of OpenBC. It skips the first statuses.
func (c *Class) splitOpenBC(m *opcode.StateUpdate, skip int, yield func(Status, error) bool) (ok, more bool) {
	if !c.fitsOpenBC(m) {
		return false, true
	}
	b, i := block{data: m.Data}, int(m.StartIndex)
	for n := 0; len(b.data) > 0; n++ {
		s := Status{Subsystem: &c.Subsystems[i], Index: uint8(i)}
		b.statusOpenBC(&s)
		if n >= skip && !yield(s, nil) {
			return true, false
		}
		i = c.next(i)
	}
	return true, true
}

// statusOpenBC is like status for a block of OpenBC.
func (b *block) statusOpenBC(s *Status) bool {
	kind := s.Subsystem.Kind
	if kind.Powered() && kind != KindShield {
		if b.ended && b.bools.room != 0 {
			s.OpenBC, b.bools = true, group{}
		}
		b.ended = false
		return b.status(s)
	}
	b.ended = true
	if b.bools.left != 0 {
		return false
	}
	if kind != KindShield {
		return b.status(s)
	}
	s.OpenBC, s.Condition, b.data = true, Level(b.data[0]), b.data[1:]
	return true
}
