// Package gamespy implements version 1 of the GameSpy protocol, with which players find Bridge
// Commander servers. It parses and writes queries, replies, heartbeats and server lists:
//
//	reply := []byte(`\hostname\My Game23\mapname\DM\numplayers\0\final\\queryid\2.1`)
//	m, err := gamespy.Parse(reply)
//	info := m.Pairs.ServerInfo()
//	fmt.Printf("%q: %d players, %v\n", info.HostName, info.NumPlayers, err)
//
// The package uses no sockets and no clock. Package [github.com/bcwire/bcwire/gamespy/query]
// queries servers and runs servers and masters on sockets.
//
// # Text
//
// All data except compact server lists consists of a [Message]: a text in Windows-1252 with a
// backslash before each key and each value. It is never enciphered. Text shares the UDP port of the
// game; IsGameSpy of package transport identifies it, and [Classify] its kind. The game ends each datagram of a
// reply with queryid\N.M: N is the number of the reply, M the number of the datagram. The last one has the key
// final.
//
// Keys and values are Go strings in UTF-8, which convert back to the same bytes; see [stream.Text].
//
// # Roles
//
//   - A client sends the query \status\ and passes the received datagrams to an [Assembler], which returns complete
//     replies. [Pairs.ServerInfo] interprets a reply. A [ListClient] requests the list of a master.
//   - A server answers queries with a [Responder] and a [ServerInfo]. A [Beacon] schedules the heartbeats for each
//     master. Send heartbeats from the socket that receives queries, because a master may answer the source address.
//   - A [Master], an internet server that lists game servers, takes heartbeats, challenges the servers and lists those
//     that answer. A [ListServer] sends the list to one client.
//
// # Limits and security
//
// A message has at most 64 KiB and 512 pairs, a reply 48 datagrams, a list 64 KiB, a login 1 KiB. An
// [Assembler] and a [Master] limit their memory, and a [Responder] the rate of its answers.
//
// Nothing is authenticated, and the key of the challenges is public. A name may contain any byte
// except a backslash, including control characters that act on a terminal. Print texts with %q, as errors do.
//
// # Evidence
//
// Observed: the status reply, the heartbeat with a change, the conversation with a master and its
// challenge. Package opcode defines the grades in its section Evidence.
//
// [CORRECTIONS.md] lists the statements of older documents that contradict this package, with proofs.
//
// [CORRECTIONS.md]: https://github.com/bcwire/bcwire/blob/main/opcode/CORRECTIONS.md
package gamespy
