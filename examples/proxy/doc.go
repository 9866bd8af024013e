// Proxy stands between the players and the server of a match, shows what they say, keeps
// it, and plays a bad network if asked.
//
//	go run -C examples ./proxy [flags]
//
// Players connect to the address of -listen instead of the server's. Datagrams pass as
// they are, byte for byte, those of GameSpy and unknown ones, too. Every address on the
// players' side has a socket of its own towards the server, so that the server can tell
// them apart.
//
// The game's LAN browser asks the ports 22101 to 22201. It finds a proxy that listens at
// one of them on all addresses, as with -listen :22102.
//
// # Output
//
//	(none)   one line per message, as dump prints them
//	-v       and its fields
//	-x       every byte of each datagram, with the field that it belongs to
//	-json    one object per message
//	-quiet   nothing
//
// Both this and the recording are about what comes in at the proxy: a datagram that is
// lost is there, with a note, and one that is sent twice is there once.
//
// -record FILE writes the datagrams, enciphered as on the wire, in JSON lines that dump
// reads. The file is up to date within a second, so that it can be followed.
//
// Standard error tells of players that come and go, and at the end how many datagrams
// there were.
//
// # Bad network
//
//	-drop 5%        loses datagrams
//	-delay 50ms     delays all of them
//	-jitter 20ms    by up to so much more or less; they keep their order
//	-duplicate 1%   sends some twice, each with a delay of its own
//	-reorder 2%     sends some late by -hold, so that others overtake them
//
// A value is for both directions, or for one if c2s= or s2c= is in front of it:
// -drop c2s=10%,s2c=1%. What happens to the nth datagram of the nth player depends on
// -seed alone, so that a run can be repeated.
//
// # How it is built
//
//	link.go      one direction of one player, without clock and socket
//	clients.go   the players, and the socket of each
//	proxy.go     the loop in which everything happens
//	socket.go    what waits for datagrams
//	printer.go   what shows them, without holding up anybody
//
// # Limits
//
// There are at most -clients addresses at a time; others are refused until one has been
// silent for -idle, or for five seconds if the server never answered it. A direction of a
// player holds 4096 datagrams or 1 MiB. What a slow terminal cannot take is not shown,
// but recorded.
//
// # Exit status
//
// 0 after an interrupt; 1 if it could not listen, show or record; 2 for wrong flags.
package main
