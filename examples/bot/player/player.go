package player

import (
	"errors"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// Player is the client of a match, from its Connect to its end. See the package's
// documentation for how to drive it. It is not safe for concurrent use.
type Player struct {
	options  Options
	session  *transport.Session
	exchange *checksum.ClientExchange
	decoder  opcode.Decoder
	clock    clock
	buf      []byte

	state    State
	joinBy   time.Duration
	trouble  error // the last one while joining
	end      *End
	queue    queue
	counters Counters

	slot    int
	script  string        // of the mission
	loaded  time.Duration // when Settings came
	started float64       // and what they say about the time, in seconds
	mission *opcode.MissionInit

	ids    objectid.Allocator
	flight flight
	pickAt time.Duration
	talked bool
	said   string // the last line of chat, as sent

	peers  map[int32]*peer
	bySlot bool // the host has slots for peer IDs in names
	scores map[int32]Score
	others otherShips
}

// New returns a player that is about to connect. One with options that Validate refuses is
// [Closed] at once, for this reason.
func New(now time.Time, o Options) *Player {
	invalid := o.Validate()
	o = o.complete()
	request := transport.ConnectRequest{LocalIP: o.LocalIP, ConnID: o.ConnID}
	request.Password, _ = o.password() // else invalid
	if request.ConnID == 0 {
		request.ConnID = uint32(now.UnixNano()) ^ uint32(o.Seed)*0x9E3779B1
	}
	session, _ := transport.NewClient(now, request, o.Transport) // the longest password fits
	files := checksum.Client{Source: o.Files}
	p := &Player{
		options:  o,
		session:  session,
		exchange: files.NewExchange(),
		clock:    clock{wall: now},
		joinBy:   o.JoinTimeout,
		pickAt:   never,
		peers:    map[int32]*peer{},
		scores:   map[int32]Score{},
		others:   newOtherShips(),
	}
	if invalid != nil {
		p.finish(End{Reason: Broken, Err: invalid})
	}
	return p
}

// State returns how far the player has come.
func (p *Player) State() State { return p.state }

// ID returns the peer ID of the player, 0 if it has none yet.
func (p *Player) ID() int32 { return max(0, int32(p.session.PeerID())) }

// End returns why the player is [Closed], nil if it is not.
func (p *Player) End() *End { return p.end }

// Done reports whether the player is [Closed] and has nothing more to send: the Disconnect has
// been acknowledged, or is repeated no more.
func (p *Player) Done() bool { return p.end != nil && p.session.Flushed() }

// Counters returns what the player has done so far.
func (p *Player) Counters() Counters {
	c := p.counters
	c.LostEvents = p.queue.lost
	return c
}

// Transport returns the counters of the session with the host.
func (p *Player) Transport() transport.Counters { return p.session.Counters() }

// Receive takes a datagram of the host, deciphered.
func (p *Player) Receive(now time.Time, datagram []byte) {
	p.clock.set(now)
	p.session.Receive(now, datagram)
	p.handle()
}

// AppendDatagram does what is due and appends a datagram to dst if there is one to send,
// ready to encipher: call it until it appends nothing.
func (p *Player) AppendDatagram(dst []byte, now time.Time) []byte {
	p.clock.set(now)
	p.run()
	dst = p.session.AppendDatagram(dst, now)
	p.handle()
	return dst
}

// NextDeadline returns when to call AppendDatagram, if nothing happens before; the zero
// Time if there is nothing left to do.
func (p *Player) NextDeadline() time.Time {
	next, due := p.session.NextDeadline(), p.due()
	if at := p.clock.at(due); due != never && (next.IsZero() || at.Before(next)) {
		return at
	}
	return next
}

// Leave takes leave of the host: go on as before until [Player.Done].
func (p *Player) Leave(now time.Time) {
	p.clock.set(now)
	p.finish(End{Reason: Left})
}

// State is how far a [Player] has come.
type State uint8

// The states, in their order.
const (
	Connecting State = iota
	Checksums
	Loading
	Joined
	InGame
	GameOver
	Closed
)

// String returns the state in words, "answering checksums".
func (s State) String() string {
	return [...]string{
		"connecting", "answering checksums", "loading", "joined", "in game", "game over", "closed",
	}[min(s, Closed)]
}

// Counters count what a [Player] has done and seen.
type Counters struct {
	Sent     [256]uint64 // payloads, by opcode
	Received [256]uint64 // payloads that could be read, by opcode

	Malformed    uint64 // payloads that could not be read
	Inapplicable uint64 // messages about ships that are impossible, at least in part
	Unsent       uint64 // payloads for which the session had no room
	LostEvents   uint64 // events for which there was no room
}

func (c *Counters) sent(m opcode.Code, err error) {
	if err != nil {
		c.Unsent++
		return
	}
	c.Sent[m]++
}

// never is later than any time of a clock.
const never = time.Duration(1 << 62)

// clock counts the time that has passed. It does not go back when that of the caller does.
type clock struct {
	wall time.Time
	now  time.Duration
}

func (c *clock) set(now time.Time) {
	if passed := now.Sub(c.wall); passed > 0 {
		c.now += min(passed, never/2-c.now)
	}
	c.wall = now
}

// at returns a time as the caller counts it.
func (c *clock) at(t time.Duration) time.Time { return c.wall.Add(t - c.now) }

// handle does what the events of the session ask for.
func (p *Player) handle() {
	for e := range p.session.Events() {
		switch e.Kind {
		case transport.EventConnected:
			p.accepted()
		case transport.EventSystem:
			p.systemMessage(e.Body)
		case transport.EventPayload:
			p.payload(e.Payload)
		case transport.EventEnded:
			p.sessionEnded(&e)
		}
	}
}

func (p *Player) payload(b []byte) {
	m, err := p.decoder.Decode(b)
	if m == nil || err != nil && !errors.Is(err, stream.ErrTrailing) {
		p.counters.Malformed++
		return
	}
	p.counters.Received[m.Opcode()]++
	if boot, ok := m.(*opcode.BootPlayer); ok {
		p.openBCRefusal(boot)
		return
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

// event tells the caller what has happened. Nothing happens after the end.
func (p *Player) event(e Event) {
	if p.end == nil {
		p.queue.add(e, false)
	}
}

// run does what is due.
func (p *Player) run() {
	now := p.clock.now
	if p.state < Joined && now >= p.joinBy {
		p.finish(End{Reason: Stalled, Err: p.trouble})
	}
	if p.state == Joined && now >= p.pickAt {
		p.launch()
	}
	if p.state == InGame && now >= p.flight.due {
		p.tick()
	}
	if p.playing() {
		p.request()
	}
}

// due returns when run has something to do.
func (p *Player) due() time.Duration {
	due := never
	switch p.state {
	case Connecting, Checksums, Loading:
		due = p.joinBy
	case Joined:
		due = p.pickAt
	case InGame:
		due = p.flight.due
	}
	if p.playing() {
		due = min(due, p.others.due())
	}
	return due
}

func (p *Player) playing() bool { return p.state >= Joined && p.state != Closed }

// Why something cannot be done.
var (
	ErrNotJoined = errors.New("player: not joined")
	ErrNoShip    = errors.New("player: no ship")
)

// Send sends a message of the game, as its opcode is sent.
func (p *Player) Send(m opcode.Message) error {
	if !p.playing() {
		return ErrNotJoined
	}
	return p.send(m)
}

func (p *Player) send(m opcode.Message) error {
	payload, err := m.AppendBinary(p.buf[:0])
	if err == nil {
		p.buf = payload
		d := transport.Reliable
		if m.Opcode().Info().Unreliable {
			d = transport.Unreliable
		}
		err = p.session.Send(payload, d)
	}
	p.counters.sent(m.Opcode(), err)
	return err
}

// Say sends a line of chat to everybody.
func (p *Player) Say(text string) error {
	m, err := chat(p.ID(), text)
	if err != nil {
		return err
	}
	p.said = string(m.Text)
	return p.Send(m)
}

// greet says what the options have to say, once.
func (p *Player) greet() {
	if p.options.Say != "" && !p.talked {
		p.talked = p.Say(p.options.Say) == nil
	}
}

// SelfDestruct asks the host to destroy the player's ship.
func (p *Player) SelfDestruct() error {
	if p.flight.ship == nil {
		return ErrNoShip
	}
	return p.Send(&opcode.HostMessage{})
}

// Collide tells the host that the player's ship has hit another object, or with
// [objectid.None] an asteroid, on its nose, with a force.
func (p *Player) Collide(other objectid.ID, force float32) error {
	if p.flight.ship == nil {
		return ErrNoShip
	}
	nose := []compress.Contact{{Dir: compress.Vector3{Y: 127}, Mag: 255}}
	m, err := opcode.NewCollisionEffect(p.flight.ship.ID, other, nose, force)
	if err != nil {
		return err
	}
	return p.Send(m)
}
