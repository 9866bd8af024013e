package transport

import (
	"strconv"
	"strings"
)

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
