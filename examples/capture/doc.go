// Package capture reads and writes captured datagrams of Bridge Commander.
//
// # Reading
//
// The package recognises the format of an input by the content: pcap and pcapng as Wireshark saves them, and JSON lines
// and hex text of package recording. Each may be packed with gzip, zstd, lz4 or bzip2, or lie in a zip archive. [Read]
// follows a match:
//
//	m := match.Match{Events: true}
//	for step, err := range capture.Read(file, &m) {
//		if err != nil {
//			log.Fatal(err)
//		}
//		for _, e := range step.Events {
//			fmt.Println(e.Time, &e)
//		}
//	}
//
// A [Reader] returns the datagrams as they were on the wire. An [Opener] opens the files of programs that have several
// inputs, progress or an interrupt.
//
// The package reads the UDP datagrams of IPv4 and IPv6, also in VLANs and tunnels, and in fragments of IP, of all link
// types on which computers capture them: Ethernet, Wi-Fi with and without check sequences, raw IP, loopback, PPP, and
// what Linux and macOS put around packets. Several captures may follow one another in a file. It skips packets of other
// protocols.
//
// The Notes of a Reader count and name what was not read: packets of other link types, malformed or encrypted ones,
// fragments without the others, and truncated datagrams. Of those, Missing is the number of bytes that are missing.
//
// Times of captures count from the first packet, to the nanosecond; At is the time of the clock. They go back if the
// clock was set back. If the length of a packet or a block is malformed, the capture ends with an error, because the
// beginning of the next packet is unknown. Other malformed packets and blocks are noted, and those after them are read.
//
// # Other programs
//
// A capture may have the traffic of other programs. The datagrams between two addresses are of the game if some of
// them are whole: the messages end with the datagram, and the peer ID is that of a host or a client. One direction,
// or the middle of a match, is enough. The Notes count the datagrams that are not of the game, and name the ports:
// the lower one of each. If nothing is of the game, the error wraps [ErrNotGame], or [ErrCipher] if the datagrams are
// of the game with the other value of Plain in an [Opener]. All lines of a recording are of the game.
//
// A computer that forwards the port of a server sees each datagram twice: at two addresses of the server, and perhaps of
// the client. The second one is left out, and noted. Equal datagrams to two clients stay two: a client is recognised by
// what it sends itself.
//
// # Directions
//
// The host sends with the peer ID 1, which is not enciphered. A Reader corrects wrong directions of recordings by this
// ID, and notes it. A client can send with this ID, too: the direction to the server is kept if the recording has right
// directions near it, and no wrong ones to the client.
//
// # Limits
//
// A packet is read up to 256 KiB. A section of a pcapng capture may have 4096 interfaces; packets of others are not
// read. Fragments of IP wait for others in at most 16 MiB, and half a minute. A zip archive may have 64 MiB, and zstd
// windows of 128 MiB. Package recording has the limits of lines.
//
// # Writing
//
// A [Writer] writes datagrams as a pcapng capture. The packets are raw IP with the checksums of IPv4 and UDP. A
// [Recorder] records the traffic of a running program, as a capture or as JSON lines, up to a limit.
//
// Captures and recordings have the passwords of players: the cipher is not secret.
package capture
