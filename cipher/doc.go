// Package cipher enciphers and deciphers the datagrams of Star Trek: Bridge Commander
// multiplayer. The cipher has no official name; it is known by its key, "AlbyRules!".
//
//	n, _, err := conn.ReadFrom(buf)
//	...
//	datagram := buf[:n]
//	if !transport.IsGameSpy(datagram) {
//		cipher.Decrypt(datagram)
//	}
//
// # Datagrams
//
// Byte 0 of a datagram is the sender's peer ID in clear. Each later byte is XORed with a mask.
// The mask depends on the key and on the plaintext of all earlier bytes except byte 0:
//
//	offset  size  content
//	0       1     peer ID, in clear
//	1       n     enciphered: message count and messages
//
// The first mask is always 0xD6, so a datagram with one message has 0x01 XOR 0xD6 = 0xD7 at
// offset 1. GameSpy text shares the port and is never enciphered. It begins with a backslash (0x5C).
//
// # Security
//
// The key is public, and nothing is authenticated. The result is untrusted input.
//
// # Concurrency
//
// All functions are safe for concurrent use on different datagrams. They allocate nothing.
//
// # Evidence
//
// Observed in captured bytes: the algorithm enciphers and deciphers the only published enciphered
// datagram correctly. The tests also compare the package with vectors from two other
// implementations, and with a slow, literal implementation of the algorithm.
//
// [CORRECTIONS.md] lists the statements of older documents that contradict this package, with proofs.
//
// [CORRECTIONS.md]: https://github.com/bcwire/bcwire/blob/main/opcode/CORRECTIONS.md
package cipher
