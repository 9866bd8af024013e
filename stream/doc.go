// Package stream decodes and encodes the fields of a game payload, as Bridge Commander's
// TGBufferStream does. A message describes its layout once, in a method:
//
//	const opJump uint8 = 0xD4
//
//	func (m *Jump) Walk(c *stream.Codec) {
//		c.Field("Ship").ObjectID(&m.Ship)
//		c.Field("Warp").Bool(&m.Warp)
//		c.Field("Factor").Float32(&m.Factor)
//	}
//
//	payload, err := stream.Append(nil, opJump, &Jump{Warp: true, Factor: 9.5})
//
// [Unmarshal] decodes such a payload, and [Dissect] lists its bytes by field.
//
// # Walks
//
// A walk visits the fields of a message in wire order. The [Codec] has a direction, so the
// same walk decodes, encodes, locates errors and dissects. The messages of package opcode
// and of game mods are written in the same way; see the example of [Walker].
//
// All numbers are little-endian, without alignment or padding. A payload begins with the
// opcode byte, which is not part of the walk. Up to five bools share one byte, even if
// other fields stand between them; see [Codec.Bool].
//
// # Decoding
//
// A walk has no errors to check. A read past the end gives zero, and [Codec.Done] reports
// afterwards whether the walk succeeded. If it failed, [Codec.Again] prepares a second walk
// that finds the field. [Unmarshal] and [Append] do this for any [Walker], but allocate a
// Codec.
//
// # Encoding
//
// [Codec.Append] encodes into the capacity of dst. If that is too small, [Codec.Again]
// allocates a buffer of the size that the first walk measured. Encoding does not modify the
// message, so several goroutines may encode the same message at the same time.
//
// # Ownership
//
// Decoded texts and byte slices alias the payload. They are valid until the payload is
// overwritten. Do not encode a message into the payload that it aliases: the spare capacity
// of dst must not overlap that payload.
//
// # Errors
//
// A failed walk returns an [*Error] with the message, the field, its offset and the reason.
// Use [errors.Is] to find the reason. Fields before the failed field are decoded. With
// [ErrTrailing], all fields are decoded.
//
// # Limits
//
// Any input decodes to a value or an error, without a panic. Decoding allocates at most a
// small multiple of the payload's length. Payloads of more than 256 MiB return
// [ErrTooLong]; when encoding, this limit includes the bytes already in dst.
//
// # Speed
//
// A successful walk of a Codec on the stack allocates nothing; a failed walk allocates its
// error. BenchmarkBar compares decoding and encoding with hand-written functions (aim: at
// most 5 times as long), and a failed decode with a successful one (aim: at most 10 times).
//
// # Evidence
//
// Observed: the layout of bit groups. Captured Settings and StateUpdate payloads fit no
// other layout.
package stream
