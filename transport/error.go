package transport

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Errors of datagrams, messages and sessions, besides [io.ErrUnexpectedEOF]. An [*Error] wraps
// ErrUnknownType, ErrWrongType, ErrBadLength, ErrBadFragment, ErrDialect and ErrTooLong.
var (
	// ErrGameSpy means that a datagram is GameSpy text, which shares the port.
	ErrGameSpy = errors.New("transport: GameSpy text, not a datagram of the game")
	// ErrUnknownType means that a type is unknown. The rest of the datagram is then unreadable.
	ErrUnknownType = errors.New("unknown message type")
	// ErrWrongType means that a function does not accept messages or bodies of this type.
	ErrWrongType = errors.New("wrong type of message")
	// ErrBadLength means that a message or a body has an impossible length.
	ErrBadLength = errors.New("bad length")
	// ErrBadFragment means that a fragment contradicts itself or other fragments.
	ErrBadFragment = errors.New("bad fragment")
	// ErrDialect means that a message has a form that the stock game does not send.
	ErrDialect = errors.New("not a form of the stock game")
	// ErrTooLong means that a value does not fit its length field or its message.
	ErrTooLong = errors.New("too long")
	// ErrLimit means that a fragment was dropped because of a limit of the [Reassembler].
	ErrLimit = errors.New("transport: limit of reassembly reached")
	// ErrQueueFull means that the send queue of a [Session] is full.
	ErrQueueFull = errors.New("transport: send queue full: send again when messages are acknowledged, or raise MaxQueue and MaxQueueBytes")
	// ErrNotOpen means that a [Session] has not received the Connect or its reply, or has ended.
	ErrNotOpen = errors.New("transport: session not open: the handshake is not complete, or the session has ended")
	// ErrHubFull means that a [Hub] has reached its limit of sessions or of peer IDs.
	ErrHubFull = errors.New("transport: hub full: the client is refused; raise MaxSessions")
	// ErrNoConnect means that an event is not an EventConnect, or is out of date.
	ErrNoConnect = errors.New("transport: no Connect to accept: the event has another kind or is out of date")
)

// Error is an error in a message, with the place of the message in its datagram.
type Error struct {
	Index  int // of the message in its datagram, from 0; -1 if the datagram is unknown
	Offset int // of the message in its datagram
	Len    int // of the message on the wire, 0 if unknown
	Type   Type
	Err    error

	missing    bool // the datagram ends before the type
	enciphered bool // the datagram is probably still enciphered
}

// malformed returns the error of message i of a datagram. The message has n bytes at an offset.
// In an enciphered datagram most types and counts are impossible.
func malformed(datagram []byte, i, offset, n int, t Type, err error) Error {
	return Error{
		Index: i, Offset: offset, Len: n, Type: t, Err: err,
		missing:    offset == len(datagram),
		enciphered: err != ErrDialect && (i == 0 || messageCount(datagram) > len(datagram)-2),
	}
}

// messageError returns an error in a message whose datagram is unknown.
func messageError(t Type, err error) error { return &Error{Index: -1, Type: t, Err: err} }

// Error returns, for example, "transport: message 2 (Data) at offset 12: unexpected EOF". If the
// datagram is probably enciphered, it adds "is the datagram deciphered?".
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

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// excess is an error with the value and the limit that it exceeds.
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

// grouped returns a nonnegative number with its digits in groups of three, such as "103,530".
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
	VerdictDuplicate                // the message, or a fragment of its payload, was added before
	VerdictDropped                  // a limit is reached; do not acknowledge the message
	VerdictRefused                  // the message is invalid; stored fragments are kept
	// VerdictDiscarded means that a contradiction has discarded the payload. End the session.
	VerdictDiscarded
)

// Acknowledge reports whether a reliable message with this verdict must be acknowledged.
func (v Verdict) Acknowledge() bool { return v <= VerdictDuplicate }

// String returns the verdict as a word.
func (v Verdict) String() string {
	return name(v, "complete", "stored", "duplicate", "dropped", "refused", "discarded")
}

// Counters are the counters of a [Session] or a [Hub].
type Counters struct {
	Received        uint64 // datagrams that passed the source check
	Sent            uint64 // datagrams
	Payloads        uint64 // delivered
	Retransmissions uint64 // of messages
	Duplicates      uint64 // reliable messages that arrived again, and were acknowledged
	StrayAcks       uint64 // Acks of messages that are not in flight, such as duplicates, except of the handshake

	// Drops counts dropped datagrams and messages by [DropReason].
	Drops [DropReasons]uint64
}

// Dropped returns the sum of Drops.
func (c Counters) Dropped() (n uint64) {
	for _, drops := range c.Drops {
		n += drops
	}
	return n
}

// String returns the nonzero counters, such as "received 86, sent 40, dropped early 3".
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

// DropReason is the reason for a drop, and an index of [Counters].Drops.
type DropReason uint8

const (
	DropMalformed        DropReason = iota // an unreadable datagram, message or body
	DropWrongPeer                          // a datagram with a peer ID that does not belong to its source
	DropEarly                              // a message to a client before the host has accepted it, or a datagram to a host before the Connect
	DropLate                               // a payload or a datagram after the end of the session
	DropOutOfWindow                        // a message whose sequence number is too far from the expected one
	DropNoRoom                             // an out-of-order message for which there is no room; it is not acknowledged
	DropBadFragment                        // a fragment that contradicts itself or others
	DropForged                             // a system message that the peer may not send, such as a Boot from a client
	DropAckQueueFull                       // an Ack beyond the limit of 508 queued Acks
	DropUnread                             // a datagram that arrived while 1,024 events were unread
	DropQueueFull                          // a message that Send or SendSystem refused with [ErrQueueFull]
	DropUnknownAddress                     // a datagram with a peer ID, from an address without a session
	DropNoConnect                          // a datagram without a peer ID that holds no Connect
	DropStaleConnect                       // a duplicate of the Connect of an ended session
	DropBusyConnect                        // a new Connect for a Session without a Hub, or from an address whose open session has received something within 3 s
	DropAddressLimit                       // a Connect, or the first datagram with a new peer ID, beyond [HubOptions].MaxPerIP
	DropSessionLimit                       // the first datagram with a new peer ID, beyond MaxSessions or from a client whose peer ID another client has used
	DropRateLimit                          // a Connect beyond ConnectBurst
	DropUnproven                           // a payload from an unproven client while a reliable payload of the host is unacknowledged
	DropAllowance                          // an unreliable payload to an unproven client that has sent too little; see [Session.Challenge]
	DropRefusalQueueFull                   // a refusal beyond the limit of 256 queued refusals
	DropReasons                            // the number of reasons
)

// String returns the reason in words joined by underscores, as in the labels of metrics.
func (r DropReason) String() string {
	return name(r, "malformed", "wrong_peer", "early", "late", "out_of_window", "no_room",
		"bad_fragment", "forged", "ack_queue_full", "unread", "queue_full", "unknown_address", "no_connect",
		"stale_connect", "busy_connect", "address_limit", "session_limit", "rate_limit", "unproven", "allowance", "refusal_queue_full")
}

// EndReason is the reason why a session has ended.
type EndReason uint8

const (
	EndNone           EndReason = iota // the session has not ended
	EndClosed                          // Close or Boot was called
	EndLeft                            // the client has left or the host has shut down; [Event].Body is the Disconnect, or nil if OpenBC sent no body
	EndBooted                          // the host has refused or kicked the client; [Event].Body is the Boot
	EndTimeout                         // the peer has been silent for [Options].PeerTimeout
	EndUnacknowledged                  // a message has not been acknowledged for [Options].SendTimeout, or 20 s if the client is unproven
	EndBadFragment                     // a fragment contradicts acknowledged fragments of its payload
	EndFragmentAge                     // a fragmented payload was not completed within [Options].MaxPartialAge
	EndHandshake                       // a client has no reply after PeerTimeout, or a host has dropped a half-open session, for example after HandshakeTimeout
	EndReplaced                        // a new session of the same address has replaced it
	EndLimit                           // a new session has replaced it at a limit of the [Hub]; see [Session.Keep]
	EndForged                          // an unproven client has acknowledged a message that was never sent
)

// String returns the reason in words.
func (r EndReason) String() string {
	return name(r, "none", "closed", "left", "booted", "timed out", "not acknowledged", "bad fragment",
		"fragments too old", "handshake not completed", "replaced", "limit reached", "forged Ack")
}
