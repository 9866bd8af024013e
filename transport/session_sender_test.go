package transport_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// Numbers count up from 0 and wrap, separately in each channel. Send copies the payload.
func TestSendNumbers(t *testing.T) {
	s := openHost(t, transport.Options{})
	payload := []byte{0x11}
	require.NoError(t, s.Send(payload, reliable))
	payload[0] = 0xFF
	s.Queue(unreliable, "\x22")
	s.Queue(reliable, "\x33")
	require.NoError(t, s.SendSystem(&transport.Boot{Reason: transport.BootTimeout, PeerID: 3}))
	require.Equal(t, hexStrings("01 04  04 07C0 0100 01 03  32 0680 0000 11  32 0400 22  32 0680 0100 33"), s.Sent(after(tick)))
}

// Numbers wrap after 65,535, and Acks find their messages before and after the wrap.
func TestSendWraps(t *testing.T) {
	for _, isSystem := range []bool{false, true} {
		n := newNetwork(1)
		n.loss = 0.2
		client, host := n.connect(transport.Options{})
		n.run(5 * time.Second)
		for range client.session.Events() {
		}
		transport.SetExpected(client.session, host.session, isSystem, 65530)
		got := 0
		host.onEvent = func(e transport.Event) {
			if e.Kind == transport.EventSystem {
				require.Equal(t, objectid.PeerID(got), e.Body.(*transport.NameChange).PeerID)
			} else {
				require.Equal(t, []byte{byte(got)}, e.Payload)
			}
			got++
		}
		for i := range 20 {
			if isSystem {
				require.NoError(t, client.session.SendSystem(&transport.NameChange{PeerID: objectid.PeerID(i)}))
			} else {
				require.NoError(t, client.session.Send([]byte{byte(i)}, reliable))
			}
		}
		n.serve(client)
		n.run(time.Minute)
		require.Equal(t, 20, got)
		require.True(t, client.session.Flushed())
	}
}

// A datagram begins with Acks and one retransmission. High-priority messages follow, the last one
// first, and then the others in order.
func TestSendOrder(t *testing.T) {
	s := openHost(t, transport.Options{})
	s.Queue(reliable, "old", "older")
	require.Len(t, s.Sent(after(tick)), 1)
	now := after(tick + time.Second)
	s.Receive(now, text(0, "x"), text(1, "y"))
	s.Queue(reliable, "1")
	s.Queue(unreliable, "2")
	s.Queue(reliable|highPriority, "3")
	s.Queue(unreliable|highPriority, "4")
	s.Queue(reliable, "5")
	high := func(m transport.Message) string {
		m.HighPriority = true
		return wire(m)
	}
	require.Equal(t, hexStrings("0108"+"01000000"+"01010000"+text(0, "old")+
		high(transport.NewUnreliable([]byte("4")))+high(transport.NewData(3, []byte("3")))+
		text(2, "1")+wire(transport.NewUnreliable([]byte("2")))+text(4, "5"),
		"0101"+text(1, "older")), s.Sent(now))
}

// A datagram has at most 510 bytes of messages. The next datagram carries the rest.
func TestDatagramsHaveMaximumLength(t *testing.T) {
	s := openHost(t, transport.Options{}.With(transport.Limits{Burst: 10}))
	long := strings.Repeat("x", 250) // 255 with its header
	s.Queue(reliable, long, long, "does not fit", long, long[1:], strings.Repeat("z", 407))
	var lengths []int
	for _, d := range s.Sent(after(tick)) {
		lengths = append(lengths, len(d)/2)
	}
	require.Equal(t, []int{512, 2 + 17 + 255, 2 + 254, 2 + 412}, lengths)
}

// A tick has at most Burst datagrams. The others wait for the next tick.
func TestSendBurst(t *testing.T) {
	for _, burst := range []int{0, 1, 3} {
		s := openHost(t, transport.Options{}.With(transport.Limits{Burst: burst}))
		if burst == 0 {
			burst = 4
		}
		for range 10 {
			s.Queue(reliable, strings.Repeat("x", 400))
		}
		left := 10
		for now := after(tick); left > 0; now = now.Add(tick) {
			require.Len(t, s.Sent(now), min(burst, left))
			require.Empty(t, s.Sent(now.Add(tick-1)))
			left -= min(burst, left)
			if left > 0 {
				require.Equal(t, now.Add(tick), s.NextDeadline())
			}
		}
	}
}

// The first message after a pause is sent at once. Later ones wait for the next tick.
func TestSendTick(t *testing.T) {
	s := openHost(t, transport.Options{})
	now := after(time.Second)
	s.Queue(unreliable, "a")
	require.Len(t, s.Sent(now), 1)
	s.Queue(unreliable, "b")
	require.Equal(t, now.Add(tick), s.NextDeadline())
	require.Empty(t, s.Sent(now.Add(tick/2)))
	s.Queue(unreliable, "c")
	require.Equal(t, hexStrings("01 02 32 0400 62 32 0400 63"), s.Sent(now.Add(tick)))
	// An Ack waits for another message, but no longer than a tick.
	now = now.Add(time.Second)
	s.Receive(now, text(0, "x"))
	s.Events()
	require.Equal(t, now.Add(tick), s.NextDeadline())
	require.Empty(t, s.Sent(now.Add(tick-1)))
	require.Equal(t, hexStrings("01 01 01000000"), s.Sent(now.Add(tick)))
	now = now.Add(time.Second)
	s.Receive(now, text(1, "x"))
	s.Queue(unreliable, "d")
	require.Equal(t, hexStrings("01 02 01010000 32 0400 64"), s.Sent(now))
}

// A message is retransmitted with the same bytes, at the times of the options.
func TestRetransmission(t *testing.T) {
	for _, v := range []struct {
		o    transport.Options
		want []int // seconds
	}{
		{transport.Options{}, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		{transport.Options{}.With(transport.Limits{Retransmit: 2 * time.Second}), []int{2, 4, 6, 8, 10}},
		{transport.Options{}.With(transport.Limits{RetransmitSteps: 5}), []int{1, 3, 6, 10, 15, 16, 18, 21, 25, 30, 31}},
		{transport.Options{}.With(transport.Limits{RetransmitSteps: 2, Retransmit: 20 * time.Second}), []int{20, 60, 80, 120}},
		{transport.Options{}.With(transport.Limits{RetransmitSteps: 1 << 30}), []int{1, 3, 6, 10, 15, 21, 28}},
	} {
		v.o.PeerTimeout, v.o.KeepAlive = time.Hour, time.Hour
		s := openHost(t, v.o)
		s.Queue(reliable, "x")
		begin := after(tick)
		d := s.Sent(begin)
		require.Len(t, d, 1)
		for i, seconds := range v.want {
			due := begin.Add(time.Duration(seconds) * time.Second)
			require.Equal(t, due, s.NextDeadline())
			require.Empty(t, s.Sent(due.Add(-1)))
			require.Equal(t, d, s.Sent(due))
			require.Equal(t, uint64(i+1), s.Counters().Retransmissions)
		}
		s.Receive(s.NextDeadline(), "01 00 00 00")
		require.True(t, s.Flushed())
	}
}

// Fragments have at most 412 bytes, share a number, and are acknowledged and retransmitted
// separately.
func TestSendFragments(t *testing.T) {
	s := openHost(t, transport.Options{})
	payload := numbered(832)
	require.NoError(t, s.Send(payload, reliable))
	fragments := fragments(0, payload)
	require.Equal(t, hexStrings("0101"+wire(fragments[0]), "0102"+wire(fragments[1])+wire(fragments[2])), s.Sent(after(tick)))
	s.Receive(after(tick), "01 0000 01 01", "01 0000 00", "01 0000 01 03", "01 0000 03 00", "01 0000 81 00")
	require.Equal(t, uint64(3), s.Counters().StrayAcks)
	require.Equal(t, hexStrings("0101"+wire(fragments[2])), s.Sent(after(tick+time.Second)))
	s.Receive(after(tick), "01 0000 01 02")
	require.True(t, s.Flushed())

	// With a high priority they leave before others, in their order.
	s.Queue(unreliable, "x")
	require.NoError(t, s.Send(payload, reliable|highPriority))
	d := s.Sent(after(10 * time.Second))
	require.Len(t, d, 2)
	require.Equal(t, hexStrings("0101 329CE1 0100 00 03"), []string{d[0][:18]})
	require.Equal(t, hexStrings("0103 329CE1 0100 01"), []string{d[1][:16]})
}

// Unreliable payloads that do not fit into a message become reliable.
func TestSendLongUnreliable(t *testing.T) {
	s := openHost(t, transport.Options{})
	require.NoError(t, s.Send(make([]byte, 409), unreliable))
	d := s.Sent(after(tick))
	require.Len(t, d, 1)
	require.Equal(t, "0101329C01", d[0][:10])
	require.True(t, s.Flushed())
	require.NoError(t, s.Send(make([]byte, 410), unreliable))
	d = s.Sent(after(2 * tick))
	require.Len(t, d, 1)
	require.Equal(t, "0102329CA100000002", d[0][:18])
}

// Retransmissions leave room for unsent messages, even if the peer refuses the retransmission until
// the unsent messages have arrived.
func TestRetransmissionsLeaveRoomForUnsent(t *testing.T) {
	n := newNetwork(1)
	client, host := n.connect(transport.Options{}.With(transport.Limits{Burst: 1}))
	n.run(time.Second)
	large := numbered(60_000)
	require.NoError(t, host.session.Send(large, reliable)) // the first to be delivered
	require.NoError(t, host.session.Send(large, reliable|highPriority))
	require.NoError(t, host.session.Send(large, reliable|highPriority)) // the first to leave
	got := 0
	client.onEvent = func(e transport.Event) {
		require.Equal(t, transport.EventPayload, e.Kind)
		require.True(t, bytes.Equal(large, e.Payload))
		got++
	}
	n.serve(host)
	n.run(time.Minute)
	require.Equal(t, 3, got)
	require.NotZero(t, client.session.Counters().Drops[transport.DropNoRoom])
}

// The queue is bounded, by messages and by bytes, in each channel.
func TestQueueFull(t *testing.T) {
	s := openHost(t, transport.Options{MaxQueue: 3})
	for _, d := range []transport.Delivery{reliable, unreliable} {
		s.Queue(d, "1", "2", "3")
		require.Equal(t, transport.ErrQueueFull, s.Send([]byte("4"), d))
	}
	require.Equal(t, transport.ErrQueueFull, s.Send(make([]byte, 3000), unreliable))
	for range 3 {
		require.NoError(t, s.SendSystem(&transport.NameChange{}))
	}
	require.Equal(t, transport.ErrQueueFull, s.SendSystem(&transport.NameChange{}))
	require.Len(t, s.Sent(after(tick)), 1)
	require.Equal(t, transport.ErrQueueFull, s.Send([]byte("4"), reliable), "not acknowledged")
	s.Queue(unreliable, "4")
	s.Receive(after(tick), "01 0100 00")
	require.Equal(t, transport.ErrQueueFull, s.Send([]byte("4"), reliable), "the oldest is not acknowledged")
	s.Receive(after(tick), "01 0000 00")
	s.Queue(reliable, "4", "5")
	require.Equal(t, transport.ErrQueueFull, s.Send([]byte("6"), reliable))
	require.Equal(t, map[string]int{"queue_full": 7}, s.Dropped())
	require.NoError(t, transport.CheckSession(s.Session))

	s = openHost(t, transport.Options{}.With(transport.Limits{MaxQueueBytes: 2000}))
	require.NoError(t, s.Send(make([]byte, 1000), reliable)) // and 7 + 6 + 6
	require.NoError(t, s.Send(make([]byte, 402), reliable))
	require.NoError(t, s.Send(make([]byte, 402), unreliable))
	require.NoError(t, s.Send(make([]byte, 169-3), unreliable))
	for _, d := range []transport.Delivery{reliable, unreliable} {
		require.Equal(t, transport.ErrQueueFull, s.Send(nil, d))
	}
	require.Equal(t, transport.ErrQueueFull, s.Send(make([]byte, 1000), reliable))
	require.Equal(t, transport.ErrQueueFull, s.SendSystem(&transport.NameChange{}))
	s.Boot(transport.BootRemoved) // for which there is always room
	require.Equal(t, hexStrings("0101 0407C0 0100 04 02"), s.Sent(after(tick)))

	// A fragmented payload counts as one.
	s = openHost(t, transport.Options{MaxQueue: 2})
	for range 2 {
		require.NoError(t, s.Send(make([]byte, 5000), reliable))
	}
	require.Equal(t, transport.ErrQueueFull, s.Send([]byte("x"), reliable))

	// The defaults.
	s = openHost(t, transport.Options{})
	for range 1024 {
		s.Queue(reliable, "x")
	}
	require.Equal(t, transport.ErrQueueFull, s.Send([]byte("x"), reliable))
	s = openHost(t, transport.Options{})
	require.NoError(t, s.Send(make([]byte, transport.MaxPayload), reliable))
	require.NoError(t, s.Send(make([]byte, transport.MaxPayload), reliable))
	require.Equal(t, transport.ErrQueueFull, s.Send(make([]byte, transport.MaxPayload), reliable))
	require.NoError(t, transport.CheckSession(s.Session))
	for _, left := range []int{0, 2} { // of 256 KiB; an empty message has three bytes
		s = openHost(t, transport.Options{})
		for range 511 {
			require.NoError(t, s.Send(make([]byte, 256-5), reliable))
			require.NoError(t, s.Send(make([]byte, 256-3), unreliable))
		}
		require.NoError(t, s.Send(make([]byte, 256-5-left), reliable))
		require.NoError(t, s.Send(make([]byte, 256-3), unreliable))
		require.Equal(t, transport.ErrQueueFull, s.Send(nil, unreliable))
	}
}

// The window does not exceed the MaxBuffered of a peer with the default limits.
func TestWindow(t *testing.T) {
	for _, window := range []int{0, 5} {
		s := openHost(t, transport.Options{}.With(transport.Limits{Window: window, Burst: 100}))
		if window == 0 {
			window = 256
		}
		for range window + 10 {
			s.Queue(reliable, "x")
		}
		s.Queue(unreliable, "not held up")
		count := func(d []string) (n int) {
			for _, d := range d {
				n += strings.Count(d, "320680")
			}
			return n
		}
		d := s.Sent(after(tick))
		require.Equal(t, window, count(d))
		require.Contains(t, strings.Join(d, ""), fmt.Sprintf("%X", "not held up"))
		require.Empty(t, s.Sent(after(2*tick)))
		s.Receive(after(2*tick), "01 0100 00")
		require.Empty(t, s.Sent(after(3*tick)))
		s.Receive(after(3*tick), "01 0000 00")
		if window == 256 { // numbers above 255, of which the peer has acknowledged none
			require.Empty(t, s.Sent(after(4*tick)))
			for seq := range 256 {
				s.Receive(after(4*tick), fmt.Sprintf("01 %02X00 00", seq))
			}
			require.Equal(t, 10, count(s.Sent(after(5*tick))))
			continue
		}
		require.Equal(t, 2, count(s.Sent(after(4*tick))))
		require.NoError(t, transport.CheckSession(s.Session))
	}
}

// A message can be acknowledged only after it was sent, once, and in its own channel.
func TestAcks(t *testing.T) {
	s := openHost(t, transport.Options{MaxQueue: 1 << 20}.With(transport.Limits{Window: 1 << 20}))
	s.Queue(reliable, "a")
	s.Receive(start, "01 0000 00")
	require.False(t, s.Flushed())
	require.Len(t, s.Sent(after(tick)), 1)
	for _, stray := range []string{"01 0000 02", "01 0100 00", "01 FFFF 00", "01 0080 00", "01 0000 01 00", "01 0000 FE"} {
		s.Receive(after(tick), stray)
		require.False(t, s.Flushed(), stray)
	}
	s.Receive(after(tick), "01 0000 FC", "01 0000 00")
	require.True(t, s.Flushed())
	require.Equal(t, uint64(6), s.Counters().StrayAcks, "without the Acks of the handshake")
	require.Zero(t, s.Counters().Dropped())
	// At most 0x3FFF messages wait.
	for range 0x3FFF {
		s.Queue(reliable, "")
	}
	require.Equal(t, transport.ErrQueueFull, s.Send(nil, reliable))
	require.NoError(t, transport.CheckSession(s.Session))
}

// A flood of retransmissions is acknowledged with at most four datagrams.
func TestAckFlood(t *testing.T) {
	s := openHost(t, transport.Options{})
	s.Receive(start, text(0, "x"))
	many := make([]string, 255)
	for i := range many {
		many[i] = text(0, "")
	}
	for range 3 {
		s.Receive(start, many...)
	}
	require.Equal(t, map[string]int{"ack_queue_full": 1 + 3*255 - transport.MaxAcks}, s.Dropped())
	d := s.Sent(after(tick))
	require.Len(t, d, 4)
	for _, d := range d {
		require.Len(t, d, 2*(2+508))
	}
}

func TestSendRefuses(t *testing.T) {
	s := openHost(t, transport.Options{})
	err := s.Send(make([]byte, transport.MaxPayload+1), reliable)
	require.ErrorIs(t, err, stream.ErrTooLong)
	require.EqualError(t, err, "transport: Data: too long: payload of 103,530 bytes, at most 103,529")
	err = s.SendSystem(&transport.NameChange{Name: make([]byte, 412-5-5+1)})
	require.ErrorIs(t, err, stream.ErrTooLong)
	require.EqualError(t, err, "transport: NameChange: too long: message of 413 bytes, at most 412")
	require.NoError(t, s.SendSystem(&transport.NameChange{Name: make([]byte, 412-5-5)}))
	for _, body := range []transport.Body{
		&transport.Ack{}, &transport.ConnectRequest{}, &transport.ConnectReply{}, &transport.DoNothing{},
	} {
		require.ErrorIs(t, s.SendSystem(body), transport.ErrWrongType)
	}
	require.NoError(t, s.SendSystem(&transport.Disconnect{PeerID: 3}))
	require.ErrorIs(t, s.SendSystem(&transport.NameChange{Name: make([]byte, testdata.Either(1<<28, 1<<20))}), stream.ErrTooLong)
	err = s.SendSystem(&transport.Disconnect{PeerID: 128})
	require.ErrorIs(t, err, stream.ErrRange)
	require.NotErrorIs(t, err, stream.ErrTooLong)
	s.Close()
	for _, s := range []*harness{
		s, newHost(t, transport.Options{}), newClient(t, transport.ConnectRequest{}, transport.Options{}),
	} {
		require.Equal(t, transport.ErrNotOpen, s.Send(nil, reliable))
		require.Equal(t, transport.ErrNotOpen, s.SendSystem(&transport.Boot{}))
	}
}

// Options out of range mean the default, or the limit.
func TestOptions(t *testing.T) {
	s := openHost(t, transport.Options{Tick: -1, KeepAlive: 1<<63 - 1, PeerTimeout: 1<<63 - 1}.With(transport.Limits{Burst: -1}))
	s.Queue(reliable, "x")
	require.Len(t, s.Sent(after(tick)), 1)
	s.Receive(after(tick), "01 0000 00")
	require.True(t, s.NextDeadline().After(after(10*365*24*time.Hour)))
	require.Empty(t, s.Sent(after(10*365*24*time.Hour)))
	require.False(t, s.Ended())
}

// An idle session releases memory that it does not need.
func TestIdleSessionReleasesMemory(t *testing.T) {
	s := openHost(t, transport.Options{MaxQueue: 5000}.With(transport.Limits{Window: 5000, Burst: 100}))
	for range 200 {
		s.Queue(unreliable, "x")
	}
	s.Sent(after(tick))
	require.Equal(t, 64, transport.Pooled(s.Session))
	s.Sent(after(tick + 5*time.Second))
	require.Zero(t, transport.Pooled(s.Session))
}

// Fragments that wait for the window are sent in order, because OpenBC joins them as they arrive.
func TestHeldFragments(t *testing.T) {
	for _, d := range []transport.Delivery{reliable, reliable | highPriority} {
		s := openHost(t, transport.Options{}.With(transport.Limits{Window: 1}))
		s.Queue(reliable, "x")
		require.NoError(t, s.Send(numbered(832), d))
		require.Len(t, s.Sent(after(tick)), 1)
		s.Receive(after(tick), "01 0000 00")
		var indexes []uint8
		for datagram := range s.Datagrams(after(2 * tick)) {
			for m, err := range transport.Messages(datagram) {
				require.NoError(t, err)
				indexes = append(indexes, m.FragIndex)
			}
		}
		require.Equal(t, []uint8{0, 1, 2}, indexes, "%v", d)
	}
}
