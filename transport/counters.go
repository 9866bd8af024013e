package transport

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
	DropBusyConnect                        // a new Connect for a Session without a Hub, or from an address whose open session has received something within 3 s or sent more than 33,000 reliable payloads
	DropAddressLimit                       // a Connect, or the validation of an address, beyond [HubOptions].MaxPerIP
	DropSessionLimit                       // the validation of an address, beyond MaxSessions or of a client whose peer ID another client has got
	DropHalfOpenLimit                      // a Connect beyond the limit of 10,240 half-open sessions, of which the oldest is younger than 2 s
	DropRateLimit                          // a Connect, or the validation of an address, of a network that has opened 32 sessions, and more than one in 0.7 s after these
	DropUnvalidated                        // a datagram from an address that is not validated, without an Ack that validates it; see [Hub.Accept]
	DropRefusalQueueFull                   // a refusal beyond the limit of 256 queued refusals
	DropReasons                            // the number of reasons
)

// String returns the reason in words joined by underscores, as in the labels of metrics.
func (r DropReason) String() string {
	return name(r, "malformed", "wrong_peer", "early", "late", "out_of_window", "no_room",
		"bad_fragment", "forged", "ack_queue_full", "unread", "queue_full", "unknown_address", "no_connect",
		"stale_connect", "busy_connect", "address_limit", "session_limit", "half_open_limit", "rate_limit", "unvalidated", "refusal_queue_full")
}
