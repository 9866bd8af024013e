package simulation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"net/netip"
	"strings"
	"time"

	"github.com/bcwire/bcwire/checksum"
	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// peer is somebody who wants to play, and starts a bot again and again.
type peer struct {
	s       *simulation
	n       int
	name    string
	dialect Dialect
	rng     *rand.Rand
	files   *checksum.Manifest

	*process           // nil: none runs
	starts   time.Time // when to start the next one
	port     uint16    // of the next process
	said     int       // lines of chat
	talks    time.Time // when to say the next one
	acts     time.Time
	trouble  time.Time // until then, the connection may end for a reason that is not its fault
	skew     time.Duration
	weather  siege.Weather
	lag      time.Duration // of the link, in each direction
	lags     time.Time     // until then
	cut      time.Time     // the end of a partition
	resumes  time.Time     // when a paused process goes on
	inbox    [][]byte      // of a paused process
}

// process is a bot: the session, the client and the player, as in the program bot.
type process struct {
	addr    netip.AddrPort
	session *transport.Session
	client  *join.Client
	player  *bot.Player // nil before the client is in the game
	decoder opcode.Decoder
	bot     bot.Options
	flown   [history]sample // ring
	flights int
	ended   bool
	leaving bool // says so
	flushed patience
	*connection
}

// sample is the state of a ship at an update.
type sample struct {
	at   time.Time
	id   objectid.ID
	ship stateupdate.Ship // without subsystems
}

// history is the number of updates of the own ship that a process remembers.
const history = 64

var classes = stateupdate.Stock()[:15]

// counts256 reports whether a connection counts modulo 256, as with OpenBC. A message looks new if it is 128
// messages late, or of an earlier connection.
func (p *peer) counts256() bool { return p.dialect == LikeOpenBC || p.s.dialect == LikeOpenBC }

// inGame reports whether the player has a ship.
func (p *peer) inGame() bool {
	return p.process != nil && p.player != nil && p.player.State() == bot.InGame
}

// ID and Ship implement [siege.Victim].
func (p *peer) ID() objectid.PeerID { return p.player.ID() }

// Ship returns the ship of the player, or nil.
func (p *peer) Ship() *stateupdate.Ship { return p.player.Ship() }

// time returns the time on the clock of the process.
func (p *peer) time() time.Time { return p.s.Now.Add(p.skew) }

// paused reports whether the process does nothing.
func (p *peer) paused() bool { return p.s.Now.Before(p.resumes) }

// start starts a process on another port.
func (p *peer) start() {
	s := p.s
	p.port++
	p.lag, p.lags = 0, time.Time{} // nobody joins over such a link
	ip := netip.AddrFrom4([4]byte{10, 1, byte(p.n), 2})
	session, err := transport.NewClient(p.time(), transport.ConnectRequest{
		LocalIP: ip.As4(), ConnID: p.rng.Uint32(), Password: siege.SystemText(s.T, s.password),
	}, p.dialect.options())
	if err != nil {
		s.fail("a client cannot start: %v", err)
	}
	x := &process{
		addr: netip.AddrPortFrom(ip, 20000+p.port%1000), session: session,
		bot: bot.Options{Name: p.name, Ship: classes[p.rng.IntN(len(classes))], Fire: s.on(Fight), Seed: p.rng.Uint64(), Files: p.files},
	}
	x.connection = s.connect(p, x)
	p.process = x
	x.client, err = join.NewClient(p.time(), session, x.bot.Join(&x.decoder))
	if err != nil {
		s.fail("a client cannot start: %v", err)
	}
	s.place(p, x.addr)
}

// stop ends the process without a word.
func (p *peer) stop() {
	if p.process == nil {
		return
	}
	p.connection.gone = true
	p.s.unplace(p)
	p.process, p.inbox, p.resumes = nil, nil, time.Time{}
}

// Receive implements [siege.Client].
func (p *peer) Receive(_ time.Time, datagram []byte) {
	switch {
	case p.process == nil:
	case p.paused():
		if len(p.inbox) < 200 { // the buffer of a socket
			p.inbox = append(p.inbox, datagram)
		}
	default:
		p.receive(datagram)
	}
}

func (p *peer) receive(datagram []byte) {
	p.session.Receive(p.time(), datagram)
	p.handle()
}

// AppendDatagram implements [siege.Client].
func (p *peer) AppendDatagram(dst []byte, _ time.Time) []byte {
	if p.process == nil || p.paused() {
		return dst
	}
	for _, d := range p.inbox {
		p.receive(d)
	}
	p.inbox = nil
	now := p.time()
	p.client.Tick(now)
	p.handle()
	if p.player != nil {
		p.player.Tick(now)
		p.checkEnd()
	}
	n := len(dst)
	dst = p.session.AppendDatagram(dst, now)
	p.handle()
	if len(dst) > n && p.dialect == LikeOpenBC {
		inOpenBC(dst[n:])
	}
	return dst
}

// handle passes the events of the session on, like the program bot.
func (p *peer) handle() {
	for e := range p.session.Events() {
		p.connection.delivered(e)
		if e.Kind == transport.EventConnected && p.dialect == LikeOpenBC {
			// The session learns that its host is of OpenBC, and counts like one.
			p.session.Receive(p.time(), openBCSign(objectid.Host))
		}
		_, _ = p.client.Handle(p.time(), e) // the player counts malformed messages
		if p.player != nil {
			p.player.Handle(p.time(), e)
		} else if e.Kind == transport.EventPayload {
			p.enter()
		}
		if e.Kind == transport.EventEnded {
			p.ended = true
		}
	}
	p.checkEnd()
}

// enter lets the player play if the client is in the game.
func (p *peer) enter() {
	if state := p.client.State(); state.Stage == join.StageInGame {
		p.player = bot.New(p.time(), p.bot)
		p.player.Enter(p.time(), link{p.client, p})
		p.connection.entered = p.s.Now
	}
}

// checkEnd closes the session of a player who has ended.
func (p *peer) checkEnd() {
	if p.player != nil && p.player.Err() != nil && !p.leaving {
		p.leaving = true
		p.session.Close()
	}
}

// link is the connection of a player, which the checkers observe.
type link struct {
	*join.Client
	p *peer
}

// Send implements player.Client.
func (l link) Send(m opcode.Message) error {
	err := l.Client.Send(m)
	p := l.p
	if err != nil {
		return err
	}
	if m.Opcode() == opcode.OpStateUpdate {
		p.flights++
		at := &p.flown[p.flights%history]
		*at = sample{at: p.s.Now, ship: *p.player.Ship()}
		at.ship.Subsystems = nil
		at.id = at.ship.ID
		return nil
	}
	p.connection.sent(m)
	return nil
}

// say says a line that nobody has said before.
func (p *peer) say(long bool) {
	p.said++
	text := fmt.Sprintf("%s line %d.%d", p.name, p.port, p.said)
	if long {
		text += strings.Repeat("!", opcode.MaxChat-len(text))
	}
	if p.player.Say(text) == nil {
		p.s.truth.said[text] = p.name
	}
}

// seen reports whether a state of a ship on another machine is one that the process has flown lately,
// within the rounding of the codec.
func (x *process) seen(now time.Time, ship *stateupdate.Ship) bool {
	for i := range x.flown {
		f := &x.flown[i]
		if f.id != ship.ID || now.Sub(f.at) > 2*time.Second {
			continue
		}
		far := false
		for k := range f.ship.Position {
			d := float64(f.ship.Position[k] - ship.Position[k])
			far = far || math.Abs(d) > rounding*max(1, math.Abs(float64(ship.Speed))/7)
		}
		if !far && f.ship.Speed == ship.Speed {
			return true
		}
	}
	return false
}

// rounding is the error of a position that is encoded twice as a difference from one a second before: of
// seven units, the most without a collision with a ship whose speed was damaged, with a direction in 127ths and a length with a mantissa of 12 bits, along an axis.
const rounding = 0.15
