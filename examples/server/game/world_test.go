package game

import (
	"bytes"
	"io"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// The parts of package siege, which these tests use all over.
type (
	guest   = siege.Guest
	robot   = siege.Robot
	crew    = siege.Crew
	weather = siege.Weather
)

const (
	step = siege.Step
	tick = siege.Tick
)

var (
	marshal    = siege.Marshal
	systemText = siege.SystemText
	newBot     = siege.NewBot
)

// last returns the last message of a type that a guest has heard.
func last[M opcode.Message](g *guest) M { return siege.Last[M](g) }

// world is a siege.World with a match, whose parts the tests see.
type world struct {
	*siege.World
	T     testing.TB
	match *Match
	drops map[string]int
	noted int
	log   *logTarget
}

// logTarget is where the log of a match goes.
type logTarget struct{ slog.Handler }

// WithAttrs implements [slog.Handler].
func (l *logTarget) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup implements [slog.Handler].
func (l *logTarget) WithGroup(string) slog.Handler { return l }

// options are the options of a match that tests set. Zero values are those of the flags, but collisions
// do no damage, and there is no pause.
type options struct {
	name, mission, password string
	maxPlayers, perIP       int
	timeLimit, fragLimit    int
	system                  opcode.System
	pause, idle             time.Duration
	rand                    io.Reader
	randomIDs               bool
	collisions, modem       bool
	allShips, stockBeacon   bool
	combat, strict          bool
	master                  string
}

// newWorld returns a world with a match.
func newWorld(t testing.TB, o options, files *checksum.Server) *world {
	t.Helper()
	w := &world{T: t, drops: map[string]int{}, log: &logTarget{slog.DiscardHandler}}
	host := join.HostOptions{
		Hub:      transport.HubOptions{MaxPerIP: o.perIP, RandomPeerIDs: o.randomIDs, Rand: o.rand},
		Password: o.password, Files: files, Idle: o.idle, Log: slog.New(w.log),
		Settings: opcode.Settings{CollisionDamage: o.collisions, HostModem: o.modem, Map: stream.Text(o.mission)},
		Mission: opcode.MissionInit{
			PlayerLimit: uint8(o.maxPlayers), System: o.system, TimeLimit: uint8(o.timeLimit), FragLimit: uint8(o.fragLimit),
		},
	}
	w.World = siege.NewWorld(t, func(now time.Time, host join.HostOptions) siege.Server {
		g := Options{
			Host: host, Name: o.name, Pause: o.pause, AllShips: o.allShips, StockBeacon: o.stockBeacon, Port: siege.ServerAddr.Port(),
			Dropped: func(reason string) { w.drops[reason]++ }, Noted: func() { w.noted++ }, Combat: o.combat, Strict: o.strict,
		}
		if o.master != "" {
			g.Heartbeat = func(b []byte) { _, _ = w.Transmit(b, netip.MustParseAddrPort(o.master)) }
		}
		w.match = New(now, g)
		return server(w.match)
	}, host)
	return w
}

// server returns a match as a server.
func server(m *Match) siege.Server {
	return siege.Server{Host: m.Host, Handler: udp.Handler{Event: m.Handle, Query: m.Query, Tick: m.Tick}}
}

// start starts a match for the attacks of package siege.
func start(now time.Time, o join.HostOptions) siege.Server {
	return server(New(now, Options{Host: o, Pause: 15 * time.Second, Combat: true}))
}

func TestMain(m *testing.M) {
	testdata.Overlap(8)
	m.Run()
}

// logTo returns what the match logs from now on, all of it.
func logTo(w *world) *bytes.Buffer {
	var b bytes.Buffer
	w.log.Handler = slog.NewTextHandler(&b, &slog.HandlerOptions{Level: slog.LevelDebug})
	return &b
}

// dropped returns how many messages the match has dropped for a reason.
func dropped(w *world, reason string) int { return w.drops[reason] }

// in returns the player in a slot, or nil.
func (w *world) seat(slot objectid.Slot) *player {
	for _, p := range w.match.players() {
		if p.Slot == slot {
			return p
		}
	}
	return nil
}

// named returns the player with a name, or nil.
func (w *world) named(name string) *player {
	for _, p := range w.match.players() {
		if p.Name == name {
			return p
		}
	}
	return nil
}
