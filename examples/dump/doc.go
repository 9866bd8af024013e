// Dump decodes captured traffic of Bridge Commander multiplayer and prints its messages.
//
//	go run ./examples/dump [flags] [FILE...]
//
// # Input
//
// Without a FILE, dump decodes a bundled sample. The name "-" is standard input. Dump recognises
// the format by the content, also of files that are packed with gzip, zstd, lz4 or bzip2, and of the files in a zip
// archive. Tools of your own read them with package capture.
//
//	pcap, pcapng  the UDP payloads, IPv4 and IPv6, of all usual link types; fragments are reassembled
//	JSON lines    {"t":0.5,"dir":"c2s","client":1,"hex":"ffd73361..."}
//	hex text      one datagram per line, after an optional c2s or s2c
//
// With -follow, the FILE is still written, such as the capture of a match that goes on: dump prints what comes until an
// interrupt.
//
// Package transport/recording describes JSON lines and hex text. Datagrams are deciphered
// unless -plain is given. If the input does not give the direction, or a wrong one, the peer ID does: the host
// sends with 1. The flag -port selects the UDP port of the game in captures. The flag -classes reads
// the ship classes of a mod, which name the blocks of StateUpdate.
//
// Packets are numbered from 1 through all files: packets of a capture, lines with datagrams of
// a text. Times are in seconds. In captures, they count from the first packet, and go back if the clock was set back.
//
// What cannot be read is counted and named on standard error, a line for each kind, after the messages of the input:
//
//	dump: match.pcapng: 30 packets of link type 220 (USB) not read; the first is number 2
//	dump: match.pcapng: 1,204 datagrams on 3 ports are not the game's: 53, 123, 443
//
// Datagrams of other programs, and the second one of datagrams that a capture shows before and after a router, are in no
// output but -pcapng. Package capture describes both.
//
// # Output
//
//	(none)   one line per message
//	-v       one line per message, and its fields
//	-x       every byte of each datagram, with its field
//	-json    one object per message
//	-check   re-encodes every message and counts those whose bytes differ
//	-stats   messages, bytes and rates by direction and type
//	-events  what happens: joins, kills, chat and more; see package match
//
// On a terminal, the fields in a line are cut at the last column, with an ellipsis. Notes and errors are not cut, and a
// file or a pipe gets all fields.
//
// A password of a player is "***", and zeros in bytes, unless -passwords is given. With it, only the owner can read
// tables. The datagrams of -pcapng have passwords, and -check compares all bytes.
//
// The objects of -json have the client as in the input, where it is known. They also have the sender: player
// (the name), slot and ship (its object ID). In a message of the host, client is the receiver. Its sender is the
// player whose message the host relays, or whose ship it describes.
//
// Each event stands once, however many clients the input has. It has the time when it happened, and stands where it
// is known: a join waits for a name, a leave for its reason, and what a client says for the host, which passes it on.
// Times of events can therefore go back, in tables, too; sort by time where the order matters. With -v, the last
// lines count the claims of each player that the host has refused: lines of chat, shots, ships and names. With
// -events -json, each event is an object with the keys that apply to it:
//
//	time, match, event              seconds, number of the match from 0, kind
//	player, peer, slot, client      the player, "peer 5" without a name
//	ship, class                     object ID of the player's ship
//	text                            of chat; the old name; the star system; why the match ends
//	victim, killer, weapon, target  of kills, shots and damage
//	part, from, to                  of damage, in per cent
//	reason                          of a leave: left, kicked, timed out; the cause of damage or an explosion, if it is known
//	kills, deaths, score
//
// The last line of -check counts the blocks of subsystems in StateUpdates:
//
//	subsystem blocks: 147 stock, 91 tolerant, 0 raw
//
// Tolerant blocks have the form of OpenBC; see the type Status of package stateupdate. Raw blocks
// are not decoded: they are malformed, or the class of their ship is unknown.
//
// With -pcapng FILE it prints nothing and writes the datagrams to a capture for Wireshark,
// enciphered as on the wire, with the times that they had. Clients of text inputs get made-up addresses, and times
// after 1970. The capture replaces FILE when it is complete, and not if it has no datagrams.
//
// # Workers
//
// With -jobs N, text and -json are printed by N workers, which also count and check the messages of -stats and
// -check. The default is the number of cores. Reading and following the match stay in the order of the input, and so
// does the output: any number of jobs gives the same bytes and the same exit status. With one job, dump works in one
// goroutine. Memory does not grow with the input.
//
// # Parquet
//
// With -parquet FILE.parquet it prints nothing and writes three tables for DuckDB, ClickHouse, Spark and
// other engines:
//
//	messages  FILE.parquet         a row per message, as in -json
//	events    FILE.events.parquet  a row per event, as in -events -json
//	states    FILE.states.parquet  a row per ship and update: position, speed, heading, hull, shields
//
// The flag -tables events,states chooses tables, and -fields=false leaves the JSON of the fields out of
// messages. Each row has the source, which is the name of its input, and the number of the match in it. Packet
// numbers, times, sessions and ships of an input are its own. Join the parts of a rotated capture before, for
// example with mergecap.
//
//	go run ./examples/dump -parquet battle.parquet testdata/battle.jsonl
//
// This query of DuckDB finds who killed whom:
//
//	SELECT round(time, 1) AS seconds, killer, victim, class, weapon FROM 'battle.events.parquet' WHERE event IN ('kill', 'explode') ORDER BY time, victim;
//
//	seconds  killer  victim  class         weapon
//	   17.6  Dee     Cid     Bird of Prey  collision
//	   20.2  Cid     Dee     Galor         collision
//	     44  NULL    Dee     Galor         NULL
//
// The file queries.md has this query and others, and schema.md has the columns with their types and units.
//
// If the name ends in a slash or is a directory, each input and match has files of its own, such as
// DIR/table=events/source=NAME/match=0/part-0.parquet. Engines read a thousand of them at once and skip
// inputs and matches that a query does not need. Several inputs are written at once.
//
// A file takes its name when it is complete. After an interrupt or an error of the output, the file
// before stays. A directory skips the inputs that it has, unless they have changed or another version has
// written them. A run can therefore be repeated after it was killed, and several runs can write to one
// directory. The flag -shard I/N chooses every N-th input, for the jobs of an array; I is from 0 to N-1.
// An input without datagrams gives no rows, and messages that do not decode have their error in a column. A
// file whose inputs cannot be opened does not change.
//
// # Exit status
//
// The exit status is 1 if an input has an error or no datagrams, if the output failed, or if -check found a difference.
// It is 2 for wrong flags and 130 after an interrupt. What is counted as not read does not change it.
package main
