// Package transport reads and writes the datagrams of Bridge Commander multiplayer, and runs the
// connections between a host and its clients. It is the layer between the cipher and the game's
// messages. Its messages are the engine's TGMessage.
//
//	for m, err := range transport.Messages(datagram) { // deciphered
//		fmt.Println(m.Type, m.Seq, m.Body, err)
//	}
//
// # Datagrams and messages
//
// A deciphered datagram holds the sender's peer ID, a count, and that many messages; see [Packet].
// [Messages] iterates over the messages, and [Dissect] over their fields. GameSpy text shares the
// port and is never enciphered; see [IsGameSpy].
//
// A [Message] is a header and a body. Data messages form the game channel, and all other messages
// the system channel. Each channel has its own sequence numbers. The body of a Data message is a
// game payload or a fragment of one. A Data message has at most 412 bytes,
// including its header. [AppendFragments] splits a longer payload, and a [Reassembler] joins the
// fragments. [Message.Decode] returns the typed body of a system message, and [NewMessage] makes a
// message from it.
//
// # Sessions
//
// A [Session] is one side of a connection: it handles the handshake, ordering, acknowledgements,
// retransmissions, fragments, keepalives and the disconnect. A [Hub] holds a host's sessions with
// many clients. Both are state machines without a socket, a goroutine or a clock. Package udp runs
// them on sockets. An [Observer] follows a link without taking part. A [Relay] removes and replaces payloads on it.
//
// A client first sends a [ConnectRequest], and the host assigns an [objectid.PeerID]. The host's session is half-open
// until the address of the client is validated; see [Hub.Accept]. A client that connects again must use a new port: a
// host could take late datagrams of an earlier session on that port for new ones.
//
// # Dialects
//
// The stock game is version 1.1 without modifications. OpenBC is another implementation. Some of
// OpenBC's messages have no flags and a length field of one byte. OpenBC's Disconnect also has
// another type. [Message].Short is set for these forms, which are re-encoded byte-exactly. A Session and an Observer
// recognise the program of the other side; see [Peer] and [Session.Peer].
//
// # Ownership
//
// The body of a message aliases the datagram, and a typed body aliases the message. A Reassembler
// and an Observer copy the fragments that they retain, and a Session copies the payloads that it
// sends. Each iterator states how long its results are valid.
//
// # Errors
//
// An error in a message is an [*Error] with the place of the message, except [ErrGameSpy] and the
// error of a fragment beyond a limit. It wraps [io.ErrUnexpectedEOF], [ErrBadLength], [ErrBadFragment],
// [ErrUnknownType], [ErrDialect] or [stream.ErrTooLong]. A Session counts malformed and forged input by [DropReason]
// instead, and ends with an [EndReason] if it cannot continue.
//
// # Limits
//
// Messages takes linear time, and allocates only its errors, at most 255 for a datagram. With the
// default limits, no datagram takes an Observer or a Hub more than 20 times as long for each byte as
// the average of a match. The exception is a Connect that opens a session. A test measures floods of
// datagrams, of which each counts as at least 18 bytes, the minimum of Ethernet.
//
// With the default limits, a Reassembler holds at most about 220 KiB besides the bytes of the
// fragments. With the default options, an idle Session in a Hub takes about 2 KiB, a half-open one 3 KiB, and none
// more than 2 MiB. After each loop over Datagrams, a Hub holds at most MaxSessions open and
// MaxSessions ended sessions, and 10,240 half-open ones. A Hub also keeps short records: the Connects of
// the last 256 ended sessions, and the connect rates of at most 4096 networks.
//
// A received message beyond a limit of [Options] is neither retained nor acknowledged, so the peer
// retransmits it. The next message to deliver always has room, so a session cannot block itself.
//
// # Evidence
//
// The layouts are observed in captured bytes, unless a type gives another grade. The timers are
// observed or documented (B). Package opcode explains the grades and the FUN_ numbers.
//
// [CORRECTIONS.md] lists the statements of older documents that contradict this package, with proofs.
//
// [CORRECTIONS.md]: https://github.com/bcwire/bcwire/blob/main/opcode/CORRECTIONS.md
package transport
