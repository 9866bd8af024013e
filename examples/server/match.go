package main

import (
	"cmp"
	"log/slog"
	"slices"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// match is a match: who plays, what flies, and how it stands. It is driven by the events
// of a hub and by time, and sends through the sessions of the hub.
type match struct {
	settings
	hub   *transport.Hub
	files *checksum.Server
	log   *slog.Logger
	stats *stats

	players map[*transport.Session]*player
	slots   [maxSlots]*player
	updates stateupdate.Broadcaster
	decoder opcode.Decoder
	buf     []byte

	now      time.Time
	began    time.Time // game time zero
	started  time.Time // of this round, from which the time limit counts
	ticked   time.Time
	ended    bool // the round is over
	closed   bool // nobody is let in any more
	reason   opcode.EndReason
	restart  time.Time // if so, when the next one begins
	finished []score   // of those who have left, to be given back

	strangers *rate.Limiter // log lines about clients that are not players
	unlogged  int           // lines that it held back
}

// stage is how far a player has come.
type stage uint8

const (
	checking stage = iota // its files are compared
	refused               // they differ; it leaves by itself, or is dismissed
	loading               // it has a slot and the settings, and builds the game
	proving               // it is ready, and has not shown yet that it receives
	inGame
)

// player is a client, from its acceptance to its end.
type player struct {
	session  *transport.Session
	slot     objectid.Slot // NoSlot: it has none yet
	name     string
	asked    string  // for this name
	echo     bool    // it is to be told the name that it asked for
	standIn  bool    // the name is not its own
	ip       [4]byte // as it says itself
	stage    stage
	deadline time.Time // of the stages before inGame
	pending  [][]byte  // payloads that came before the Acks of what it was sent

	slotSince  time.Time
	exchange   *checksum.ServerExchange
	budget     budget
	bootReason transport.BootReason // with which it is dismissed

	score    score
	team     team
	modem    bool                  // it is on one
	receiver *stateupdate.Receiver // of updates; nil before the game
	reports  *stateupdate.Tracker  // of the player about its ship
	ship     *stateupdate.Ship     // nil: it has none now
}

func (p *player) id() objectid.PeerID { return p.session.PeerID() }

// dismiss sends a player away. Its end comes as an event.
func (p *player) dismiss(reason transport.BootReason) {
	p.bootReason = reason
	p.session.Boot(reason)
}

// LogValue says who it is.
func (p *player) LogValue() slog.Value {
	if p == nil {
		return slog.StringValue("none")
	}
	return slog.GroupValue(slog.Int("peer", int(p.id())), slog.String("name", p.name), slog.Any("addr", p.session.Addr()))
}

func newMatch(now time.Time, s settings, hub *transport.Hub, files *checksum.Server, log *slog.Logger, st *stats) *match {
	return &match{
		settings: s, hub: hub, files: files, log: log, stats: st,
		players: map[*transport.Session]*player{},
		now:     now, began: now, started: now,
		strangers: rate.NewLimiter(1, 20),
	}
}

// handle does what an event asks for. Queries are not for it.
func (m *match) handle(now time.Time, e transport.Event) {
	m.now = now
	p := m.players[e.Session]
	switch {
	case e.Kind == transport.EventConnect:
		m.connect(e)
	case p == nil: // of a session that is over
	case e.Kind == transport.EventConnected:
		m.logStranger(p, "connected")
	case e.Kind == transport.EventProven:
		m.proven(p)
	case e.Kind == transport.EventSystem:
		m.nameChange(p, e.Body)
	case e.Kind == transport.EventPayload:
		m.payload(p, e.Payload)
	case e.Kind == transport.EventEnded:
		m.left(p, e)
	}
}

// tick does what is due: ships, limits, and players who do not come on.
func (m *match) tick(now time.Time) {
	m.now = now
	if !m.due(now) {
		return
	}
	m.ticked = now
	m.dismissLate()
	m.checkLimits()
	m.updateShips()
}

// due says whether it is time for a tick: after a while, or when the clock was set back.
func (m *match) due(now time.Time) bool {
	d := now.Sub(m.ticked)
	return d < 0 || d >= tick
}

// deadline returns when to call tick.
func (m *match) deadline() time.Time { return m.ticked.Add(tick) }

// gameTime returns the seconds on the clock of the match.
func (m *match) gameTime() float32 { return float32(m.now.Sub(m.began).Seconds()) }

// everybody returns the players in the game, in the order of their slots, except one who
// may be nil.
func (m *match) everybody(except *player) (all []*player) {
	for _, p := range m.slots {
		if p != nil && p != except && p.stage == inGame {
			all = append(all, p)
		}
	}
	return all
}

// find returns the player of a name, nil if there is none. Clients without a slot are not
// players yet.
func (m *match) find(name string) *player {
	i := slices.IndexFunc(m.slots[:], func(p *player) bool { return p != nil && p.name != "" && strings.EqualFold(p.name, name) })
	if i < 0 {
		return nil
	}
	return m.slots[i]
}

// byName orders players for lists.
func byName(a, b *player) int { return cmp.Compare(a.name, b.name) }
