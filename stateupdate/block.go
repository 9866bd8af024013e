package stateupdate

import (
	"fmt"
	"iter"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Block iterates over the subsystems that a StateUpdate of a ship of this class tells of,
// in the order of the wire: from StartIndex on, and after the last one from the first
// again. A message without [opcode.StateSubsystems] has none.
//
// An error is the last thing that the iteration gives; the subsystems before it are valid.
// It is a [*stream.Error] whose offset is that in the payload, and wraps [ErrStartIndex],
// [io.ErrUnexpectedEOF], [stream.ErrBadBitGroup], or [stream.ErrTrailing] if the block goes
// on when it has told of every subsystem. A block for another class often, not always,
// fails.
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
// error, which wraps [ErrOrder] or is a [*stream.Error], it returns dst as it was. A message
// without a block, not even an empty one, encodes itself.
//
// What [Class.Block] gave encodes to the same bytes.
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

// consecutive says whether the statuses can stand in one block.
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
