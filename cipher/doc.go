// Package cipher enciphers and deciphers the datagrams of Star Trek: Bridge Commander
// multiplayer. The cipher is known by its key, AlbyRules.
//
// # Datagrams
//
// Byte 0 of a datagram, the sender's peer ID, is always in clear and takes no part.
// Every other byte is combined with a mask that depends on the key and on all plaintext
// before it in the same datagram:
//
//	offset  size  content
//	0       1     peer ID, in clear
//	1       n     enciphered: message count and messages
//
// The state starts again with every datagram, there is no session key, and the size does
// not change. The first mask byte is always 0xD6, so that a datagram with one message
// has 0xD7 at offset 1. GameSpy queries share the port and are never enciphered: test
// byte 0 for a backslash (0x5C) before deciphering.
//
// # Security
//
// This is obfuscation. The key is public and nothing is authenticated: a wrong or
// forged datagram deciphers to something, and a flipped bit garbles all that follows
// it. Whatever comes out is input from a stranger.
//
// # Concurrency and memory
//
// All functions work in place, allocate nothing and may be called concurrently on
// different datagrams. The tables are constant data of 8 KiB.
//
// # Speed
//
// BenchmarkBar times the functions against a straight port of the algorithm, 64 to 512
// bytes, interleaved in one run, and fails below the bars of the project: 5.5 times as
// fast for [Encrypt], 4 times for [Decrypt], 5.5 times for [DecryptBatch] of four.
//
//	go test -run '^$' -bench Bar -benchtime 1x ./cipher
//
// # Evidence
//
// The algorithm is observed: it reproduces the one enciphered datagram that has been
// published, byte for byte in both directions. The tests hold it to that capture, to
// vectors that two independent implementations agree on, and, under fuzzing, to the
// straight port.
package cipher
