package game

import (
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/objectid"
)

// matchScale is what a second of a match costs its server.
type matchScale struct {
	in, out float64 // datagrams
	bytes   float64 // out
	busy    time.Duration
	heap    int64
}

// newMeasured returns a match of bots who fight, with or without the combat of the server. All have ships, and
// what is said at the beginning is over.
func newMeasured(tb testing.TB, players int, combat bool) (m *measured, bots crew) {
	w := newWorld(tb, options{maxPlayers: objectid.Slots, perIP: objectid.Slots, combat: combat}, nil)
	m = &measured{world: w}
	w.Transmit = m.send
	for i := range players {
		bots = append(bots, newBot(w.Now, i, bot.Options{Fire: true, Skill: 3}))
		w.Add(bots[i])
	}
	for end := w.Now.Add(time.Minute); len(w.match.players()) < players; {
		require.True(tb, w.Now.Before(end))
		m.run(time.Second)
	}
	m.run(5 * time.Second)
	m.counts = counts{}
	return m, bots
}

// scaleOfMatch measures a match with combat over some seconds of virtual time. The server works as on a
// socket: it looks for what is due after every datagram.
func scaleOfMatch(tb testing.TB, players, seconds int) (s matchScale) {
	m, bots := newMeasured(tb, players, true)
	w := m.world
	s.busy = leastOf(seconds, func() time.Duration {
		before := m.busy
		m.run(time.Second)
		bots.RequirePlaying(tb)
		return m.busy - before
	})
	each := 1 / float64(seconds)
	s.in, s.out, s.bytes = each*float64(m.in), each*float64(m.out), each*float64(m.bytes)
	s.heap = siege.HeapWithout(func() { w.match, w.Server, m.pending, m.buf = nil, siege.Server{}, nil, nil })
	runtime.KeepAlive(w)
	return s
}

// measured is a world that counts what its server does and takes the time of it.
type measured struct {
	*world
	counts
	pending []sent
	buf     []byte
}

type counts struct {
	in, out, bytes int
	busy           time.Duration
}

// sent is a datagram of the server, in buf.
type sent struct {
	to          netip.AddrPort
	offset, len int
}

func (m *measured) send(datagram []byte, to netip.AddrPort) (int, error) {
	m.pending = append(m.pending, sent{to, len(m.buf), len(datagram)})
	m.buf = append(m.buf, datagram...)
	return len(datagram), nil
}

func (m *measured) run(d time.Duration) {
	for end := m.Now.Add(d); m.Now.Before(end); m.Now = m.Now.Add(step) {
		var arrived []datagram
		m.Arrivals(func(from netip.AddrPort, b []byte) { arrived = append(arrived, datagram{from: from, data: b}) })
		began := time.Now()
		for _, p := range arrived {
			m.Receive(p.from, p.data)
			m.Poll()
		}
		m.Poll()
		m.busy += time.Since(began)
		m.in, m.out, m.bytes = m.in+len(arrived), m.out+len(m.pending), m.bytes+len(m.buf)
		for _, p := range m.pending {
			m.Post(siege.ServerAddr, p.to, m.buf[p.offset:p.offset+p.len])
		}
		m.pending, m.buf = m.pending[:0], m.buf[:0]
		for _, addr := range m.Order {
			m.Speak(addr)
		}
	}
}
