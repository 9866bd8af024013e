package match

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/bcwire/bcwire/internal/openbc"
	"github.com/bcwire/bcwire/objectid"
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
	// Stranger reports that no datagram of the link has been of the game. The Match keeps nothing of such a link.
	Stranger bool
	// ToHost and FromHost are what the client and the host have sent since the link began.
	ToHost, FromHost Traffic
	// Ships are the ships as seen on the link, since its last connection began. A client can change only
	// the motion of ships, and create ships. The caller must not modify the tracker.
	Ships *stateupdate.Tracker

	server *server
	first  uint64 // number of the first datagram
	used   uint64 // number of the last datagram

	state     linkState
	again     attempt         // of a client that has a connection
	self      objectid.PeerID // of the client, 0 if unknown
	offer     objectid.PeerID // that the host has assigned last, or 0
	promised  time.Duration   // when the host has assigned it first
	begun     bool            // the Connect was observed
	repeats   *repeats        // of a shared link
	settings  bool            // the host has sent Settings on this connection
	cause     string          // of the leave, if the Connect is the client's
	since     time.Duration   // when the connection or the link began
	ready     time.Duration   // when the client has said that it is in the game, or since
	entered   time.Duration   // when the host announced to the client that it is in the game, or the link began
	heard     time.Duration   // of the clock, when the client sent the last datagram
	hostHeard time.Duration   // of the clock, when the host sent the last datagram

	from, to [2]channel // of the host, and of the client
	view     view

	observer transport.Observer
	signs    openbc.Signs
	tracker  stateupdate.Tracker
}

// linkState is the state of a connection.
type linkState uint8

const (
	middle   linkState = iota // began before the capture, or only the client is observed
	asked                     // the client has sent a Connect
	offered                   // the host has assigned a peer ID
	declined                  // the host has answered the Connect without a peer ID
	accepted                  // the client uses the peer ID
	ended
)

// attempt is a Connect from the address of a client that has a connection. Anybody may have forged it.
type attempt uint8

const (
	noAttempt attempt = iota
	asking
	answered // with the peer ID Link.offer
)

// Indices of channels.
const (
	systemChannel = iota
	gameChannel
)

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

// channel returns a channel of a side.
func (l *Link) channel(fromHost, system bool) *channel {
	i := gameChannel
	if system {
		i = systemChannel
	}
	if fromHost {
		return &l.from[i]
	}
	return &l.to[i]
}

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
	step := int16(o.Number - t.next)
	switch {
	case !t.counted || step > maxAhead || step < -maxBack:
		t.next, t.counted = o.Number+1, true
	case step >= 0:
		t.Gaps += uint64(step)
		t.next = o.Number + 1
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

// shared reports whether the datagrams of several clients may be on the link.
func (l *Link) shared() bool { return l.Client == "" }

// over reports whether the connection has ended.
func (l *Link) over() bool { return l.state == ended }

// link returns the link of a datagram. A link begins with a datagram of the game.
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
		if !transport.IsGame(d.Data) || d.FromHost != (d.Data[0] == byte(objectid.Host)) {
			return m.strangerOf(d)
		}
		l = m.addLink(d)
	}
	*recent = l
	return l
}

// strangerOf returns a link of which nothing is kept, on a server of its own. It displaces nothing.
func (m *Match) strangerOf(d *Datagram) *Link {
	l := &m.stranger
	*l = Link{Client: d.Client, Server: d.Server, Match: -1, Ships: &l.tracker, Stranger: true, server: &m.nowhere}
	m.nowhere.m = m
	return l
}

func (m *Match) addLink(d *Datagram) *Link {
	if m.links == nil {
		m.links = make(map[linkKey]*Link)
	}
	s := m.serverOf(d.Server)
	if len(m.unproven) == maxUnproven {
		m.unproven = slices.DeleteFunc(m.unproven, func(l *Link) bool { return l.worth() == proven })
	}
	if len(m.unproven) == maxUnproven {
		m.forget(least(slices.Values(m.unproven)))
	}
	if len(m.links) == maxLinks {
		m.forget(least(maps.Values(m.links)))
	}
	l := &Link{Client: d.Client, Server: d.Server, Match: s.match, server: s, first: m.count, since: m.clock.now, entered: m.clock.now}
	l.tracker.Classes, l.tracker.MaxShips, l.tracker.MaxUnknown = m.Classes, maxTracked, maxUnknown
	l.Ships, l.view.begun, l.view.round, l.view.ended = &l.tracker, true, s.round, s.ended
	m.links[linkKey{d.Client, d.Server}] = l
	s.links, m.unproven = append(s.links, l), append(m.unproven, l)
	return l
}

// proven is the worth of the link of a player in the game.
const proven = 3

// least returns the link that is forgotten first.
func least(links iter.Seq[*Link]) (least *Link) {
	for l := range links {
		if least == nil || cmp.Or(cmp.Compare(l.worth(), least.worth()), cmp.Compare(l.used, least.used)) < 0 {
			least = l
		}
	}
	return least
}

// worth returns more for a link that stays longer. Strangers can use any number of addresses. They displace neither a
// player in the game nor a client that has read the reply of the host.
func (l *Link) worth() int {
	switch p := l.Player; {
	case p != nil && p.InGame && !l.over():
		return proven
	case p != nil && l.state == accepted:
		return 2
	case l.FromHost.Datagrams > 0:
		return 1
	}
	return 0
}

// forget forgets a link. Its player stays. A server without a link and without a player is forgotten, too.
func (m *Match) forget(l *Link) {
	if l == nil {
		return
	}
	delete(m.links, linkKey{l.Client, l.Server})
	for i := range m.recent {
		if m.recent[i] == l {
			m.recent[i] = nil
		}
	}
	l.detach()
	s := l.server
	same := func(other *Link) bool { return other == l }
	s.links, m.unproven = slices.DeleteFunc(s.links, same), slices.DeleteFunc(m.unproven, same)
	for _, x := range s.ships {
		if x.source == l {
			x.source = nil
		}
	}
	if len(s.links) == 0 && len(s.roster) == 0 {
		m.forgetServer(s)
	}
}

// request handles a Connect, a message of the observer. If a player is on the link, anybody may have forged the
// Connect, and the host then ignores it: the connection begins when the client uses the peer ID that the host has
// assigned.
func (l *Link) request(o *transport.Observation) {
	p := l.Player
	if l.shared() || p == nil || p.state.over() || l.FromHost.Datagrams == 0 {
		l.begin(asked)
		return
	}
	l.again, l.offer, l.cause = asking, 0, l.server.guess(p)
	o.NewConnection = false
}

// begin begins a connection of the client.
func (l *Link) begin(state linkState) {
	s := l.server
	s.m.step.Message.NewConnection = true
	if p := l.Player; p != nil && !l.shared() {
		if l.again != noAttempt {
			s.leave(p, l.cause)
		}
		s.leave(p, s.guess(p))
		l.detach()
	}
	l.state, l.again, l.self, l.begun, l.settings, l.since = state, noAttempt, 0, true, false, s.now()
	l.ready = l.since
	l.ToHost.counted, l.FromHost.counted = false, false
	l.from, l.to = [2]channel{}, [2]channel{}
	if !l.shared() {
		l.tracker.Reset()
		l.view = view{round: s.round, ended: s.ended}
	}
}

// detach separates the link from its player.
func (l *Link) detach() {
	if l.Player != nil && l.Player.Link == l {
		l.Player.Link = nil
	}
	l.Player = nil
}

// identify finds the player of the link, and reports whether a datagram of the client counts. It does not
// if it has the peer ID of another player, or if the host does not answer the client although
// it answers others: the host ignores the client.
func (l *Link) identify(peer objectid.PeerID) bool {
	s := l.server
	switch {
	case s.heard && l.FromHost.Datagrams == 0, !peer.Valid(), peer == objectid.Host:
		return false
	case l.shared():
		if l.holder(peer, "") == nil {
			l.newcomer(peer, "")
		}
		return true
	case l.self == peer:
		return true
	case l.again == answered && l.offer == peer: // the client has restarted
		l.begin(offered)
	case l.state == accepted, l.state == declined, l.state == ended:
		return false
	case l.state == offered && l.offer == peer && !l.stale(peer):
	case l.state == offered, l.heldElsewhere(peer):
		return false
	}
	l.assign(peer)
	return true
}

// stale reports whether the host has given the peer ID that it has assigned to another client since.
func (l *Link) stale(peer objectid.PeerID) bool {
	p := l.server.present(peer)
	return p != nil && p.Link != nil && p.since > l.promised
}

// heldElsewhere reports whether the client of another link uses a peer ID.
func (l *Link) heldElsewhere(peer objectid.PeerID) bool {
	p := l.server.present(peer)
	return p != nil && p.Link != nil && p.Link.ToHost.Datagrams > 0 && l.server.now()-p.Link.heard < silence
}

// assign makes the player with a peer ID the player of the link, which has none: one whose own link is not observed and
// who came after the connection began, because the host tells nobody of a client before it has accepted it, or a new
// one.
func (l *Link) assign(peer objectid.PeerID) {
	s := l.server
	p := s.present(peer)
	if p == nil || p.Link != nil || p.since < l.since && l.begun {
		p = s.begin(peer)
	}
	s.succeed(p)
	if l.begun {
		p.began = l.since
	}
	l.self, l.state = peer, accepted
	l.Player, p.Link = p, l
	l.sit(&l.view.system, p)
	l.sit(&l.view.game, p)
}
