package join_test

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// world is a host and its clients, on a network and a clock of their own.
type world struct {
	t    testing.TB
	now  time.Time
	host *join.Host
	// hostOptions are the options of the host.
	hostOptions join.HostOptions
	tickAt      time.Time
	clients     map[netip.AddrPort]client
	order       []netip.AddrPort // of the clients, so that a run can be repeated
	queue       packets
	posted      int
	added       int // clients
	weather
	step    time.Duration // the least time that passes
	rng     *rand.Rand
	session transport.Options // of clients

	drops map[string]int
	hear  func(to netip.AddrPort, datagram []byte) // datagrams to addresses without a client
	sent  []sentDatagram                           // of the host, if record is set
	// record makes the world keep what the host sends.
	record bool
}

type sentDatagram struct {
	to       netip.AddrPort
	datagram []byte
}

// weather is what the network does to datagrams.
type weather struct {
	loss, repeat  float64
	delay, jitter time.Duration
}

// client is the program of a player, deciphered. A transport.Session is one.
type client interface {
	Receive(now time.Time, datagram []byte)
	AppendDatagram(dst []byte, now time.Time) []byte
}

var epoch = time.Date(2002, 2, 26, 12, 0, 0, 0, time.UTC)

// step is the least time that a world lets pass by default.
const step = 10 * time.Millisecond

// newWorld returns a world whose host assigns the lowest peer IDs, unless the options have a source.
func newWorld(t testing.TB, o join.HostOptions) *world {
	w := &world{
		t: t, now: epoch, clients: map[netip.AddrPort]client{}, drops: map[string]int{}, step: step,
		rng: rand.New(rand.NewPCG(1, 2)), weather: weather{delay: 20 * time.Millisecond},
	}
	if o.Hub.Rand == nil {
		o.Hub.Rand = testdata.LowestIDs
	}
	dropped := o.Dropped
	o.Dropped = func(m *join.Member, reason string, err error) {
		w.drops[reason]++
		if dropped != nil {
			dropped(m, reason, err)
		}
	}
	w.host, w.hostOptions = join.NewHost(w.now, o), o
	return w
}

// receive gives the host a datagram, and handles its events. The memory of the datagram is then used for something else.
func (w *world) receive(from netip.AddrPort, datagram []byte) {
	datagram = slices.Clone(datagram)
	w.host.Hub().Receive(w.now, from, datagram)
	w.events()
	clear(datagram)
}

func (w *world) events() {
	for e := range w.host.Hub().Events() {
		w.host.Handle(w.now, e)
	}
}

// poll handles the events, runs the timers, and sends.
func (w *world) poll() {
	w.events()
	if !w.now.Before(w.tickAt) {
		w.host.Tick(w.now)
		w.tickAt = w.now.Add(100 * time.Millisecond)
	}
	for addr, datagram := range w.host.Hub().Datagrams(w.now) {
		if w.record {
			w.sent = append(w.sent, sentDatagram{addr, slices.Clone(datagram)})
		}
		switch {
		case w.clients[addr] != nil:
			w.post(netip.AddrPort{}, addr, datagram)
		case w.hear != nil:
			w.hear(addr, slices.Clone(datagram))
		}
	}
	w.events()
}

// addr returns an address of its own for each number.
func addr(i, port int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), uint16(port))
}

// add connects a client to the network, from an address of its own or a given one.
func (w *world) add(c client, at ...netip.AddrPort) netip.AddrPort {
	w.added++
	from := addr(w.added, 22102)
	if len(at) > 0 {
		from = at[0]
	}
	w.clients[from] = c
	w.order = append(w.order, from)
	return from
}

// remove removes a client, who falls silent, from the network.
func (w *world) remove(c client) {
	w.order = slices.DeleteFunc(w.order, func(a netip.AddrPort) bool { return w.clients[a] == c })
	for a, other := range w.clients {
		if other == c {
			delete(w.clients, a)
		}
	}
}

// run lets some time pass.
func (w *world) run(d time.Duration) {
	for end := w.now.Add(d); w.now.Before(end); w.now = w.now.Add(w.step) {
		w.deliver()
		w.poll()
		for _, from := range slices.Clone(w.order) {
			for c := w.clients[from]; c != nil; {
				datagram := c.AppendDatagram(nil, w.now)
				if len(datagram) == 0 {
					break
				}
				w.post(from, netip.AddrPort{}, datagram)
			}
		}
	}
}

// until lets time pass until a condition holds, for at most a while.
func (w *world) until(d time.Duration, condition func() bool) {
	w.t.Helper()
	for end := w.now.Add(d); !condition(); w.run(step) {
		require.True(w.t, w.now.Before(end), "has not happened in %v", d)
	}
}

// post gives a datagram to the network. The zero AddrPort is the host.
func (w *world) post(from, to netip.AddrPort, datagram []byte) {
	for range 2 {
		if w.rng.Float64() >= w.loss {
			w.posted++
			at := w.now.Add(w.delay + time.Duration(w.rng.Int64N(int64(w.jitter+1))))
			heap.Push(&w.queue, packet{at, w.posted, from, to, slices.Clone(datagram)})
		}
		if w.rng.Float64() >= w.repeat {
			return
		}
	}
}

// deliver brings the datagrams whose time has come.
func (w *world) deliver() {
	for len(w.queue) > 0 && !w.queue[0].at.After(w.now) {
		p := heap.Pop(&w.queue).(packet)
		if p.to == (netip.AddrPort{}) {
			w.receive(p.from, p.data)
		} else if c := w.clients[p.to]; c != nil {
			c.Receive(w.now, p.data)
		}
	}
}

// acksOfProbes returns the Acks that validate the address to which the first datagram of a host has gone.
func acksOfProbes(datagram []byte) (acks []transport.Message) {
	for m := range transport.Messages(datagram) {
		if m.Probe() {
			acks = append(acks, transport.NewMessage(0, transport.AckOf(m)))
		}
	}
	return acks
}

// forge gives the host messages from an address.
func (w *world) forge(from netip.AddrPort, id objectid.PeerID, m ...transport.Message) {
	b, err := (&transport.Packet{PeerID: id, Messages: m}).MarshalBinary()
	require.NoError(w.t, err)
	w.receive(from, b)
}

// connectRequest returns a Connect.
func connectRequest(connID int) transport.Message {
	return transport.NewMessage(0, &transport.ConnectRequest{ConnID: uint32(connID)})
}

// member returns the player in the game with a peer ID, or nil.
func (w *world) member(id objectid.PeerID) *join.Member {
	for _, m := range w.host.Members() {
		if m.PeerID == id {
			return m
		}
	}
	return nil
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

// guest is a join.Client on a session, which remembers what it receives.
type guest struct {
	*join.Client
	w       *world
	session *transport.Session
	addr    netip.AddrPort
	heard   []opcode.Message
	lines   []string // reliable messages, and messages of the transport
	load    time.Duration
	silent  bool              // it does not respond to requests for hashes
	loaded  time.Time         // when it has loaded; zero before GameInit
	held    []transport.Event // since GameInit, while it loads
}

// connect adds a guest that has begun to connect.
func (w *world) connect(o join.Options, at ...netip.AddrPort) *guest {
	w.t.Helper()
	session, err := transport.NewClient(w.now, transport.ConnectRequest{ConnID: w.rng.Uint32(), Password: name16(o.Password)}, w.session)
	require.NoError(w.t, err)
	g := &guest{w: w, session: session}
	g.Client, err = join.NewClient(w.now, session, o)
	require.NoError(w.t, err)
	g.addr = w.add(g, at...)
	return g
}

// connectSilent adds a guest that does not respond to requests for hashes.
func (w *world) connectSilent() *guest {
	g := w.connect(join.Options{})
	g.silent = true
	return g
}

// join adds a guest and waits until it is in the game.
func (w *world) join(name string) *guest {
	w.t.Helper()
	g := w.connect(join.Options{Name: name})
	w.until(10*time.Second, func() bool { return g.stage() == join.StageInGame })
	return g
}

// connectSlow adds a guest that takes a time to load the mission.
func (w *world) connectSlow(name string, load time.Duration, at ...netip.AddrPort) *guest {
	g := w.connect(join.Options{Name: name}, at...)
	g.load = load
	return g
}

func (g *guest) stage() join.Stage { return g.State().Stage }
func (g *guest) err() error        { return g.State().Err }
func (g *guest) id() objectid.PeerID {
	return g.session.PeerID()
}

// Receive implements client.
func (g *guest) Receive(now time.Time, datagram []byte) {
	g.session.Receive(now, datagram)
	g.handle(now)
}

// AppendDatagram implements client.
func (g *guest) AppendDatagram(dst []byte, now time.Time) []byte {
	g.handle(now)
	if due := g.NextDeadline(); !due.IsZero() && !now.Before(due) {
		g.Tick(now)
	}
	dst = g.session.AppendDatagram(dst, now)
	g.handle(now)
	return dst
}

// handle passes the events of the session to the client. A guest that loads sees none after GameInit but
// the end.
func (g *guest) handle(now time.Time) {
	for e := range g.session.Events() {
		e.Payload = slices.Clone(e.Payload)
		g.held = append(g.held, e)
		switch {
		case e.Kind == transport.EventEnded:
			g.loaded = now
		case g.load > 0 && g.loaded.IsZero() && len(e.Payload) > 0 && e.Payload[0] == byte(opcode.OpGameInit):
			g.loaded = now.Add(g.load)
		}
	}
	if now.Before(g.loaded) {
		return
	}
	for _, e := range g.held {
		m, err := g.receive(now, e)
		if m != nil {
			require.NoError(g.w.t, err)
			g.heard = append(g.heard, m)
		}
		switch {
		case m != nil && m.Opcode() != opcode.OpStateUpdate:
			g.lines = append(g.lines, m.Opcode().String())
		case e.Kind == transport.EventSystem, e.Kind == transport.EventConnected:
			g.lines = append(g.lines, system(e.Body))
		}
	}
	g.held = g.held[:0]
}

// receive passes an event to the client.
func (g *guest) receive(now time.Time, e transport.Event) (opcode.Message, error) {
	if g.silent && len(e.Payload) > 0 && e.Payload[0] == byte(opcode.OpChecksumRequest) {
		return opcode.Decode(e.Payload)
	}
	return g.Handle(now, e)
}

func system(body transport.Body) string {
	switch b := body.(type) {
	case *transport.ConnectReply:
		return fmt.Sprintf("ConnectReply %d", b.PeerID)
	case *transport.NameChange:
		return fmt.Sprintf("NameChange %d %s", b.PeerID, b.Name)
	case *transport.Boot:
		return fmt.Sprintf("Boot %d %v", b.PeerID, b.Reason)
	case *transport.Disconnect:
		return fmt.Sprintf("Disconnect %d", b.PeerID)
	}
	return fmt.Sprint(body)
}

// leave ends the session of a guest.
func (g *guest) leave() { g.session.Close() }

// say sends a message.
func (g *guest) say(m opcode.Message) {
	g.w.t.Helper()
	require.NoError(g.w.t, g.Send(m))
}

// sendName sends a NameChange.
func (g *guest) sendName(name string) {
	require.NoError(g.w.t, g.session.SendSystem(&transport.NameChange{PeerID: g.id(), Name: name16(name)}))
}

// count returns how many messages of an opcode the guest has received.
func (g *guest) count(code opcode.Code) (n int) {
	for _, m := range g.heard {
		if m.Opcode() == code {
			n++
		}
	}
	return n
}

// last returns the last message of a type that the guest has received.
func last[M opcode.Message](g *guest) (found M) {
	g.w.t.Helper()
	for _, m := range slices.Backward(g.heard) {
		if typed, ok := m.(M); ok {
			return typed
		}
	}
	require.Fail(g.w.t, "not received", "%T", found)
	return found
}

// name16 returns a text of a system message.
func name16(s string) transport.UTF16Z {
	text, err := transport.NewUTF16Z(s)
	if err != nil {
		panic(err)
	}
	return text
}
