package show

import (
	"fmt"
	"time"

	"github.com/bcwire/bcwire/transport"
)

// channel follows what one side sends to the other.
type channel struct {
	game   transport.Reassembler
	totals map[uint16]uint8 // pieces of the payloads in the making
}

// repeated says whether a system message has been there before, and remembers it. The
// stock form is what has a sequence number that counts: others send zero always.
func (c *channel) repeated(m *transport.Message) bool {
	return m.Reliable && m.HighPriority && c.game.Duplicate(m)
}

// delivery is what became of a Data message.
type delivery struct {
	payload []byte // if it is whole
	whole   bool
	notes   []note
}

// deliver takes a Data message, which may be a payload, complete one, or neither.
func (c *channel) deliver(now time.Time, m *transport.Message) (d delivery, err error) {
	for _, seq := range c.game.Expire(now) {
		delete(c.totals, seq)
	}
	payload, verdict, err := c.game.Add(now, m)
	d.payload, d.whole = payload, verdict == transport.VerdictComplete
	if m.Fragment {
		d.notes = append(d.notes, c.fragment(m, verdict))
	}
	switch {
	case verdict == transport.VerdictDuplicate && !m.Fragment:
		d.payload, d.whole = m.Body, true
		fallthrough
	case verdict == transport.VerdictDuplicate:
		d.notes = append(d.notes, note{kind: "repeated"})
	case verdict == transport.VerdictDropped:
		d.notes = append(d.notes, note{kind: "not reassembled", text: "not reassembled: " + err.Error()})
		err = nil // the message is right, only here is no room for it
	}
	return d, err
}

// fragment says which piece it is, and of how many as far as that is known.
func (c *channel) fragment(m *transport.Message, v transport.Verdict) note {
	if m.FragIndex == 0 && v == transport.VerdictStored {
		c.totals[m.Seq] = m.FragTotal
	}
	total := c.totals[m.Seq]
	if m.FragIndex == 0 {
		total = m.FragTotal
	}
	if v == transport.VerdictComplete || v == transport.VerdictDiscarded {
		delete(c.totals, m.Seq)
	}
	text := fmt.Sprintf("fragment %d", int(m.FragIndex)+1)
	if total > 0 {
		text += fmt.Sprintf(" of %d", total)
	}
	if v == transport.VerdictComplete {
		text += ", the last to come"
	}
	return note{kind: kindFragment, text: text}
}

// instant returns the time for a [transport.Reassembler].
func instant(seconds float64) time.Time {
	const limit = 1e9 // of seconds, to stay within a Duration
	seconds = min(max(seconds, -limit), limit)
	return time.Unix(0, 0).Add(time.Duration(seconds * float64(time.Second)))
}
