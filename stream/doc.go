// Package stream decodes and encodes the fields of a game payload, in the format of
// TGBufferStream, the serializer of Bridge Commander. A message describes its layout once:
//
//	func (m *Jump) Walk(c *stream.Codec) {
//		c.Field("Ship").ObjectID(&m.Ship)
//		c.Field("Warp").Bool(&m.Warp)
//		c.Field("Factor").Float32(&m.Factor)
//	}
//
//	payload, err := opcode.Marshal(&Jump{Warp: true, Factor: 9.5})
//
// The functions and types of package opcode, such as opcode.Marshal, opcode.Unmarshal and
// opcode.Dissect, run the walks of messages. A mod's message needs a walk and an opcode.
//
// # Walks
//
// A walk visits the fields of a message in wire order. A [Codec] either decodes or encodes,
// so the same walk serves for decoding, encoding, locating errors and dissection, which
// lists the fields with their bytes and values. The messages of package opcode and of game
// mods are written in the same way; see the example of [Walker].
//
// A decoding walk overwrites every field. Therefore the walk of a message with a field that is not
// always on the wire begins with an assignment; see [Walker] and its second example:
//
//	if c.Decoding() {
//		*m = Jump{}
//	}
//
// All numbers are little-endian, without alignment or padding. A payload begins with the opcode
// byte, which is not part of the walk. Bools share a byte, the bit group; see [Codec.Bool].
//
// # Decoding
//
// Call opcode.Unmarshal, or Decode of an opcode.Decoder, for a message. [Codec.Decode] decodes a part of
// a message. A walk does not check errors: after one, all primitives read zero. If a walk has failed,
// Decode walks again to find the field that failed.
//
// # Fields
//
// A [Codec] can also pass each [Field] to a function, with its name, bytes and typed value. Nothing is
// allocated for a field, so that the function can append texts or JSON to a buffer.
//
// # Encoding
//
// [Codec.Append] encodes into the spare capacity of dst. Encoding does not modify the message, so
// several goroutines may encode the same message at the same time.
//
// # Ownership
//
// Decoded texts and byte slices alias the payload. They are valid until the payload is overwritten.
// Do not encode a message into the payload that it aliases.
//
// # Errors
//
// If a walk fails, the error is an [*Error] with the message, the field, its offset and the reason.
// Use [errors.Is] to find the reason. Fields before the failed field are decoded.
//
// # Limits
//
// Any input decodes to a value or an error, without a panic. Decoding allocates at most a
// small multiple of the payload's length. Decoding fails with [ErrTooLong] if the payload
// exceeds 256 MiB, and encoding fails if dst would exceed 256 MiB.
//
// # Speed
//
// A Codec allocates nothing if it is used again, except for errors. The repository's file testdata/benchmarks.md has the times.
//
// # Evidence
//
// Observed: the layout of bit groups. Captured Settings and StateUpdate payloads fit no
// other layout. Package opcode defines the grades in its section Evidence.
//
// [CORRECTIONS.md] lists the statements of older documents that contradict this package, with proofs.
//
// [CORRECTIONS.md]: https://github.com/bcwire/bcwire/blob/main/opcode/CORRECTIONS.md
package stream
