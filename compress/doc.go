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
//	type      bytes  used for
//	Float16   2      speeds, radius and damage of explosions, lengths of Vector4
//	Vector3   3      directions
//	Vector4   5      position deltas, positions of explosions
//	Vector4F  7      velocities of created objects
//	Contact   4      contact points of collisions, aim points of torpedoes
//
// Encoding loses precision, because the steps are coarse and the game truncates. The types
// therefore hold the raw codes of the wire, and a program that relays a message never
// converts. Float32 methods return numbers. String methods print numbers; print uint16(code)
// for the code.
//
// # Encoding
//
// [EncodeFloat16Stock] returns the code that the game sends. [EncodeFloat16] returns another
// code only if its number is exactly the input. Every peer understands both. Numbers without a
// code saturate; [CheckFloat16] returns an error instead. All machines compute the same codes.
//
// # Evidence
//
// The tests compare all 65,536 codes with published figures, and conversions with captured
// values.
package compress
