package player

import (
	"errors"
	"fmt"
	"time"

	"github.com/bcwire/bcwire/examples/combat/model"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// State is the progress of a [Player]. The package documentation explains the states.
type State uint8

// The states, in their order.
const (
	Joining State = iota
	Joined
	InGame
	GameOver
	Closed
)

// ErrLeft means that a player has left.
var ErrLeft = errors.New("left")

// Client is a client of a match, such as a [*join.Client] or a udp.Conn.
type Client interface {
	State() join.State
	Send(m opcode.Message) error
	Speaker(m opcode.Message) objectid.PeerID
}

// Counters count the messages of a [Player].
type Counters struct {
	Received [256]uint64 // messages that were decoded, by opcode

	Malformed    uint64 // payloads that could not be decoded
	Inapplicable uint64 // messages about ships that could not be applied in full
	Unsent       uint64 // messages that the session has refused
}

// Player is a player in a match. See the package documentation for its use. It is not safe for
// concurrent use.
type Player struct {
	options  Options
	client   Client       // nil before the first event
	joining  *join.Client // the client, if the player has made it
	clock    clock
	state    State
	due      time.Duration // time of the next update in the state InGame, or of the next ship in Joined
	err      error
	counters Counters
	decoder  opcode.Decoder

	players join.State    // as last reported
	began   time.Duration // when the clock of the game was 0
	greeted bool
	flight  flight
}

// New returns a player that is Joining.
func New(now time.Time, o Options) *Player {
	o = o.complete()
	return &Player{
		options: o,
		clock:   clock{wall: now},
		due:     never,
		flight:  flight{Flight: new(stateupdate.Flight), world: new(model.World)},
		players: join.State{Self: join.Player{PeerID: objectid.NoPeer, Name: o.Name}},
	}
}

// Enter begins to play with a client in the game, whose events the caller passes to Handle.
func (p *Player) Enter(now time.Time, c Client) {
	p.clock.set(now)
	p.client = c
	p.follow()
}

// State returns the state of the player.
func (p *Player) State() State { return p.state }

// ID returns the peer ID of the player, or NoPeer before the host has accepted it.
func (p *Player) ID() objectid.PeerID { return p.players.Self.PeerID }

// Err returns the reason for which the player is Closed, or nil.
func (p *Player) Err() error { return p.err }

// Counters returns the counters of the player.
func (p *Player) Counters() Counters { return p.counters }

// Peers returns the names of the other players in the game. An unknown name is empty.
func (p *Player) Peers() map[objectid.PeerID]string {
	all := map[objectid.PeerID]string{}
	for _, other := range p.players.Other {
		all[other.PeerID] = other.Name
	}
	return all
}

// Handle handles an event. Unless the player has a client, the first event makes the player join over
// the session of the event.
func (p *Player) Handle(now time.Time, e transport.Event) {
	p.clock.set(now)
	if p.client == nil && e.Session != nil {
		c, err := join.NewClient(now, e.Session, p.options.Join(&p.decoder))
		if err != nil {
			p.Close(err)
			return
		}
		p.client, p.joining = c, c
	}
	var m opcode.Message
	var err error
	switch {
	case p.err != nil:
		return
	case p.joining != nil:
		m, err = p.joining.Handle(now, e)
	case e.Kind == transport.EventPayload:
		m, err = p.decoder.Decode(e.Payload)
	}
	if m == nil || p.concernsPlayers(m) {
		p.follow()
	}
	switch {
	case err != nil:
		p.counters.Malformed++
	case m != nil:
		p.counters.Received[m.Opcode()]++
		if p.err == nil && p.flight.pilot != nil {
			p.play(m)
		}
	}
}

// Tick sends the messages that are due.
func (p *Player) Tick(now time.Time) {
	p.clock.set(now)
	if p.joining != nil && p.state == Joining {
		p.joining.Tick(now)
		p.follow()
	}
	switch {
	case p.clock.now >= p.due:
		p.fly()
	case p.state != InGame && p.playing():
		p.advance() // requests
	}
}

// NextDeadline returns the time at which to call Tick, or the zero Time if nothing is due.
func (p *Player) NextDeadline() time.Time {
	switch {
	case p.joining != nil && p.state == Joining:
		return p.joining.NextDeadline()
	case p.playing():
		due := p.due
		if at, ok := p.flight.NextDeadline(); ok && p.state != InGame {
			due = min(due, p.began+at)
		}
		return p.clock.at(due)
	}
	return time.Time{}
}

func (p *Player) playing() bool { return p.state > Joining && p.state < Closed }

// Leave ends the player. The caller should then close the session.
func (p *Player) Leave() { p.Close(ErrLeft) }

// Close ends the player with an error. Err returns the first error.
func (p *Player) Close(err error) {
	if p.err == nil {
		p.err, p.state, p.due = err, Closed, never
	}
}

// Send sends a message of the game. It returns [transport.ErrNotOpen] before the first event and
// after the end, and otherwise the errors of the client.
func (p *Player) Send(m opcode.Message) error {
	err := transport.ErrNotOpen
	if p.client != nil && p.err == nil {
		err = p.client.Send(m)
	}
	if err != nil {
		p.counters.Unsent++
	}
	return err
}

// Say sends a line of chat to everybody.
func (p *Player) Say(text string) error {
	m, err := opcode.NewChatMessage(p.ID(), text)
	if err != nil {
		return err
	}
	return p.Send(m)
}

// greet sends the line of the options, once.
func (p *Player) greet() {
	if p.options.Say != "" && !p.greeted {
		p.greeted = p.Say(p.options.Say) == nil
	}
}

// maxLine is the largest number of characters in a reported line.
const maxLine = 512

// report reports what has happened. Nothing is reported after the end.
func (p *Player) report(format string, args ...any) {
	if p.options.Report != nil && p.err == nil {
		line := []rune(fmt.Sprintf(format, args...))
		p.options.Report(string(line[:min(len(line), maxLine)]))
	}
}

// never is later than any time of a clock.
const never = time.Duration(1 << 62)

// clock measures the time that has passed. It is monotonic, even if the times of the caller
// are not.
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

// at returns a time of the clock as a time of the caller, the zero Time for never.
func (c *clock) at(t time.Duration) time.Time {
	if t >= never {
		return time.Time{}
	}
	return c.wall.Add(t - c.now)
}
