// Watch shows a match in the browser: the ships on a map, their shields and subsystems, shots,
// kills, chat, the traffic, and every message with its bytes.
//
//	go run -C examples ./watch [flags] [FILE]
//
// Watch prints an address of this computer, such as http://127.0.0.1:41234/, and serves the page
// there until it is interrupted. A FILE is pcap, pcapng, JSON lines or hex text; "-" is standard
// input. Without a FILE, watch shows testdata/battle.jsonl. The page can be used while a file
// loads.
//
//	-addr IP:PORT    serve the page there; only loopback addresses are allowed
//	-open            open the page in the browser
//	-plain           the datagrams are not enciphered
//	-port PORT       show only this UDP port of captures
//	-classes FILE    read the ship classes of a mod
//
// # Live matches
//
// With -server, watch relays a match as the program proxy does, and shows it as it happens:
//
//	go run -C examples ./watch -server 192.0.2.7 -listen :22102
//
//	-server HOST[:PORT]   relay to this server
//	-listen [IP]:PORT     listen for the players there
//	-record FILE          write the datagrams to a file, too, which only its owner can read
//	-recordlimit SIZE     stop recording at this size; the match goes on
//
// Players connect to the address of -listen. At most 64 players are relayed at a time, and players
// are removed after a minute of silence. A player counts, and is shown, after using the peer ID that
// the server has assigned; see the program proxy. The last 1,000,000 messages or 512 MiB are kept. Datagrams are
// relayed even if decoding them takes too long; the page then reports that some are missing.
//
// # What is shown
//
// The world is seen on one link, the connection of one client with the server, because the clocks
// of different links cannot be compared. The list of messages and the traffic have all links. Times
// are seconds of the recording. If they go back, they continue from the last time.
//
// A bar of a subsystem with a question mark may be stale. Either an update of the ship could not be
// read, or the server does not send all states: OpenBC sends no shield facings.
//
// # Limits
//
// A file needs about as much room for temporary files as JSON lines of it take, and about 30 bytes
// of memory for each message. Package match of this program has figures. The exit status is 0 after
// an interrupt, 1 if the file or a socket cannot be opened or the relay fails, and 2 for wrong
// flags.
//
// # Security
//
// A recording is untrusted: anybody who sends a datagram to a server writes into it. The page shows
// its texts as text only. The server refuses requests that other sites cause; see package web of
// this program.
package main
