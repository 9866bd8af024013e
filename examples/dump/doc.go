// Dump decodes captured traffic of Bridge Commander multiplayer.
//
//	go run -C examples ./dump [flags] [FILE...]
//
// It prints one line per message. Without a file it decodes a bundled sample.
//
// # Input
//
// The format of a file is recognised by its content. "-" is standard input.
//
//	pcap, pcapng  the UDP payloads, IPv4 and IPv6
//	JSON lines    {"t":0.5,"dir":"c2s","client":1,"hex":"ff01030f..."}
//	hex text      one datagram per line, after an optional c2s or s2c
//
// JSON lines must have hex; the other keys are optional. In hex text, spaces between bytes,
// a 0x before a byte and comments after # are ignored. Package transport/recording describes
// both. If the input does not give the direction, it follows from the peer ID: the host sends
// with 1.
//
// Packets are numbered from 1 through all files. Captures count every packet, as other
// programs do; text counts the lines with datagrams. Times are in seconds; in a capture they
// start at its first packet. A section of a pcapng capture may have at most 4096 interfaces
// and 1 MiB of interface blocks. Beyond these limits dump prints the packets before and fails.
//
// # Output
//
//	(none)  one line per message
//	-v      one line per message, and its fields
//	-x      every byte of each datagram, with its field
//	-json   one object per message
//	-check  encodes the decoded messages; exit status 1 if any byte differs
//	-stats  messages, bytes and rates by direction and type
//
// With -pcapng FILE it prints nothing and writes the datagrams to a capture for Wireshark,
// enciphered as on the wire. Clients of text inputs get made-up addresses. The capture replaces
// FILE when it is complete.
//
// Datagrams are deciphered unless -plain is given. Subsystems have names for the ships of the
// game, and with -classes FILE for the ships of a mod.
//
// The exit status is 1 if an input could not be read to its end or the output could not be
// written, 2 for wrong flags and 130 after an interrupt.
package main
