// Package siege attacks servers. It has a simulated network with players who are honest, and attackers who are not.
// They run in virtual time. Package siegetest has tests with them, for any server that stands on a join.Host.
package siege

import (
	"container/heap"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// Server is a server without a socket.
type Server struct {
	Host    *join.Host
	Handler udp.Handler // as for udp.Serve
}

// Start starts a server. It must apply the options Hub, Password, Mission.PlayerLimit and Log.
type Start func(now time.Time, o join.HostOptions) Server

// T is the test or the program to which a World belongs. A *testing.T is one.
type T interface {
	Helper()
	// Fatalf reports an error and does not return.
	Fatalf(format string, args ...any)
}

// check reports an error.
func check(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}

// World is a server and its clients, on a network and a clock of their own.
type World struct {
	T        T
	Now      time.Time
	Server   Server
	Transmit func(datagram []byte, to netip.AddrPort) (int, error) // of the server
	Clients  map[netip.AddrPort]Client
	Order    []netip.AddrPort // of the clients, so that a run can be repeated
	Sent     int              // datagrams
	Weather
	Paths map[netip.AddrPort]Weather // of single clients
	Rand  *rand.Rand

	Skew time.Duration // of the clock of the server

	// Damaged is called for each datagram that the network has damaged, unless it is nil.
	Damaged func(from, to netip.AddrPort)

	tickAt time.Time
	queue  packets
	added  int // clients
}

// Lateness is the time by which the late datagrams of a [Weather] are late.
const Lateness = 30 * time.Second

// Weather is what the network does to datagrams.
type Weather struct {
	Loss, Repeat  float64
	Late          float64 // so many come half a minute later
	Damage        float64 // so many have another byte, or another length
	Delay, Jitter time.Duration
}

// Client is the program of a player, deciphered. A transport.Session is one.
type Client interface {
	Receive(now time.Time, datagram []byte)
	AppendDatagram(dst []byte, now time.Time) []byte
}

// ServerAddr is the address of the server, and Epoch the time at which a World begins.
var (
	ServerAddr = netip.MustParseAddrPort("127.0.0.1:22101")
	Epoch      = time.Date(2002, 2, 26, 12, 0, 0, 0, time.UTC)
)

// Tick is the time between two ticks of a server.
const Tick = time.Second / 10

// NewWorld returns a world in which a server has started. The Hub assigns the lowest peer IDs, unless the
// options have another source.
func NewWorld(t T, start Start, o join.HostOptions) *World {
	if o.Hub.Rand == nil {
		o.Hub.Rand = lowestIDs{}
	}
	w := &World{
		T: t, Now: Epoch, Clients: map[netip.AddrPort]Client{},
		Rand:    rand.New(rand.NewPCG(1, 2)),
		Weather: Weather{Delay: 20 * time.Millisecond},
		Server:  start(Epoch, o),
	}
	w.Transmit = func(datagram []byte, to netip.AddrPort) (int, error) {
		w.Post(ServerAddr, to, datagram)
		return len(datagram), nil
	}
	return w
}

type lowestIDs struct{}

// Read implements io.Reader.
func (lowestIDs) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// Receive gives the server a datagram. With Events and Poll, it does what udp.Serve does.
func (w *World) Receive(from netip.AddrPort, datagram []byte) {
	if !transport.IsGameSpy(datagram) {
		cipher.Decrypt(datagram)
	}
	w.Server.Host.Hub().Receive(w.ServerTime(), from, datagram)
}

// ServerTime returns the time on the clock of the server.
func (w *World) ServerTime() time.Time { return w.Now.Add(w.Skew) }

// Events handles the events of the server.
func (w *World) Events() {
	for e := range w.Server.Host.Hub().Events() {
		switch {
		case e.Kind != transport.EventQuery:
			w.Server.Handler.Event(w.ServerTime(), e)
		case w.Server.Handler.Query != nil:
			for _, reply := range w.Server.Handler.Query(w.ServerTime(), e.Addr, e.Payload) {
				_, _ = w.Transmit(reply, e.Addr)
			}
		}
	}
}

// Poll handles the events, runs the timers, and sends.
func (w *World) Poll() {
	w.Events()
	if !w.Now.Before(w.tickAt) {
		w.Server.Handler.Tick(w.ServerTime())
		w.tickAt = w.Now.Add(Tick)
	}
	for addr, datagram := range w.Server.Host.Hub().Datagrams(w.ServerTime()) {
		cipher.Encrypt(datagram)
		_, _ = w.Transmit(datagram, addr)
	}
}

// Add connects a client to the network, from an address of its own.
func (w *World) Add(c Client) netip.AddrPort {
	n := w.added
	w.added++
	addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(n / 250), byte(1 + n%250)}), 22102)
	w.Clients[addr] = c
	w.Order = append(w.Order, addr)
	return addr
}

// Remove makes a client fall silent.
func (w *World) Remove(c Client) {
	w.Order = slices.DeleteFunc(w.Order, func(a netip.AddrPort) bool { return w.Clients[a] == c })
}

// Step is the least time that a world lets pass.
const Step = 10 * time.Millisecond

// Run lets some time pass.
func (w *World) Run(d time.Duration) {
	for end := w.Now.Add(d); w.Now.Before(end); w.Now = w.Now.Add(Step) {
		w.deliver()
		w.Poll()
		for _, addr := range w.Order {
			w.Speak(addr)
		}
	}
}

// Until lets time pass until a condition holds, for at most a while.
func (w *World) Until(d time.Duration, condition func() bool) {
	w.T.Helper()
	for end := w.Now.Add(d); !condition(); {
		if !w.Now.Before(end) {
			w.T.Fatalf("has not happened in %v", d)
		}
		w.Run(Step)
	}
}

// Member returns the player in the game with an address, or nil.
func (w *World) Member(addr netip.AddrPort) *join.Member {
	for _, m := range w.Server.Host.Members() {
		if m.Session.Addr() == addr {
			return m
		}
	}
	return nil
}

// AddrOf returns the address of a client.
func (w *World) AddrOf(c Client) netip.AddrPort {
	for addr, other := range w.Clients {
		if other == c {
			return addr
		}
	}
	w.T.Fatalf("no such client")
	return netip.AddrPort{}
}

// Spoof sends messages with a forged address.
func (w *World) Spoof(from netip.AddrPort, p transport.Packet) {
	b, err := p.MarshalBinary()
	check(w.T, err)
	cipher.Encrypt(b)
	w.Post(from, ServerAddr, b)
}

// SpoofNow is Spoof without the network: the server has the datagram at once.
func (w *World) SpoofNow(from netip.AddrPort, p transport.Packet) {
	b, err := p.MarshalBinary()
	check(w.T, err)
	cipher.Encrypt(b)
	w.Receive(from, b)
	w.Events()
}

// Drop removes a client from the network.
func (w *World) Drop(c Client) {
	addr := w.AddrOf(c)
	w.Remove(c)
	delete(w.Clients, addr)
}

// InGame reports whether the client of an address is in the game.
func (w *World) InGame(addr netip.AddrPort) bool {
	return w.Member(addr) != nil
}

// Speak sends what a client has to send.
func (w *World) Speak(addr netip.AddrPort) {
	c := w.Clients[addr]
	for {
		datagram := c.AppendDatagram(nil, w.Now)
		if len(datagram) == 0 {
			return
		}
		if !transport.IsGameSpy(datagram) {
			cipher.Encrypt(datagram)
		}
		w.Post(addr, ServerAddr, datagram)
	}
}

// Post gives a datagram to the network.
func (w *World) Post(from, to netip.AddrPort, datagram []byte) {
	path, ok := w.Paths[from]
	if !ok {
		path, ok = w.Paths[to]
	}
	if !ok {
		path = w.Weather
	}
	for range 2 {
		if w.Rand.Float64() >= path.Loss {
			w.Sent++
			at := w.Now.Add(path.Delay + time.Duration(w.Rand.Int64N(int64(path.Jitter+1))))
			if path.Late > 0 && w.Rand.Float64() < path.Late {
				at = at.Add(Lateness)
			}
			data := slices.Clone(datagram)
			if path.Damage > 0 && w.Rand.Float64() < path.Damage {
				data = w.damage(data)
				if w.Damaged != nil {
					w.Damaged(from, to)
				}
			}
			heap.Push(&w.queue, packet{at, w.Sent, from, to, data})
		}
		if w.Rand.Float64() >= path.Repeat {
			return
		}
	}
}

// damage returns a datagram with another byte, or another length.
func (w *World) damage(b []byte) []byte {
	switch n := w.Rand.IntN(4); {
	case len(b) == 0 || n == 0:
		return append(b, byte(w.Rand.Uint32()))
	case n == 1:
		return b[:w.Rand.IntN(len(b))]
	}
	b[w.Rand.IntN(len(b))] ^= 1 << w.Rand.IntN(8)
	return b
}

// deliver brings the datagrams whose time has come.
func (w *World) deliver() {
	w.Arrivals(func(from netip.AddrPort, datagram []byte) {
		w.Receive(from, datagram)
		w.Events()
	})
}

// Arrivals brings the clients the datagrams whose time has come, and passes on those for the server.
func (w *World) Arrivals(toServer func(from netip.AddrPort, datagram []byte)) {
	for len(w.queue) > 0 && !w.queue[0].at.After(w.Now) {
		p := heap.Pop(&w.queue).(packet)
		if p.to == ServerAddr {
			toServer(p.from, p.data)
			continue
		}
		if c := w.Clients[p.to]; c != nil && slices.Contains(w.Order, p.to) {
			if !transport.IsGameSpy(p.data) {
				cipher.Decrypt(p.data)
			}
			c.Receive(w.Now, p.data)
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
