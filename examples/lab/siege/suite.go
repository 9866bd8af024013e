package siege

import (
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// A scenario is an attack on a server with honest players.
type scenario struct {
	name     string
	attacker func() attacker
	random   bool          // the hub gives out random peer IDs
	crowd    bool          // the attacker has 15 players, so that one honest player has room
	proven   bool          // the attacker's addresses are its own, and proven
	lasts    time.Duration // at least; more in the long form

	latencies []time.Duration // round trips; 0 and 100 ms if nil

	// Limits. The attack must not exceed them.
	amplification float64 // bytes to the attacker's addresses for each byte from there
	log           float64 // bytes a second
	memory        int64   // bytes that the server holds
}

// attacker sends datagrams from addresses that it has, or that it forges.
type attacker interface {
	// attack is called every 10 ms.
	attack(s *siege)
	// hear takes a datagram that was sent to an address of the attacker. A forged address
	// receives nothing: attackers that forge take no more from it than they could predict.
	hear(s *siege, at netip.AddrPort, datagram []byte)
}

// siege is a world with honest players and an attacker.
type siege struct {
	*World
	attacker attacker
	ends     time.Time // of the attack
	players  Crew      // honest ones, who are in the game before the attack
	victims  []Victim  // in place of players, in an Attack
	joined   int
	comers   int // bots that there have been
	slowest  time.Duration

	replies    []packet // to the attacker
	received   int      // bytes from the attacker
	toAttacker int      // bytes to its addresses
	relayed    int      // forged messages that reached an honest player
	log        byteCounter
}

// byteCounter counts what is written.
type byteCounter int64

// Write implements io.Writer.
func (c *byteCounter) Write(b []byte) (int, error) {
	*c += byteCounter(len(b))
	return len(b), nil
}

// newSiege returns a world in which honest players play, and no attack has begun.
func newSiege(t testing.TB, start Start, sc *scenario, latency time.Duration) *siege {
	s := &siege{}
	o := join.HostOptions{
		Mission: opcode.MissionInit{PlayerLimit: 8}, Log: slog.New(slog.NewTextHandler(&s.log, nil)),
		Hub: transport.HubOptions{RandomPeerIDs: sc.random},
	}
	if sc.random {
		o.Hub.Rand = rand.NewChaCha8([32]byte{1})
	}
	players := 4
	if sc.crowd {
		o.Mission.PlayerLimit, players = objectid.Slots, 1
	}
	s.World = NewWorld(t, start, o)
	s.Weather = Weather{Delay: latency / 2}
	s.Transmit = s.transmit
	for range players {
		s.players = append(s.players, s.come())
	}
	s.players.InGame(s.World, 10*time.Second)
	inOrder := true
	for i, p := range s.players {
		inOrder = inOrder && int(p.ID()) == 2+i
	}
	require.Equal(t, !sc.random, inOrder)
	s.World.Run(time.Second)
	s.attacker = sc.attacker()
	return s
}

// come adds an honest player, who is about to connect.
func (s *siege) come() *Robot {
	p := NewBot(s.Now, s.comers, bot.Options{Fire: true, Choose: 100 * time.Millisecond})
	s.comers++
	s.Add(p)
	return p
}

// run lets the attack go on for a while.
func (s *siege) run(d time.Duration) {
	for end := s.Now.Add(d); s.Now.Before(end); {
		s.step()
		s.World.Run(Step)
	}
}

// transmit brings a datagram of the server to the attacker, or to an honest client over the network.
func (s *siege) transmit(datagram []byte, to netip.AddrPort) (int, error) {
	if _, honest := s.Clients[to]; honest {
		s.Post(ServerAddr, to, datagram)
	} else {
		s.toAttacker += len(datagram)
		s.replies = append(s.replies, packet{to: to, data: slices.Clone(datagram)})
	}
	return len(datagram), nil
}

// step lets the attacker act.
func (s *siege) step() {
	s.attacker.attack(s)
	for len(s.replies) > 0 {
		p := s.replies[0]
		s.replies = s.replies[1:]
		if !transport.IsGameSpy(p.data) {
			cipher.Decrypt(p.data)
		}
		s.attacker.hear(s, p.to, p.data)
	}
}

// send sends an encoded datagram from an address of the attacker, who is near: the server
// has it at once, and answers at once as on a socket.
func (s *siege) send(from netip.AddrPort, datagram []byte) {
	s.received += len(datagram)
	s.Receive(from, datagram)
	s.Poll()
}

// sendPacket sends messages from an address of the attacker.
func (s *siege) sendPacket(from netip.AddrPort, p transport.Packet) {
	b, err := p.MarshalBinary()
	require.NoError(s.T, err)
	cipher.Encrypt(b)
	s.send(from, b)
}

// joinTimeout is how long an honest player may take from its Connect to its ship. Without
// an attack it takes 2.9 s with a round trip of 400 ms.
const joinTimeout = 5 * time.Second

// Join lets an honest player connect, play a moment and leave.
func (s *siege) visit() {
	began, p := s.Now, s.come()
	for p.State() != bot.InGame && s.Now.Before(began.Add(joinTimeout)) {
		s.run(Step)
	}
	if p.State() == bot.InGame {
		s.joined++
		s.slowest = max(s.slowest, s.Now.Sub(began))
	}
	s.run(500 * time.Millisecond)
	p.Leave()
	s.run(time.Second)
	s.Remove(p)
}

// kept returns how many of the players from before the attack are in the game, and see the
// ships of the others where they are.
func (s *siege) kept() (n int) {
	for _, p := range s.players {
		sees := 0
		for id, picture := range p.Ships() {
			for _, owner := range s.players {
				if owner.Ship() != nil && owner.ID() == id && distance(owner.Ship(), picture) <= lag(owner.Ship()) {
					sees++
				}
			}
		}
		if p.State() == bot.InGame && sees == len(s.players)-1 {
			n++
		}
	}
	return n
}

// toll is what an attack has cost.
type toll struct {
	scenario      *scenario
	latency       time.Duration
	rate          float64 // bytes a second of the attacker
	players, kept int
	joins, joined int
	slowest       time.Duration
	amplification float64
	memory        int64
	log           float64
	relayed       int
}

// besiege runs a scenario and returns what it has cost.
func besiege(t testing.TB, start Start, sc *scenario, latency time.Duration) toll {
	s := newSiege(t, start, sc, latency)
	began, logged := s.Now, s.log
	joins := testdata.Either(20, 3)
	lasts := testdata.Either(max(2*time.Minute, 2*sc.lasts), sc.lasts)
	s.ends = began.Add(lasts)
	if sc.crowd { // the only slot is free after the honest player has left
		s.run(lasts)
	}
	kept := s.kept()
	if sc.crowd {
		s.players[0].Leave()
		s.run(time.Second)
		s.Remove(s.players[0])
	} else {
		s.run(2 * time.Second)
	}
	for range joins {
		s.visit()
	}
	s.run(lasts - s.Now.Sub(began))
	if !sc.crowd {
		kept = s.kept()
	}
	seconds := s.Now.Sub(began).Seconds()
	r := toll{
		scenario: sc, latency: latency,
		rate: float64(s.received) / seconds, amplification: float64(s.toAttacker) / float64(max(1, s.received)),
		players: len(s.players), kept: kept, joins: joins, joined: s.joined, slowest: s.slowest,
		log:     float64(s.log-logged) / seconds,
		relayed: s.relayed,
		memory:  HeapWithout(func() { s.Server = Server{} }),
	}
	runtime.KeepAlive(s)
	return r
}

// Suite attacks a server in many ways while honest bots play and join. In the long form, it prints the
// table in the documentation of the program server.
func Suite(t *testing.T, start Start) {
	t.Helper()
	var tolls []toll
	for _, sc := range scenarios() {
		if sc.latencies == nil {
			sc.latencies = []time.Duration{0, 100 * time.Millisecond}
		}
		if testdata.UnderRace {
			sc.latencies = sc.latencies[1:2]
		}
		for _, latency := range sc.latencies {
			t.Run(fmt.Sprintf("%s/%v", sc.name, latency), func(t *testing.T) {
				r := besiege(t, start, &sc, latency)
				tolls = append(tolls, r)
				r.require(t)
			})
		}
	}
	t.Log("\n" + tabulate(tolls))
}

// require checks the limits of the scenario.
func (r *toll) require(t *testing.T) {
	require.Equal(t, r.players, r.kept, "players kept")
	require.Equal(t, r.joins, r.joined, "joins")
	if !r.scenario.proven {
		require.LessOrEqual(t, r.amplification, r.scenario.amplification, "amplification")
	}
	require.LessOrEqual(t, r.log, r.scenario.log, "bytes of log a second")
	require.LessOrEqual(t, r.memory, r.scenario.memory, "memory")
	require.Zero(t, r.relayed, "forged messages relayed")
	require.Greater(t, r.rate, 1.0, "the attack")
}

// tabulate returns the table of the package documentation.
func tabulate(tolls []toll) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "scenario\trtt ms\tattack B/s\tkept\tjoined\tslowest s\tout/in\tKiB\tlog B/s")
	for _, r := range tolls {
		amplification := "-"
		if !r.scenario.proven {
			amplification = fmt.Sprintf("%.2f", r.amplification)
		}
		fmt.Fprintf(w, "%s\t%d\t%.0f\t%d/%d\t%d/%d\t%.1f\t%s\t%d\t%.0f\n", r.scenario.name, r.latency.Milliseconds(), r.rate,
			r.kept, r.players, r.joined, r.joins, r.slowest.Seconds(), amplification, r.memory>>10, r.log)
	}
	w.Flush()
	return b.String()
}

// lag returns how far a picture may be from a ship that is half a second ahead.
func lag(ship *stateupdate.Ship) float64 {
	return 0.5*2*math.Abs(float64(ship.Speed.Float32())) + 1
}

// distance returns the distance of two ships.
func distance(a, b *stateupdate.Ship) float64 {
	p, q := a.Position, b.Position
	return math.Hypot(math.Hypot(float64(p[0]-q[0]), float64(p[1]-q[1])), float64(p[2]-q[2]))
}

// HeapWithout returns how many bytes the heap has less when drop has dropped something.
func HeapWithout(drop func()) int64 {
	before := LiveHeap()
	drop()
	return before - LiveHeap()
}

// LiveHeap returns the bytes of the heap that are in use.
func LiveHeap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
