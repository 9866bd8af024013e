package match

import (
	"cmp"
	"time"

	"github.com/bcwire/bcwire/internal/openbc"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// Link is the state of a link between a client and a server.
type Link struct {
	Client, Server string // as in [Datagram]
	// Match is the number of the match that the server plays, from 0, and -1 before the first readable
	// message. Each server and each restart has a new number.
	Match int
	// Player is the player of the client, or nil if it is unknown.
	Player *Player
	// ToHost and FromHost are what the client and the host have sent since the link began.
	ToHost, FromHost Traffic
	// Ships are the ships as seen on the link, since its last connection began. A client can change only
	// the motion of ships, and create ships. The caller must not modify the tracker.
	Ships *stateupdate.Tracker

	server *server
	index  int    // in Match.indices
	first  uint64 // number of the first datagram
	used   uint64 // number of the last datagram

	self     objectid.PeerID // of the client, 0 if unknown
	assigned bool            // the host has assigned self
	begun    bool            // the Connect was observed
	settings bool            // the host has sent Settings on this connection
	trial    bool            // a Connect has arrived that the host may ignore, because the client has a connection
	offer    objectid.PeerID // that the host has assigned since, or 0
	cause    string          // of the leave, if the Connect is the client's
	since    time.Duration   // when the connection or the link began
	replied  time.Duration   // when the host accepted the connection
	joined   time.Duration   // when the host announced to the client that it is in the game, or 0
	over     bool            // the connection has ended
	heard    time.Duration   // of the clock, when the client sent the last datagram
	newest   number          // of the last message with which the client has created a ship
	parted   [128]number     // of the last message of the system channel that has announced a leave, by peer ID

	observer transport.Observer
	signs    openbc.Signs
	tracker  stateupdate.Tracker
	motion   opcode.StateUpdate // of a client, without subsystems
}

type linkKey struct{ client, server string }

// Traffic is what one side of a link has sent.
type Traffic struct {
	Datagrams uint64
	// Reliable is the number of different reliable messages and fragments of the game. Duplicates is
	// how often one was seen again. Their ratio shows loss on the network, or a slow receiver. Gaps is
	// the number of sequence numbers that were skipped: messages that the capture has missed.
	Reliable, Duplicates, Gaps uint64
	// Heard is the time of the last datagram.
	Heard time.Duration
	// RoundTrip is the last time from a message of the other side to the Ack of this side, 0 if there is
	// none. It includes the time for which this side waits before it sends an Ack.
	RoundTrip time.Duration

	next    uint16 // sequence number
	counted bool   // next is known
}

// Pending returns the number of partial payloads on the link, and the bytes of their fragments.
func (l *Link) Pending() (payloads, bytes int) { return l.observer.Pending() }

// traffic returns what the sender of a datagram has sent.
func (l *Link) traffic(fromHost bool) *Traffic {
	if fromHost {
		return &l.FromHost
	}
	return &l.ToHost
}

// maxGap is the largest number of messages that a capture may miss at once. A larger step is another
// connection, or OpenBC, which counts modulo 256.
const maxGap = 64

// count counts a message.
func (t *Traffic) count(o *transport.Observation, now time.Time) {
	switch {
	case o.Type == transport.TypeAck:
		if trip, ok := o.Acked.RoundTrip(now); ok {
			t.RoundTrip = trip
		}
		return
	case o.Type != transport.TypeData || !o.Reliable:
		return
	case o.Verdict == transport.VerdictDuplicate:
		t.Duplicates++
		return
	case o.Verdict != transport.VerdictComplete && o.Verdict != transport.VerdictStored:
		return
	}
	t.Reliable++
	step := int16(o.Seq - t.next)
	switch {
	case !t.counted || step > maxGap || step < -maxGap:
		t.next, t.counted = o.Seq+1, true
	case step >= 0:
		t.Gaps += uint64(step)
		t.next = o.Seq + 1
	case t.Gaps > 0 && !(o.Fragment && step == -1): // a message that is late; not the next fragment
		t.Gaps--
	}
}

// overfull reports whether the link has too many partial payloads after a message. A link of the game has few.
func (l *Link) overfull(o *transport.Observation) bool {
	if o.Verdict != transport.VerdictStored {
		return false
	}
	_, bytes := l.Pending()
	return bytes > maxPending
}

// restart forgets the numbers of a connection.
func (t *Traffic) restart() { t.counted = false }

// shared reports whether the datagrams of several clients may be on the link.
func (l *Link) shared() bool { return l.Client == "" }

// link returns the link of a datagram.
func (m *Match) link(d *Datagram) *Link {
	recent := &m.recent[0]
	if n := len(d.Client); n > 0 {
		recent = &m.recent[int(d.Client[n-1])%len(m.recent)] // numbers and ports differ in the last digit
	}
	if l := *recent; l != nil && l.Client == d.Client && l.Server == d.Server {
		return l
	}
	l := m.links[linkKey{d.Client, d.Server}]
	if l == nil {
		l = m.addLink(d)
	}
	*recent = l
	return l
}

func (m *Match) addLink(d *Datagram) *Link {
	if m.links == nil {
		m.links = make(map[linkKey]*Link)
	}
	s := m.serverOf(d.Server)
	index := 0
	for i, l := range m.indices {
		if l == nil {
			index = i
			break
		}
		if before := m.indices[index]; cmp.Or(cmp.Compare(l.worth(), before.worth()), cmp.Compare(l.used, before.used)) < 0 {
			index = i
		}
	}
	m.forget(m.indices[index])
	l := &Link{Client: d.Client, Server: d.Server, Match: s.match, server: s, index: index, first: m.count, since: m.clock.now}
	l.tracker.Classes, l.tracker.MaxShips, l.tracker.MaxUnknown = m.Classes, maxTracked, maxUnknown
	l.Ships = &l.tracker
	m.indices[index], m.links[linkKey{d.Client, d.Server}] = l, l
	return l
}

// worth returns more for a link that stays longer. Strangers can use any number of addresses. They do not displace a
// player in the game, nor, with addresses to which the host does not reply, a client that joins.
func (l *Link) worth() int {
	switch p := l.Player; {
	case p != nil && p.InGame && l.live() && l.server.now()-l.heard < window:
		return 2
	case l.FromHost.Datagrams > 0:
		return 1
	}
	return 0
}

// forget forgets a link. Its player stays.
func (m *Match) forget(l *Link) {
	if l == nil {
		return
	}
	delete(m.links, linkKey{l.Client, l.Server})
	m.indices[l.index] = nil
	for i := range m.recent {
		if m.recent[i] == l {
			m.recent[i] = nil
		}
	}
	l.server.forgetLink(l)
}

// live reports whether the link carries the connection of its player.
func (l *Link) live() bool { return l != nil && !l.over }

// request follows a Connect. If a player is on the link, anybody may have forged the Connect, and the host then
// ignores it: the connection begins when the client uses the peer ID that the host has assigned.
func (l *Link) request() {
	p := l.Player
	if l.shared() || p == nil || p.left || l.over || l.FromHost.Datagrams == 0 {
		l.connect()
		return
	}
	l.trial, l.offer, l.cause = true, 0, l.server.guess(p)
	l.server.m.step.Message.NewConnection = false
}

// connect begins a connection of the client.
func (l *Link) connect() {
	s := l.server
	s.m.step.Message.NewConnection = true
	if p := l.Player; p != nil && !l.shared() {
		if l.trial && !p.left {
			s.leave(p, l.cause)
		}
		s.dropped(p)
		l.detach()
	}
	l.self, l.assigned, l.begun, l.settings, l.over, l.since = 0, false, true, false, false, s.m.clock.now
	l.trial, l.offer, l.joined, l.newest, l.parted = false, 0, 0, 0, [128]number{}
	l.ToHost.restart()
	l.FromHost.restart()
	if !l.shared() {
		l.tracker.Reset()
		s.doubt(l)
	}
}

// detach separates the link from its player.
func (l *Link) detach() {
	if l.Player != nil && l.Player.Link == l {
		l.Player.Link = nil
	}
	l.Player = nil
}

// attach makes a player the player of the link.
func (l *Link) attach(p *Player) {
	if l.Player != p {
		l.detach()
	}
	if p.Link != nil && p.Link != l {
		p.Link.Player = nil
	}
	l.Player, p.Link = p, l
	if l.begun && !p.entered {
		p.seen = true
	}
}
