package main

import (
	"container/heap"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/objectid"
)

// matchScale is what a second of a match costs its server.
type matchScale struct {
	in, out float64 // datagrams
	bytes   float64 // out
	busy    time.Duration
	heap    int64
}

// scaleOfMatch measures a match of bots who fly and fire, over some seconds of virtual time.
// The server works as on a socket: it looks for what is due after every datagram.
func scaleOfMatch(tb testing.TB, players, seconds int) (s matchScale) {
	w := newWorld(tb, options{maxPlayers: objectid.Slots, perIP: objectid.Slots}, nil)
	m := &measured{world: w}
	w.transmit = m.send
	var bots crew
	for i := range players {
		bots = append(bots, newBot(w.now, i, bot.Options{Fire: true}))
		w.add(bots[i])
	}
	for end := w.now.Add(time.Minute); len(w.match.players(nil)) < players; {
		require.True(tb, w.now.Before(end))
		m.run(time.Second)
	}
	m.run(5 * time.Second) // all have ships, and what is said at the beginning is over
	m.counts = counts{}
	s.busy = leastOf(seconds, func() time.Duration {
		before := m.busy
		m.run(time.Second)
		bots.requirePlaying(tb)
		return m.busy - before
	})
	each := 1 / float64(seconds)
	s.in, s.out, s.bytes = each*float64(m.in), each*float64(m.out), each*float64(m.bytes)
	s.heap = heapWithout(func() { w.match, m.pending, m.buf = nil, nil, nil })
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
	for end := m.now.Add(d); m.now.Before(end); m.now = m.now.Add(step) {
		arrived := m.arrivals()
		began := time.Now()
		for _, p := range arrived {
			m.receive(p.from, p.data)
			m.poll()
		}
		m.poll()
		m.busy += time.Since(began)
		m.in, m.out, m.bytes = m.in+len(arrived), m.out+len(m.pending), m.bytes+len(m.buf)
		for _, p := range m.pending {
			m.post(serverAddr, p.to, m.buf[p.offset:p.offset+p.len])
		}
		m.pending, m.buf = m.pending[:0], m.buf[:0]
		for _, addr := range m.order {
			m.speak(addr)
		}
	}
}

// arrivals brings the clients what is due, and returns what is for the server.
func (m *measured) arrivals() (arrived []packet) {
	for len(m.queue) > 0 && !m.queue[0].at.After(m.now) {
		p := heap.Pop(&m.queue).(packet)
		if p.to == serverAddr {
			arrived = append(arrived, p)
			continue
		}
		cipher.Decrypt(p.data)
		m.clients[p.to].Receive(m.now, p.data)
	}
	return arrived
}
