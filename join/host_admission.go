package join

import (
	"encoding/binary"
	"io"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/internal/limit"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// The admission of clients while somebody tries to keep them out.
const (
	leastLoading = 20 * time.Second // for which a client keeps its slot from others who are no better
	startTimeout = 40 * time.Second // for which a Connect waits for the next round; after 45 s, the client gives up
	maxWaiting   = 256              // Connects that wait
	maxTrials    = 10               // wrong passwords of a network at once
	maxHeld      = 4                // payloads of a client that waits for a trial; it sends one
	maxNetworks  = 1024             // networks that are remembered
	forgetAfter  = 10 * time.Minute // for which a slot counts that a network had without entering the game
	maxSessions  = 124              // of a Hub
)

// Network returns the network of the client, to which its budgets belong, as the first address of the network. The
// port is 0, unless the client is on the loopback interface, where each port is a network.
func (m *Member) Network() netip.AddrPort { return m.network().First() }

func (m *Member) network() limit.Network { return limit.Of(m.Session.Addr()) }

// The buckets of a network in Host.networks.
const (
	squats = iota // slots that its clients have had without entering the game
	trials        // wrong passwords
)

// newNetworks returns a table of what the networks of clients have done.
func newNetworks() limit.Table {
	return limit.Table{Max: maxNetworks, Rates: []limit.Rate{
		squats: {Interval: forgetAfter, Burst: 1 << 10},
		trials: {Interval: time.Second, Burst: maxTrials},
	}}
}

// squatting returns how much a network occupies slots without entering the game: the slots of its
// loading clients, without one, and the slots that it had. The first client of a network that loads is
// not squatting.
func (h *Host) squatting(network limit.Network, except *Member) int {
	n := h.networks.Spent(h.clock.Now, network, squats)
	for _, m := range h.slots {
		if m != nil && m != except && m.stage != inGame && m.network() == network {
			n++
		}
	}
	return n
}

// freeSlot returns the free slot for a player: the one of its peer ID, as in all captures, or else the
// lowest one; see [objectid.Slot.PeerID]. It returns NoSlot if there are enough players, including the reserved ones
// that are still to come.
func (h *Host) freeSlot(id objectid.PeerID, reserved int) objectid.Slot {
	taken, own, lowest := 0, 0, objectid.NoSlot
	for i, m := range h.slots {
		switch {
		case m.ofHost():
			own++
		case m != nil:
			taken++
		case lowest == objectid.NoSlot, objectid.Slot(i).PeerID() == id:
			lowest = objectid.Slot(i)
		}
	}
	if taken+max(own, reserved) >= int(h.options.Mission.PlayerLimit) {
		return objectid.NoSlot
	}
	return lowest
}

// weakestLoader returns the slot that a client may have in place of another one: of a client that
// loads the mission and whose network does not squat less than the client's. That client squats more, or has
// loaded for leastLoading. The one that squats most is selected, and then the longest time. If there is no such client,
// weakestLoader returns NoSlot.
func (h *Host) weakestLoader(network limit.Network) objectid.Slot {
	next, worst := objectid.NoSlot, 0
	mine := h.squatting(network, nil)
	for i, m := range h.slots {
		if m == nil || m.stage == inGame {
			continue
		}
		theirs := h.squatting(m.network(), m)
		late := h.clock.Now-m.loading >= leastLoading
		switch {
		case theirs < mine, theirs == mine && !late:
		case next == objectid.NoSlot, theirs > worst, theirs == worst && m.loading < h.slots[next].loading:
			next, worst = objectid.Slot(i), theirs
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
	return max(least, min(most, time.Duration(float64(most)*free)))
}

// onConnected gives a client whose address is validated an account of its network, and tries its password, unless
// those of its network that wait have a turn first.
func (h *Host) onConnected(m *Member) {
	m.deadline = h.clock.Now + h.patience(m.exchange.Timeout())
	m.account = h.accounts.Open(h.clock.Now, m.network())
	m.stage = untried
	h.tryWaiting()
	if m.stage == untried && !m.Session.Ended() {
		h.logLimited("too many wrong passwords", "addr", m.Session.Addr())
	}
}

// try tries the passwords that a client has sent, and lets it go on if it has the right one. It kicks a client with
// wrong ones. Each wrong password is a trial of the network. If the network has too few, the client waits.
func (h *Host) try(m *Member) {
	asked, wrong := h.hub.Passwords(m.Session), 0
	for _, p := range asked {
		if h.options.Password != "" && p.String() != h.options.Password {
			wrong++
		}
	}
	switch now := h.clock.Now; {
	case !h.networks.Has(now, m.network(), trials, len(asked)): // the right one waits, too
		return
	case wrong > 0:
		h.networks.Spend(now, m.network(), trials, wrong)
	}
	if wrong == len(asked) {
		h.logLimited("wrong password", "addr", m.Session.Addr())
		m.stage = refused
		m.Session.Boot(transport.BootPassword)
		return
	}
	m.stage = checking
	h.echoName(m)
	held := m.held
	m.held = nil
	for _, payload := range held {
		h.onPayload(m, payload)
	}
}

// awaitingTrial returns the clients whose passwords have not been tried.
func (h *Host) awaitingTrial() (all []*Member) {
	for session := range h.hub.Sessions() {
		if m := session.Value.(*Member); m.stage == untried {
			all = append(all, m)
		}
	}
	return all
}

// tryWaiting tries the passwords of the clients that wait, in random order: a client that shares its network with
// somebody who guesses is as likely to be the next one.
func (h *Host) tryWaiting() {
	for all := h.awaitingTrial(); len(all) > 0; {
		i := h.random(len(all))
		h.try(all[i])
		all = slices.Delete(all, i, i+1)
	}
}

// random returns a random number below n, which is at most 256. A source that fails gives 0.
func (h *Host) random(n int) int {
	var b [4]byte
	_, _ = io.ReadFull(h.rand, b[:])
	return int(binary.LittleEndian.Uint32(b[:]) % uint32(n))
}

// waiting is a Connect that arrived between two rounds.
type waiting struct {
	transport.Event
	connID uint32
	since  time.Duration // of the first Connect with the ConnID: another one is of another client, or forged
}

// hold keeps a Connect until the next round. The client repeats it every second.
func (h *Host) hold(e transport.Event) {
	kept := *e.Body.(*transport.ConnectRequest)
	kept.Password = slices.Clone(kept.Password) // valid only now
	e.Body = &kept
	w := waiting{e, kept.ConnID, h.clock.Now}
	for i := range h.waiting {
		if h.waiting[i].Addr == e.Addr {
			if h.waiting[i].connID == w.connID {
				w.since = h.waiting[i].since
			}
			h.waiting[i] = w
			return
		}
	}
	if len(h.waiting) >= maxWaiting {
		h.waiting = slices.Delete(h.waiting, 0, 1)
	}
	h.waiting = append(h.waiting, w)
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
		m := session.Value.(*Member)
		switch idle := h.options.Idle; {
		case m.stage < inGame && h.clock.Now >= m.deadline:
			h.logJoin(m, "too late", "error", m.exchange.Expire())
			session.Boot(transport.BootRemoved)
		case m.stage == inGame && idle > 0 && h.clock.Now-m.active >= idle:
			h.log.Info("idle", "player", m)
			session.Boot(transport.BootTimeout)
		}
	}
}
