// Package game is the match of the program server: ships, combat, scores, rounds, replies to
// browsers, and the commands of the console. Package join lets players join.
//
// A [Match] has no goroutine, clock or socket. With the same datagrams at the same times and the same
// source of peer IDs, it sends the same datagrams.
package game

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/bcwire/bcwire/examples/internal/damagelog"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// Options are the rules of a match. The zero value is a match for 8 players without limits, in which
// collisions do no damage.
type Options struct {
	// Host has the options of the Host. [New] sets its functions. Settings has the map, and CollisionDamage
	// and HostModem; Mission has the star system and the limits.
	Host join.HostOptions
	// Name is the name of the match in browsers.
	Name string
	// Pause is the time between two rounds.
	Pause time.Duration
	// Combat computes the damage of weapons and collisions. Strict refuses what no ship can do, instead of
	// noting it.
	Combat, Strict bool
	// AllShips sends the updates of all ships to all players, ten times a second.
	AllShips bool
	// StockBeacon sends heartbeats at the times of the game.
	StockBeacon bool
	// Port is the port of the match, for heartbeats. 0 means gamespy.DefaultPort.
	Port uint16
	// Heartbeat sends a heartbeat to a master server. The default sends none.
	Heartbeat func(datagram []byte)
	// Dropped is called for each message or query that has no effect, with a reason in a word or two.
	Dropped func(reason string)
	// Hit is called for each hit of a shot or a collision on the ship of a player, in the combat of this program.
	Hit func(damagelog.Hit)
	// Noted is called for each message or motion that a client of the game would hardly send.
	Noted func()
}

// Match is a match. Its methods Handle, Query, Tick and Close are functions for a udp.Handler. A Match is
// not safe for concurrent use.
type Match struct {
	*join.Host
	browsers
	combat
	options Options
	mission string // the name of the script
	limits  opcode.MissionInit
	log     *slog.Logger
	updates stateupdate.Broadcaster

	// Seconds of the game time.
	started time.Duration // the begin of the round
	restart time.Duration // the begin of the next round, after the end of this one

	ended    bool              // the round has ended
	finished map[string]result // of players who have left with a score, by name
	results  int               // how many have left with one
}

// player is a player in the game. It is the Value of its Member.
type player struct {
	*join.Member
	receiver *stateupdate.Receiver // of updates
	reports  *stateupdate.Tracker  // of the player about its ship
	ship     *stateupdate.Ship     // nil without a ship
	damage   []damage              // to the ship
	fleet    []objectid.ID         // the ship and those before it
	launched time.Duration         // when the ship was created
	side     opcode.Team           // of the ship, for the score
	collided struct {              // the last collision that the player has reported
		with objectid.ID
		at   time.Duration
	}
}

// New returns a match in which nobody is.
func New(now time.Time, o Options) *Match {
	if o.Heartbeat == nil {
		o.Heartbeat = func([]byte) {}
	}
	if o.Dropped == nil {
		o.Dropped = func(string) {}
	}
	if o.Hit == nil {
		o.Hit = func(damagelog.Hit) {}
	}
	if o.Noted == nil {
		o.Noted = func() {}
	}
	m := &Match{
		browsers: browsers{
			beacon:    gamespy.Beacon{Port: o.Port, Stock: o.StockBeacon},
			responder: gamespy.Responder{AnswerAll: true},
		},
		options: o, mission: cmp.Or(o.Host.Settings.Map.String(), "Multiplayer.Episode.Mission1.Mission1"), limits: o.Host.Mission,
		log: o.Host.Log, finished: map[string]result{},
	}
	m.limits.TimeLimit %= opcode.NoLimit
	m.limits.FragLimit %= opcode.NoLimit
	m.limits.PlayerLimit = cmp.Or(m.limits.PlayerLimit, 8)
	if m.log == nil {
		m.log = slog.New(slog.DiscardHandler)
	}
	m.arm()
	o.Host.Enter, o.Host.Message, o.Host.Leave = m.enter, m.message, m.leave
	o.Host.Dropped = func(_ *join.Member, reason string, _ error) { o.Dropped(reason) }
	m.Host = join.NewHost(now, o.Host)
	return m
}

// Tick does what is due. Call it ten times a second.
func (m *Match) Tick(now time.Time) {
	m.Host.Tick(now)
	m.checkRound()
	m.restoreLate()
	m.fight()
	m.refresh()
	m.updateShips()
	m.info = nil
	m.heartbeat(m.beacon.Due(now, &gamespy.ServerInfo{NumPlayers: len(m.Members()), GameMode: gamespy.ModePlaying}))
}

// Close informs the master server about the end of the server.
func (m *Match) Close(time.Time) { m.heartbeat(m.beacon.Exit()) }

// players returns the players in the game in the order of their slots.
func (m *Match) players() (all []*player) {
	for _, member := range m.Members() {
		if p, ok := member.Value.(*player); ok { // not while it enters
			all = append(all, p)
		}
	}
	return all
}

// LogValue returns that of the Member. The killer of a ship may be nil.
func (p *player) LogValue() slog.Value {
	if p == nil {
		return slog.StringValue("none")
	}
	return p.Member.LogValue()
}
