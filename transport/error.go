package transport

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The errors of datagrams, messages, fragments and sessions, besides
// [io.ErrUnexpectedEOF] for input that ends too soon. Errors without "transport:" in their
// text are wrapped in an [*Error]. An error of a limit says by how much the limit is exceeded.
var (
	// ErrGameSpy means that a datagram is GameSpy text, which shares the port.
	ErrGameSpy = errors.New("transport: GameSpy text, not a datagram of the game")
	// ErrUnknownType means that a type, and so the length of the message, is unknown. The rest
	// of the datagram is lost.
	ErrUnknownType = errors.New("unknown message type")
	// ErrWrongType means that a message or a body does not have the required type.
	ErrWrongType = errors.New("wrong type of message")
	// ErrBadLength means that a message or a body cannot have its length.
	ErrBadLength = errors.New("bad length")
	// ErrBadFragment means that a fragment contradicts itself or other fragments.
	ErrBadFragment = errors.New("bad fragment")
	// ErrDialect means that a message does not have a form of the stock game. [Strict]
	// reports it, and [Message.Decode] for a message without a typed body.
	ErrDialect = errors.New("not a form of the stock game")
	// ErrTooLong means that a value does not fit its length field, or does not fit into a
	// message that cannot be split.
	ErrTooLong = errors.New("too long")
	// ErrLimit means that a fragment was dropped because a limit of the [Reassembler] is
	// reached.
	ErrLimit = errors.New("transport: limit of reassembly reached")
	// ErrQueueFull means that the send queue of a [Session] is full.
	ErrQueueFull = errors.New("transport: send queue full")
	// ErrNotOpen means that a [Session] has not been accepted yet, or has ended.
	ErrNotOpen = errors.New("transport: session not open")
	// ErrHubFull means that a [Hub] has reached its limit of sessions or of peer IDs.
	ErrHubFull = errors.New("transport: hub full")
	// ErrNoConnect means that an event is not the Connect of a client, or is out of date.
	ErrNoConnect = errors.New("transport: no Connect to accept")
)

// Error is an error in a message, with the place of the message in its datagram.
type Error struct {
	Index  int // of the message in its datagram, from 0; -1 for a message in no datagram
	Offset int // of the message in the datagram
	Len    int // of the message on the wire, 0 if unknown
	Type   Type
	Err    error

	missing    bool // the datagram ends before the type
	enciphered bool // the datagram is probably still enciphered
}

// malformed returns the error of message i of a datagram, which has n bytes at an offset. In
// an enciphered datagram most types and counts are impossible.
func malformed(datagram []byte, i, offset, n int, t Type, err error) error {
	return &Error{
		Index: i, Offset: offset, Len: n, Type: t, Err: err,
		missing:    offset == len(datagram),
		enciphered: err != ErrDialect && (i == 0 || messageCount(datagram) > len(datagram)-2),
	}
}

// alone returns an error in a message that is in no datagram, or in an unknown one.
func alone(t Type, err error) error { return &Error{Index: -1, Type: t, Err: err} }

// Error returns "transport: message 2 (Data) at offset 12: unexpected EOF", or
// "transport: Data: bad fragment" for a message in no datagram. If the first message is
// malformed or the count of messages is impossible, the text asks whether the datagram is
// deciphered.
func (e *Error) Error() string {
	text := "transport: "
	switch {
	case e.missing && e.Index < 0:
	case e.Index < 0:
		text += e.Type.String() + ": "
	case e.missing:
		text += fmt.Sprintf("message %d at offset %d: ", e.Index, e.Offset)
	default:
		text += fmt.Sprintf("message %d (%v) at offset %d: ", e.Index, e.Type, e.Offset)
	}
	text += fmt.Sprint(e.Err)
	if e.enciphered {
		text += "; is the datagram deciphered?"
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// excess is an error with the number by which a limit is exceeded.
type excess struct {
	err     error
	what    string // "payload of # bytes"
	n, most int
}

// Error returns "too long: payload of 103,530 bytes, at most 103,529".
func (e *excess) Error() string {
	what := strings.Replace(e.what, "#", grouped(e.n), 1)
	return fmt.Sprintf("%v: %s, at most %s", e.err, what, grouped(e.most))
}

// Unwrap returns the sentinel.
func (e *excess) Unwrap() error { return e.err }

// grouped returns a number that is not negative with its digits in groups of three, "103,530".
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Verdict is the result of adding a message to a [Reassembler].
type Verdict uint8

const (
	VerdictComplete  Verdict = iota // the payload is complete
	VerdictStored                   // fragments are missing
	VerdictDuplicate                // the message was added before; the peer has not received the Ack
	VerdictDropped                  // a limit is reached; do not acknowledge the message, the peer will retransmit it
	VerdictRefused                  // the message is impossible; no stored fragment is lost
	// VerdictDiscarded: the message contradicts stored fragments, which are discarded. The
	// payload, and every later one, can never arrive: end the session.
	VerdictDiscarded
)

// Acknowledge reports whether a reliable message with this verdict must be acknowledged.
func (v Verdict) Acknowledge() bool { return v <= VerdictDuplicate }

// String returns the verdict in a word.
func (v Verdict) String() string {
	return name(v, "complete", "stored", "duplicate", "dropped", "refused", "discarded")
}

// Counters are the counters of a [Session] or a [Hub].
type Counters struct {
	Received        uint64 // datagrams that passed the source check
	Sent            uint64 // datagrams
	Payloads        uint64 // delivered
	Retransmissions uint64 // of messages
	Duplicates      uint64 // reliable messages that arrived again, and were acknowledged again
	StrayAcks       uint64 // Acks of no message in flight: duplicates, keepalives

	// Drops counts dropped datagrams and messages, by their [DropReason].
	Drops [DropReasons]uint64
}

// Dropped returns the sum of Drops.
func (c Counters) Dropped() (n uint64) {
	for _, drops := range c.Drops {
		n += drops
	}
	return n
}

// String returns the counters that are not zero, "received 86, sent 40, dropped early 3".
func (c Counters) String() string {
	var all []string
	count := func(name string, n uint64) {
		if n > 0 {
			all = append(all, name+" "+strconv.FormatUint(n, 10))
		}
	}
	count("received", c.Received)
	count("sent", c.Sent)
	count("payloads", c.Payloads)
	count("retransmissions", c.Retransmissions)
	count("duplicates", c.Duplicates)
	count("stray Acks", c.StrayAcks)
	for r, n := range c.Drops {
		count("dropped "+DropReason(r).String(), n)
	}
	return strings.Join(all, ", ")
}

// add adds other counters.
func (c *Counters) add(o Counters) {
	c.Received += o.Received
	c.Sent += o.Sent
	c.Payloads += o.Payloads
	c.Retransmissions += o.Retransmissions
	c.Duplicates += o.Duplicates
	c.StrayAcks += o.StrayAcks
	for i, n := range o.Drops {
		c.Drops[i] += n
	}
}

// DropReason is the reason for which a datagram or a message was dropped. It is an index of
// [Counters].Drops.
type DropReason uint8

const (
	DropMalformed    DropReason = iota // an unreadable datagram or message, or a system message whose body is not of its type
	DropWrongPeer                      // a datagram with a peer ID that does not belong to its source
	DropEarly                          // a message before the client is accepted, or a datagram before its Connect
	DropLate                           // a payload or an unread datagram after the end of the session
	DropOutOfWindow                    // a message whose sequence number is too far from the expected one
	DropNoRoom                         // a message out of order that exceeds a limit; it is not acknowledged
	DropBadFragment                    // a fragment that contradicts itself or others
	DropForged                         // a Boot from a client, a Disconnect in the name of another client
	DropAck                            // an Ack, since too many are queued; the peer will retransmit the message
	DropUnread                         // a datagram that arrived while 1,024 events were unread
	DropQueueFull                      // a message that Send or SendSystem refused with [ErrQueueFull]
	DropStranger                       // a datagram with a peer ID from an address without a session
	DropNoConnect                      // a datagram without a peer ID that holds no Connect
	DropStaleConnect                   // a duplicate of a Connect whose session has ended
	DropBusyConnect                    // a new Connect from an address whose session is not silent
	DropConnectLimit                   // a Connect beyond the limits of its address or of the Hub
	DropUnproven                       // a payload of a client that is not proven, with [Options].RequireProof
	DropRefusal                        // a refusal, since too many are queued
	DropReasons                        // the number of reasons
)

// String returns the reason in words, joined by underscores as in the labels of metrics.
func (r DropReason) String() string {
	return name(r, "malformed", "wrong_peer", "early", "late", "out_of_window", "no_room",
		"bad_fragment", "forged", "ack", "unread", "queue_full", "stranger", "no_connect",
		"stale_connect", "busy_connect", "connect_limit", "unproven", "refusal")
}

// EndReason is the reason for which a session has ended.
type EndReason uint8

const (
	EndNone           EndReason = iota // the session has not ended
	EndClosed                          // Close or Boot was called
	EndLeft                            // the client has left, or the host has shut down; Body is the Disconnect, nil for OpenBC's
	EndBooted                          // the host has refused or kicked the client; Body is the Boot
	EndTimeout                         // the peer has been silent for [Options].PeerTimeout
	EndUnacknowledged                  // a message has not been acknowledged for [Options].SendTimeout
	EndBadFragment                     // a fragment contradicts acknowledged ones: the payload can never be completed
	EndFragmentAge                     // a fragmented payload was not completed within [Options].MaxPartialAge
	EndHandshake                       // no handshake within [Options].PeerTimeout at a client, HandshakeTimeout at a host
	EndReplaced                        // by another Connect of the address, or by another client if the client was not proven
	EndForged                          // a client that was not proven has acknowledged a message that was never sent
)

// String returns the reason in words.
func (r EndReason) String() string {
	return name(r, "none", "closed", "left", "booted", "timed out", "not acknowledged", "bad fragment",
		"fragments too old", "handshake not completed", "replaced", "forged")
}
