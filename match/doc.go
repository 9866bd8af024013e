// Package match follows matches of Bridge Commander: who is who, and what happens. It reads the datagrams
// of any number of links, from a recording, a capture or a live relay. It returns a [Step] for each message,
// with the player and the ship that it concerns, and an [Event] for each thing that happens.
//
//	m := match.Match{Events: true}
//	for step, err := range match.Read(file, &m) {
//		if err != nil {
//			log.Fatal(err)
//		}
//		for _, e := range step.Events {
//			fmt.Println(e.Time, &e)
//		}
//	}
//
// The package does no input or output besides [Read]. For captures and relays, use [Match.Receive].
// The examples module has package capture, which reads pcap, pcapng and gzipped files into a Match.
//
// # Steps
//
// A step has the message of the transport, the decoded payload, and its effect on the ships of the link.
// Steps are valid until the next step: a step, its message and its ships are reused. Malformed messages
// have an error in Step.Err and the fields that could be read.
//
// # Events
//
// Each event happens once, however many links carry it. Sources that disagree follow one rule: the client's
// own link counts for what the client says, and the host's broadcast counts for what the host announces.
//
//	join      the first NewPlayerInGame of a connection, or the host's announcement; reported when the
//	          name is known or 2 s later
//	rename    another name of a player in the game
//	leave     the connection of a player in the game ends: left, kicked (the host ends it), timed out
//	ship      the ship of a player is created
//	system    a ship enters another star system
//	fire      a shot
//	damage    a subsystem, a part of it, a face of the shields or the hull loses condition
//	kill      a ship is destroyed by another player
//	explode   a ship is destroyed without one
//	collide   a client reports that its ship collides
//	chat, teamchat
//	score     the host announces another score
//	end, restart
//
// A client says its name, its chat, its shots, its collisions and its ships. If the host shows them on other
// links with another text, the client's own text counts. If the link of the client is not observed, the
// host's text counts. A client speaks only for itself: it speaks as the player of its link, whatever
// peer ID it writes.
//
// The host announces joins, leaves, deaths, scores, damage, and the end of a match. The leave of a player
// whose link is observed waits up to a second for its reason on that link.
//
// A join keeps the time of the message that shows it. Reports that wait are in the Events of a later step,
// or in the result of [Match.Flush] at the end of the input. No event follows from the end of the input.
//
// # Players
//
// A player is one connection of one client. Peer IDs, slots and object IDs may be used again by the next
// player. A NameChange of a client is about itself. A client that the host renames in the Settings has the
// new name. Players who were in the game before the capture began join with their first sign: a message
// of their client, the creation of their ship, or a line of chat. Scores alone are no sign, because the host
// also sends the scores of players who have left. The player on a host that plays has the peer ID 1.
//
// OpenBC writes slots in place of peer IDs into chat and into names, and may write any NetPlayerID. The
// package then finds the player by slot.
//
// # Matches
//
// Matches have numbers from 0. The first datagram of a server begins a match. A RestartGame begins the next
// one. The first MissionInit after an EndGame also begins the next one. Players stay; scores and ships begin
// again.
//
// # Limitations
//
// A capture can begin in the middle, have one direction only, or miss datagrams. The package then reports
// what it can: the link of the host's messages shows kills and chat, and the link of a client's messages
// shows its own shots. Without the beginning of a connection, the class of a ship may be unknown until its
// next creation.
//
// Links with an empty Client are shared: their datagrams may be of several clients. The peer IDs of clients
// then identify the players. The host's messages to several clients cannot be distinguished, so that an
// equal message within a second counts as a repetition.
//
// Links show an event at different times. Equal events on different links are one event if they are less
// than fifty seconds apart. A line of chat may differ between the link of its client and the host. Then the client's
// line must be first, and the lines must be less than three seconds apart.
//
// # Errors
//
// The errors in Step.Err are errors of packages transport, opcode and stateupdate.
//
// # Limits and speed
//
// See [Match] for the limits. Times may jump: the package's own clock never goes backwards, and advances by
// at most a minute from a datagram to the next. Following costs about a sixth more than package transport's
// Observer, package opcode's Decoder and package stateupdate's Tracker alone, and allocates nothing in
// the steady state. A benchmark and a test check this. Events cost more, and allocate their texts.
//
// # Security
//
// Names and chat are what strangers have written. They may have characters that control a terminal: escape
// them before printing. A Match believes the host. Like the host, it ignores datagrams of a client with
// another peer ID than the client's, and Connects that the host does not accept. It also ignores clients that
// the host never answers or has refused. To find forged messages, see [opcode.Authorize] and the example
// antiCheat.
package match
