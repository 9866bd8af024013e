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
	if m.Flags != opcode.StateSubsystems || m.Bits != (stream.Bits{}) {
		return false
	}
	var w stream.Codec
	w.DecodeBare(m.Data)
	n, with, without, full, valid := 0, false, false, false, true // subsystems with and without power; the block is long enough
	c.walkBlocks(&w, m.StartIndex, true, func(s Status) bool {
		valid = !full && s.Power <= maxPower
		if kind := s.Subsystem.Kind; kind.Powered() && kind != KindShield {
			with, without = with || s.HasPower, without || !s.HasPower
		}
		full = n > 0 && 1+w.Offset() >= blockStop
		n++
		return valid
	})
	return valid && full && w.Done() && !(with && without)
}

// splitOpenBC is like split for a block of OpenBC. It skips the first statuses.
func (c *Class) splitOpenBC(m *opcode.StateUpdate, skip int, yield func(Status, error) bool) (ok, more bool) {
	if !c.fitsOpenBC(m) {
		return false, true
	}
	var w stream.Codec
	w.DecodeBare(m.Data)
	more = true
	c.walkBlocks(&w, m.StartIndex, true, func(s Status) bool {
		skip--
		more = skip >= 0 || yield(s, nil)
		return more
	})
	return true, more
}
