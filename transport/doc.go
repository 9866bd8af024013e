// Package transport reads and writes the datagrams of Bridge Commander multiplayer, the
// TGMessage layer between the cipher and the game's messages.
//
// # Datagrams
//
// A deciphered datagram holds the peer ID of its sender, a count, and that many messages
// back to back. [Messages] iterates over them without allocating; [Packet] holds a whole
// datagram and builds one. GameSpy text shares the port: [IsGameSpy] tells it by its
// first byte, before deciphering.
//
//	for m, err := range transport.Messages(datagram) {
//		...
//	}
//
// [Dissect] iterates over the fields instead, with their offsets and bytes.
//
// # Messages
//
// A [Message] is a header and a body. The body of Data is a game payload, or a piece of
// one; the other types have typed bodies, which [Message.Decode] returns and
// [NewMessage] sends: [Ack], [ConnectRequest], [ConnectReply], [NameChange], [Boot],
// [Disconnect], [DoNothing].
//
// # Fragments
//
// A payload that would make a message of more than 412 bytes travels in pieces that share
// a sequence number. [AppendFragments] splits, a [Reassembler] joins.
//
// # Sessions
//
// A [Session] is the reliability of the game for one peer, a client's or a host's side of
// it, as a state machine without a socket and a clock: order, acknowledgement,
// repetition, fragments, keepalives, the handshake and the farewell. A [Hub] is a host's
// sessions with many clients behind one socket. Both take datagrams and the time and
// give [Event] values and datagrams; both say when they want to be called again.
//
// The timers of a session are fields of [Options], and [StockOptions] returns the timers of
// the stock game. The defaults differ where others are sounder: an Ack is sent once for each
// message that arrives, retransmissions are a second apart, and a tick has up to four
// datagrams.
//
// # A new socket for each client
//
// A client that connects again must do so from a new socket with another port. Datagrams
// carry a peer ID and a sequence number, and nothing that names their session. Datagrams of
// an earlier session with the same port may arrive late, and pass for those of the new one. A
// host cannot prevent that on a client's behalf.
//
// # Dialects
//
// The only other implementation in use, OpenBC, has forms of its own: a length of one
// byte where the game has flags and length in two, a type that does not exist. In the
// [Tolerant] mode they are read as Short messages and written as they were read. No stock
// message can be taken for one. The [Strict] mode reports them. A Session knows OpenBC by
// them: it does not expect it to acknowledge system messages, sends it each Ack once and a
// keepalive that it can read, and understands its names, keepalives and Disconnects.
//
// # Ownership
//
// The bodies of messages alias the datagram, and typed bodies alias the message. What a
// Reassembler keeps, it copies. What is given to a Session to send, it copies; the
// payloads of its events are valid until the next call of Receive, and its datagrams until
// the next one, and may be written to.
//
// # Errors
//
// What is wrong with a message comes as an [*Error], with the index of the message and
// its offset, and wraps [io.ErrUnexpectedEOF], [ErrBadLength], [ErrBadFragment],
// [ErrUnknownType] or [ErrDialect]. The messages around it survive as far as its length
// is known.
//
// A Session reports nothing that a peer does wrong as an error: it counts it, by its
// [DropReason], and if that leaves no way to go on it ends, with an [EndReason].
//
// # Limits
//
// Reading is linear and allocates for errors only, 255 at most. A Reassembler holds 16
// payloads and 128 KiB of pieces for a peer, and 8 KiB to recognise repetitions; its
// fields say otherwise.
//
// A Session takes about 1 KiB when it is quiet and 2 MiB at most, whatever its peer
// sends: [Options] has a limit for everything that it keeps. In the steady state it
// allocates nothing. A Hub has as many sessions as there are peer IDs, limits for those
// of an address, [HubOptions], and keeps nothing for addresses without a session. When
// something does not fit, it is neither kept nor acknowledged, and the peer sends it
// again; the message that is next to be delivered always fits, so that a session cannot
// block itself.
//
// # Evidence
//
// Observed, with the exceptions that the types name: the tests hold the package to 54
// captured or constructed datagrams and messages. The timers of sessions are observed or
// documented (B) by the engine's code; [Options] says where they differ. Sessions are held
// to a captured join, from both sides, and to random conversations over a network that
// loses, doubles, delays and reorders, under clocks that jump.
package transport
