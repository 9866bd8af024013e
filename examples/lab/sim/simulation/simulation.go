// Package simulation plays whole matches in virtual time: the program server without its socket, bots,
// observers, a browser, strangers who attack, and a network and processes with faults. A seed determines all of
// it. Checkers look at every message and every state.
//
//	result := simulation.Run(simulation.Plan{Seed: 1}, nil)
package simulation

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"net/netip"
	"runtime/debug"
	"slices"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// Result is the result of a match.
type Result struct {
	Plan      Plan // with what the seed has drawn
	Seconds   float64
	Digest    string     // of all datagrams at the server, with their times
	Violation *Violation // nil: none
	Slowest   time.Duration
	meaning   meaning
}

// Violation is what a checker has found.
type Violation struct {
	Seconds float64
	Text    string
}

// String returns the line of the program.
func (r *Result) String() string {
	if r.Violation != nil {
		return fmt.Sprintf("seed %d: VIOLATION at %.1f s: %s", r.Plan.Seed, r.Violation.Seconds, r.Violation.Text)
	}
	return fmt.Sprintf("seed %d: ok %.1f s digest %s", r.Plan.Seed, r.Seconds, r.Digest)
}

// simulation is a match.
type simulation struct {
	*siege.World
	plan     Plan
	faults   [faults]drawn
	peers    []*peer
	password string
	dialect  Dialect // of the server
	host     *host
	attack   *siege.Attack
	browser  *browser
	calm     bool // there are no faults now
	quiet    bool // players do nothing but fly
	result   *Result

	digest    hash.Hash
	record    *capture.Recorder
	disk      *disk
	all       *match.Match // of all links
	events    []match.Event
	byAddr    map[netip.AddrPort]*connection
	asked     map[string]string // the names that the clients of links ask for, by label
	links     int
	truth     truth
	log       logChecker
	collided  time.Time // when a ship collided last
	damaged   bool      // a datagram since the last start of the server
	reused    bool      // a port, since
	mixed     bool      // the server has given a peer ID another slot than OpenBC does
	forged    bool      // there was an attack since
	besieged  time.Time // until then, an attack may have effects on a join
	restarted time.Time // when a round has begun
	commanded time.Time // when the console has ended a round or begun one
	members   int       // that the server has
	changed   time.Time // when their number has last changed
	crowded   time.Time // until then, sessions of processes that have ended may fill the server
	meaning   meaning
	through   *match.Match     // the observer of all links, which goes on when the server starts again
	datagrams []match.Datagram // since the start of the server
	spoiled   bool             // an earlier server had datagrams that mislead observers
}

// Run plays a match, and writes its datagrams to record unless it is nil.
func Run(p Plan, record io.Writer) (r Result) {
	heap.RLock()
	defer heap.RUnlock()
	p = p.complete()
	r.Plan = p
	s := newSimulation(p, &r)
	defer func() {
		if s.World != nil {
			r.Seconds = s.seconds()
		}
		switch x := recover().(type) {
		case nil:
		case violation:
			r.Violation = &Violation{r.Seconds, string(x)}
		default:
			r.Violation = &Violation{r.Seconds, fmt.Sprintf("panic: %v\n%s", x, debug.Stack())}
		}
		r.meaning = s.meaning
		r.Digest = hex.EncodeToString(s.digest.Sum(nil)[:8])
		if record != nil {
			_ = s.record.Flush()
		}
	}()
	s.begin(record)
	if s.on(Drills) {
		s.drill()
	}
	s.play()
	return r
}

func newSimulation(p Plan, r *Result) *simulation {
	return &simulation{plan: p, faults: p.draw(), result: r, digest: sha256.New(), byAddr: map[netip.AddrPort]*connection{}, asked: map[string]string{}, through: &match.Match{}, meaning: meaning{others: map[string]int{}}}
}

// violation is the value of the panic with which a checker ends a match.
type violation string

// fail reports a violation.
func (s *simulation) fail(format string, args ...any) { panic(violation(fmt.Sprintf(format, args...))) }

// Helper and Fatalf implement [siege.T]. A failure in package siege is a violation.
func (s *simulation) Helper() {}

// Fatalf implements [siege.T].
func (s *simulation) Fatalf(format string, args ...any) { s.fail(format, args...) }

// on reports whether the match has a fault.
func (s *simulation) on(f Fault) bool { return s.faults[f].on }

// due reports whether a fault that comes at random, on average every so often, comes now. Call it every
// round.
func (s *simulation) due(f Fault, every time.Duration) bool {
	return s.on(f) && s.faults[f].Float64() < round.Seconds()/every.Seconds()
}

func (s *simulation) seconds() float64 { return s.Now.Sub(siege.Epoch).Seconds() }

// begin begins the match.
func (s *simulation) begin(record io.Writer) {
	if s.on(Password) {
		s.password = "engage"
	}
	for d, f := range [dialects]Fault{StockGame: Stock, LikeOpenBC: OpenBC} {
		if s.dialect == Ours && f != Loss && s.on(f) && s.faults[f].strength < 0.25 {
			s.dialect = Dialect(d)
		}
	}
	w := siege.NewWorld(s, func(now time.Time, _ join.HostOptions) siege.Server { return siege.Server{} }, join.HostOptions{})
	s.World = w
	w.Rand = s.plan.rand(forNetwork)
	w.Paths = map[netip.AddrPort]siege.Weather{}
	w.Transmit = s.transmit
	w.Damaged = s.damage
	w.Weather = fine
	s.log.s = s
	if record != nil {
		s.record = capture.NewLines(record, w.Now)
	}
	if s.on(Disk) {
		s.disk = newDisk(s)
	}
	s.startServer()
	rng := s.plan.rand(forPlayers)
	for i := range s.plan.Players {
		s.peers = append(s.peers, s.newPeer(i, rng.Uint64()))
	}
	if s.on(Browsers) {
		s.browser = &browser{s: s}
		addr := netip.MustParseAddrPort("10.2.0.1:30000")
		s.Clients[addr], s.Order = s.browser, append(s.Order, addr)
	}
}

// round is the time between two decisions of players and faults.
const round = 100 * time.Millisecond

// Times of a match with faults.
const (
	leastChaos = 30 * time.Second
	mostChaos  = 4 * time.Minute
)

// play plays the match: times with faults, each followed by a time of calm, after which all is well.
func (s *simulation) play() {
	rng := s.plan.rand(forPlan)
	_ = rng.Uint64()
	for end := s.Now.Add(s.plan.Length); s.Now.Before(end); {
		s.chaos(min(end.Sub(s.Now), leastChaos+time.Duration(rng.Int64N(int64(mostChaos-leastChaos)))))
		s.heal()
	}
	s.checkLoss()
	s.checkMiddle()
	s.checkMemory()
}

// chaos lets the match go on with faults.
func (s *simulation) chaos(d time.Duration) {
	s.calm, s.quiet = false, false
	for _, p := range s.peers {
		p.draw()
	}
	for end := s.Now.Add(d); s.Now.Before(end); {
		s.inject()
		s.round()
	}
}

// round lets a round pass.
func (s *simulation) round() {
	heap.RUnlock() // for a match that waits to measure
	heap.RLock()
	for _, p := range s.peers {
		p.think()
	}
	s.checkRound()
	for end := s.Now.Add(round); s.Now.Before(end); s.Now = s.Now.Add(siege.Step) {
		if s.attack != nil && !s.calm {
			s.attack.Act(s.victims())
		}
		s.Arrivals(s.arrive)
		if s.host.runs() {
			s.host.resume()
			s.Poll()
		}
		for _, addr := range slices.Clone(s.Order) {
			s.Speak(addr)
		}
	}
}

// place puts a client into the network.
func (s *simulation) place(p *peer, addr netip.AddrPort) {
	if s.Clients[addr] == nil {
		s.Order = append(s.Order, addr)
	}
	s.Clients[addr] = p
	s.Paths[addr] = p.path()
}

// unplace removes the client of a process from the network.
func (s *simulation) unplace(p *peer) {
	delete(s.Clients, p.addr)
	delete(s.Paths, p.addr)
	s.Order = slices.DeleteFunc(s.Order, func(a netip.AddrPort) bool { return a == p.addr })
}

// arrive brings a datagram to the server.
func (s *simulation) arrive(from netip.AddrPort, datagram []byte) {
	switch {
	case s.host.down():
	case !s.host.runs():
		s.host.keep(from, datagram)
	default:
		s.receive(from, datagram)
	}
}

// receive gives the server a datagram.
func (s *simulation) receive(from netip.AddrPort, datagram []byte) {
	s.observe(from, recording.ToServer, datagram)
	s.Receive(from, datagram)
	s.Events()
}

// transmit brings a datagram of the server to the network.
func (s *simulation) transmit(datagram []byte, to netip.AddrPort) (int, error) {
	if s.dialect == LikeOpenBC && !transport.IsGameSpy(datagram) {
		datagram = slices.Clone(datagram)
		cipher.Decrypt(datagram)
		inOpenBC(datagram)
		cipher.Encrypt(datagram)
	}
	s.observe(to, recording.ToClient, datagram)
	switch _, known := s.Clients[to]; {
	case known:
		s.Post(siege.ServerAddr, to, datagram)
	case s.attack != nil && !s.calm:
		s.attack.Hear(to, datagram)
	}
	return len(datagram), nil
}

// observe records a datagram at the server, and passes it to the observers.
func (s *simulation) observe(client netip.AddrPort, dir recording.Direction, datagram []byte) {
	var head [16]byte
	binary.LittleEndian.PutUint64(head[:], uint64(s.Now.Sub(siege.Epoch)))
	ip := client.Addr().As4()
	copy(head[8:], ip[:])
	binary.LittleEndian.PutUint16(head[12:], client.Port())
	head[14] = dir[0]
	s.digest.Write(head[:])
	s.digest.Write(datagram)
	s.record.WriteAddrPort(s.Now, dir, client, datagram)
	if s.disk != nil {
		s.disk.write(s.Now, dir, client, datagram)
	}
	c := s.byAddr[client]
	if c == nil || transport.IsGameSpy(datagram) {
		return
	}
	data := slices.Clone(datagram)
	cipher.Decrypt(data)
	if s.on(Server) {
		for range s.through.Receive(match.Datagram{Time: s.Now.Sub(siege.Epoch), Client: c.label, FromHost: dir == recording.ToClient, Data: data}) {
		}
	}
	if c.host != nil && c.host != s.host { // of an earlier server
		return
	}
	d := match.Datagram{Time: s.Now.Sub(siege.Epoch), Client: c.label, FromHost: dir == recording.ToClient, Data: data}
	s.keepDatagram(d)
	for step := range s.all.Receive(d) {
		if _, ok := step.Game.(*opcode.CollisionEffect); ok {
			s.collided = s.Now
		}
		s.events = keep(s.events, step.Events)
		s.meaning.step(step)
	}
	for step := range c.observer.Receive(d) {
		c.checkSender(step)
		c.events = keep(c.events, step.Events)
	}
}
