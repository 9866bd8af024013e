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
// [Codec.Decode] and [Codec.Append] run the walk of a part of a message.
//
// # Walks
//
// A walk visits the fields of a message in wire order. A [Codec] either decodes or encodes, so the same walk serves for
// decoding, encoding, locating errors and dissection, which passes each [Field] with its bytes and value to a function.
// A walk does not check errors: after one, all primitives read zero, and the Codec walks again to find the field that
// failed. See [Walker] for what a walk must do, with two examples.
//
// All numbers are little-endian, without alignment or padding. A payload begins with the opcode
// byte, which is not part of the walk. Bools share a byte, the bit group; see [Codec.Bool].
//
// Decoded texts and byte slices alias the payload. They are valid until the payload is overwritten. Encoding does not
// modify the message, so several goroutines may encode the same message at the same time.
//
// # Errors and limits
//
// If a walk fails, the error is an [*Error] with the message, the field, its offset and the reason, which [errors.Is]
// finds. Fields before the failed field are decoded. Any input decodes to a value or an error, without a panic.
// Decoding allocates at most a small multiple of the payload's length. Payloads of more than 256 MiB fail with
// [ErrTooLong].
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
