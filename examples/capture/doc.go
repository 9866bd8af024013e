// Package capture reads and writes captured datagrams of Bridge Commander.
//
// # Reading
//
// The package recognises the format of an input by the content: pcap and pcapng as Wireshark saves them, and JSON lines
// and hex text of package recording. Each may be gzipped. [Read] follows a match:
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
// The package reads the UDP datagrams of IPv4 and IPv6, also in VLANs and tunnels. It skips other packets and fragments
// of IP, because the game sends none. Of a datagram that the capture has truncated, Missing is the number of bytes that
// are missing.
//
// Times of captures count from the first packet. If a packet cannot be read, the capture ends with an error, because
// the beginning of the next packet is unknown. A section of a pcapng capture may have at most 4096 interfaces and 1 MiB
// of interface blocks.
//
// # Writing
//
// A [Writer] writes datagrams as a pcapng capture. The packets are raw IP with the checksums of IPv4 and UDP. A
// [Recorder] records the traffic of a running program, as a capture or as JSON lines, up to a limit.
//
// Captures and recordings have the passwords of players: the cipher is not secret.
package capture
