// Package gamespy reads and writes what makes a Bridge Commander server known: the
// queries that it answers, the heartbeats by which it tells a master of itself, and the
// lists that masters give. Version 1 of the GameSpy protocol, plain text, never
// enciphered.
//
// # Text
//
// Everything but a compact list is a [Message]: keys and values behind backslashes, in
// Windows-1252, with no escaping. Queries and replies share the port of the game;
// [IsGameSpy] tells them by their first byte.
//
//	\hostname\My Game23\mapname\DM\numplayers\0\maxplayers\8\final\\queryid\2.1
//
// # Asking
//
// Send a [Query], give what comes to an [Assembler], which puts replies together that
// came in several datagrams, and read [Pairs.ServerInfo]. [ScanPlan] says where to ask in
// a local network, [ListClient] how to get a list from a master.
//
//	query, _ := gamespy.Query{Types: gamespy.Status}.MarshalBinary()
//	...
//	reply, complete, err := assembler.Add(time.Now(), from, datagram)
//
// # Answering
//
// A [Responder] answers queries, within the limits of a [Limiter], with a [ServerInfo].
// A server sends a [Heartbeat] to the masters it wants to be listed by, when a [Beacon]
// says so; their queries come to the port of the game like all others. [ListServer] is the
// side of a master. Responder.AnswerAll and Beacon.Stock do as the game does where the
// defaults do not.
//
// # Sockets
//
// There are none here, and no clock: bytes and times go in, bytes come out. Package
// [github.com/bcwire/bcwire/gamespy/query] has the sockets. It is apart so that a decoder
// of captures, or a server with sockets of its own, does not depend on package net.
//
// # Ownership
//
// Texts are copies of the input, one for a message, and may be kept. Datagrams that are
// returned are the caller's.
//
// # Errors
//
// Errors that have a place are of type [*Error]. Reading a reply is total: what is not
// understood is kept, in Extra of a ServerInfo, and what is missing is told, by Missing
// and by Incomplete of a [Reply].
//
// # Limits
//
// A message has 64 KiB and 512 pairs at most, a reply 48 datagrams, a list 64 KiB, a
// login 1 KiB. An Assembler holds 1,024 replies, 8 of a source, and 1 MiB, and
// remembers 1,024 that were complete; a Limiter 1,024 sources. Their fields say otherwise.
//
// # Security
//
// Nothing is authenticated. Answers come from strangers: a name can hold any byte but a
// backslash, and a terminal acts on some. Text is as it came, so print it with %q, or
// replace what [unicode.IsPrint] does not know; errors hold none of it. A query can have a
// forged address, and its answer is 33 times as long: answer with a Responder, which
// bounds that. The key of the challenges is public.
//
// # Speed
//
// To parse the captured status reply of 267 bytes takes at most 1.5 times as long as to
// split it at its backslashes, or the benchmark fails, and two allocations, or one when
// the memory of the pairs is used again:
//
//	go test -run '^$' -bench Bar -benchtime 1x ./gamespy
//
// # Evidence
//
// Observed: the status reply, the heartbeat with a change, the conversation with a master
// and the challenge in it. The types say what is documented or inferred.
package gamespy
