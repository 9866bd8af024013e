package main

import (
	"errors"
	"log/slog"
	"time"

	"golang.org/x/time/rate"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

const tick = time.Second / 10

// match is the state of a match. Its methods event, query, tick and close are the functions of a
// udp.Handler. They get the time and need no socket, so tests run a match in virtual time.
type match struct {
	options
	browsers
	hub     *transport.Hub
	files   *checksum.Server
	log     *slog.Logger
	stats   *stats
	encoder opcode.Encoder
	scratch []byte // of encoder
	slots   [objectid.Slots]*player
	updates stateupdate.Broadcaster
	decoder opcode.Decoder
	buf     []byte // of a payload that is encoded again

	now      time.Time
	began    time.Time // zero of the game time
	started  time.Time // of the round
	ended    bool      // the round has ended
	reason   opcode.EndReason
	restart  time.Time        // of the next round, after the end of this one
	closed   bool             // the server shuts down
	finished map[string]score // of players who have left, by name
	networks networks
	waiting  []waiting     // Connects between two rounds, oldest first
	joinLog  *rate.Limiter // limits the log lines about clients that are not in the game
	unlogged int           // lines beyond the limit
}

// stage is a stage of the join of a client.
type stage uint8

const (
	checking stage = iota // the files are compared
	loading               // the client has a slot and loads the game
	proving               // the client is ready, and has not acknowledged MissionInit
	inGame
)

// player is a client from its Connect to its end. It is the Value of its session.
type player struct {
	session  *transport.Session
	slot     objectid.Slot // NoSlot until the files are compared
	stage    stage
	deadline time.Time // of the stages before proving
	active   time.Time // when the last payload arrived
	exchange *checksum.ServerExchange
	limits   limits

	loadingSince time.Time
	collided     struct { // the last collision that the player has reported
		with objectid.ID
		at   time.Time
	}
	boot transport.BootReason // for the other players, if the player is kicked

	name     string  // of the player in the match, or ""
	asked    string  // the name that the client has asked for
	sentName string  // the last name that the host has sent to the client
	ip       [4]byte // that the client claims to have
	score    score
	team     opcode.Team           // TeamNone before the player chooses one
	modem    bool                  // the client claims to be on a modem
	receiver *stateupdate.Receiver // of updates, in the game
	reports  *stateupdate.Tracker  // of the player about its ship
	ship     *stateupdate.Ship     // nil without a ship
}

func newMatch(now time.Time, o options, files *checksum.Server, log *slog.Logger) *match {
	hub := transport.NewHub(now, transport.HubOptions{
		MaxPerIP: o.perIP, RandomPeerIDs: o.randomIDs, Rand: o.rand,
		Session: transport.Options{
			HandshakeTimeout: 10 * time.Second,
			SendTimeout:      45 * time.Second, // a client that has received nothing for this time has given up the host
			MaxQueue:         1280,             // as much as players may cause, and a window: it is small while the first number above 255 is not acknowledged
		},
	})
	return &match{
		options: o, hub: hub, files: files, log: log, stats: newStats(),
		browsers: browsers{beacon: gamespy.Beacon{Stock: o.stockBeacon, Pause: gamespy.HeartbeatPause}, responder: gamespy.Responder{AnswerAll: true}},
		now:      now, began: now, started: now, finished: map[string]score{}, networks: networks{}, joinLog: rate.NewLimiter(1, 20),
	}
}

// event handles an event of the Hub.
func (m *match) event(now time.Time, e transport.Event) {
	m.now = now
	if e.Kind == transport.EventConnect {
		m.connect(e)
		return
	}
	p, ok := e.Session.Value.(*player)
	switch {
	case !ok: // another client has its slot
	case e.Kind == transport.EventConnected:
		m.logJoin(p, "connected")
	case e.Kind == transport.EventProven:
		if p.stage == proving {
			m.enter(p)
		}
		m.echoName(p)
	case e.Kind == transport.EventSystem:
		m.nameChange(p, e.Body)
	case e.Kind == transport.EventPayload:
		m.payload(p, e.Payload)
	case e.Kind == transport.EventEnded:
		m.leave(p, e.End)
	}
}

func (m *match) tick(now time.Time) {
	began := time.Now()
	m.now = now
	m.kickLate()
	m.checkRound()
	m.admitWaiting()
	m.updateShips()
	m.info = nil
	n := len(m.players(nil))
	m.heartbeat(m.beacon.Due(now, &gamespy.ServerInfo{NumPlayers: n, GameMode: gamespy.ModePlaying}))
	m.stats.ticked(time.Since(began), n, m.hub.Counters())
}

func (m *match) close(time.Time) {
	m.heartbeat(m.beacon.Exit())
	m.closed = true
}

// gameTime returns the seconds on the clock of the game.
func (m *match) gameTime() float32 { return float32(m.now.Sub(m.began).Seconds()) }

// players returns the players in the game in the order of their slots, except one who may be nil.
func (m *match) players(except *player) (all []*player) {
	for _, p := range m.slots {
		if p != nil && p != except && p.stage == inGame {
			all = append(all, p)
		}
	}
	return all
}

// find returns the first client with a slot for which is returns true, or nil.
func (m *match) find(is func(*player) bool) *player {
	for _, p := range m.slots {
		if p != nil && is(p) {
			return p
		}
	}
	return nil
}

// send sends a message reliably to some players.
func (m *match) send(msg opcode.Message, to ...*player) {
	payload, err := m.encoder.Append(m.scratch[:0], msg)
	if err != nil {
		m.log.Error("message not sent", "message", msg, "error", err)
		return
	}
	m.scratch = payload
	for _, p := range to {
		if m.sent(p, p.session.Send(payload, transport.Reliable)) {
			m.stats.sent.WithLabelValues(msg.Opcode().String()).Inc()
		}
	}
}

func (m *match) sendSystem(body transport.Body, to ...*player) {
	for _, p := range to {
		m.sent(p, p.session.SendSystem(body))
	}
}

// sent reports whether a message was sent. It kicks a player whose queue is full.
func (m *match) sent(to *player, err error) bool {
	switch {
	case errors.Is(err, transport.ErrQueueFull):
		m.log.Warn("cannot keep up", "player", to, "error", err)
		to.boot = transport.BootTimeout
		to.session.Boot(to.boot)
	case err != nil && !errors.Is(err, transport.ErrNotOpen): // the session has ended
		m.log.Error("message not sent", "player", to, "error", err)
	}
	return err == nil
}

// logJoin logs a line about a client that is not in the game. Anybody can connect many times a
// second, so the number of lines is limited. The next line has the number of missing lines.
func (m *match) logJoin(p *player, message string, args ...any) {
	m.logLimited(message, append([]any{"player", p}, args...)...)
}

// logGuess logs a wrong password.
func (m *match) logGuess(message string, e transport.Event) { m.logLimited(message, "addr", e.Addr) }

func (m *match) logLimited(message string, args ...any) {
	if !m.joinLog.AllowN(m.now, 1) {
		m.unlogged++
		return
	}
	if m.unlogged > 0 {
		args = append(args, "unlogged", m.unlogged)
		m.unlogged = 0
	}
	m.log.Info(message, args...)
}

func (p *player) id() objectid.PeerID { return p.session.PeerID() }

// LogValue returns the peer ID, the name and the address.
func (p *player) LogValue() slog.Value {
	if p == nil {
		return slog.StringValue("none")
	}
	return slog.GroupValue(slog.Int("peer", int(p.id())), slog.String("name", p.name), slog.Any("addr", p.session.Addr()))
}
