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
	Drops [dropReasons]uint64
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

// DropReason is the reason for a drop, and an index of [Counters].Drops:
//
//	malformed           an unreadable datagram, message or body
//	wrong_peer          a datagram with a peer ID that does not belong to its source
//	early               a message to a client before the host has accepted it, or a datagram to a host before the Connect
//	late                a payload or a datagram after the end of the session
//	out_of_window       a message whose sequence number is too far from the expected one
//	no_room             an out-of-order message for which there is no room; it is not acknowledged
//	bad_fragment        a fragment that contradicts itself or others
//	forged              a system message that the peer may not send, such as a Boot from a client
//	ack_queue_full      an Ack beyond the limit of 508 queued Acks
//	unread              a datagram that arrived while 1,024 events were unread
//	queue_full          a message that Send or SendSystem refused with ErrQueueFull
//	unknown_address     a datagram with a peer ID, from an address without a session
//	no_connect          a datagram without a peer ID that holds no Connect
//	stale_connect       a duplicate of the Connect of an ended session
//	busy_connect        a new Connect that causes no EventConnect because of the open session of its address
//	address_limit       a Connect, or the validation of an address, beyond HubOptions.MaxPerIP
//	session_limit       the validation of an address, beyond MaxSessions or of a client whose peer ID another client has got
//	half_open_limit     a Connect beyond the limit of 10,240 half-open sessions, of which the oldest is younger than 2 s
//	rate_limit          a Connect, or the validation of an address, of a network that has opened 32 sessions, and more than
//	                    one in 0.7 s after these
//	unvalidated         a datagram from an address that is not validated, without an Ack that validates it
//	refusal_queue_full  a refusal beyond the limit of 256 queued refusals
type DropReason uint8

// DropNoRoom is no_room: the peer has sent too far ahead, or the limits are too small for it.
const DropNoRoom DropReason = dropNoRoom

const (
	dropMalformed DropReason = iota
	dropWrongPeer
	dropEarly
	dropLate
	dropOutOfWindow
	dropNoRoom
	dropBadFragment
	dropForged
	dropAckQueueFull
	dropUnread
	dropQueueFull
	dropUnknownAddress
	dropNoConnect
	dropStaleConnect
	dropBusyConnect
	dropAddressLimit
	dropSessionLimit
	dropHalfOpenLimit
	dropRateLimit
	dropUnvalidated
	dropRefusalQueueFull
	dropReasons // the number of reasons
)

// String returns the reason in words joined by underscores, as in the labels of metrics.
func (r DropReason) String() string {
	return name(r, "malformed", "wrong_peer", "early", "late", "out_of_window", "no_room",
		"bad_fragment", "forged", "ack_queue_full", "unread", "queue_full", "unknown_address", "no_connect",
		"stale_connect", "busy_connect", "address_limit", "session_limit", "half_open_limit", "rate_limit", "unvalidated", "refusal_queue_full")
}
