// Package transport reads and writes the datagrams of Bridge Commander multiplayer, and runs the
// connections between a host and its clients. It is the TGMessage layer between the cipher and the
// game's messages.
//
//	for m, err := range transport.Messages(datagram) { // deciphered
//		if err != nil {
//			log.Print(err)
//			continue
//		}
//		fmt.Println(m.Type, m.Seq, m.Body)
//	}
//
// # Datagrams
//
// A deciphered datagram holds the sender's peer ID, a count, and that many messages. [Messages]
// iterates over the messages, [Dissect] over their fields. [Packet] is a whole datagram, to read or
// to build. GameSpy text shares the port and is never enciphered: check [IsGameSpy] before
// deciphering.
//
// # Messages
//
// A [Message] is a header and a body. The body of a Data message is a game payload, or a fragment
// of a payload. [Message.Decode] returns the typed body of any other message, and [NewMessage]
// makes a message from a typed body. A payload that does not fit into a message of 412 bytes
// (MaxUnfragmented) is sent in fragments. [AppendFragments] splits the payload, and a [Reassembler]
// joins the fragments.
//
// # Sessions
//
// A [Session] is one side of a connection: the handshake, order, acknowledgement, retransmission,
// fragments, keepalives and the end. A [Hub] holds a host's sessions with many clients. Both are
// state machines without a socket, a goroutine or a clock. Pass them datagrams and the time. They
// return events, datagrams to send, and the time of the next call. Package udp runs them on
// sockets.
//
// A client that connects again must use a new socket with another port. Datagrams do not identify
// their session, so late datagrams of an earlier session with the same port would be taken for
// datagrams of the new one. A host cannot prevent this.
//
// # Observing
//
// An [Observer] follows a link without taking part, for packet analysers, proxies and statistics.
// It reassembles payloads, detects retransmissions and measures round-trip times.
//
// # Dialects
//
// OpenBC, the only other implementation in use, sends some messages in forms of its own. They have
// a length of one byte instead of flags and length in two, or a type of OpenBC. The [Tolerant] mode
// reads these forms as Short messages and re-encodes them byte-exactly. No stock message can be
// mistaken for one. The [Strict] mode reports them as errors. A Session recognises OpenBC and
// adapts to it; see [Session.OpenBC].
//
// # Ownership
//
// The body of a message aliases the datagram, and a typed body aliases the message. Loops over
// Messages and [Observer.Receive] reuse the memory of the message. A Reassembler and an Observer
// copy the fragments that they retain, and a Session copies the payloads that it sends. The
// payloads of events are valid until the next call of Receive. A datagram from a Session or a Hub
// is valid until the next datagram, and the caller may modify it.
//
// # Errors
//
// An error in a message is an [*Error], with the index and the offset of the message. It wraps
// [io.ErrUnexpectedEOF], [ErrBadLength], [ErrBadFragment], [ErrUnknownType] or [ErrDialect]. Later
// messages of the datagram can be read if the length of the malformed message is known. A Session
// counts malformed and forged input by [DropReason] instead of returning errors. A session that
// cannot continue ends with an [EndReason].
//
// # Limits
//
// Reading takes linear time and allocates memory for errors only, at most 255 for each datagram. By
// default a Reassembler holds at most 16 partial payloads and 128 KiB of fragments, and 8 KiB to
// recognise duplicates. A quiet Session in a Hub takes about 1.8 KiB, and no Session more than 2
// MiB. In the steady state it allocates nothing. [Options] and [HubOptions] have the limits. A Hub
// also remembers the last 256 ended sessions, and the rates of new sessions of at most 4096
// addresses.
//
// A message beyond a limit is neither retained nor acknowledged, so the peer retransmits it. The
// next message to deliver always has room, so a session cannot block itself.
//
// # Evidence
//
// Observed, with the exceptions that the types name. The tests compare the package with 54 captured
// or constructed datagrams and messages, and sessions with a captured join. The timers of sessions
// are observed, or documented (B) by the engine's code.
package transport
