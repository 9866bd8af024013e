// Package siegetest has tests for any server that stands on a join.Host. Strangers attack the server while honest
// players play on it; see package siege.
package siegetest

import (
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/stretchr/testify/require"

	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/lab/siege"
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
	attacker func(m *match) siege.Attacker
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

// match is a world with honest players and an attack.
type match struct {
	*siege.Attack
	players siege.Crew // honest ones, who are in the game before the attack
	joined  int
	comers  int // bots that there have been
	slowest time.Duration
	relayed int // forged messages that reached an honest player
	log     byteCounter
}

// byteCounter counts what is written.
type byteCounter int64

// Write implements io.Writer.
func (c *byteCounter) Write(b []byte) (int, error) {
	*c += byteCounter(len(b))
	return len(b), nil
}

// newMatch returns a world in which honest players play, and no attack has begun.
func newMatch(t testing.TB, start siege.Start, sc *scenario, latency time.Duration) *match {
	m := &match{}
	o := join.HostOptions{
		Mission: opcode.MissionInit{PlayerLimit: 8}, Log: slog.New(slog.NewTextHandler(&m.log, nil)),
		Hub: transport.HubOptions{RandomPeerIDs: sc.random},
	}
	if sc.random {
		o.Hub.Rand = rand.NewChaCha8([32]byte{1})
	}
	players := 4
	if sc.crowd {
		o.Mission.PlayerLimit, players = objectid.Slots, 1
	}
	w := siege.NewWorld(t, start, o)
	m.Attack = &siege.Attack{World: w}
	w.Weather = siege.Weather{Delay: latency / 2}
	w.Transmit = m.transmit
	for range players {
		m.players = append(m.players, m.come())
	}
	m.players.InGame(w, 10*time.Second)
	inOrder := true
	for i, p := range m.players {
		inOrder = inOrder && int(p.ID()) == 2+i
	}
	require.Equal(t, !sc.random, inOrder)
	w.Run(time.Second)
	m.Attacker = sc.attacker(m)
	return m
}

// come adds an honest player, who is about to connect.
func (m *match) come() *siege.Robot {
	p := siege.NewBot(m.Now, m.comers, bot.Options{Fire: true, Choose: 100 * time.Millisecond})
	m.comers++
	m.Add(p)
	return p
}

// run lets the attack go on for a while.
func (m *match) run(d time.Duration) {
	for end := m.Now.Add(d); m.Now.Before(end); {
		m.act()
		m.World.Run(siege.Step)
	}
}

// act lets the attacker act.
func (m *match) act() {
	var victims []siege.Victim
	for _, p := range m.players {
		victims = append(victims, p)
	}
	m.Act(victims)
}

// transmit brings a datagram of the server to the attacker, or to an honest client over the network.
func (m *match) transmit(datagram []byte, to netip.AddrPort) (int, error) {
	if _, honest := m.Clients[to]; honest {
		m.Post(siege.ServerAddr, to, datagram)
	} else {
		m.Hear(to, datagram)
	}
	return len(datagram), nil
}

// joinTimeout is how long an honest player may take from its Connect to its ship. Without
// an attack it takes 2.9 s with a round trip of 400 ms.
const joinTimeout = 5 * time.Second

// visit lets an honest player connect, play a moment and leave.
func (m *match) visit() {
	began, p := m.Now, m.come()
	for p.State() != bot.InGame && m.Now.Before(began.Add(joinTimeout)) {
		m.run(siege.Step)
	}
	if p.State() == bot.InGame {
		m.joined++
		m.slowest = max(m.slowest, m.Now.Sub(began))
	}
	m.run(500 * time.Millisecond)
	p.Leave()
	m.run(time.Second)
	m.Remove(p)
}

// kept returns how many of the players from before the attack are in the game, and see the
// ships of the others where they are.
func (m *match) kept() (n int) {
	for _, p := range m.players {
		sees := 0
		for id, picture := range p.Ships() {
			for _, owner := range m.players {
				if owner.Ship() != nil && owner.ID() == id && siege.Distance(owner.Ship(), picture) <= lag(owner.Ship()) {
					sees++
				}
			}
		}
		if p.State() == bot.InGame && sees == len(m.players)-1 {
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
func besiege(t testing.TB, start siege.Start, sc *scenario, latency time.Duration) toll {
	m := newMatch(t, start, sc, latency)
	began, logged := m.Now, m.log
	joins := testdata.Either(20, 1)
	lasts := testdata.Either(max(2*time.Minute, 2*sc.lasts), sc.lasts)
	m.Ends = began.Add(lasts)
	if sc.crowd { // the only slot is free after the honest player has left
		m.run(lasts)
	}
	kept := m.kept()
	if sc.crowd {
		m.players[0].Leave()
		m.run(time.Second)
		m.Remove(m.players[0])
	} else {
		m.run(2 * time.Second)
	}
	for range joins {
		m.visit()
	}
	m.run(lasts - m.Now.Sub(began))
	if !sc.crowd {
		kept = m.kept()
	}
	seconds := m.Now.Sub(began).Seconds()
	r := toll{
		scenario: sc, latency: latency,
		rate: float64(m.FromAttacker) / seconds, amplification: float64(m.ToAttacker) / float64(max(1, m.FromAttacker)),
		players: len(m.players), kept: kept, joins: joins, joined: m.joined, slowest: m.slowest,
		log:     float64(m.log-logged) / seconds,
		relayed: m.relayed,
		memory:  siege.HeapWithout(func() { m.Server = siege.Server{} }),
	}
	runtime.KeepAlive(m)
	return r
}

// Suite attacks a server in many ways while honest bots play and join. In the long form, it prints the
// table in the documentation of the program server.
func Suite(t *testing.T, start siege.Start) {
	t.Helper()
	var tolls []toll
	for _, sc := range scenarios() {
		if sc.latencies == nil {
			sc.latencies = []time.Duration{0, 100 * time.Millisecond}
		}
		if testdata.UnderRace || !testdata.Long() {
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
