package player

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// Link is the connection of a player with a host: such as a [*udp.Conn].
type Link interface {
	PeerID() objectid.PeerID
	OpenBC() bool
	SendPayload(payload []byte, d transport.Delivery) error
	SendSystem(body transport.Body) error
}

// sessionLink is a session as a Link.
type sessionLink struct{ *transport.Session }

func (l sessionLink) SendPayload(payload []byte, d transport.Delivery) error {
	return l.Send(payload, d)
}

// Player is the client of a match. See the package documentation for its use. It is not safe
// for concurrent use.
type Player struct {
	options  Options
	link     Link // nil while Connecting
	id       objectid.PeerID
	clock    clock
	state    State
	due      time.Duration // time of the next update in the state InGame, or the end of another state
	err      error
	counters Counters
	decoder  opcode.Decoder
	encoder  opcode.Encoder
	buf      []byte

	joining joining
	match   match
	chat    chat
	peers   map[objectid.PeerID]*peer
	bySlot  bool // NameChange messages of the host have slots instead of peer IDs
	scores  map[objectid.PeerID]score
	ids     objectid.Allocator
	flight  flight
	others  otherShips
}

// New returns a player that is Connecting.
func New(now time.Time, o Options) *Player {
	o = o.complete()
	return &Player{
		options: o,
		id:      objectid.NoPeer,
		clock:   clock{wall: now},
		due:     o.JoinTimeout,
		joining: joining{exchange: checksum.Client{Manifest: o.Files}, stalled: errStalled},
		match:   match{system: opcode.SystemMulti1},
		peers:   map[objectid.PeerID]*peer{},
		scores:  map[objectid.PeerID]score{},
		others:  otherShips{tracker: stateupdate.Tracker{MaxShips: maxShips, MaxUnknown: maxUnknown}},
	}
}

// State returns the state of the player.
func (p *Player) State() State { return p.state }

// ID returns the peer ID of the player, or NoPeer while Connecting.
func (p *Player) ID() objectid.PeerID { return p.id }

// Err returns the reason for which the player is Closed, or nil.
func (p *Player) Err() error { return p.err }

// Counters returns the counters of the player.
func (p *Player) Counters() Counters { return p.counters }

// Handle handles an event of the link. The EventConnected of a session makes the player join
// over that session.
func (p *Player) Handle(now time.Time, e transport.Event) {
	p.clock.set(now)
	switch e.Kind {
	case transport.EventConnected:
		p.Join(now, sessionLink{e.Session}, netip.Addr{})
	case transport.EventPayload:
		p.payload(e.Payload)
	case transport.EventSystem:
		p.systemMessage(e.Body)
	case transport.EventEnded:
		p.Close(&udp.EndError{Reason: e.End, Body: e.Body})
	}
}

func (p *Player) payload(b []byte) {
	m, err := p.decoder.Decode(b)
	if err != nil {
		p.counters.Malformed++
		if p.state < Joined {
			p.joining.fault(err)
		}
		return
	}
	p.counters.Received[m.Opcode()]++
	if boot, ok := m.(*opcode.BootPlayer); ok { // OpenBC
		p.end(&udp.EndError{Err: udp.ErrRefused, Refusal: &opcode.BootPlayer{Reason: boot.Reason}})
	}
	switch p.state {
	case Checksums:
		p.check(m)
	case Loading:
		p.load(m)
	case Joined, InGame, GameOver:
		p.play(m)
	}
}

// Tick sends the messages that are due.
func (p *Player) Tick(now time.Time) {
	p.clock.set(now)
	if p.clock.now >= p.due {
		switch p.state {
		case Joined:
			p.launch()
		case InGame:
			p.fly()
		default:
			p.Close(p.joining.stalled)
		}
	}
	if p.playing() {
		p.request()
	}
}

// NextDeadline returns the time at which to call Tick, or the zero Time if nothing is due.
func (p *Player) NextDeadline() time.Time {
	due := p.due
	if p.playing() {
		due = min(due, p.others.due())
	}
	return p.clock.at(due)
}

func (p *Player) playing() bool { return p.state >= Joined && p.state != Closed }

// Leave ends the player. The caller should then close the link.
func (p *Player) Leave() {
	if p.state < Joined {
		p.Close(errLeftEarly)
		return
	}
	p.end(ErrLeft)
}

// Close ends the player with an error, such as the error of [udp.Conn.Receive]. Err returns the
// first error; if the player had not joined, with its state.
func (p *Player) Close(err error) {
	if p.state < Joined {
		err = fmt.Errorf("%w: %v", err, p.state)
	}
	p.end(err)
}

func (p *Player) end(err error) {
	if p.err == nil {
		p.err, p.state, p.due = err, Closed, never
	}
}

// Send sends a message of the game, with the delivery of its opcode. It returns ErrNotConnected
// before Join and after the end, and otherwise the errors of the link.
func (p *Player) Send(m opcode.Message) error {
	if p.link == nil || p.err != nil {
		return ErrNotConnected
	}
	p.chat.host.Observe(m, p.id)
	d := transport.Reliable
	if m.Opcode().Info().Unreliable {
		d = transport.Unreliable
	}
	payload, err := p.encoder.Append(p.buf[:0], m)
	if err == nil {
		p.buf = payload
		err = p.link.SendPayload(payload, d)
	}
	return p.sent(m.Opcode(), err)
}

// sent counts a message that was sent, or was not because of an error.
func (p *Player) sent(code opcode.Code, err error) error {
	if err != nil {
		p.counters.Unsent++
	} else {
		p.counters.Sent[code]++
	}
	return err
}

// report reports what has happened. Nothing is reported after the end.
func (p *Player) report(format string, args ...any) {
	if p.options.Report != nil && p.err == nil {
		line := []rune(fmt.Sprintf(format, args...))
		p.options.Report(string(line[:min(len(line), maxLine)]))
	}
}

// maxLine is the largest number of characters in a reported line.
const maxLine = 512
