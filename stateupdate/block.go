package stateupdate

import (
	"fmt"
	"iter"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Block iterates over the subsystems in a StateUpdate of a ship of this class. They begin at
// StartIndex. After the last subsystem of the class, the block continues with the first. A
// message without [opcode.StateSubsystems] has no subsystems.
//
// An error ends the iteration. It is a [*stream.Error] with the offset in the payload. It wraps
// [ErrIndex], [io.ErrUnexpectedEOF], [stream.ErrBadBitGroup], or [stream.ErrTrailing] if bytes
// follow all subsystems. A block of another class does not always give an error.
//
// Block also reads the form of OpenBC; see [Status]. The Parts of a Status alias the payload.
func (c *Class) Block(m *opcode.StateUpdate) iter.Seq2[Status, error] {
	return func(yield func(Status, error) bool) {
		var s Status
		r := c.reader(m, formGame)
		for r.next(&s) {
			if !yield(s, nil) {
				return
			}
		}
		if r.bad {
			yield(Status{}, c.blockError(m))
		}
	}
}

// blockError returns the error of a malformed block, with its offset in the payload.
func (c *Class) blockError(m *opcode.StateUpdate) error {
	payload, err := opcode.Append(nil, m)
	if err != nil {
		return err
	}
	return new(stream.Codec).Decode(payload, int(opcode.OpStateUpdate), updateName, (&update{class: c}).Walk)
}

// AppendUpdate appends a StateUpdate with the subsystems in block to dst. Each Status.Subsystem must point to an
// element of c.Subsystems. The elements must be consecutive; after the last, the first may follow. AppendUpdate does
// not modify m. It ignores Data, Bits and Power, and encodes the index of the first status as StartIndex. A Status
// with OpenBC has the form of OpenBC. The payload has the flag [opcode.StateSubsystems]. It has the flag
// [opcode.StatePower] only if m has both flags, which the game never sends.
//
// On error, AppendUpdate returns dst unchanged. The error wraps [ErrOrder] or is a
// [*stream.Error]. Use [opcode.Append] for a message without a block.
func (c *Class) AppendUpdate(dst []byte, m *opcode.StateUpdate, block []Status) ([]byte, error) {
	if err := c.consecutive(block); err != nil {
		return dst, err
	}
	head := *m
	if m.Flags&opcode.StateSubsystems == 0 {
		head.Flags &^= opcode.StatePower
	}
	head.Flags |= opcode.StateSubsystems
	if len(block) > 0 {
		head.StartIndex = int8(block[0].Index)
	}
	return new(stream.Codec).Append(dst, int(opcode.OpStateUpdate), updateName, func(w *stream.Codec) {
		head.WalkHead(w)
		w.Group("Subsystems")
		for i := range block {
			s := &block[i]
			s.walk(w, s.OpenBC && s.Subsystem.Kind == KindShield && len(s.Parts) == 0)
		}
		w.End()
	})
}

// consecutive returns an error if the statuses cannot form a block.
func (c *Class) consecutive(block []Status) error {
	if len(block) > len(c.Subsystems) {
		return errOrder("%d statuses, but the class has %d subsystems", len(block), len(c.Subsystems))
	}
	for i := range block {
		want := (int(block[0].Index) + i) % len(c.Subsystems)
		if got := int(block[i].Index); got != want {
			return errOrder("status %d has index %d, must be %d", i, got, want)
		}
		if block[i].Subsystem != &c.Subsystems[want] {
			return errOrder("Subsystem of status %d is not in this Class", i)
		}
	}
	return nil
}

func errOrder(format string, args ...any) error {
	return fmt.Errorf("stateupdate: %w: %s", ErrOrder, fmt.Sprintf(format, args...))
}

// reader reads a block without a codec, because a host sends one in nearly every message. Tests compare it with
// walkBlocks, which finds the error of a malformed block. On the recorded match, the walk takes 1.8 times as long:
//
//	go test -run '^$' -bench Blocks ./stateupdate
type reader struct {
	class *Class
	m     *opcode.StateUpdate
	i, n  int  // index of the next subsystem, and the number of those before
	bad   bool // the block is malformed
	forms
	block
}

func (c *Class) reader(m *opcode.StateUpdate, f form) reader {
	r := reader{class: c, m: m, i: int(m.StartIndex), forms: formsOf(m, f)}
	if m.Flags&opcode.StateSubsystems != 0 {
		r.data = m.Data
		if f == formGame {
			r.bools = newGroup(m.Bits)
		}
		r.bad = r.i < 0 || r.i >= len(c.Subsystems) || r.bools.bad
	}
	return r
}

// next reads the next status and reports whether there is one.
//
// A block of OpenBC reads as a block of the game up to the subsystem where it becomes malformed, unless a shield
// generator has the first bool of a group. There, next looks ahead.
func (r *reader) next(s *Status) bool {
	if r.bad || len(r.data) == 0 || r.n == len(r.class.Subsystems) {
		r.bad = r.bad || !r.complete()
		return false
	}
	*s = Status{Subsystem: &r.class.Subsystems[r.i], Index: uint8(r.i)}
	switch {
	case r.form != formGame:
		if !r.formed(s, r.forms.next(s)) {
			r.bad = true
			return false
		}
	case s.Subsystem.Kind == KindShield && r.isOpenBC(), !r.status(s):
		return r.again(s)
	}
	r.i = r.class.next(r.i)
	r.n++
	return true
}

// again reads the next status of a block that is malformed in the form of the game, in another form if the block fits it.
func (r *reader) again(s *Status) bool {
	f, n := r.class.otherForm(r.m), r.n
	if f == formGame {
		r.bad = true
		return false
	}
	*r = r.class.reader(r.m, f)
	for range n {
		r.next(s)
	}
	return r.next(s)
}

// block is the rest of a block.
type block struct {
	data  []byte
	bools group
}

// complete reports whether no byte and no bool is left.
func (b *block) complete() bool { return len(b.data) == 0 && b.bools.left == 0 }

// formed is like status for a status in another form than the game's.
func (b *block) formed(s *Status, bare bool) bool {
	switch {
	case s.OpenBC && b.bools.left != 0:
		return false
	case s.OpenBC:
		b.bools = group{}
	}
	if bare {
		s.Condition, b.data = Level(b.data[0]), b.data[1:]
		return true
	}
	return b.status(s)
}

// status decodes the next status and reports whether it is valid.
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
	return true
}

// power decodes the packed bool of a powered subsystem and its power. It returns the rest of
// data.
func (g *group) power(s *Status, data []byte) (rest []byte, ok bool) {
	if g.left == 0 {
		if len(data) == 0 || g.room != 0 {
			return nil, false
		}
		*g, data = openGroup(data[0]), data[1:]
		if g.bad {
			return nil, false
		}
	}
	s.HasPower = g.values&1 != 0
	g.values >>= 1
	g.left--
	if s.HasPower {
		if len(data) == 0 {
			return nil, false
		}
		s.Power, data = powerPercent(data[0]), data[1:]
	}
	return data, true
}

// group is a bit group that is being decoded.
type group struct {
	values uint8 // bools that were not read yet
	left   uint8 // number of these bools
	room   uint8 // number of bools that can be added to the byte
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

// isOpenBC reports whether a block is OpenBC's and not the game's. Its rest begins with a shield generator, after
// subsystems that read the same in both forms.
func (r *reader) isOpenBC() bool {
	c := r.class
	if r.bools != (group{}) || !c.hasGroup(r.data, r.i, len(c.Subsystems)-r.n) || !c.fitsForm(r.m, formOpenBC) {
		return false
	}
	var s Status
	b := r.block
	for i := r.i; len(b.data) > 0; i = c.next(i) { // the block is too short for the same subsystem again
		if s.Subsystem = &c.Subsystems[i]; !b.status(&s) {
			return true
		}
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

// A form is a way to read a block; see [Status].
type form uint8

const (
	formGame   form = iota
	formGroup       // the game's, but the block begins a bit group
	formOpenBC      // the block begins a bit group, and hulls, reactors and shield generators end it
)

// form returns the form in which Block reads a block.
func (c *Class) form(m *opcode.StateUpdate) form {
	var s Status
	r := c.reader(m, formGame)
	for r.form == formGame && r.next(&s) {
	}
	return r.form
}

// otherForm returns the form of a block that is malformed in the form of the game. It returns
// formGame if the block fits no other form.
func (c *Class) otherForm(m *opcode.StateUpdate) form {
	switch {
	case c.fitsForm(m, formOpenBC):
		return formOpenBC
	case m.Bits.Read > 0 && c.fitsForm(m, formGroup):
		return formGroup
	}
	return formGame
}

// fitsForm reports whether a block fits a form to the end. A block of OpenBC must also follow the rules of
// Status, because a truncated block of the game may fit its form, too.
func (c *Class) fitsForm(m *opcode.StateUpdate, f form) bool {
	if g := newGroup(m.Bits); g.bad || g.left > 0 { // the block has bools of the open group
		return false
	}
	with, without, full := false, false, false // subsystems with and without power; the block is long enough
	var s Status
	r := c.reader(m, f)
	for r.next(&s) {
		if f == formOpenBC && (full || s.Power > maxPower) {
			return false
		}
		if kind := s.Subsystem.Kind; kind.Powered() && kind != KindShield {
			with, without = with || s.HasPower, without || !s.HasPower
		}
		full = r.n > 1 && 1+len(m.Data)-len(r.data) >= blockStop
	}
	return !r.bad && (f == formGroup || full && !(with && without))
}

// forms tells the forms of the statuses of a block.
type forms struct {
	form
	read  int  // bools of the open group
	ended bool // the next bool begins another group
}

func formsOf(m *opcode.StateUpdate, f form) forms { return forms{f, int(m.Bits.Read), f != formGame} }

// next sets OpenBC of the next status, and reports whether it has only its Condition.
func (f *forms) next(s *Status) (bare bool) {
	kind := s.Subsystem.Kind
	bare = f.form == formOpenBC && kind == KindShield
	switch {
	case bare, !kind.Powered():
		s.OpenBC, f.ended = bare, f.ended || f.form == formOpenBC
	case f.ended && f.read%groupSize != 0:
		s.OpenBC, f.ended, f.read = true, false, 1
	default:
		f.ended = false
		f.read++
	}
	return bare
}

// groupSize is the number of bools in a full group.
const groupSize = 5
