package transport_test

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// maxPerByte is the time of the worst datagram per byte, relative to the average of a match.
const maxPerByte = 20

// No datagram takes an Observer or a Hub more than 20 times as long for each byte as the average
// of a recorded match.
func TestLinearTime(t *testing.T) {
	if testdata.UnderRace {
		t.Skip("the race detector has another cost for each operation")
	}
	floods := testdata.Floods()
	for name, s := range linearSubjects(t) {
		t.Run(name, func(t *testing.T) {
			testdata.CheckPerByte(t, maxPerByte, s.match, s.works(floods))
		})
	}
}

// TestLinearTimeSearch looks for more expensive datagrams by small changes.
func TestLinearTimeSearch(t *testing.T) {
	if testdata.UnderRace {
		t.Skip("the race detector has another cost for each operation")
	}
	const kept = 40
	lasts := testdata.Either(5*time.Second, time.Second)
	for name, s := range linearSubjects(t) {
		t.Run(name, func(t *testing.T) {
			seed := uint64(time.Now().UnixNano())
			t.Log("seed ", seed)
			rng := rand.New(rand.NewPCG(seed, 0))
			floods, times := testdata.Floods(), []float64{}
			for len(floods) < kept {
				floods = append(floods, testdata.RandomFlood(rng))
			}
			for i := range floods {
				times = append(times, s.time(&floods[i]))
			}
			for end := time.Now().Add(lasts); time.Now().Before(end); {
				f := floods[rng.IntN(len(floods))]
				for range 1 + rng.IntN(3) {
					f = f.Mutated(rng)
				}
				if i, x := rng.IntN(len(floods)), s.time(&f); x > times[i] {
					floods[i], times[i] = f, min(x, s.time(&f))
				}
			}
			for i := range floods {
				floods[i].Name = fmt.Sprintf("%+v", floods[i])
			}
			testdata.CheckPerByte(t, maxPerByte, s.match, s.works(floods))
		})
	}
}

// linearSubject is a match that a type receives, and a function that receives a flood.
type linearSubject struct {
	match testdata.Work
	flood func([]testdata.FloodDatagram)
}

func linearSubjects(t *testing.T) map[string]linearSubject {
	var match []matchDatagram
	for _, d := range testdata.Battle(t) {
		cipher.Decrypt(d.Data)
		match = append(match, matchDatagram{start.Add(d.Time()), int(d.Client), d.Direction == recording.ToClient, d.Data})
	}
	subjects := map[string]linearSubject{
		"Observer": {testdata.Work{Bytes: sizeOf(match), Run: func() { observeMatch(match) }}, observeFlood},
	}
	for name, o := range map[string]transport.Options{"Hub": {}, "Hub with stock timers": transport.StockOptions()} {
		script := newHubScript(t, match, o)
		subjects[name] = linearSubject{testdata.Work{Bytes: script.bytes, Run: func() { script.play() }}, func(all []testdata.FloodDatagram) { floodHub(o, all) }}
	}
	return subjects
}

// floodBytes is the length of a flood. It is received within a few milliseconds.
const floodBytes = 60_000

func (s *linearSubject) works(floods []testdata.Flood) (works []testdata.Work) {
	for i := range floods {
		works = append(works, s.work(&floods[i]))
	}
	return works
}

func (s *linearSubject) work(f *testdata.Flood) testdata.Work {
	all, bytes := f.Datagrams(floodBytes), 0
	for i := range all {
		bytes += testdata.OnTheWire(all[i].Data)
	}
	return testdata.Work{Name: f.Name, Bytes: bytes, Run: func() { s.flood(all) }}
}

// time returns the time of a flood in nanoseconds per byte.
func (s *linearSubject) time(f *testdata.Flood) float64 {
	work := s.work(f)
	least := time.Duration(1 << 62)
	for range 5 {
		began := time.Now()
		work.Run()
		least = min(least, time.Since(began))
	}
	return float64(least) / float64(work.Bytes)
}

// matchDatagram is a deciphered datagram of the match.
type matchDatagram struct {
	now      time.Time
	client   int
	fromHost bool
	data     []byte
}

func sizeOf(match []matchDatagram) (bytes int) {
	for i := range match {
		bytes += testdata.OnTheWire(match[i].data)
	}
	return bytes
}

func observeMatch(match []matchDatagram) {
	var observers [matchClients]transport.Observer
	for i := range match {
		d := &match[i]
		for range observers[d.client].Receive(d.now, d.fromHost, d.data) {
		}
	}
}

func observeFlood(all []testdata.FloodDatagram) {
	var o transport.Observer
	for i := range all {
		for range o.Receive(after(time.Duration(i)*time.Millisecond), all[i].FromHost, all[i].Data) {
		}
	}
}

// matchClients is more than the number of clients in the match.
const matchClients = 8

// hubScript is what a hub receives and sends in the match.
type hubScript struct {
	options transport.Options
	steps   []hubStep
	bytes   int // received and sent
}

// hubStep is a datagram from a client, a payload for it, or a loop over Datagrams.
type hubStep struct {
	now      time.Time
	client   int
	datagram []byte
	payload  []byte
	delivery transport.Delivery
}

// scriptedMatch plays the match with sessions, and records the steps of the hub.
type scriptedMatch struct {
	hubScript
	hub     *transport.Hub
	clients [matchClients]*transport.Session
	hosts   [matchClients]*transport.Session
	queues  [matchClients][]hubStep // payloads for clients that have no session yet
}

func newHubScript(t *testing.T, match []matchDatagram, o transport.Options) *hubScript {
	m := scriptedMatch{hubScript: hubScript{options: o}, hub: transport.NewHub(start, transport.HubOptions{Session: o, Rand: testdata.LowestIDs})}
	var observers [matchClients]transport.Observer
	for i := range match {
		d := &match[i]
		if m.clients[d.client] == nil {
			client, err := transport.NewClient(d.now, transport.ConnectRequest{ConnID: uint32(d.client)}, o)
			require.NoError(t, err)
			m.clients[d.client] = client
		}
		for x := range observers[d.client].Receive(d.now, d.fromHost, d.data) {
			if x.Payload == nil {
				continue
			}
			step := hubStep{client: d.client, payload: slices.Clone(x.Payload)}
			if x.Reliable {
				step.delivery = reliable
			}
			if d.fromHost {
				m.queues[d.client] = append(m.queues[d.client], step)
			} else {
				require.NoError(t, m.clients[d.client].Send(step.payload, step.delivery))
			}
		}
		m.step(t, d.now)
	}
	require.Equal(t, 5, m.hub.Len())
	require.Equal(t, m.hub.Counters(), m.play().Counters())
	return &m.hubScript
}

// step lets all sides send.
func (m *scriptedMatch) step(t *testing.T, now time.Time) {
	for c, client := range m.clients {
		if client == nil {
			continue
		}
		for d := range client.Datagrams(now) {
			d = slices.Clone(d)
			m.steps, m.bytes = append(m.steps, hubStep{now: now, client: c, datagram: d}), m.bytes+testdata.OnTheWire(d)
			m.hosts[c] = receiveStep(m.hub, m.hosts[c], &m.steps[len(m.steps)-1])
		}
		for m.hosts[c] != nil && len(m.queues[c]) > 0 {
			x := m.queues[c][0]
			m.queues[c] = m.queues[c][1:]
			require.NoError(t, m.hosts[c].Send(x.payload, x.delivery))
			m.steps = append(m.steps, x)
		}
	}
	m.steps = append(m.steps, hubStep{now: now})
	for addr, d := range m.hub.Datagrams(now) {
		m.bytes += testdata.OnTheWire(d)
		m.clients[addr.Port()-1000].Receive(now, d)
	}
	for _, client := range m.clients {
		if client != nil {
			for range client.Events() {
			}
		}
	}
}

// receiveStep passes a datagram to a hub, and returns the session of its client.
func receiveStep(hub *transport.Hub, s *transport.Session, x *hubStep) *transport.Session {
	hub.Receive(x.now, addrOf(1, 1000+x.client), x.datagram)
	for e := range hub.Events() {
		if e.Kind == transport.EventConnect {
			s, _ = hub.Accept(e)
		}
	}
	return s
}

// play passes the script to a new hub.
func (h *hubScript) play() *transport.Hub {
	hub := transport.NewHub(start, transport.HubOptions{Session: h.options, Rand: testdata.LowestIDs})
	var hosts [matchClients]*transport.Session
	for i := range h.steps {
		switch x := &h.steps[i]; {
		case x.datagram != nil:
			hosts[x.client] = receiveStep(hub, hosts[x.client], x)
		case x.payload != nil:
			_ = hosts[x.client].Send(x.payload, x.delivery)
		default:
			for range hub.Datagrams(x.now) {
			}
		}
	}
	return hub
}

// floodHub passes a flood to a hub, from the address of a proven client. If the flood ends the
// session, the client joins again, at most 50 times.
func floodHub(o transport.Options, all []testdata.FloodDatagram) {
	hub := transport.NewHub(start, transport.HubOptions{Session: o, Rand: testdata.LowestIDs, MaxPerIP: 100}.With(transport.HubLimits{ConnectBurst: 100}))
	joins, addr, id := 0, netip.AddrPort{}, objectid.NoPeer
	for i := range all {
		now := after(time.Duration(i) * time.Millisecond)
		if hub.Len() == 0 && joins < 50 {
			joins++
			addr = addrOf(1, joins)
			id = joinHub(now, hub, addr)
		}
		d := all[i].Data
		if objectid.PeerID(int8(d[0])) != objectid.NoPeer {
			d[0] = byte(id)
		}
		hub.Receive(now, addr, d)
		for range hub.Events() {
		}
		for range hub.Datagrams(now) {
		}
	}
}

// joinHub returns the peer ID of a client that joins and is proven.
func joinHub(now time.Time, hub *transport.Hub, addr netip.AddrPort) (id objectid.PeerID) {
	hub.Receive(now, addr, connectOf(uint32(addr.Port())))
	for e := range hub.Events() {
		if e.Kind == transport.EventConnect {
			s, _ := hub.Accept(e)
			id = s.PeerID()
			_ = s.Send([]byte{0}, reliable)
		}
	}
	for range hub.Datagrams(now) {
	}
	hub.Receive(now, addr, from(id, handshakeAck, "01 0000 00"))
	for range hub.Events() {
	}
	return id
}
