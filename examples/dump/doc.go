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
//	JSON lines    {"t":0.5,"dir":"c2s","client":1,"hex":"ffd73361..."}
//	hex text      one datagram per line, after an optional c2s or s2c
//
// Package transport/recording describes JSON lines and hex text. Datagrams are deciphered
// unless -plain is given. If the input does not give the direction, the peer ID does: the host
// sends with 1. The flag -port selects the UDP port of the game in captures. The flag -classes reads
// the ship classes of a mod, which name the blocks of StateUpdate.
//
// Packets are numbered from 1 through all files: packets of a capture, lines with datagrams of
// a text. Times are in seconds. In captures, they count from the first packet. A section of a
// pcapng capture may have at most 4096 interfaces and 1 MiB of interface blocks.
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
// Each event stands once, however many clients the input has. With -events -json, each event is an object
// with the keys that apply to it:
//
//	time, match, event              seconds, number of the match from 0, kind
//	player, peer, slot, client      the player, "peer 5" without a name
//	ship, class                     object ID of the player's ship
//	text                            of chat; the old name; the star system; why the match ends
//	victim, killer, weapon, target  of kills and shots
//	part, from, to                  of damage, in per cent
//	reason                          of a leave: left, kicked, timed out
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
// enciphered as on the wire. Clients of text inputs get made-up addresses. The capture replaces
// FILE when it is complete.
//
// # Parquet
//
// With -parquet FILE it prints nothing and writes one row per message to a Parquet file, for
// DuckDB, ClickHouse, Spark and other engines. Each input is a match with the name of its file. Its
// packet numbers, times, sessions and ships are its own: the rows of a match equal the output of
// -json for its file alone. Join the parts of a rotated capture before, for example with mergecap.
//
//	go run -C examples ./dump -parquet battle.parquet ../testdata/battle.jsonl
//
// This query of DuckDB finds the deaths:
//
//	SELECT round(time, 1) AS seconds, owner AS player, class, killer
//	FROM 'battle.parquet'
//	WHERE death AND NOT duplicate
//	QUALIFY time - lag(time, 1, -10) OVER (PARTITION BY match, object ORDER BY time, datagram) > 2
//	ORDER BY time;
//
//	seconds  player  class         killer
//	   17.6  Cid     Bird of Prey  Dee
//	   20.2  Dee     Galor         Cid
//	     44  Dee     Galor         NULL
//
// The file queries.md has this query and others, and the columns with their types and units.
//
// If the name ends in a slash or is a directory, each match has a file
// DIR/match=NAME/part-0.parquet. Engines read a thousand files at once and skip matches that a
// query does not need.
//
// A file takes its name when it is complete. After an interrupt or an error of the output, the file
// before stays. An input without datagrams gives no rows, and messages that do not decode have their
// error in a column. A file whose inputs cannot be opened does not change.
//
// # Exit status
//
// The exit status is 1 if an input or the output failed, or if -check found a difference. It is
// 2 for wrong flags and 130 after an interrupt.
package main
