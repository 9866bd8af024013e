package join

import (
	"cmp"
	"crypto/rand"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/internal/clock"
	"github.com/bcwire/bcwire/internal/limit"
	"github.com/bcwire/bcwire/internal/stock"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// HostOptions are the options of a [Host]. The zero value is a server for 8 players that accepts all
// files and relays the messages of its players. The functions may use the Host, and must not block.
type HostOptions struct {
	// Hub has the options of the Hub. MaxSessions has the default 64, and MaxPerIP 4. In Hub.Session, SendTimeout has
	// the default 45 s. The Host also reads random bytes of Rand.
	Hub transport.HubOptions
	// Password is the password that clients must send, if it is not empty.
	Password string
	// Files compares the files of clients. If it is nil, all files are accepted.
	Files *checksum.Server
	// Settings are for all players. The Host sets GameTime, PlayerSlot and the new name. An empty Map is
	// "Multiplayer.Episode.Mission1.Mission1".
	Settings opcode.Settings
	// Mission has the limits that players are told. PlayerLimit is the largest number of players, 1 to 16, with those of
	// [Host.AddPlayer]; the default is 8. A System of 0 becomes [opcode.SystemMulti1], and a TimeLimit or FragLimit of 0
	// becomes [opcode.NoLimit]. The Host sets EndTime. The program ends the match at the limits; see [Host.End].
	Mission opcode.MissionInit
	// Ships makes the Host follow the ships of the players, with classes such as stateupdate.Stock(). The Host then sends
	// newcomers the ships of the others, sets Member.Ship, sends the updates of all ships, and removes the ship of a
	// player who leaves or takes another one. A ship is gone when the program broadcasts its DestroyObject or explosion.
	// If Ships is nil, the program must follow the ships and send their updates, or the players see nobody move.
	Ships stateupdate.Catalogue
	// Reserved is the number of players, of those in Mission.PlayerLimit, that only [Host.AddPlayer] adds. Clients
	// get the others.
	Reserved int
	// Decoder decodes the messages of clients. A program registers the messages of mods with it, which need a method
	// Authorize; see [opcode.Authorize]. The default knows the messages of the game.
	Decoder *opcode.Decoder
	// LoadTimeout is the time that a client has to load the mission. The default is 2 minutes. Idle is
	// the time without a message of the game after which a player is kicked. The default is never.
	// Keepalives are no messages of the game.
	LoadTimeout, Idle time.Duration

	// Enter is called when a player enters the game, before the other players are told. It can send the
	// ships of the other players to the newcomer, and set its score, which the Host then sends to all.
	Enter func(m *Member)
	// Message is called with each message of a player in the game that [opcode.Authorize] and
	// [opcode.Validate] accept. Its shots and lines of chat have the sender's peer ID, and its ships the sender's
	// name. Lines of chat are without control characters. The message is valid until Message returns. Call
	// [Host.Relay] to accept and relay it. Without this call, the message changes nothing, and the sender of a
	// TeamMessage is told its team. The default relays all messages.
	Message func(from *Member, m opcode.Message)
	// Leave is called when a player has left the game, before the other players are told. It can
	// remove the player's ship. The reason is EndBooted if the program or the Host has kicked the player.
	Leave func(m *Member, end transport.EndReason)
	// Dropped is called for each payload of a client that has no effect, with a reason in a word or
	// two, such as "rate" or "forged". The error has the details, such as the field, or is nil.
	Dropped func(m *Member, reason string, err error)
	// Log logs who joins and leaves. Dropped payloads have the level Debug. The default logs nothing.
	Log *slog.Logger
}

// Host lets clients join, and relays the messages of the players in the game. Pass the events of its Hub to Handle, and
// call Tick about ten times a second.
type Host struct {
	clock   clock.Clock
	options HostOptions
	hub     *transport.Hub
	rand    io.Reader
	log     *slog.Logger
	decoder *opcode.Decoder
	encoder opcode.Encoder
	scratch []byte    // of encoder
	leaving []*Member // whose Leave is called: one, or more if that ends other sessions

	slots    [objectid.Slots]*Member
	fleet    stateupdate.Broadcaster // the ships of the players, if the Host follows them
	started  time.Duration           // of the round
	over     bool                    // the round has ended
	reason   opcode.EndReason
	networks limit.Table
	accounts limit.Accounts
	waiting  []waiting    // Connects between two rounds, oldest first
	joinLog  limit.Bucket // limits the log lines about clients that are not in the game
	unlogged int          // lines beyond the limit
}

// Member is a client of a [Host] from its Connect to its end, or a player of [Host.AddPlayer]. It is the Value of its
// session.
type Member struct {
	// Player has the Slot NoSlot before Settings. The Host sets all but the score, which it sets to 0 at a
	// restart. It sets Team, and Modem below, when the program relays the player's message; see [Host.Relay].
	Player
	// Session is the session of the client. Its Boot kicks the client, and the other players are told the
	// reason. The Session of a player of AddPlayer has no client, and discards what is sent; see [transport.Hub.Local].
	Session *transport.Session
	// Value belongs to the program.
	Value any
	// Ship is the player's ship, or None. The program sets it without HostOptions.Ships, so that [opcode.Authorize]
	// knows it.
	Ship objectid.ID
	// Modem is set if the client claims to be on a modem. The game then sends fewer StateUpdates.
	Modem bool

	stage    stage
	deadline time.Duration // of the stages before inGame
	active   time.Duration // when the last payload arrived
	loading  time.Duration // when the client has got its slot
	exchange *checksum.ServerExchange
	account  *limit.Account
	outbox   *outbox  // nil if nothing has waited
	held     [][]byte // payloads that arrived before the password was tried
	asked    string   // the name that the client has asked for
	sentName string   // the last name that the Host has sent to the client
	ip       [4]byte  // that the client claims to have

	// Of a player in the game, if the Host follows ships. The times in the messages of a player are of one clock, so each
	// player has a Tracker.
	tracker  *stateupdate.Tracker
	receiver *stateupdate.Receiver
}

// stage is the progress of a client.
type stage uint8

const (
	connecting stage = iota // the address may be forged
	untried                 // the password has not been tried
	refused                 // the password is wrong
	checking                // the files are compared
	loading                 // the client has a slot and loads the mission
	inGame
	gone
)

// Defaults of the options.
const (
	defaultPlayers = 8
	loadTimeout    = 2 * time.Minute
	perNetwork     = 4
	// sessionsInAll is about half of the peer IDs. Clients that connect at the same time then have
	// different IDs, even if somebody opens as many sessions as possible.
	sessionsInAll = 64
)

// NewHost returns a Host with a new Hub.
func NewHost(now time.Time, o HostOptions) *Host {
	o.Hub.MaxSessions = orDefault(o.Hub.MaxSessions, sessionsInAll)
	o.Hub.MaxPerIP = orDefault(o.Hub.MaxPerIP, perNetwork)
	session := &o.Hub.Session
	// A client that has received nothing for this time has given up the host.
	session.SendTimeout = orDefault(session.SendTimeout, 45*time.Second)
	o.Settings, o.Mission = complete(o.Settings, o.Mission)
	o.LoadTimeout = orDefault(o.LoadTimeout, loadTimeout)
	if o.Files == nil {
		o.Files = &checksum.Server{Policy: checksum.AcceptAll}
	}
	if o.Hub.Rand == nil {
		o.Hub.Rand = rand.Reader
	}
	if o.Decoder == nil {
		o.Decoder = &opcode.Decoder{}
	}
	h := &Host{
		clock: clock.Clock{Wall: now}, options: o, hub: transport.NewHub(now, o.Hub), rand: o.Hub.Rand, log: o.Log, decoder: o.Decoder,
		networks: newNetworks(), accounts: newAccounts(),
	}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	return h
}

// complete returns a mission with the defaults.
func complete(s opcode.Settings, m opcode.MissionInit) (opcode.Settings, opcode.MissionInit) {
	if s.Map = slices.Clone(s.Map); len(s.Map) == 0 {
		s.Map = stream.Text(stock.Mission)
	}
	m.PlayerLimit = min(cmp.Or(m.PlayerLimit, defaultPlayers), objectid.Slots)
	m.System = cmp.Or(m.System, opcode.SystemMulti1)
	m.TimeLimit = cmp.Or(m.TimeLimit, opcode.NoLimit)
	m.FragLimit = cmp.Or(m.FragLimit, opcode.NoLimit)
	return s, m
}

// orDefault returns the option, or the default if the option is zero or negative.
func orDefault[N int | time.Duration](option, standard N) N {
	if option > 0 {
		return option
	}
	return standard
}

// Hub returns the Hub of the Host. The Host uses the Value of its sessions.
func (h *Host) Hub() *transport.Hub { return h.hub }

// Handle handles an event of the Hub. It is a function for udp.Handler.
func (h *Host) Handle(now time.Time, e transport.Event) {
	h.clock.Set(now)
	if e.Kind == transport.EventConnect {
		h.onConnect(e)
		return
	}
	if e.Session == nil {
		return
	}
	m, ok := e.Session.Value.(*Member)
	switch {
	case !ok: // another client has its slot
	case e.Kind == transport.EventConnected:
		h.logJoin(m, "connected")
		h.onConnected(m)
	case e.Kind == transport.EventSystem:
		if change, ok := e.Body.(*transport.NameChange); ok {
			h.onNameChange(m, change)
		}
	case e.Kind == transport.EventPayload:
		h.onPayload(m, e.Payload)
	case e.Kind == transport.EventEnded:
		h.leave(m, e.End, e.Body)
	}
}

// Tick kicks the clients that are too slow and idle players, accepts or refuses the clients that wait for a round, and
// sends the updates of the ships. Call it about ten times a second. It is a function for udp.Handler.
func (h *Host) Tick(now time.Time) {
	h.clock.Set(now)
	h.kickLate()
	h.sendWaiting()
	h.tryWaiting()
	h.admitWaiting()
	h.sendUpdates()
}

// GameTime returns the time on the clock of the game, which begins with [NewHost].
func (h *Host) GameTime() time.Duration { return h.clock.Now }

// Members returns the players in the game in the order of their slots.
func (h *Host) Members() []*Member { return h.others(nil) }

// others returns the players in the game except one, who may be nil.
func (h *Host) others(except *Member) (all []*Member) {
	for _, m := range h.slots {
		if m != nil && m != except && m.stage == inGame {
			all = append(all, m)
		}
	}
	return all
}

// find returns the first client with a slot for which is returns true, or nil.
func (h *Host) find(is func(*Member) bool) *Member {
	for _, m := range h.slots {
		if m != nil && is(m) {
			return m
		}
	}
	return nil
}

// Broadcast sends a message to the players in the game.
func (h *Host) Broadcast(m opcode.Message) {
	h.forget(m)
	h.Send(m, h.Members()...)
}

// Send sends a message to players, with the delivery of its opcode. It logs a message that does not
// encode. A reliable message waits while a player has not acknowledged enough of the earlier ones; see the section "Who
// pays" of the package. Send kicks a player who cannot keep up with what the Host itself says.
func (h *Host) Send(m opcode.Message, to ...*Member) { h.send(m, nil, to...) }

// send sends a message on the account of a player, or if that is nil, of the one whom the message is about.
func (h *Host) send(m opcode.Message, by *Member, to ...*Member) {
	payload, err := h.encoder.Append(h.scratch[:0], m)
	if err != nil {
		h.log.Error("message not sent", "message", m, "error", err)
		return
	}
	h.scratch = payload
	d := DeliveryOf(m)
	var waits parcel
	for _, p := range to {
		if d != transport.Reliable {
			_ = p.Session.Send(payload, d)
			continue
		}
		if now := (parcel{payload: payload}); p.outbox.empty() && now.send(p.Session) {
			continue
		}
		if waits.payload == nil {
			waits = h.classify(m, by)
			waits.payload = slices.Clone(payload)
		}
		h.queue(p, waits)
	}
}

// pays returns the account that pays for what is about a player: the Host pays for the players of the program, and for a
// client without a slot.
func (m *Member) pays() int {
	if m.ofHost() || m.Slot == objectid.NoSlot {
		return hostAccount
	}
	return int(m.Slot)
}

// queue adds a message to what waits for a player.
func (h *Host) queue(to *Member, p parcel) {
	if to.Session.Ended() {
		return
	}
	if to.outbox == nil {
		to.outbox = new(outbox)
	}
	if !to.outbox.add(p) {
		h.log.Warn("cannot keep up", "player", to)
		to.Session.Boot(transport.BootTimeout)
	}
}

// sendSystem tells players the name of another one, who enters if it is not in the game yet, or that it has left. It
// waits as other messages do.
func (h *Host) sendSystem(body transport.Body, of *Member, to ...*Member) {
	p := parcel{account: of.pays(), of: of, body: body, loss: presence}
	if of.stage < inGame {
		p.enters = of
	}
	for _, to := range to {
		if !to.outbox.empty() || !p.send(to.Session) {
			h.queue(to, p)
		}
	}
}

// End ends the round, for example at a limit. The players stay. Clients that connect wait up to 40 s
// for the next round. A second call has no effect.
func (h *Host) End(reason opcode.EndReason) {
	if h.over {
		return
	}
	h.log.Info("end", "reason", reason)
	h.over, h.reason = true, reason
	h.Broadcast(&opcode.EndGame{Reason: reason})
}

// Restart begins the next round, with scores of 0 and without ships.
func (h *Host) Restart() {
	h.log.Info("restart")
	h.begin()
	h.Broadcast(&opcode.RestartGame{})
}

// NextMission begins the next round with other options HostOptions.Settings and Mission. It disconnects the clients that
// have the old ones: those in the game, and those that load the mission. A client that joins again, that waits for the
// round, or whose files are being compared gets the new ones. The budgets of networks and the players of
// [Host.AddPlayer] stay, with scores of 0 and without ships. Leave is called for each client in the game.
//
// The game has no message for this: a stock host must end the game to host another mission, which disconnects its
// clients (scripts MissionMenusShared.py and Mission1Menus.py).
func (h *Host) NextMission(s opcode.Settings, m opcode.MissionInit) {
	h.options.Settings, h.options.Mission = complete(s, m)
	h.log.Info("next mission", "map", h.options.Settings.Map, "system", h.options.Mission.System)
	h.begin()
	old := slices.DeleteFunc(slices.Clone(h.slots[:]), func(m *Member) bool { return m == nil || m.ofHost() })
	for _, m := range old { // first all: nobody is told that the others leave
		m.Session.Close()
	}
	for _, m := range old {
		if m.stage != gone { // Leave may call NextMission
			h.leave(m, transport.EndClosed, nil)
		}
	}
}

// begin begins a round.
func (h *Host) begin() {
	h.over, h.started = false, h.clock.Now
	for _, m := range h.slots {
		if m != nil {
			h.loseShip(m)
			m.Kills, m.Deaths, m.Points = 0, 0, 0
		}
	}
}

// LogValue implements [slog.LogValuer]. It returns the peer ID, the name and the address.
func (m *Member) LogValue() slog.Value {
	return slog.GroupValue(slog.Int("peer", int(m.PeerID)), slog.String("name", m.Name), slog.Any("addr", m.Session.Addr()))
}

// logJoin logs a line about a client that is not in the game. Anybody can connect many times a second,
// so the number of lines is limited. The next line has the number of missing lines.
func (h *Host) logJoin(m *Member, message string, args ...any) {
	h.logLimited(message, append([]any{"player", m}, args...)...)
}

// logPlayer logs a line about a player in the game. Beyond the limit of the player's account, it is one of the lines about
// clients that are not in the game.
func (h *Host) logPlayer(m *Member, message string, args ...any) {
	if !m.account.Take(h.clock.Now, lines, 1) {
		h.logJoin(m, message, args...)
		return
	}
	h.log.Info(message, append([]any{"player", m}, args...)...)
}

func (h *Host) logLimited(message string, args ...any) {
	if !h.joinLog.Take(h.clock.Now, limit.Rate{Interval: time.Second, Burst: 20}, 1) {
		h.unlogged++
		return
	}
	if h.unlogged > 0 {
		args = append(args, "unlogged", h.unlogged)
		h.unlogged = 0
	}
	h.log.Info(message, args...)
}
