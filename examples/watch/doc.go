// Watch shows a match in the browser: the ships on a map, their shields and subsystems, shots,
// kills, chat, the traffic, and every message with its bytes.
//
//	go run ./examples/watch [flags] [FILE]
//
// Watch prints an address of this computer, such as http://127.0.0.1:41234/, and serves the page
// there until it is interrupted. A FILE is pcap, pcapng, JSON lines or hex text, also packed or in
// a zip archive; "-" is standard input. Without a FILE, watch shows a bundled match. The page can be used while a file
// loads.
//
//	-addr IP:PORT    serve the page there; only loopback addresses are allowed
//	-open            open the page in the browser
//	-passwords       show the passwords of players, which are otherwise ***, and zeros in bytes
//	-plain           the datagrams are not enciphered
//	-port PORT       show only this UDP port of captures
//	-classes FILE    read the ship classes of a mod
//	-report FILE     write a report of the matches, and end
//	-league DIR      write a site with all matches and players of the recordings in a folder
//	-o SITE          with -league, the folder of the site
//	-aliases FILE    with -league, the names of persons: a line such as Ann: Annie, Captain A
//	-private         with -league, publish also passwords and addresses
//	-site DIR        write the page as a folder for any web server, and end
//
// The page of -site opens captures itself: the same code runs in a worker of the browser, and nothing
// leaves it. Building the folder needs Go and a clone. A link with ?file=match.pcapng opens a recording
// from the server of the page, in the view and at the time of the link.
//
// # Live matches
//
// With -server, watch relays a match as the program proxy does, and shows it as it happens:
//
//	go run ./examples/watch -server 192.0.2.7 -listen :22102
//
//	-server HOST[:PORT]   relay to this server
//	-listen [IP]:PORT     listen for the players there
//	-record FILE          write the datagrams to a file, too, which only its owner can read
//	-recordlimit SIZE     stop recording at this size; the match goes on
//
// Players connect to the address of -listen. At most 64 players are relayed at a time, and players
// are removed after a minute of silence. A player counts, and is shown, when the server has accepted the client; see the
// program proxy. The last 1,000,000 messages or 512 MiB are kept. Datagrams are
// relayed even if decoding them takes too long; the page then reports that some are missing.
//
// The page follows another player if the one whose link is seen leaves. It tells how old its picture is, and that there
// is no signal if the server is silent for longer than usual: 2.5 s in a fight, 12 s in an empty lobby.
//
// # What is shown
//
// The world is seen on one link, the connection of one client with the server, because the clocks
// of different links cannot be compared. The list of messages and the traffic have all links. Times
// are seconds of the recording. If they go back, they continue from the last time.
//
// A bar of a subsystem with a question mark may be stale: an update of the ship could not be read. A
// broken bar is unknown: an OpenBC server sends no shield facings.
//
// The map, each plot and the report can be saved as PNG, and the nearest kill as a film in WebM. A view can be printed;
// of a long list, 500 rows, from the upper one on.
//
// Links keep the moment, the view, the ship, the message and the filters. The picture of the README is
// made by
//
//	go test -tags browser -run TestBrowser/Picture ./examples/watch -picture watch.png
//
// # Report
//
// The report of a match has a scoreboard, highlights, kills, maps of where ships were and died, and plots of
// hull, speed and score. Everything is there as CSV, too. It is a view of the page, and a file:
//
//	go run ./examples/watch -report match.html match.pcapng
//
// If the server of this project has hosted the match, its log of damage stands beside the recording, in
// match.pcapng.hits. The table "Who hit whom" and the damage given are then exact.
//
// The file has the reports of all matches of the recording. It has no scripts, and loads nothing, so that it can
// be read offline. To see a moment, add its time to the address of the page, such as #t=1:02.5.
// Package report of this program defines the figures and the highlights.
//
// # Limits
//
// A report has at most the last 16 matches, and 64 players and 1,000 deaths of each. The lines of maps and plots
// have at most 600 points. The report of a match is smaller than 12 MiB, even if all limits are reached and all
// names are hostile. A match of an hour with 16 players takes 0.9 MB.
//
// A file needs about half as much room for temporary files as JSON lines of it take, and about 30 bytes
// of memory for each message. Package timeline of this program has figures. The exit status is 0 after
// an interrupt, 1 if the file or a socket cannot be opened or the relay fails, and 2 for wrong
// flags.
//
// # Security
//
// A recording is untrusted: anybody who sends a datagram to a server writes into it. The page shows
// its texts as text only. The address of a live match has a random token, without which other users of the computer see
// nothing. The server refuses requests that other sites cause; see package web of
// this program.
package main
