package match

import (
	"bytes"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// message is a message of a link that is followed.
type message struct {
	at, seen time.Duration // of the datagram; see Match
	fromHost bool
	peer     objectid.PeerID // of the datagram
	system   bool            // of the system channel
	numbered bool
	seq      uint16
	low      bool              // the wire has the low byte of the number
	wire     transport.Message // of the system channel
	body     transport.Body    // of the system channel
	payload  []byte            // of the game channel
	game     opcode.Message    // the decoded payload
}

// hold returns a copy that stays when the datagram and the decoded messages are reused.
func (x *message) hold() message {
	c := *x
	c.game, c.body = nil, nil
	c.payload, c.wire.Body = bytes.Clone(x.payload), bytes.Clone(x.wire.Body)
	return c
}

// decode decodes a held message.
func (x *message) decode(d *opcode.Decoder) {
	if x.system {
		x.body, _ = x.wire.Decode()
		return
	}
	game, err := d.Decode(x.payload)
	if err == nil {
		x.game = game
	}
}

// Limits of a gap in the numbers of a channel.
const (
	gapTime  = 45 * time.Second // after which a sender without an Ack ends the connection
	maxLater = 256              // datagrams of the sender in which a retransmission may come
	maxAhead = 256              // messages that a sender has in flight; a larger step is another connection
	maxBack  = 64               // messages that may come again after the gap; a larger step, too, unless they were given up
)

// channel puts the reliable messages that one side of a link sends on the system or the game channel into the
// order of their numbers. What a message means depends on the messages before it. A gap ends when the missing
// messages arrive, when the receiver acknowledges the first of them, so that the capture has lost it, or with the
// limits above.
type channel struct {
	known bool
	next  uint16
	held  []message     // behind a gap, in order
	bytes int           // of their payloads
	since time.Duration // of the clock: when the gap was seen first
	first uint64        // datagrams of the sender until then
	whole time.Duration // of the clock: nothing is missing since
	acked [8]uint16     // the last messages that the receiver has acknowledged and that the capture does not have
	acks  int
	low   bool    // Acks have the low bytes of the numbers
	given [8]span // the last ones that were given up
	spans int
}

// span is the numbers from one up to another.
type span struct{ from, to uint16 }

// far reports whether a message does not continue the numbers of the channel.
func (c *channel) far(x *message) bool {
	ahead := int16(x.seq - c.next)
	return !c.known || ahead > maxAhead || ahead < -maxBack && !c.late(x)
}

// late reports whether a message was given up.
func (c *channel) late(x *message) bool {
	return slices.ContainsFunc(c.given[:], func(s span) bool { return x.seq-s.from < s.to-s.from })
}

// giveUp gives up the messages before a number.
func (c *channel) giveUp(to uint16) {
	if c.known && to-c.next <= 2*maxAhead {
		c.given[c.spans%len(c.given)] = span{c.next, to}
		c.spans++
	}
	c.next = to
}

// take returns whether a message is the next one. If messages before it are missing, the channel holds a copy.
func (c *channel) take(x *message, now time.Duration, datagrams uint64) (next bool) {
	ahead := int16(x.seq - c.next)
	c.low = c.low || x.low
	switch {
	case c.far(x):
		c.giveUp(x.seq)
		c.known, c.whole = true, now
	case ahead < 0:
		return false // it was given up
	case ahead > 0 && !c.lostUntil(x.seq, now):
		if len(c.held) == 0 {
			c.since, c.first = now, datagrams
		}
		i, held := slices.BinarySearchFunc(c.held, x.seq, func(y message, seq uint16) int { return int(int16(y.seq - seq)) })
		if !held {
			c.held = slices.Insert(c.held, i, x.hold())
			c.bytes += len(x.payload)
		}
		return false
	}
	c.next = x.seq + 1
	return true
}

// following returns the held message that is the next one, or nil.
func (c *channel) following() *message {
	if len(c.held) == 0 || c.held[0].seq != c.next {
		return nil
	}
	x := c.held[0]
	c.held = c.held[1:]
	c.bytes -= len(x.payload)
	c.next++
	return &x
}

// acknowledge follows an Ack of a message that the capture does not have. It reports whether that ends a gap.
func (c *channel) acknowledge(seq uint16, now time.Duration) bool {
	c.acked[c.acks%len(c.acked)] = seq
	c.acks++
	return len(c.held) > 0 && c.lostUntil(c.held[0].seq, now)
}

// lostUntil passes over messages that the receiver has and the capture has not, and reports whether the next one then
// is a certain one.
func (c *channel) lostUntil(seq uint16, now time.Duration) bool {
	has := func() bool {
		return slices.ContainsFunc(c.acked[:min(c.acks, len(c.acked))], func(acked uint16) bool {
			return acked == c.next || c.low && acked == c.next&0xFF
		})
	}
	for c.next != seq && has() {
		c.next, c.whole = c.next+1, now
	}
	return c.next == seq
}

// overdue reports whether a gap has reached a limit, when the sender has sent so many datagrams.
func (c *channel) overdue(now time.Duration, datagrams uint64) bool {
	return len(c.held) > 0 && (datagrams-c.first > maxLater || now-c.since > gapTime)
}

// skip ends a gap.
func (c *channel) skip(now time.Duration, datagrams uint64) {
	c.giveUp(c.held[0].seq)
	c.whole, c.since, c.first = now, now, datagrams
}

func (c *channel) clone() channel {
	x := *c
	x.held = slices.Clone(c.held)
	return x
}
