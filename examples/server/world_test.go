package main

import (
	"container/heap"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// world is a server and its clients, on a network and a clock of their own.
type world struct {
	t        testing.TB
	now      time.Time
	match    *match
	tickAt   time.Time
	transmit func(datagram []byte, to netip.AddrPort) (int, error) // of the server
	clients  map[netip.AddrPort]client
	order    []netip.AddrPort // of the clients, so that a run can be repeated
	queue    packets
	sent     int
	added    int // clients
	weather
	paths map[netip.AddrPort]weather // of single clients
	rng   *rand.Rand
}

// weather is what the network does to datagrams.
type weather struct {
	loss, repeat  float64
	late          float64 // so many come half a minute later
	delay, jitter time.Duration
}

// client is the program of a player, deciphered. A transport.Session is one.
type client interface {
	Receive(now time.Time, datagram []byte)
	AppendDatagram(dst []byte, now time.Time) []byte
}

var (
	serverAddr = netip.MustParseAddrPort("127.0.0.1:22101")
	epoch      = time.Date(2002, 2, 26, 12, 0, 0, 0, time.UTC)
)

func newWorld(t testing.TB, o options, files *checksum.Server) *world {
	t.Helper()
	w := &world{
		t: t, now: epoch, clients: map[netip.AddrPort]client{},
		rng:     rand.New(rand.NewPCG(1, 2)),
		weather: weather{delay: 20 * time.Millisecond},
	}
	if o.mission == "" {
		o.mission = "Multiplayer.Episode.Mission1.Mission1"
	}
	if o.maxPlayers == 0 {
		o.maxPlayers = 8
	}
	if o.system == 0 {
		o.system = 1
	}
	if o.rand == nil {
		o.rand = testdata.LowestIDs
	}
	if files == nil {
		files = &checksum.Server{Policy: checksum.AcceptAll}
	}
	w.match = newMatch(epoch, o, files, slog.New(slog.NewTextHandler(io.Discard, nil)))
	w.transmit = func(datagram []byte, to netip.AddrPort) (int, error) {
		w.post(serverAddr, to, datagram)
		return len(datagram), nil
	}
	if o.master != "" {
		w.match.masterAddr = netip.MustParseAddrPort(o.master)
	}
	w.match.socket, w.match.beacon.Port = serverSocket{w: w}, serverAddr.Port()
	return w
}

// serverSocket is the socket of the server, as the match uses it.
type serverSocket struct {
	udp.PacketConn
	w *world
}

func (s serverSocket) WriteToUDPAddrPort(b []byte, to netip.AddrPort) (int, error) {
	return s.w.transmit(b, to)
}

// receive, events and poll do what udp.Serve does with a datagram of a socket.
func (w *world) receive(from netip.AddrPort, datagram []byte) {
	if !transport.IsGameSpy(datagram) {
		cipher.Decrypt(datagram)
	}
	w.match.hub.Receive(w.now, from, datagram)
}

func (w *world) events() {
	for e := range w.match.hub.Events() {
		if e.Kind != transport.EventQuery {
			w.match.event(w.now, e)
			continue
		}
		for _, reply := range w.match.query(w.now, e.Addr, e.Payload) {
			_, _ = w.transmit(reply, e.Addr)
		}
	}
}

// poll handles the events, runs the timers, and sends.
func (w *world) poll() {
	w.events()
	if !w.now.Before(w.tickAt) {
		w.match.tick(w.now)
		w.tickAt = w.now.Add(tick)
	}
	for addr, datagram := range w.match.hub.Datagrams(w.now) {
		cipher.Encrypt(datagram)
		_, _ = w.transmit(datagram, addr)
	}
}

// add connects a client to the network, from an address of its own.
func (w *world) add(c client) netip.AddrPort {
	n := w.added
	w.added++
	addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(n / 250), byte(1 + n%250)}), 22102)
	w.clients[addr] = c
	w.order = append(w.order, addr)
	return addr
}

// remove makes a client fall silent.
func (w *world) remove(c client) {
	w.order = slices.DeleteFunc(w.order, func(a netip.AddrPort) bool { return w.clients[a] == c })
}

// step is the least time that a world lets pass.
const step = 10 * time.Millisecond

// run lets some time pass.
func (w *world) run(d time.Duration) {
	for end := w.now.Add(d); w.now.Before(end); w.now = w.now.Add(step) {
		w.deliver()
		w.poll()
		for _, addr := range w.order {
			w.speak(addr)
		}
	}
}

// until lets time pass until a condition holds, for at most a while.
func (w *world) until(d time.Duration, condition func() bool) {
	w.t.Helper()
	for end := w.now.Add(d); !condition(); {
		require.True(w.t, w.now.Before(end), "has not happened in %v", d)
		w.run(step)
	}
}

func (w *world) speak(addr netip.AddrPort) {
	c := w.clients[addr]
	for {
		datagram := c.AppendDatagram(nil, w.now)
		if len(datagram) == 0 {
			return
		}
		cipher.Encrypt(datagram)
		w.post(addr, serverAddr, datagram)
	}
}

// post gives a datagram to the network.
func (w *world) post(from, to netip.AddrPort, datagram []byte) {
	path, ok := w.paths[from]
	if !ok {
		path, ok = w.paths[to]
	}
	if !ok {
		path = w.weather
	}
	for range 2 {
		if w.rng.Float64() >= path.loss {
			w.sent++
			at := w.now.Add(path.delay + time.Duration(w.rng.Int64N(int64(path.jitter+1))))
			if path.late > 0 && w.rng.Float64() < path.late {
				at = at.Add(30 * time.Second)
			}
			heap.Push(&w.queue, packet{at, w.sent, from, to, slices.Clone(datagram)})
		}
		if w.rng.Float64() >= path.repeat {
			return
		}
	}
}

// deliver brings the datagrams whose time has come.
func (w *world) deliver() {
	for len(w.queue) > 0 && !w.queue[0].at.After(w.now) {
		p := heap.Pop(&w.queue).(packet)
		if p.to == serverAddr {
			w.receive(p.from, p.data)
			w.events()
			continue
		}
		if c := w.clients[p.to]; c != nil && slices.Contains(w.order, p.to) {
			cipher.Decrypt(p.data)
			c.Receive(w.now, p.data)
		}
	}
}

// packet is a datagram on its way.
type packet struct {
	at       time.Time
	n        int
	from, to netip.AddrPort
	data     []byte
}

// packets are ordered by the time of their arrival.
type packets []packet

func (q packets) Len() int { return len(q) }
func (q packets) Less(i, j int) bool {
	if q[i].at.Equal(q[j].at) {
		return q[i].n < q[j].n
	}
	return q[i].at.Before(q[j].at)
}
func (q packets) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *packets) Push(x any)   { *q = append(*q, x.(packet)) }
func (q *packets) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
