package transport_test

import (
	"container/heap"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/transport"
)

// network carries datagrams between endpoints in virtual time: it loses, duplicates
// and delays them, and therefore reorders them. One seed determines all of this.
type network struct {
	seed      uint64
	random    *rand.Rand
	now       time.Duration
	loss      float64 // of each datagram
	duplicate float64
	delay     func() time.Duration
	inTransit transits
	sent      int
	least     int // payloads of a transfer
	endpoints []*endpoint
	onSend    func(from *endpoint, d []byte)
	onArrive  func(to *endpoint, d []byte)
	onReturn  func(to *endpoint) // after each call of an endpoint
}

// endpoint is a session or a hub with its clock and its address.
type endpoint struct {
	session *transport.Session
	hub     *transport.Hub
	addr    netip.AddrPort
	skew    time.Duration // of its clock
	wake    time.Duration
	onEvent func(transport.Event)
	peer    *endpoint // of a session
}

type transit struct {
	at       time.Duration
	n        int
	from, to *endpoint
	datagram []byte
}

type transits []transit

func (f transits) Len() int { return len(f) }
func (f transits) Less(i, j int) bool {
	return f[i].at < f[j].at || f[i].at == f[j].at && f[i].n < f[j].n
}
func (f transits) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f *transits) Push(x any)   { *f = append(*f, x.(transit)) }
func (f *transits) Pop() any {
	last := (*f)[len(*f)-1]
	*f = slices.Delete(*f, len(*f)-1, len(*f))
	return last
}

// newNetwork returns a network without a fault, and with a delay of 20 ms.
func newNetwork(seed uint64) *network {
	return &network{
		seed:   seed,
		random: rand.New(rand.NewPCG(seed, 4)),
		delay:  func() time.Duration { return 20 * time.Millisecond },
	}
}

// clock returns the time at an endpoint.
func (n *network) clock(e *endpoint) time.Time { return start.Add(n.now + e.skew) }

// chance returns true with probability p.
func (n *network) chance(p float64) bool { return n.random.Float64() < p }

// between returns a random number, both limits included.
func (n *network) between(least, most int) int { return least + n.random.IntN(most-least+1) }

// connect adds a client and its host.
func (n *network) connect(o transport.Options) (client, host *endpoint) { return n.connectWith(o, o) }

// connectWith is connect with different options for the client and the host.
func (n *network) connectWith(clients, hosts transport.Options) (client, host *endpoint) {
	client, host = &endpoint{}, &endpoint{}
	var err error
	if client.session, err = transport.NewClient(n.clock(client), transport.ConnectRequest{ConnID: 7}, clients); err != nil {
		panic(err)
	}
	host.session = transport.NewHost(n.clock(host), 2, hosts)
	client.peer, host.peer = host, client
	n.endpoints = append(n.endpoints, client, host)
	return client, host
}

// newClient gives an endpoint the session of a client with the default options.
func (n *network) newClient(e *endpoint, connID uint32) {
	var err error
	if e.session, err = transport.NewClient(n.clock(e), transport.ConnectRequest{ConnID: connID}, transport.Options{}); err != nil {
		panic(err)
	}
}

func (n *network) send(from, to *endpoint, datagram []byte) {
	n.sent++
	if n.onSend != nil {
		n.onSend(from, datagram)
	}
	for copies := 1; copies > 0; copies-- {
		if n.chance(n.duplicate) {
			copies++
		}
		if !n.chance(n.loss) {
			heap.Push(&n.inTransit, transit{n.now + n.delay(), n.sent, from, to, slices.Clone(datagram)})
		}
	}
}

// serve handles the events of an endpoint, then sends its datagrams.
func (n *network) serve(e *endpoint) {
	now := n.clock(e)
	next := time.Time{}
	if e.hub != nil {
		for event := range e.hub.Events() {
			e.onEvent(event)
		}
		for addr, d := range e.hub.Datagrams(now) {
			if to := n.at(addr); to != nil {
				n.send(e, to, d)
			}
			clear(d) // like enciphering
		}
		next = e.hub.NextDeadline()
	} else {
		for event := range e.session.Events() {
			if e.onEvent != nil {
				e.onEvent(event)
			}
		}
		for d := range e.session.Datagrams(now) {
			n.send(e, e.peer, d)
			clear(d)
		}
		next = e.session.NextDeadline()
	}
	e.wake = n.now + time.Second // a jump of the clock must not delay the next call for long
	if !next.IsZero() {
		e.wake = min(e.wake, n.now+next.Sub(now))
	}
	if n.onReturn != nil {
		n.onReturn(e)
	}
}

func (n *network) at(addr netip.AddrPort) *endpoint {
	for _, e := range n.endpoints {
		if e.addr == addr {
			return e
		}
	}
	return nil
}

// step advances to the next event, at most to a time. It reports whether it reached the time.
func (n *network) step(until time.Duration) bool {
	next := until
	var due *endpoint
	for _, e := range n.endpoints {
		if e.wake < next {
			next, due = e.wake, e
		}
	}
	if len(n.inTransit) > 0 && n.inTransit[0].at <= next && n.inTransit[0].at < until {
		f := heap.Pop(&n.inTransit).(transit)
		n.now = max(n.now, f.at)
		if n.onArrive != nil {
			n.onArrive(f.to, f.datagram)
		}
		if f.to.hub != nil {
			f.to.hub.Receive(n.clock(f.to), f.from.addr, f.datagram)
		} else {
			f.to.session.Receive(n.clock(f.to), f.datagram)
		}
		n.serve(f.to)
		return true
	}
	n.now = max(n.now, next)
	if due == nil {
		return false
	}
	n.serve(due)
	return true
}

// run advances the time.
func (n *network) run(d time.Duration) {
	for until := n.now + d; n.step(until); {
	}
}
