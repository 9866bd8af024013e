package join

import (
	"io"
	"math"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// The admission of clients while somebody tries to keep them out.
const (
	leastLoading = 20 * time.Second // for which a client keeps its slot from others who are no better
	startTimeout = 40 * time.Second // for which a Connect waits for the next round; after 45 s, the client gives up
	maxWaiting   = 256              // Connects that wait
	maxGuesses   = 10               // wrong passwords of a network before they are limited
	maxNetworks  = 1024             // networks that are remembered
	forgetAfter  = 10 * time.Minute // networks
	maxSessions  = 124              // of a Hub
)

// network returns what one attacker has as a whole: an IPv4 address, or 64 bits of an IPv6 address.
func network(ip netip.Addr) netip.Addr {
	if ip = ip.Unmap(); ip.Is6() {
		ip = netip.PrefixFrom(ip, 64).Masked().Addr()
	}
	return ip
}

func (m *Member) network() netip.Addr { return network(m.Session.Addr().Addr()) }

// networks remembers what the networks of clients have done.
type networks map[netip.Addr]*record

// record is what the clients of a network have done.
type record struct {
	seen     time.Duration
	squatted int           // slots that they have had without entering the game
	guesses  int           // wrong passwords
	guessAt  time.Duration // when the next Connect counts, after too many of them
}

// known returns the record of a network, or nil if there is none that is not forgotten.
func (n networks) known(now time.Duration, ip netip.Addr) *record {
	if r := n[ip]; r != nil && now-r.seen < forgetAfter {
		return r
	}
	return nil
}

// of returns the record of a network. If there are too many, the oldest one is forgotten.
func (n networks) of(now time.Duration, ip netip.Addr) *record {
	if r := n.known(now, ip); r != nil {
		r.seen = now
		return r
	}
	if n[ip] == nil && len(n) >= maxNetworks {
		var oldest netip.Addr
		for ip, r := range n {
			// By address if they are equally old: a repeated run is the same.
			if !oldest.IsValid() || r.seen < n[oldest].seen || r.seen == n[oldest].seen && ip.Less(oldest) {
				oldest = ip
			}
		}
		delete(n, oldest)
	}
	r := &record{seen: now}
	n[ip] = r
	return r
}

// squatting returns how much a network occupies slots without entering the game: the slots of its
// loading clients, without one, and the slots that it had. The first client of a network that loads is
// not squatting.
func (h *Host) squatting(ip netip.Addr, except *Member) int {
	n := 0
	if r := h.networks.known(h.clock.Now, ip); r != nil {
		n = r.squatted
	}
	for _, m := range h.slots {
		if m != nil && m != except && m.stage != inGame && m.network() == ip {
			n++
		}
	}
	return n
}

// freeSlot returns the free slot for a client: its peer ID less 2, as in all captures, or else the
// lowest one. It returns NoSlot if there are enough players.
func (h *Host) freeSlot(id objectid.PeerID) objectid.Slot {
	taken, lowest := 0, objectid.NoSlot
	for i, m := range h.slots {
		switch {
		case m != nil:
			taken++
		case lowest == objectid.NoSlot || int(id)-2 == i:
			lowest = objectid.Slot(i)
		}
	}
	if taken >= int(h.options.Mission.PlayerLimit) {
		return objectid.NoSlot
	}
	return lowest
}

// weakestLoader returns the slot that a client may have in place of another one: of a client that
// loads the mission and whose network does not squat less than the client's. That client has not
// acknowledged its Settings, or squats more, or has loaded for leastLoading. The first of these
// reasons that applies to a client selects it, and then the longest time. If there is no such client,
// weakestLoader returns NoSlot.
func (h *Host) weakestLoader(ip netip.Addr) objectid.Slot {
	next, worst := objectid.NoSlot, 0
	mine := h.squatting(ip, nil)
	for i, m := range h.slots {
		if m == nil || m.stage == inGame {
			continue
		}
		theirs := h.squatting(m.network(), m)
		rank := theirs
		if !m.Session.Proven() { // its address may be forged
			rank = math.MaxInt
		}
		late := h.clock.Now-m.loading >= leastLoading
		switch {
		case theirs < mine, rank == mine && !late:
		case next == objectid.NoSlot, rank > worst, rank == worst && m.loading < h.slots[next].loading:
			next, worst = objectid.Slot(i), rank
		}
	}
	return next
}

// patience returns the time for which the Host waits for a client without a slot. It shrinks as the
// sessions of the Hub are used up.
func (h *Host) patience(most time.Duration) time.Duration {
	const least = 5 * time.Second
	sessions := min(h.options.Hub.MaxSessions, maxSessions)
	free := 2 * float64(sessions-h.hub.Len()) / float64(sessions) // 1 up to half of the sessions
	return max(min(most, least), min(most, time.Duration(float64(most)*free)))
}

// rightPassword reports whether a Connect has the right password, and whether it counts. A network that
// has guessed maxGuesses times may do it about once a second until it is forgotten; its other Connects
// have no effect. The time between is random, so that a client whose network somebody forges is the
// first to come in time now and then.
func (h *Host) rightPassword(addr netip.Addr, password string) (right, counts bool) {
	ip := network(addr)
	right = h.options.Password == "" || password == h.options.Password
	r := h.networks[ip]
	if right && (r == nil || r.guesses < maxGuesses) {
		return true, true
	}
	r = h.networks.of(h.clock.Now, ip)
	if r.guesses++; r.guesses <= maxGuesses {
		return right, true
	}
	if counts = h.clock.Now >= r.guessAt; counts {
		r.guessAt = h.clock.Now + time.Second/2 + h.random(time.Second)
	}
	return right, counts
}

// random returns a random time below a limit. A source that fails gives 0.
func (h *Host) random(limit time.Duration) time.Duration {
	var b [1]byte
	_, _ = io.ReadFull(h.rand, b[:])
	return limit * time.Duration(b[0]) / 256
}

// waiting is a Connect that arrived between two rounds.
type waiting struct {
	transport.Event
	since time.Duration
}

// hold keeps a Connect until the next round. The client repeats it every second.
func (h *Host) hold(e transport.Event) {
	for i := range h.waiting {
		if h.waiting[i].Addr == e.Addr {
			h.waiting[i].Event = e
			return
		}
	}
	if len(h.waiting) >= maxWaiting {
		h.waiting = slices.Delete(h.waiting, 0, 1)
	}
	h.waiting = append(h.waiting, waiting{e, h.clock.Now})
}

// admitWaiting accepts the clients that wait for a round that has begun, and refuses those who have
// waited too long.
func (h *Host) admitWaiting() {
	held := h.waiting
	h.waiting = nil
	for _, w := range held {
		switch {
		case !h.over:
			h.accept(w.Event)
		case h.clock.Now-w.since >= startTimeout:
			h.refuse(w.Event, transport.BootTimeout)
		default:
			h.waiting = append(h.waiting, w)
		}
	}
}

// kickLate kicks the clients that are too slow, and idle players.
func (h *Host) kickLate() {
	for session := range h.hub.Sessions() {
		m, ok := session.Value.(*Member)
		switch idle := h.options.Idle; {
		case !ok:
		case m.stage < proving && h.clock.Now >= m.deadline:
			h.logJoin(m, "too late", "error", m.exchange.Expire())
			session.Boot(transport.BootRemoved)
		case m.stage == inGame && idle > 0 && h.clock.Now-m.active >= idle:
			h.log.Info("idle", "player", logged{m})
			session.Boot(transport.BootTimeout)
		}
	}
}
