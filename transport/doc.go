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
// # Dialects
//
// The only other implementation in use, OpenBC, has forms of its own: a length of one
// byte where the game has flags and length in two, a type that does not exist. In the
// [Tolerant] mode they are read as Short messages and written as they were read. No stock
// message can be taken for one. The [Strict] mode reports them.
//
// # Ownership
//
// The bodies of messages alias the datagram, and typed bodies alias the message. What a
// Reassembler keeps, it copies.
//
// # Errors
//
// What is wrong with a message comes as an [*Error], with the index of the message and
// its offset, and wraps [io.ErrUnexpectedEOF], [ErrBadLength], [ErrBadFragment],
// [ErrUnknownType] or [ErrDialect]. The messages around it survive as far as its length
// is known.
//
// # Limits
//
// Reading is linear and allocates for errors only, 255 at most. A Reassembler holds 16
// payloads and 128 KiB of pieces for a peer, and 8 KiB to recognise repetitions; its
// fields say otherwise.
//
// # Evidence
//
// Observed, with the exceptions that the types name: the tests hold the package to 52
// captured or constructed datagrams and messages.
package transport
