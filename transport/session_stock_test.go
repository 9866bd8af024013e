package transport_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// ackStep is the time between two sends of an Ack: strictly more than 666.6 ms.
const ackStep = 666600*time.Microsecond + 1

// stockOptions returns the stock timers, without PeerTimeout.
func stockOptions() transport.Options {
	o := transport.StockOptions()
	o.PeerTimeout = time.Hour
	return o
}

// times returns the sums of steps.
func times(from time.Duration, steps ...time.Duration) []time.Duration {
	all := []time.Duration{from}
	for _, step := range steps {
		from += step
		all = append(all, from)
	}
	return all
}

// The waits between the sends of a reliable message are 1, 2, 3, 4, 5, 1, 2 ... s, and it is due
// when strictly more has passed.
func TestStockRetransmission(t *testing.T) {
	o := stockOptions()
	o.KeepAlive = time.Hour // which would take rounds
	s := openHost(t, o)
	s.Queue(reliable, "x")
	require.NoError(t, s.SendSystem(nameChange(3, "y")))
	all := s.SentAt(tick, 40*time.Second)
	var steps []time.Duration
	for _, seconds := range []int{1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2, 3} {
		steps = append(steps, time.Duration(seconds)*time.Second+1)
	}
	want := times(tick, steps...)
	x, y := all[text(0, "x")], all[wire(transport.NewMessage(1, nameChange(3, "y")))]
	require.Len(t, x, len(want))
	require.Len(t, y, len(want))
	for i := range want { // one of them is a round later: a round has one retransmission
		require.Equal(t, i == 0, x[i] == y[i])
	}
	for i, at := range want {
		require.GreaterOrEqual(t, min(x[i], y[i]), at)
		require.LessOrEqual(t, max(x[i], y[i]), at+time.Duration(i)*tick)
	}

	s = openHost(t, o)
	s.Queue(reliable, "x")
	require.Equal(t, want, s.SentAt(tick, 40*time.Second)[text(0, "x")])

	s = openHost(t, stockOptions())
	s.Queue(reliable, "x")
	due := tick + time.Second
	require.Len(t, s.SentAt(tick, due)[text(0, "x")], 1, "1 s later is not strictly later")
	require.Len(t, s.SentAt(due+1, due+1)[text(0, "x")], 1)
}

// Connect and Disconnect are sent every second.
func TestStockConnectAndDisconnect(t *testing.T) {
	request := transport.ConnectRequest{ConnID: 7}
	s := newClient(t, request, transport.StockOptions())
	all := s.SentAt(0, time.Minute)
	require.Equal(t, times(0, slices.Repeat([]time.Duration{time.Second + 1}, 44)...), all[wire(transport.NewMessage(0, &request))])

	o := stockOptions()
	o.CloseTimeout = 12 * time.Second
	s = openClient(t, o)
	s.Close()
	all = s.SentAt(2*tick, time.Minute)
	require.Equal(t, times(2*tick, slices.Repeat([]time.Duration{time.Second + 1}, 11)...), all["050AC00100020A0A0AEF"])
}

// A round has one retransmission.
func TestStockRounds(t *testing.T) {
	s := openHost(t, stockOptions())
	s.Queue(reliable, "a", "b", "c")
	all := s.SentAt(tick, tick+1500*time.Millisecond)
	for i, payload := range []string{"a", "b", "c"} {
		due := tick + time.Second + 1
		require.Equal(t, []time.Duration{tick, due + time.Duration(i)*tick}, all[text(uint16(i), payload)])
	}
}

const ackOfFirst = "01000000" // of the first game message

// An Ack leaves at once and starts two more datagrams. Then it joins others, here keepalives,
// and is freed after nine sends.
func TestStockAck(t *testing.T) {
	s := openHost(t, stockOptions())
	s.Receive(after(tick), text(0, "x"))
	s.Events()
	require.True(t, s.NextDeadline().Equal(after(tick)), "at once")
	all := s.SentAt(tick, time.Minute)
	steps := append(slices.Repeat([]time.Duration{ackStep}, 2), slices.Repeat([]time.Duration{5 * time.Second}, 6)...)
	require.Equal(t, times(tick, steps...), all[ackOfFirst])
	require.Equal(t, times(tick+2*ackStep, slices.Repeat([]time.Duration{5 * time.Second}, 11)...)[1:], all["02"], "keepalives continue")
	require.True(t, s.Flushed())
}

// Later Acks join other datagrams after 666.6 ms, and not before.
func TestStockAckJoins(t *testing.T) {
	s := openHost(t, stockOptions())
	s.Receive(after(tick), text(0, "x"))
	s.Events()
	var acks []time.Duration
	for now := tick; now < 20*time.Second; now += 100 * time.Millisecond {
		s.Queue(unreliable, "y")
		acks = append(acks, s.SentAt(now, now+99*time.Millisecond)[ackOfFirst]...)
	}
	require.Len(t, acks, 9)
	for i := 1; i < 9; i++ {
		require.GreaterOrEqual(t, acks[i]-acks[i-1], ackStep)
		require.LessOrEqual(t, acks[i]-acks[i-1], ackStep+100*time.Millisecond)
	}
	for _, at := range acks[3:] {
		require.Equal(t, tick, at%(100*time.Millisecond), "with the payload of that time")
	}
}

// If a message arrives again, its Ack is sent nine times again, regardless of the earlier sends.
func TestStockAckStartsAgain(t *testing.T) {
	for sends := 1; sends <= 10; sends++ {
		s := openHost(t, stockOptions())
		now := tick
		n := 0
		run := func(until int) {
			for n < until && now < 200*time.Second {
				n += len(s.SentAt(now, now)[ackOfFirst])
				now = max(now+1, s.NextDeadline().Sub(start))
			}
		}
		s.Receive(after(now), text(0, "x"))
		run(min(sends, 9))
		now += 2 * tick
		s.Receive(after(now), text(0, "x"))
		require.Equal(t, uint64(1), s.Counters().Duplicates)
		ackStep, n0 := now, n
		run(n0 + 1)
		require.Equal(t, n0+1, n)
		require.LessOrEqual(t, now-ackStep, 800*time.Millisecond)
		run(1 << 30)
		require.Equal(t, n0+9, n, "after %d sends", sends)
	}
}

// After the end of the session, all nine Acks are sent in their own datagrams. A captured
// Disconnect was acknowledged seven times.
func TestStockAckOfDisconnect(t *testing.T) {
	s := openHost(t, stockOptions())
	s.Receive(after(tick), "05 0AC0 0100 02 0A0A0AEF")
	require.Equal(t, []string{"ended left {2 [10 10 10 239]}"}, s.Events())
	all := s.SentAt(tick, time.Minute)
	require.Equal(t, times(tick, slices.Repeat([]time.Duration{ackStep}, 8)...), all["01010002"])
	require.True(t, s.NextDeadline().IsZero())
}

// A client that has not used its peer ID gets no datagram for an Ack alone.
func TestStockAckOfConnect(t *testing.T) {
	s := newHost(t, transport.StockOptions())
	s.Session.Receive(start, from(objectid.NoPeer, connectMessage))
	all := s.SentAt(0, 25*time.Second)
	reply := all[wire(transport.NewMessage(0, &transport.ConnectReply{PeerID: 2}))]
	require.Equal(t, times(0), reply)
	require.Equal(t, reply, all["01000002"])
	require.Len(t, all, 2)
}

// OpenBC gets each Ack once, even if it is recognised late, because its numbers wrap after 255.
func TestStockAckOfOpenBC(t *testing.T) {
	s := openHost(t, stockOptions())
	s.Receive(after(tick), text(0, "x"))
	require.Len(t, s.SentAt(tick, time.Second)[ackOfFirst], 2)
	s.Receive(after(time.Second), openBCAck, text(1, "y"), openBCName)
	s.Events()
	require.NoError(t, s.SendSystem(nameChange(3, "z")))
	all := s.SentAt(time.Second, time.Minute)
	require.Empty(t, all[ackOfFirst])
	require.Len(t, all["01010000"], 1)
	require.Len(t, all["01000002"], 1+11, "and as keepalives")
	require.Len(t, all[wire(transport.NewMessage(1, nameChange(3, "z")))], 3)
	require.True(t, s.Flushed())
}

// Retransmissions of one message have one Ack. Messages beyond the limit remove the oldest Acks
// that were sent before, and no unsent Ack.
func TestStockAckLimit(t *testing.T) {
	s := openHost(t, stockOptions())
	s.Receive(after(tick), slices.Repeat([]string{text(0, "x")}, 255)...)
	require.Len(t, s.SentAt(tick, tick)[ackOfFirst], 1)
	require.Zero(t, s.Counters().Dropped())

	acked := map[string]bool{}
	now := 2 * tick
	for seq := range uint16(2 * transport.MaxAcks) {
		s.Receive(after(now), text(1+seq, "y"))
		s.Events()
		require.NoError(t, transport.CheckSession(s.Session))
		if seq%50 < 49 {
			continue
		}
		for ack := range s.SentAt(now, now) {
			acked[ack] = true
		}
		now += tick
	}
	for ack := range s.SentAt(now, now) {
		acked[ack] = true
	}
	for seq := range uint16(2 * transport.MaxAcks) {
		require.Contains(t, acked, wire(transport.NewMessage(0, &transport.Ack{Seq: 1 + seq})))
	}
	require.Zero(t, s.Counters().Dropped())

	s = openHost(t, stockOptions())
	for seq := range uint16(transport.MaxAcks + 10) {
		s.Receive(after(tick), text(seq, "z"))
		s.Events()
	}
	require.Equal(t, map[string]int{"ack_queue_full": 10}, s.Dropped(), "the Ack of the Connect made room for one")
}

// Sessions with the stock timers on one side or both deliver everything once and in order over
// networks that lose, duplicate, delay and reorder.
func TestStockDelivers(t *testing.T) {
	for name, sides := range map[string][]transport.Options{
		"both":   {transport.StockOptions(), transport.StockOptions()},
		"client": {transport.StockOptions(), {}},
		"host":   {{}, transport.StockOptions()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all outcome
			for seed := range uint64(100) {
				newNetwork(seed).schedule(t, &all, sides...)
			}
			require.Equal(t, all.jumped, all.ended, "dead although no clock jumped")
			require.Greater(t, all.delivered, 90)
		})
	}
}
