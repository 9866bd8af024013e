package transport

import (
	"strconv"
	"strings"
)

// Counters are the counters of a [Session] or a [Hub]. They are values: subtract two to count
// what happened in between.
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
	// DropMalformed: a datagram or a message that cannot be read, or a system message with
	// a body that is not of its type.
	DropMalformed DropReason = iota
	// DropWrongPeer: a datagram with a peer ID that does not belong to its source.
	DropWrongPeer
	// DropEarly: a message for a client that has not been accepted yet, or a datagram of
	// a client whose Connect has not arrived yet.
	DropEarly
	// DropLate: a payload or an unread datagram after the end of the session.
	DropLate
	// DropOutOfWindow: a message whose sequence number is too far from the expected one.
	DropOutOfWindow
	// DropNoRoom: a message out of order that exceeds a limit. It is not acknowledged.
	DropNoRoom
	// DropBadFragment: a fragment that contradicts itself or others.
	DropBadFragment
	// DropForged: a system message that its sender is not allowed to send: a Boot from a
	// client, or a Disconnect in the name of another client.
	DropForged
	// DropAck: an Ack that was not sent because too many are queued. The peer will
	// retransmit the message.
	DropAck
	// DropUnread: a datagram that arrived while 1,024 events were unread.
	DropUnread
	// DropQueueFull: a message that Send or SendSystem refused with [ErrQueueFull].
	DropQueueFull
	// DropStranger: a datagram with a peer ID from an address without a session.
	DropStranger
	// DropNoConnect: a datagram without a peer ID that holds no Connect.
	DropNoConnect
	// DropStaleConnect: a duplicate of a Connect whose session has ended.
	DropStaleConnect
	// DropBusyConnect: a new Connect from an address whose session is not silent.
	DropBusyConnect
	// DropConnectLimit: a Connect beyond the limits of its address or of the Hub.
	DropConnectLimit
	// DropRefusal: a refusal that was not sent because too many are queued.
	DropRefusal

	// DropReasons is the number of reasons.
	DropReasons
)

// String returns the reason in words, joined by underscores as in the labels of metrics.
func (r DropReason) String() string {
	return name(r, "malformed", "wrong_peer", "early", "late", "out_of_window", "no_room",
		"bad_fragment", "forged", "ack", "unread", "queue_full", "stranger", "no_connect",
		"stale_connect", "busy_connect", "connect_limit", "refusal")
}

// EndReason is the reason for which a session has ended.
type EndReason uint8

const (
	// EndNone: the session has not ended.
	EndNone EndReason = iota
	// EndClosed: Close or Boot was called.
	EndClosed
	// EndLeft: the client has left, or the host has shut down. Body is the Disconnect, nil
	// for the one of OpenBC.
	EndLeft
	// EndBooted: the host has refused or kicked the client. Body is the Boot.
	EndBooted
	// EndTimeout: the peer has been silent for Options.PeerTimeout.
	EndTimeout
	// EndUnacknowledged: a message has not been acknowledged for Options.SendTimeout.
	EndUnacknowledged
	// EndBadFragment: a fragment contradicts others that were acknowledged, so that the
	// payload can never be completed.
	EndBadFragment
	// EndFragmentAge: a fragmented payload was not completed within
	// Options.MaxPartialAge.
	EndFragmentAge
	// EndHandshake: the handshake was not completed, within Options.PeerTimeout at a
	// client and within Options.HandshakeTimeout at a host.
	EndHandshake
	// EndReplaced: another Connect from the same address was accepted, or another client
	// replaced one that was not proven.
	EndReplaced
	// EndForged: a client that was not proven has acknowledged a message that was never
	// sent.
	EndForged
)

// String returns the reason in words.
func (r EndReason) String() string {
	return name(r, "none", "closed", "left", "booted", "timed out", "not acknowledged", "bad fragment",
		"fragments too old", "handshake not completed", "replaced", "forged")
}

func name[T ~uint8](v T, names ...string) string {
	if int(v) < len(names) {
		return names[v]
	}
	return strconv.Itoa(int(v))
}
