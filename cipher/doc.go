// Package cipher enciphers and deciphers the datagrams of Star Trek: Bridge Commander
// multiplayer. The cipher is known by its key, AlbyRules.
//
//	n, _, err := conn.ReadFrom(buf)
//	...
//	datagram := buf[:n]
//	if !gamespy.IsGameSpy(datagram) {
//		cipher.Decrypt(datagram)
//	}
//
// # Datagrams
//
// Byte 0 of a datagram is the sender's peer ID in clear. Each later byte is combined with a
// mask that depends on the key and on the plaintext of the bytes between byte 0 and itself:
//
//	offset  size  content
//	0       1     peer ID, in clear
//	1       n     enciphered: message count and messages
//
// The first mask byte is always 0xD6, so a datagram with one message has 0xD7 at offset 1.
// GameSpy text shares the port and is never enciphered. It begins with a backslash (0x5C).
//
// # Security
//
// The key is public, and nothing is authenticated. Any bytes decipher to something, so the
// result is untrusted input.
//
// # Concurrency
//
// All functions work in place and allocate nothing. They are safe for concurrent use on
// different datagrams.
//
// # Evidence
//
// Observed: the algorithm reproduces the one published enciphered datagram, in both
// directions. Tests also compare it with vectors from two other implementations and with a
// direct one.
package cipher
