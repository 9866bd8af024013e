package game

import (
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/transport"
)

// sessionScale is what a second of sessions costs their host.
type sessionScale struct {
	datagrams  float64 // in and out
	busy       time.Duration
	idle, heap int64 // bytes of all before anything is said, and meanwhile
}

// hubSize is how many sessions a hub has: there are not more peer IDs than 124.
const hubSize = 100

// scaleOfSessions measures sessions in the hubs of one process, without the cipher. Each side
// of each says ten unreliable payloads of 40 bytes in a second, and a reliable one.
func scaleOfSessions(tb testing.TB, n int) (s sessionScale) {
	newHubs := func() *hubs {
		h := &hubs{now: siege.Epoch}
		for i := range n {
			h.connect(tb, i)
		}
		h.run(2 * time.Second)
		for _, l := range h.list {
			require.Len(tb, l.hosts, len(l.clients))
		}
		return h
	}
	drop := func(h *hubs) int64 {
		defer runtime.KeepAlive(h)
		return siege.HeapWithout(func() {
			for _, l := range h.list {
				l.hub, l.hosts = nil, nil
			}
		})
	}
	s.idle = drop(newHubs())

	h := newHubs()
	h.talk = true
	h.run(2 * time.Second)
	seconds := time.Duration(max(1, 100/n)) // enough for the clock
	h.datagrams = 0
	const rounds = 10
	s.busy = leastOf(rounds, func() time.Duration {
		h.busy = 0
		h.run(seconds * time.Second)
		return h.busy
	}) / seconds
	s.datagrams = float64(h.datagrams) / float64(rounds*seconds)
	s.heap = drop(h)
	return s
}

// hubs are the hubs of a process and their clients, without a network between them.
type hubs struct {
	now       time.Time
	list      []*lane
	talk      bool
	steps     int
	datagrams int
	busy      time.Duration
}

// datagram is on its way from or to an address.
type datagram struct {
	from, to netip.AddrPort
	data     []byte
}

// lane is a hub and its clients.
type lane struct {
	hub     *transport.Hub
	clients map[netip.AddrPort]*transport.Session
	hosts   []*transport.Session
	in, out []datagram
}

func (h *hubs) connect(tb testing.TB, i int) {
	if i%hubSize == 0 {
		h.list = append(h.list, &lane{
			hub:     transport.NewHub(h.now, transport.HubOptions{}),
			clients: map[netip.AddrPort]*transport.Session{},
		})
	}
	l := h.list[len(h.list)-1]
	addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 22102)
	client, err := transport.NewClient(h.now, transport.ConnectRequest{ConnID: uint32(i + 1)}, transport.Options{})
	require.NoError(tb, err)
	l.clients[addr] = client
}

// run lets some time pass. Only what the hubs do is timed.
func (h *hubs) run(d time.Duration) {
	for end := h.now.Add(d); h.now.Before(end); h.now = h.now.Add(step) {
		for _, l := range h.list {
			l.collect(h.now, h.say())
			began := time.Now()
			l.serve(h.now, h.say())
			h.busy += time.Since(began)
			h.datagrams += len(l.in) + len(l.out)
		}
		h.steps++
	}
}

// say returns how the sessions speak in this step, if they do.
func (h *hubs) say() (speak func(*transport.Session)) {
	if !h.talk || h.steps%10 != 0 {
		return func(*transport.Session) {}
	}
	reliable := h.steps%100 == 0
	return func(s *transport.Session) {
		var payload [40]byte
		_ = s.Send(payload[:], transport.Unreliable) // a full queue would show in the counts
		if reliable {
			_ = s.Send(payload[:20], transport.Reliable)
		}
	}
}

// collect brings the clients what the hub has sent, and takes what they send.
func (l *lane) collect(now time.Time, say func(*transport.Session)) {
	for _, p := range l.out {
		l.clients[p.to].Receive(now, p.data)
	}
	l.in = l.in[:0]
	for addr, c := range l.clients {
		for range c.Events() {
			continue
		}
		say(c)
		for d := c.AppendDatagram(nil, now); len(d) > 0; d = c.AppendDatagram(nil, now) {
			l.in = append(l.in, datagram{from: addr, data: d})
		}
	}
}

// serve does what a program with a hub does: it looks for what is due after every datagram.
func (l *lane) serve(now time.Time, say func(*transport.Session)) {
	l.out = l.out[:0]
	for _, s := range l.hosts {
		say(s)
	}
	for _, p := range l.in {
		l.hub.Receive(now, p.from, p.data)
		l.poll(now)
	}
	l.poll(now)
}

func (l *lane) poll(now time.Time) {
	for e := range l.hub.Events() {
		if e.Kind == transport.EventConnect {
			if s, err := l.hub.Accept(e); err == nil {
				l.hosts = append(l.hosts, s)
			}
		}
	}
	for addr, d := range l.hub.Datagrams(now) {
		l.out = append(l.out, datagram{to: addr, data: append([]byte(nil), d...)})
	}
}
