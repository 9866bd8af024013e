// Package transport reads and writes the datagrams of Bridge Commander multiplayer, and runs the
// connections between a host and its clients. It is the layer between the cipher and the game's
// messages. Its messages are the engine's TGMessage.
//
//	for m, err := range transport.Messages(datagram) { // deciphered
//		fmt.Println(m.Type, m.Seq, m.Body, err)
//	}
//
// # Datagrams
//
// A deciphered datagram holds the sender's peer ID, a count, and that many messages. [Messages]
// iterates over the messages, [Dissect] over their fields. [Packet] is a whole datagram, to read or
// to build. GameSpy text shares the port and is never enciphered; see [IsGameSpy].
//
// # Messages
//
// A [Message] is a header and a body. Data messages form the game channel, and all other messages
// the system channel. Each channel has its own sequence numbers. The body of a Data message is a
// game payload, or a fragment of a payload. [Message.Decode] returns the typed body of a system
// message, and [NewMessage] makes a message from it. A payload that does not fit into a message of
// 412 bytes (MaxUnfragmented) is sent in fragments. [AppendFragments] splits the payload, and a
// [Reassembler] joins the fragments.
//
// # Sessions
//
// A [Session] is one side of a connection: it handles the handshake, ordering, acknowledgements,
// retransmissions, fragments, keepalives and the disconnect. A [Hub] holds a host's sessions with
// many clients. Both are state machines without a socket, a goroutine or a clock. Pass them
// datagrams and the time. They return events, datagrams to send, and the time of the next call.
// Package udp runs them on sockets.
//
// A client first sends a Connect: a [ConnectRequest], or the shorter form of OpenBC. The host's
// session is half-open until the client uses the [objectid.PeerID] that the host assigns. In a Hub,
// it is unproven until the client has acknowledged a payload; see [Session.Challenge]. A client
// that connects again must use a new socket with another port. Datagrams do not identify their
// session, so a host cannot distinguish late datagrams of an earlier session with the same port.
//
// # Observing
//
// An [Observer] follows a link without taking part, for packet analysers, proxies and statistics.
// It reassembles payloads, detects retransmissions and measures round-trip times.
//
// # Dialects
//
// The stock game is version 1.1 without modifications. OpenBC is another implementation. Some of
// its messages have a length of one byte instead of two bytes of flags and length, or a type that
// the stock game does not have. The [Tolerant] mode sets [Message].Short for these forms and
// re-encodes them byte-exactly. No stock message has such a form. The [Strict] mode reports them as
// errors. A Session recognises OpenBC and adapts to it; see [Session.OpenBC].
//
// # Ownership
//
// The body of a message aliases the datagram, and a typed body aliases the message. Loops over
// Messages and [Observer.Receive] reuse the memory of the message. A Reassembler and an Observer
// copy the fragments that they retain, and a Session copies the payloads that it sends.
// [Session.Events] and [Session.Datagrams] state how long their results are valid.
//
// # Errors
//
// An error in a message is an [*Error], with the index and the offset of the message. For a
// malformed message it wraps [io.ErrUnexpectedEOF], [ErrBadLength], [ErrBadFragment],
// [ErrUnknownType] or [ErrDialect]. Later messages of the datagram can be read if the length of the
// malformed message is known. A Session counts malformed and forged input by [DropReason] instead
// of returning errors. A session that cannot continue ends with an [EndReason].
//
// # Limits
//
// Reading takes linear time. It allocates memory only for errors, at most 255 errors for each
// datagram. A Reassembler holds at most 8 KiB besides the fragments. With the default options, an
// idle Session in a Hub takes about 1.8 KiB, and no Session more than 2 MiB. [Options] and
// [HubOptions] have the limits. A Hub also remembers the last 256 ended sessions, and the connect
// rates of at most 4096 addresses.
//
// A message beyond a limit is neither retained nor acknowledged, so the peer retransmits it. The
// next message to deliver always has room, so a session cannot block itself.
//
// # Evidence
//
// The layouts are observed in captured bytes, unless a type gives another grade. Package opcode
// explains the grades and the FUN_ numbers. The timers are observed or documented (B).
package transport
