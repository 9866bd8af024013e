package simulation

import (
	"log/slog"
	"math/rand/v2"
	"net/netip"
	"strconv"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/examples/server/game"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// host is the process of the server.
type host struct {
	s       *simulation
	game    *game.Match
	number  int
	starts  time.Time // when a crashed server starts again
	resumes time.Time // when a paused one goes on
	inbox   []arrival
	dropped []string // reasons, during an event
}

type arrival struct {
	from     netip.AddrPort
	datagram []byte
}

func (h *host) down() bool { return !h.starts.IsZero() }
func (h *host) runs() bool { return !h.down() && !h.s.Now.Before(h.resumes) }

// keep keeps a datagram for a paused server, in the buffer of its socket.
func (h *host) keep(from netip.AddrPort, datagram []byte) {
	if len(h.inbox) < 500 {
		h.inbox = append(h.inbox, arrival{from, datagram})
	}
}

// resume handles the datagrams of a pause.
func (h *host) resume() {
	for _, a := range h.inbox {
		h.s.receive(a.from, a.datagram)
	}
	h.inbox = nil
}

const pause = 15 * time.Second // between two rounds

// startServer starts the server, which knows nothing of an earlier one.
func (s *simulation) startServer() {
	number := 0
	if s.host != nil {
		number = s.host.number + 1
	}
	h := &host{s: s, number: number}
	s.host = h
	rng := s.plan.rand(forPeerIDs)
	var key [32]byte
	for i := range key {
		key[i] = byte(rng.Uint32())
	}
	key[0] += byte(number)
	o := game.Options{
		Host: join.HostOptions{
			Hub:      transport.HubOptions{Session: s.dialect.options(), Rand: rand.NewChaCha8(key), RandomPeerIDs: rng.IntN(4) == 0},
			Password: s.password, Log: slog.New(&s.log),
			Settings: opcode.Settings{CollisionDamage: true, HostModem: s.on(Modem), Map: stream.Text("Multiplayer.Episode.Mission1.Mission1")},
			Mission:  opcode.MissionInit{PlayerLimit: objectid.Slots},
		},
		Name: "simulated", Pause: pause, Port: siege.ServerAddr.Port(),
		Dropped: func(reason string) { h.dropped = append(h.dropped, reason) },
	}
	if s.on(Combat) {
		o.Combat, o.Strict, o.Noted = true, s.strict(), func() {}
	}
	if s.on(Files) {
		o.Host.Files = &checksum.Server{Manifest: checksum.Vanilla()}
	}
	if rounds := &s.faults[Rounds]; rounds.on {
		o.Host.Mission.TimeLimit = uint8(1 + 4*rounds.strength)
		o.Host.Mission.FragLimit = uint8(1 + float64(10*rounds.strength))
	}
	h.game = game.New(s.ServerTime(), o)
	s.Server = siege.Server{Host: h.game.Host, Handler: udp.Handler{Event: h.event, Tick: h.game.Tick, Query: h.game.Query, Close: h.game.Close}}
	s.spoiled = s.spoiled || s.unsure()
	s.all, s.events, s.damaged, s.forged, s.reused, s.mixed = &match.Match{Events: true}, nil, false, false, false, false
	s.datagrams = nil
	s.truth = truth{
		said: s.truth.said, accepted: s.truth.accepted, refused: s.truth.refused, ships: map[objectid.ID][]string{}, kills: map[string]int32{}, fallen: map[string]int32{}, joined: map[string]time.Time{},
		names: map[objectid.PeerID]string{}, former: map[objectid.PeerID]string{},
	}
	if s.truth.said == nil {
		s.truth.said, s.truth.accepted, s.truth.refused = map[string]string{}, map[string]bool{}, map[string]time.Time{}
	}
}

// connectionOf returns the connection of a player's process with a session, or nil for a stranger.
func (h *host) connectionOf(session *transport.Session) *connection {
	if session == nil {
		return nil
	}
	c := h.s.byAddr[session.Addr()]
	if c == nil || c.server != nil && c.server != session || c.session.PeerID() != session.PeerID() {
		return nil
	}
	return c
}

// browser queries the server now and then.
type browser struct {
	s    *simulation
	next time.Time
}

// Receive implements [siege.Client].
func (b *browser) Receive(_ time.Time, datagram []byte) {
	if !transport.IsGameSpy(datagram) {
		b.s.fail("the server sends a browser %x", datagram)
	}
	m, err := gamespy.Parse(datagram)
	if err != nil {
		b.s.fail("the reply to a query: %v", err)
	}
	if n := len(b.s.host.game.Members()); b.s.quiet && n == b.s.members && b.s.Now.Sub(b.s.changed) > 2*round { // the reply was on its way
		for _, pair := range m.Pairs {
			if want := strconv.Itoa(n); pair.Key == "numplayers" && pair.Value != want {
				b.s.fail("a browser sees %s players, not %s", pair.Value, want)
			}
		}
	}
}

// AppendDatagram implements [siege.Client].
func (b *browser) AppendDatagram(dst []byte, now time.Time) []byte {
	if now.Before(b.next) {
		return dst
	}
	rng := b.s.faults[Browsers].Rand
	b.next = now.Add(5*time.Second + time.Duration(rng.IntN(20))*time.Second)
	return append(dst, []string{`\status\`, `\info\`, `\basic\`, `\players\`, `\rules\`}[rng.IntN(5)]...)
}
