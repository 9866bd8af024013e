// Package transport reads and writes the datagrams of Bridge Commander multiplayer, the
// TGMessage layer between the cipher and the game's messages.
//
// # Datagrams
//
// A deciphered datagram holds the peer ID of its sender, a count, and that many messages
// back to back. [Messages] iterates over them without allocating; [Packet] holds a whole
// datagram and builds one. GameSpy text shares the port: [IsGameSpy] recognises it by its
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
// A [Message] is a header and a body. The body of Data is a game payload, or a fragment of
// one. The other types have typed bodies, which [Message.Decode] returns and
// [NewMessage] sends: [Ack], [ConnectRequest], [ConnectReply], [NameChange], [Boot],
// [Disconnect], [DoNothing]. A Walk describes their fields, as in the game
// messages; see package stream.
//
// # Fragments
//
// A payload that would make a message of more than 412 bytes (MaxUnfragmented) is sent in
// fragments that share a sequence number. [AppendFragments] splits it, and a [Reassembler]
// joins the fragments.
//
// # Sessions
//
// A [Session] is the reliability of the game for one peer, on the side of a client or of a
// host. It is a state machine without a socket and a clock: order, acknowledgement,
// retransmission, fragments, keepalives, the handshake and the end. A [Hub] is a host's
// sessions with many clients behind one socket. Both take datagrams and the time. They
// return [Event] values and datagrams, and the time at which they must be called again. Their
// timers and limits are [Options] and [HubOptions].
//
// # Observing
//
// An [Observer] follows a link without taking part, for packet analysers, proxies and
// statistics. It takes the datagrams of both directions and returns each message with the payload
// that it completes, its typed body, and its Verdict. The Verdict of a retransmission is
// VerdictDuplicate. An Ack comes with the time at which the acknowledged message was sent, from
// which the round-trip time follows. Payloads are returned as they arrive, not in the order of
// their sequence numbers.
//
// An Observer sees what its capture sees. A message that is lost behind the capture is observed
// but not delivered, and a host may ignore a message that an Observer returns. An Observer does
// not check the source of a datagram: a forged Connect resets it.
//
// # A new socket for each client
//
// A client that connects again must do so from a new socket with another port. Datagrams
// carry a peer ID and a sequence number, and nothing that identifies their session. Late
// datagrams of an earlier session with the same port would be taken for datagrams of the new
// session. A host cannot prevent that on a client's behalf.
//
// # Dialects
//
// OpenBC, the only other implementation in use, has forms of its own: a length of one
// byte where the game has flags and length in two, and a type that the game does not have.
// The [Tolerant] mode reads them as Short messages, and they are re-encoded byte-exactly. No
// stock message can be taken for one. The [Strict] mode reports them. A Session recognises
// OpenBC by them and adapts to it; see [Session.OpenBC].
//
// # Ownership
//
// The bodies of messages alias the datagram, and typed bodies alias the message. A loop over
// Messages or over [Observer.Receive] reuses the memory of the message. A Reassembler and an
// Observer copy the fragments that they retain. A Session copies the payloads that it
// sends. The payloads of its events are valid until the next call of Receive. Its datagrams
// are valid until the next one; the caller may write to them.
//
// # Errors
//
// An error in a message is an [*Error], with the index of the message and its offset. It
// wraps [io.ErrUnexpectedEOF], [ErrBadLength], [ErrBadFragment], [ErrUnknownType] or
// [ErrDialect]. The messages before it are read, and the messages after it if its length is
// known. A Session returns no errors for malformed or forged input. It counts the input by its
// [DropReason]. If the session cannot go on, it ends with an [EndReason].
//
// # Limits
//
// Reading is linear and allocates memory for errors only, at most 255. By default a
// Reassembler holds at most 16 partial payloads and 128 KiB of fragments. It needs 8 KiB to
// recognise duplicates. An [Observer] has one for each sender.
//
// A quiet Session in a Hub takes about 1.6 KiB. A Session takes at most 2 MiB, whatever its peer
// sends: [Options] has a limit for everything that it retains. In the steady state it
// allocates nothing. [HubOptions] limits the sessions of a Hub and of each address. A Hub
// retains nothing for addresses without a session. A message that exceeds a limit is neither
// retained nor acknowledged, so the peer retransmits it. The message that is next to be
// delivered always has room, so a session cannot block itself.
//
// # Evidence
//
// Observed, with the exceptions that the types name: the tests compare the package with 54
// captured or constructed datagrams and messages, and sessions with a captured join. The
// timers of sessions are observed, or documented (B) by the engine's code.
package transport
