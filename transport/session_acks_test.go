package transport

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// slowAcks is a simple, slow ackQueue that sends Acks again.
type slowAcks struct {
	unsent      []Ack
	unsentSince time.Duration
	sent        []slowAck // in the order of their last sends
}

type slowAck struct {
	Ack
	sends int
	due   time.Duration
}

func (q *slowAcks) len() int { return len(q.unsent) + len(q.sent) }

func (q *slowAcks) add(now time.Duration, a Ack) bool {
	if slices.Contains(q.unsent, a) {
		return true
	}
	q.sent = slices.DeleteFunc(q.sent, func(s slowAck) bool { return s.Ack == a })
	if q.len() >= maxAcks {
		i := slices.IndexFunc(q.sent, func(s slowAck) bool { return s.sends >= ackStarts })
		if i < 0 && len(q.sent) == 0 {
			return false
		}
		q.sent = slices.Delete(q.sent, max(i, 0), max(i, 0)+1)
	}
	if len(q.unsent) == 0 {
		q.unsentSince = now
	}
	q.unsent = append(q.unsent, a)
	return true
}

// write returns the Acks of a datagram: the unsent ones, the due ones that may start a datagram,
// and the others that are due.
func (q *slowAcks) write(now time.Duration) []byte {
	w := writeDatagram(nil, 1, MaxDatagram)
	var again []slowAck
	put := func(s slowAck) bool {
		if !w.fits(ackLen(byte(s.Flags))) {
			return false
		}
		w.addAck(s.Ack)
		s.sends, s.due = s.sends+1, now+ackInterval+strictly
		if s.sends < ackSends {
			again = append(again, s)
		}
		return true
	}
	for len(q.unsent) > 0 && put(slowAck{Ack: q.unsent[0]}) {
		q.unsent = q.unsent[1:]
	}
	for _, starts := range []bool{true, false} {
		full := false
		q.sent = slices.DeleteFunc(q.sent, func(s slowAck) bool {
			if full || s.due > now || (s.sends < ackStarts) != starts {
				return false
			}
			full = !put(s)
			return !full
		})
	}
	q.sent = append(q.sent, again...)
	return w.finish()
}

func (q *slowAcks) due() time.Duration {
	due := forever
	if len(q.unsent) > 0 {
		due = q.unsentSince
	}
	for _, s := range q.sent {
		due = min(due, s.due)
	}
	return due
}

// TestAckQueue compares an ackQueue that sends Acks again with a simple one.
func TestAckQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q, simple := ackQueue{resend: true}, slowAcks{}
		numbers := rapid.SampledFrom([]int{3, 40, 600}).Draw(t, "numbers")
		var now time.Duration
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			now += time.Duration(rapid.IntRange(0, 900).Draw(t, "wait")) * time.Millisecond
			for range rapid.SampledFrom([]int{0, 1, 10, 300}).Draw(t, "messages") {
				a := Ack{Seq: uint16(rapid.IntRange(0, numbers).Draw(t, "seq")), Flags: rapid.SampledFrom([]AckFlags{0, AckSystem, AckFragment}).Draw(t, "flags")}
				require.Equal(t, simple.add(now, a), q.add(now, a))
			}
			require.Equal(t, simple.due(), q.due(0, ackSends))
			require.Equal(t, simple.len(), q.len())
			w := writeDatagram(nil, 1, MaxDatagram)
			q.writeUnsent(now, &w, false)
			q.writeDue(now, &w, &q.starting)
			q.writeDue(now, &w, &q.joining)
			require.Equal(t, simple.write(now), w.finish())
			require.Len(t, q.known, q.len())
		}
		if q.releaseMemory(); q.len() > 0 {
			require.NotEmpty(t, q.known)
			q.stopResending()
		}
		require.Nil(t, q.known)
		require.Zero(t, q.pool)
	})
}
