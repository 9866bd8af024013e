package transport

import (
	"strconv"
	"strings"
)

// Counters count what a [Session] or a [Hub] has done. They are values: take the
// difference of two for what happened in between.
type Counters struct {
	Received   uint64 // datagrams that passed the source check
	Sent       uint64 // datagrams
	Payloads   uint64 // delivered
	Repeats    uint64 // messages sent again
	Duplicates uint64 // reliable messages that came again, and were acknowledged again
	StrayAcks  uint64 // Acks of what was not waiting for one: repetitions, keepalives

	// Drops counts what was not taken, by its [DropReason].
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
	count("repeats", c.Repeats)
	count("duplicates", c.Duplicates)
	count("stray Acks", c.StrayAcks)
	for r, n := range c.Drops {
		count("dropped "+DropReason(r).String(), n)
	}
	return strings.Join(all, ", ")
}

func (c *Counters) add(o *Counters) {
	c.Received += o.Received
	c.Sent += o.Sent
	c.Payloads += o.Payloads
	c.Repeats += o.Repeats
	c.Duplicates += o.Duplicates
	c.StrayAcks += o.StrayAcks
	for i, n := range o.Drops {
		c.Drops[i] += n
	}
}

// DropReason tells why a datagram, a message or something to be sent was dropped. It is
// an index of [Counters].Drops.
type DropReason uint8

const (
	// DropMalformed: a datagram or a message that cannot be read, and system messages
	// with a body that is not of their type.
	DropMalformed DropReason = iota
	// DropWrongPeer: a datagram with a peer ID that does not belong to its source.
	DropWrongPeer
	// DropEarly: a message for a client that has not been accepted yet, or a datagram of
	// a client whose Connect has not come yet.
	DropEarly
	// DropLate: a payload or an unread datagram after the end of the session.
	DropLate
	// DropOutOfWindow: a message whose sequence number is too far from the expected one.
	DropOutOfWindow
	// DropNoRoom: a message that came too early to be kept. It is not acknowledged.
	DropNoRoom
	// DropBadFragment: a fragment that contradicts itself or others.
	DropBadFragment
	// DropForged: a system message that its sender may not send: a Boot of a client, a
	// Disconnect in the name of another.
	DropForged
	// DropAck: an Ack that was not sent because too many wait. The message comes again.
	DropAck
	// DropUnread: a datagram that came while 1,024 events had not been taken.
	DropUnread
	// DropQueueFull: what Send or SendSystem refused with [ErrQueueFull].
	DropQueueFull
	// DropStranger: a datagram with a peer ID from an address without a session.
	DropStranger
	// DropNoConnect: a datagram without a peer ID, and without a Connect in it.
	DropNoConnect
	// DropStaleConnect: a copy of a Connect whose session has ended.
	DropStaleConnect
	// DropBusyConnect: a new Connect from an address whose session is not silent.
	DropBusyConnect
	// DropConnectLimit: a Connect beyond the limits of its address or of the Hub.
	DropConnectLimit
	// DropRefusal: a refusal that was not sent because too many wait.
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
