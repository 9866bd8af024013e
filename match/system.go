package match

import (
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// reply handles the peer ID that the host assigns to the client, who has it as soon as it uses it. A host may assign an
// ID to several clients; the first that uses it gets it.
func (l *Link) reply(peer objectid.PeerID) {
	if !peer.Valid() || peer == objectid.Host {
		return
	}
	switch {
	case l.shared():
		p := l.server.begin(peer)
		l.server.succeed(p)
		l.sit(&l.view.system, p)
		l.sit(&l.view.game, p)
	case l.state == accepted && (l.again == noAttempt || l.self != peer):
		if l.again == noAttempt {
			l.cause = l.server.guess(l.Player)
		}
		l.again, l.offer, l.promised = answered, peer, l.server.now()
	default:
		if l.state != asked && l.state != offered {
			l.begin(offered)
		}
		l.state, l.offer, l.promised = offered, peer, l.server.now()
	}
}

// reassigned reports whether a retransmitted reply assigns another peer ID. A host that has given up a client
// replies so to the next retransmission of the same Connect.
func (l *Link) reassigned(b *transport.ConnectReply) bool {
	return l.state == offered && b.PeerID != l.offer
}

// decline handles a Boot of the client itself.
func (l *Link) decline(b *transport.Boot) {
	switch {
	case l.again != noAttempt: // only the Connect is refused
		l.again = noAttempt
	case l.Player != nil:
		l.server.leave(l.Player, reasonOf(b))
	default:
		l.state = declined
	}
}

func reasonOf(b *transport.Boot) string {
	if b.Reason == transport.BootTimeout {
		return timedOut
	}
	return kicked
}

// deliver handles a message in the order of its channel.
func (l *Link) deliver(x *message) {
	switch {
	case !x.system && x.game == nil:
	case !x.system && x.fromHost:
		if !l.repeated(x) {
			l.signs.Follow(l.observer.Host(), x.game, l.self)
			l.onHost(x)
		}
	case !x.system:
		l.onClient(x)
	case x.fromHost:
		l.onHostSystem(x)
	default:
		l.onClientSystem(x)
	}
}

// onClientSystem handles what a client sends on the system channel.
func (l *Link) onClientSystem(x *message) {
	s, p := l.server, l.sender(x.peer)
	if p == nil {
		return
	}
	switch b := x.body.(type) {
	case *transport.NameChange:
		p.claim, p.claimedAt = clip(b.Name.String()), x.at
		if !s.heard || len(p.names.list) == 0 && (p.Name == "" || p.state == guest) { // until the host names the player
			s.rename(p, p.claim)
		}
	case *transport.Disconnect, nil:
		s.part(p)
	}
}

// onHostSystem handles what the host sends on the system channel.
func (l *Link) onHostSystem(x *message) {
	switch b := x.body.(type) {
	case *transport.NameChange:
		l.onName(l.namedPeer(x, b), clip(b.Name.String()))
	case *transport.Boot:
		l.onLeaveSystem(b.PeerID, reasonOf(b))
	case *transport.Disconnect:
		if b.PeerID != objectid.Host {
			l.onLeaveSystem(b.PeerID, "")
		} else if !l.shared() {
			l.server.leave(l.Player, kicked)
		}
	}
}

// namedPeer returns the peer ID of the player whom a NameChange of the host names.
func (l *Link) namedPeer(x *message, b *transport.NameChange) objectid.PeerID {
	if !x.numbered && b.PeerID >= 0 {
		return objectid.Slot(b.PeerID).PeerID()
	}
	return b.PeerID
}

// onName names the player with a peer ID, or begins a new player.
func (l *Link) onName(peer objectid.PeerID, name string) {
	if !peer.Valid() || name == "" {
		return
	}
	seat := l.view.system.at(peer)
	if p := seat.player; p == nil || p.state.over() && !p.called(name) {
		q := l.find(&l.view.system, peer, byName(name))
		if q == nil && p == nil {
			q = l.server.begin(peer)
		}
		if q != nil {
			l.sit(&l.view.system, q)
		}
	}
	l.announceName(seat, name)
}

// announceName follows the name that the host gives the player of a seat. A link that names the player for the first
// time can be late.
func (l *Link) announceName(seat *seat, name string) {
	p := seat.player
	if seat.name == 0 && name != p.Name && p.Name != "" && p.called(name) {
		return
	}
	if !announce(l, &p.names, &seat.name, name, func(other *Link) int { return other.view.system.of(p).name }) {
		return
	}
	l.server.rename(p, name)
	if p.report == joining {
		p.settle("")
	}
}

// onLeaveSystem handles the announcement of the system channel that a player has left, for a reason or "".
func (l *Link) onLeaveSystem(peer objectid.PeerID, reason string) {
	if !peer.Valid() {
		return
	}
	if l.Player == nil && peer == l.offer && !l.shared() { // only the promise to this client ends
		l.state = declined
		return
	}
	l.onLeave(&l.view.system, peer, reason)
}

// onLeave ends the player whom a channel means by a peer ID, and returns the player.
func (l *Link) onLeave(seats *seats, peer objectid.PeerID, reason string) *Player {
	seat := seats.at(peer)
	p := seat.player
	if p == nil && reason != "" { // a second announcement has the reason
		for _, p := range l.server.m.waiting {
			if p.server == l.server && p.number == seat.last && p.report == leaving {
				p.settle(reason)
				return nil
			}
		}
	}
	if p == nil {
		if p = l.find(seats, peer, func(*Player) int { return 0 }); p == nil {
			return nil
		}
		seat.last = p.number
	}
	if seat.doubt != nil && l.view.system.player(peer) == p {
		// The host tells a leave on both channels at once, and the system channel is ahead: it means another one.
		if seat.unsure() {
			p = seat.doubt
			l.server.enter(p)
		} else {
			l.announceName(l.sit(&l.view.system, l.server.begin(peer)), p.Name)
		}
		seat.last = p.number
	}
	seat.rise()
	l.server.leave(p, reason)
	for to := range audiences { // on the game channel, the host passes on nothing more of the player
		l.server.overtake(p, to, 0, p.acts[to].end())
	}
	return p
}
