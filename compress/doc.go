// Package compress holds the compressed numbers and vectors of Bridge Commander's
// network streams: CompressedFloat16, CompressedVector3 and CompressedVector4.
//
//	type      bytes  used by
//	Float16   2      speeds, radius and damage of explosions, lengths of Vector4
//	Vector3   3      directions
//	Vector4   5      position deltas, places of explosions
//	Vector4F  7      velocity of created objects
//	Contact   4      contacts of collisions, aim points of torpedoes
//
// # Raw codes
//
// None of these forms survives decoding and encoding: the steps are coarse and the game
// truncates. The types therefore hold what is on the wire, their Float32 methods return
// the numbers, and the Encode functions make a code from numbers. A program that passes
// a message on never converts.
//
// The String methods print the numbers. Convert a code to its integer type to print the
// code: fmt.Printf("%04x", uint16(code)).
//
// # Encoders
//
// [EncodeFloat16Stock] gives what the game would send. [EncodeFloat16] differs from it
// only for numbers that are themselves decoded codes, which it gives back unchanged;
// every peer understands both. Encoders are total: what has no code saturates, and
// [CheckFloat16] reports it instead.
//
// # Arithmetic
//
// Every step is rounded to float32, on every machine: the engine's bucket edges are
// products of float32 numbers, not powers of ten, and codes depend on their last bit. Each
// product is converted to float32 where it is made, which forbids a compiler to fuse it
// with a sum, and a test checks that none is left out.
//
// # Evidence
//
// The tests run through all 65,536 codes and compare with the published figures, and
// hold the package to captured values.
package compress
