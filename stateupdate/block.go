package stateupdate

import (
	"fmt"
	"iter"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Block iterates over the subsystems in a StateUpdate of a ship of this class, in the order of
// the wire: from StartIndex on, and after the last one from the first again. A message without
// [opcode.StateSubsystems] has none.
//
// An error is the last thing that the iteration gives; the subsystems before it are valid.
// It is a [*stream.Error] whose offset is that in the payload, and wraps [ErrStartIndex],
// [io.ErrUnexpectedEOF], [stream.ErrBadBitGroup], or [stream.ErrTrailing] if bytes
// follow a round of all subsystems. A block for another class often fails, but not always.
//
// The levels are parts of the payload.
func (c *Class) Block(m *opcode.StateUpdate) iter.Seq2[Status, error] {
	return func(yield func(Status, error) bool) {
		if m.Flags&opcode.StateSubsystems == 0 {
			return
		}
		if ok, more := c.split(m, yield); more && !ok {
			yield(Status{}, c.blockError(m))
		}
	}
}

// blockError finds what is wrong with a block, and where in the payload.
func (c *Class) blockError(m *opcode.StateUpdate) error {
	payload, err := m.AppendBinary(nil)
	if err != nil {
		return err
	}
	var w stream.Codec
	w.Decode(payload, uint8(opcode.OpStateUpdate))
	w.Again(updateName)
	(&update{class: c}).Walk(&w)
	return w.Err()
}

// AppendUpdate encodes a StateUpdate with the block of some subsystems of a ship of this
// class to the end of dst: consecutive ones, where the first follows the last. StartIndex
// and the flag for subsystems are set by them; Data, Bits and Power are ignored, and so is
// the flag for power, because the game never sends both, unless the message has both. On
// error, which wraps [ErrOrder] or is a [*stream.Error], it returns dst as it was. Use
// m.AppendBinary for a message without a block.
//
// The statuses of [Class.Block] encode to the same bytes.
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
	var w stream.Codec
	w.Append(dst, uint8(opcode.OpStateUpdate))
	walkUpdate(&w, &head, block)
	if !w.Done() {
		w.Again(updateName)
		walkUpdate(&w, &head, block)
	}
	return w.Result()
}

func walkUpdate(w *stream.Codec, head *opcode.StateUpdate, block []Status) {
	head.WalkHead(w)
	w.Group("Subsystems")
	for i := range block {
		block[i].walkBlock(w)
	}
	w.End()
}

// consecutive returns an error if the statuses cannot be in one block.
func (c *Class) consecutive(block []Status) error {
	if len(block) > len(c.Subsystems) {
		return errOrder()
	}
	for i := range block {
		want := (int(block[0].Index) + i) % len(c.Subsystems)
		if int(block[i].Index) != want || block[i].Subsystem != &c.Subsystems[want] {
			return errOrder()
		}
	}
	return nil
}

func errOrder() error { return fmt.Errorf("stateupdate: %w", ErrOrder) }

// split is the fast path for valid blocks, through which nearly every message of a host goes.
// It passes the statuses to yield and reports whether the block is valid. The walk finds the
// error of another block, and the tests compare the two.
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

// status takes the next status and reports whether it is valid.
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
