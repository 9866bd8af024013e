// Package stream is the codec of Bridge Commander's TGBufferStream: the fields of one
// game payload, decoded or encoded in one walk.
//
// # One walk
//
// A message describes its layout once, in a method that goes through its fields in wire
// order. A [Codec] carries a direction, so the same walk decodes, encodes, finds the
// field that is wrong, and dissects a payload into its bytes. Messages of a game mod are
// written the same way as those of package opcode; see the example of [Walker].
//
// All numbers are little-endian, without alignment or padding. A payload begins with the
// opcode byte, which is not part of the walk.
//
// # Bit groups
//
// Packed bools are what is peculiar about the format: up to five of them, wherever they
// stand in the payload, share the byte at the place of the first. See [Codec.Bool] and,
// for payloads whose end cannot be understood without further knowledge, [Codec.Rest].
//
// # Decoding
//
// Start with [Codec.Decode], walk, and ask [Codec.Done]. There are no errors to check on
// the way: a read past the end gives zero, the cursor goes on growing, and one
// comparison at the end tells. Only what loops or allocates looks ahead: [Codec.Count8]
// and its kind return no more elements than there is room for. When a walk was not Done,
// [Codec.Again] prepares a second one that traces the fields.
//
//	func (m *Jump) UnmarshalBinary(payload []byte) error {
//		*m = Jump{}
//		var c stream.Codec
//		c.Decode(payload, 0xD4)
//		m.Walk(&c)
//		if c.Done() {
//			return nil
//		}
//		c.Again("mymod.Jump")
//		m.Walk(&c)
//		return c.Err()
//	}
//
// [Unmarshal] does this for any [Walker], at the price of an allocation.
//
// # Encoding
//
// [Codec.Append] takes the slice to append to and encodes into its capacity. When that
// is too small the second walk has the room that the first found necessary. An encoding
// walk does not write to the message, so that messages may be shared.
//
// # Ownership
//
// Texts and bytes of a decoded message are parts of the payload, not copies: they are
// valid as long as the payload is not overwritten. Encoding copies them, and must not do so
// into the same memory: what dst has room for, beyond its length too, must be no part of
// the payload that the message came from.
//
// # Errors
//
// A failed walk gives an [*Error] with the message, the field, its offset and the
// reason, which [errors.Is] finds: [io.ErrUnexpectedEOF] for a payload that ends too
// soon, [ErrTrailing], [ErrBadBitGroup], [ErrOpcode], [ErrTooLong]. Fields before the one
// that failed are decoded; with [ErrTrailing] all are.
//
// # Limits
//
// Any bytes decode to a value or an error, without a panic, and allocate no more than a
// small multiple of their length. A payload of more than 256 MiB, when encoding together
// with what it is appended to, is refused with [ErrTooLong].
//
// # Speed
//
// A walk that decodes and encodes takes at most 5 times as long as two plain functions. A
// failing decode takes at most 10 times as long as a succeeding one, and allocates once.
// Everything else allocates nothing. Benchmarks measure this with three real messages:
//
//	go test -run '^$' -bench Bar -benchtime 1x ./stream
//
// An interface for the codec, or a type parameter, would cost several times as much and
// allocate: calling the walk of a concrete type keeps the codec on the stack.
//
// # Evidence
//
// Observed: the layout of bit groups follows from captured Settings and StateUpdate
// payloads that no other reading fits.
package stream
