// Dump decodes captured traffic of Bridge Commander multiplayer.
//
//	go run -C examples ./dump [flags] [FILE...]
//
// It shows one line per message; without a file, those of a bundled sample.
//
// # Input
//
// What a file holds is recognised by its content; "-" is standard input.
//
//	pcap, pcapng  the UDP payloads, IPv4 and IPv6
//	JSON lines    {"t":0.5,"dir":"c2s","client":1,"hex":"ff01030f..."}
//	hex text      one datagram per line, after an optional c2s or s2c
//
// In JSON lines only hex is necessary. In hex text spaces between bytes, a 0x before
// them and comments from # on are ignored. Where the input does not tell the direction,
// the peer ID does, which is 1 in what the host sends.
//
// Packets are numbered from 1 through all files: in a capture as other programs number
// them, with those that are not shown, in text by the lines with datagrams. Times are
// in seconds, in a capture from its first packet on. A section of a pcapng capture may have at
// most 4096 interfaces, and 1 MiB about them: dump prints the packets before, and fails.
//
// # Output
//
//	(none)  one line per message
//	-v      and its fields
//	-x      every byte of each datagram, with the field that it belongs to
//	-json   one object per message
//	-check  encodes what was decoded and compares; exit status 1 if anything differs
//	-stats  messages, bytes and rates by direction and type
//
// Datagrams are deciphered unless -plain is given. Subsystems are told apart for the ships of
// the game, and for those of a mod with -classes FILE.
//
// The exit status is 1 if an input could not be read to its end or the output could not be
// written, 2 for wrong flags and 130 after an interrupt.
package main
