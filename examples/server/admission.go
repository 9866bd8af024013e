package main

import (
	"cmp"
	"math"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// The admission of clients while somebody tries to keep them out.
const (
	loadTimeout  = 2 * time.Minute  // in which a client must load the game
	leastLoading = 20 * time.Second // for which a client keeps its slot from others who are no better
	startTimeout = 45 * time.Second // for which a Connect waits for the next round, as in the game
	maxWaiting   = 256              // Connects that wait
	maxGuesses   = 10               // wrong passwords of a network before they are limited
	maxNetworks  = 1024             // networks that are remembered
	forgetAfter  = 10 * time.Minute // networks
)

// network returns what one attacker has as a whole: an IPv4 address, or 64 bits of an IPv6 address.
func network(ip netip.Addr) netip.Addr {
	if ip = ip.Unmap(); ip.Is6() {
		ip = netip.PrefixFrom(ip, 64).Masked().Addr()
	}
	return ip
}

// networks remembers what the networks of clients have done.
type networks map[netip.Addr]*record

// record is what the clients of a network have done.
type record struct {
	seen     time.Time
	squatted int       // slots that they have had without entering the game
	guesses  int       // wrong passwords
	guessAt  time.Time // when the next Connect counts, after too many of them
}

// of returns the record of a network. If there are too many, the oldest one is forgotten.
func (n networks) of(now time.Time, ip netip.Addr) *record {
	r := n[ip]
	if r != nil && now.Sub(r.seen) < forgetAfter {
		r.seen = now
		return r
	}
	if r == nil && len(n) >= maxNetworks {
		var oldest netip.Addr
		for ip, r := range n {
			if !oldest.IsValid() || r.seen.Before(n[oldest].seen) {
				oldest = ip
			}
		}
		delete(n, oldest)
	}
	r = &record{seen: now}
	n[ip] = r
	return r
}

// squatting returns how much a network occupies slots without entering the game: the slots of its
// loading clients, without one, and the slots that it had. The first client of a network that loads
// is not squatting.
func (m *match) squatting(ip netip.Addr, except *player) int {
	n := 0
	if r := m.networks[ip]; r != nil && m.now.Sub(r.seen) < forgetAfter {
		n = r.squatted
	}
	for _, p := range m.slots {
		if p != nil && p != except && p.stage != inGame && p.network() == ip {
			n++
		}
	}
	return n
}

// freeSlot returns the free slot for a client: its peer ID less 2, as in all captures, or else the
// lowest one. It returns NoSlot if there are enough players.
func (m *match) freeSlot(id objectid.PeerID) objectid.Slot {
	taken, lowest := 0, objectid.NoSlot
	for i, p := range m.slots {
		switch {
		case p != nil:
			taken++
		case lowest == objectid.NoSlot || int(id)-2 == i:
			lowest = objectid.Slot(i)
		}
	}
	if taken >= m.maxPlayers {
		return objectid.NoSlot
	}
	return lowest
}

// weakestLoader returns the slot that a client may have in place of another one: of a client that
// loads the game and whose network does not squat less than the client's. That client has not
// acknowledged its settings, or squats more, or has loaded for leastLoading. The first of these
// reasons that applies to a client selects it, and then the longest time. If there is no such
// client, weakestLoader returns NoSlot.
func (m *match) weakestLoader(ip netip.Addr) objectid.Slot {
	next, worst := objectid.NoSlot, 0
	mine := m.squatting(ip, nil)
	for i, p := range m.slots {
		if p == nil || p.stage == inGame {
			continue
		}
		theirs := m.squatting(p.network(), p)
		rank := theirs
		if !p.session.Proven() { // its address may be forged
			rank = math.MaxInt
		}
		late := m.now.Sub(p.loadingSince) >= leastLoading
		switch {
		case theirs < mine, rank == mine && !late:
		case next == objectid.NoSlot, rank > worst, rank == worst && p.loadingSince.Before(m.slots[next].loadingSince):
			next, worst = objectid.Slot(i), rank
		}
	}
	return next
}

func (p *player) network() netip.Addr { return network(p.session.Addr().Addr()) }

// patience returns the time for which the server waits for a client without a slot. It shrinks as
// the sessions of the hub are used up.
func (m *match) patience(most time.Duration) time.Duration {
	const sessions, least = 124, 5 * time.Second
	free := 2 * float64(sessions-m.hub.Len()) / sessions // 1 up to half of the sessions
	return max(min(most, least), min(most, time.Duration(float64(most)*free)))
}

// rightPassword reports whether a Connect has the right password, and whether it counts. A network
// that has guessed maxGuesses times may do it about once a second until it is forgotten; its other
// Connects have no effect. The time between is random, so that a client whose network somebody
// forges is the first to come in time now and then.
func (m *match) rightPassword(e transport.Event, password string) (right, counts bool) {
	right = password == m.password
	r := m.networks[network(e.Addr.Addr())]
	if right && (r == nil || r.guesses < maxGuesses) {
		return true, true
	}
	r = m.networks.of(m.now, network(e.Addr.Addr()))
	if r.guesses++; r.guesses <= maxGuesses {
		return right, true
	}
	if counts = !m.now.Before(r.guessAt); counts {
		r.guessAt = m.now.Add(time.Second/2 + rand.N(time.Second))
	}
	return right, counts
}

// waiting is a Connect that arrived between two rounds.
type waiting struct {
	transport.Event
	since time.Time
}

// hold keeps a Connect until the next round. The client repeats it every second.
func (m *match) hold(e transport.Event) {
	for i := range m.waiting {
		if m.waiting[i].Addr == e.Addr {
			m.waiting[i].Event = e
			return
		}
	}
	if len(m.waiting) >= maxWaiting {
		m.waiting = slices.Delete(m.waiting, 0, 1)
	}
	m.waiting = append(m.waiting, waiting{e, m.now})
}

// admitWaiting accepts the clients that wait for a round that has begun, and refuses those who
// have waited too long.
func (m *match) admitWaiting() {
	held := m.waiting
	m.waiting = nil
	for _, w := range held {
		switch {
		case !m.ended:
			m.accept(w.Event)
		case m.now.Sub(w.since) >= startTimeout:
			m.refuse(w.Event, transport.BootTimeout)
		default:
			m.waiting = append(m.waiting, w)
		}
	}
}

// kickLate kicks the clients that are too slow, and idle players.
func (m *match) kickLate() {
	for session := range m.hub.Sessions() {
		p := session.Value.(*player)
		switch {
		case p.stage < proving && !m.now.Before(p.deadline):
			m.logJoin(p, "too late", "error", p.exchange.Expire())
			session.Boot(transport.BootRemoved)
		case p.stage == inGame && m.idle > 0 && m.now.Sub(p.active) >= m.idle:
			m.log.Info("idle", "player", p)
			p.boot = transport.BootTimeout
			session.Boot(p.boot)
		}
	}
}

// loadingTime returns the time in which a client must load the game.
func (o *options) loadingTime() time.Duration { return cmp.Or(o.loadTime, loadTimeout) }
