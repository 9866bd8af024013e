// Package compress encodes and decodes the compressed numbers and vectors in the messages of
// Bridge Commander.
//
//	code := compress.EncodeFloat16(50)     // 0x571B
//	speed := code.Float32()                // 49.978027
//	dir := compress.EncodeVector3(0, 3, 4) // {0 76 101}
//	x, y, z := dir.Float32()               // 0, 0.598, 0.795
//
// # Types
//
//	type     bytes  used for
//	Float16  2      speeds, radius and damage of explosions, lengths of Vector4
//	Vector3  3      directions
//	Vector4  5      position deltas, positions of explosions
//	Contact  4      contact points of collisions, aim points of torpedoes
//
// A code is the value on the wire. Encoding loses precision, because the steps are coarse and
// the game truncates. The types therefore hold codes, so relaying a message changes nothing.
// Their Float32 and String methods return numbers; uint16(f) is the code of a Float16.
//
// # Encoding
//
// [EncodeFloat16Stock] and [EncodeVector4Stock] return the codes that the game sends. [EncodeFloat16]
// and [EncodeVector4] return a different code only if that code represents the number or the length
// exactly. Use them, unless the bytes must equal the game's. All machines compute the same codes.
//
// # Evidence
//
// The tests compare all 65,536 codes with published figures, and conversions with captured
// values. Package opcode defines the grades of evidence in its section Evidence.
//
// [CORRECTIONS.md] lists the statements of older documents that contradict this package, with proofs.
//
// [CORRECTIONS.md]: https://github.com/bcwire/bcwire/blob/main/opcode/CORRECTIONS.md
package compress
