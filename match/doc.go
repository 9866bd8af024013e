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
// The package does no input or output besides [Read]. For captures and relays, use [Match.Receive]. Package
// github.com/bcwire/bcwire/examples/capture, of another module, reads pcap, pcapng and gzipped files into a Match.
//
// # Steps
//
// A step has the message of the transport, the decoded payload, and its effect on the ships of the link. Steps do not
// wait. Steps are valid until the next step: a step, its message and its ships are reused.
// Malformed messages have an error in Step.Err and the fields that could be read.
//
// # Whom a message means
//
// A host sends each client two ordered channels: the system channel of the transport, and the game channel. A peer ID,
// a slot or an object ID in a message means what the channel of that link has announced until the number of the
// message, however late the link is. For this, the messages of a channel are followed in the order of their numbers.
// One before which others are missing waits until they arrive, until the receiver acknowledges the first missing one,
// so that only the capture has lost it, or until 256 later datagrams of the sender, or 45 seconds, have passed.
//
// Announcements of several links are merged: the announcements about one player, about one ship or of one player's
// deeds have the same order on all channels, and each channel has a place in that order. An announcement that is new at
// its place is an event; any other is a repetition. No time decides what is the same.
//
// StateUpdates have no number. They belong to nobody if the match knows a later holder of their object ID than the
// link.
//
// # Whom the match believes
//
// The host is believed. The statements of a client about itself are claims: a name, a line of chat, a shot, a ship or a
// team. A claim counts when the host passes it on to an observed player. Its event has the time of the client's
// message, so that the times of events may step back. A claim is refused if the host passes on something later of the
// client without it. It is also refused if the host has not passed it on for 45 seconds, and was heard 15 seconds after
// the claim or later. [Player.Refused] counts these, except names. A claim counts at once if no observed link can show
// whether the host passes it on. At the end of the input, [Match.Flush] reports the claims of the last 15 seconds. If
// the host has changed a text, the host's text counts.
//
// Collisions are claims that no host passes on: a client reports those of its own ship, and may invent one. Damage of
// both ships within the next second counts as caused by the collision. A Disconnect is a claim, too. The host may not
// have received it; a player whom it ends later leaves then. If the host says nothing for 45 seconds, the Disconnect
// counts.
//
// # Events
//
// Each event happens once, however many links carry it.
//
//	join      the first NewPlayerInGame of a connection, or the host's announcement; reported when the
//	          name is known or 2 s later
//	rename    another name of a player in the game, as the host announces it
//	leave     the connection of a player in the game ends: left, kicked (the host ends it), timed out
//	ship      the ship of a player is created
//	system    a ship enters another star system
//	fire      a shot
//	damage    a subsystem, a part of it, a face of the shields or the hull loses condition; no message names the
//	          cause, see Event.Killer
//	kill      a ship is destroyed by another player
//	explode   a ship is destroyed without one; the reason is derived from collisions, shots and
//	          the client's wish to destroy its ship
//	collide   a client reports that its ship collides
//	chat, teamchat
//	score     the host announces another score
//	end, restart
//
// The leave of a player whose link is observed waits up to a second for its reason on that link. A join keeps the time
// of the message that shows it. No event follows from the end of the input.
//
// # Players
//
// A player is one connection of one client. Peer IDs, slots and object IDs may be used again by the next
// player. Players who were in the game before the capture began join with their first sign: a message
// of their client, the creation of their ship, a torpedo or bolt, which names its player, or a line of chat. Scores
// alone are no sign, because the host also sends the scores of players who have left. The player on a host that plays
// has the peer ID 1. A player whom no link can show any more has left.
//
// OpenBC writes slots in place of peer IDs into chat and into names, and may write any NetPlayerID. The
// package then finds the player by slot.
//
// # Matches
//
// Matches have numbers from 0. The first readable message of a server begins a match. A RestartGame begins the next
// one. The first MissionInit after an EndGame also begins the next one. Players stay; scores and ships begin again. A
// server that was started again begins the next one, too: the game time in its Settings is behind the time that it
// has shown. Its earlier players have left.
//
// # Limitations
//
// A capture can begin in the middle, have one direction only, or miss datagrams. The package then reports
// what it can: the link of the host's messages shows kills and chat, and the link of a client's messages
// shows its own shots. Without the beginning of a connection, the class of a ship may be unknown until its
// next creation, and who fires phasers until the first torpedo or bolt of the player.
//
// Links with an empty Client are shared: their datagrams may be of several clients. The peer IDs of clients
// then identify the players. The host's messages to several clients cannot be distinguished, so that an
// equal message within a second counts as a repetition.
//
// # Errors
//
// The errors in Step.Err are errors of packages transport, opcode and stateupdate.
//
// # Limits and speed
//
// See [Match] for the limits. Times may jump: the package's own clock never goes backwards, and advances by
// at most a minute from a datagram to the next. Following allocates nothing in the steady state. Events allocate their
// texts.
//
// # Security
//
// Names and chat are what strangers have written. They may have characters that control a terminal: escape
// them before printing. Like the host, a Match ignores datagrams of a client with another peer ID than the client's, and
// Connects that the host does not accept. It also ignores clients that the host never answers or has refused. A
// datagram that is not of the game begins no link; see [Link.Stranger]. To find forged messages, see
// [opcode.Authorize] and the example of Step.
package match
