// Dump decodes captured traffic of Bridge Commander multiplayer and prints its messages.
//
//	go run -C examples ./dump [flags] [FILE...]
//
// # Input
//
// Without a FILE, dump decodes a bundled sample. The name "-" is standard input. Dump recognises
// the format by the content.
//
//	pcap, pcapng  the UDP payloads, IPv4 and IPv6
//	JSON lines    {"t":0.5,"dir":"c2s","client":1,"hex":"ff01030f..."}
//	hex text      one datagram per line, after an optional c2s or s2c
//
// Package transport/recording describes JSON lines and hex text. Datagrams are deciphered
// unless -plain is given. If the input does not give the direction, the peer ID does: the host
// sends with 1.
//
// Packets are numbered from 1 through all files: packets of a capture, lines with datagrams of
// a text. Times are in seconds. In captures, they count from the first packet. A section of a
// pcapng capture may have at most 4096 interfaces and 1 MiB of interface blocks.
//
// # Output
//
//	(none)  one line per message
//	-v      one line per message, and its fields
//	-x      every byte of each datagram, with its field
//	-json   one object per message
//	-check  re-encodes every message and counts those whose bytes differ
//	-stats  messages, bytes and rates by direction and type
//
// With -pcapng FILE it prints nothing and writes the datagrams to a capture for Wireshark,
// enciphered as on the wire. Clients of text inputs get made-up addresses. The capture replaces
// FILE when it is complete.
//
// The exit status is 1 if an input or the output failed, or if -check found a difference. It is
// 2 for wrong flags and 130 after an interrupt.
package main
