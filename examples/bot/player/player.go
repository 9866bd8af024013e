package player

import (
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
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
