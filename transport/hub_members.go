package transport

import (
	"container/heap"
	"container/list"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/internal/limit"
	"github.com/bcwire/bcwire/objectid"
)

// member is a session in a [Hub].
type member struct {
	hub       *Hub
	session   *Session
	addr      netip.AddrPort
	network   limit.Network // of addr
	next      *member       // an earlier session of the address
	due       time.Duration // the deadline of the session, or stale
	heapIndex int           // in Hub.deadlines, -1: removed
	waiting   *list.Element // in Hub.halfOpen, nil: has been opened
	asked     *[]UTF16Z     // see Hub.Passwords, nil: an empty one
	heard     uint64        // Hub.loops when the client was last heard
}

// addresses holds the sessions by address, the newest first. Datagrams of a client have the peer ID
// of its session, so that a forged Connect cannot end the session: the new one stands beside it.
type addresses map[netip.AddrPort]*member

func (a addresses) add(m *member) { m.next, a[m.addr] = a[m.addr], m }

func (a addresses) remove(m *member) {
	first := a[m.addr]
	switch {
	case first != m:
		for first.next != m {
			first = first.next
		}
		first.next = m.next
	case m.next == nil:
		delete(a, m.addr)
	default:
		a[m.addr] = m.next
	}
	m.next = nil
}

// withPeer returns the session with a peer ID among m and the earlier sessions of its address, or
// nil.
func (m *member) withPeer(id objectid.PeerID) *member {
	for m != nil && m.session.life.client.peer != id {
		m = m.next
	}
	return m
}

// opened returns the newest open session among m and the earlier sessions of its address, or nil.
func (m *member) opened() *member {
	for m != nil && !m.open() {
		m = m.next
	}
	return m
}

func (m *member) removed() bool { return m.heapIndex < 0 }

// open reports whether the session is open.
func (m *member) open() bool { return m.waiting == nil && !m.session.life.ended() }

// members holds the sessions that have opened, in that order.
type members struct {
	list    []*member
	open    int                   // number of sessions that have not ended
	perIP   map[limit.Network]int // the same by network
	crowded map[limit.Network]int // scratch memory of weakest
}

func (t *members) add(m *member) {
	t.list = append(t.list, m)
	t.count(m, 1)
}

func (t *members) count(m *member, n int) {
	t.open += n
	if t.perIP[m.network] += n; t.perIP[m.network] == 0 {
		delete(t.perIP, m.network)
	}
}

func (t *members) remove(m *member) {
	i := slices.Index(t.list, m)
	t.list = slices.Delete(t.list, i, i+1)
}

// kept returns the number of open sessions that no other one may replace. A valid network
// selects its sessions.
func (t *members) kept(network limit.Network) (n int) {
	for _, m := range t.list {
		if m.open() && m.session.isKept() && (!network.IsValid() || network == m.network) {
			n++
		}
	}
	return n
}

// weakest returns the open session that another one may replace, or nil: of the network with the most such
// sessions, the one whose client has acknowledged the fewest payloads, the oldest. A valid network selects its
// sessions, and a valid except leaves out the sessions of this address.
func (t *members) weakest(network limit.Network, except netip.AddrPort) (weakest *member) {
	if t.crowded == nil {
		t.crowded = map[limit.Network]int{}
	}
	clear(t.crowded)
	for _, m := range t.list {
		if m.open() && !m.session.isKept() {
			t.crowded[m.network]++
		}
	}
	for _, m := range t.list {
		if m.open() && !m.session.isKept() && (!network.IsValid() || network == m.network) && m.addr != except &&
			(weakest == nil || t.weaker(m, weakest)) {
			weakest = m
		}
	}
	return weakest
}

// weaker reports whether a session is weaker than an older one.
func (t *members) weaker(m, older *member) bool {
	if a, b := t.crowded[m.network], t.crowded[older.network]; a != b {
		return a > b
	}
	return m.session.progress() < older.session.progress()
}

// ended returns the number of ended sessions.
func (t *members) ended() int { return len(t.list) - t.open }

// firstEnded returns the session that ended first, or nil.
func (t *members) firstEnded() (first *member) {
	for _, m := range t.list {
		if m.session.life.ended() && (first == nil || m.session.life.lingerUntil < first.session.life.lingerUntil) {
			first = m
		}
	}
	return first
}

// deadlineHeap is a heap of the sessions of a Hub by deadline, so that the cost of a datagram
// does not depend on the number of sessions.
type deadlineHeap []*member

// Len, Less, Swap, Push and Pop implement [heap.Interface].
func (d deadlineHeap) Len() int           { return len(d) }
func (d deadlineHeap) Less(i, j int) bool { return d[i].due < d[j].due }
func (d deadlineHeap) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].heapIndex, d[j].heapIndex = i, j
}

func (d *deadlineHeap) Push(x any) {
	m := x.(*member)
	m.heapIndex = len(*d)
	*d = append(*d, m)
}

func (d *deadlineHeap) Pop() any {
	last := len(*d) - 1
	m := (*d)[last]
	(*d)[last] = nil
	*d = (*d)[:last]
	m.heapIndex = -1
	return m
}

// stale is the due of a session whose deadline must be calculated again. It is earlier than any
// deadline.
const stale time.Duration = -1

// changed records that the deadline of a session may have changed. The heap calculates the deadline
// when it is needed: a session may change many times before that.
func (d *deadlineHeap) changed(m *member) {
	if m.heapIndex >= 0 && m.due != stale {
		m.due = stale
		heap.Fix(d, m.heapIndex)
	}
}

// first returns the session with the earliest deadline, or nil.
func (d *deadlineHeap) first() *member {
	for len(*d) > 0 {
		m := (*d)[0]
		if m.due != stale {
			return m
		}
		m.due = m.session.deadline()
		heap.Fix(d, 0)
	}
	return nil
}

// next returns the earliest deadline.
func (d *deadlineHeap) next() time.Duration {
	if m := d.first(); m != nil {
		return m.due
	}
	return forever
}

// changed handles a change in a session.
func (h *Hub) changed(m *member, c change) {
	switch {
	case m.session.life.local:
		if c == changedEnded {
			h.ids.release(m.session.PeerID(), h.clock.Now+cooldown)
		}
	case m.removed():
	case c == changedEnded && m.waiting != nil: // it was half-open
		h.remove(m)
	case c == changedEnded:
		h.members.count(m, -1)
		h.ids.release(m.session.PeerID(), h.clock.Now+cooldown)
		h.recent.add(m.addr, m.session.life.client, h.clock.Now)
		h.deadlines.changed(m)
	default:
		h.deadlines.changed(m)
	}
}

// open opens a half-open session, and replaces others if necessary. It ends another half-open session of the address,
// whose payloads the client would take for payloads of its own session.
func (h *Hub) open(m *member) {
	for other := h.byAddr[m.addr]; other != nil; {
		next := other.next
		if other != m && other.session.life.halfOpen() {
			other.session.abort(EndHandshake, nil)
		}
		other = next
	}
	h.makeRoom(m)
	h.limitEnded()
	h.halfOpen.Remove(m.waiting)
	m.waiting = nil
	h.members.add(m)
	h.ids.hold(m.session.PeerID())
	h.rates.Spend(h.clock.Now, m.network, newSessions, 1)
	m.session.opened()
}

// limitEnded removes the oldest ended sessions beyond the limit. The end of a session does not call
// it, because the caller may be in a loop over Sessions.
func (h *Hub) limitEnded() {
	for h.members.ended() > h.options.MaxSessions {
		h.remove(h.members.firstEnded())
	}
}

// remove removes a session.
func (h *Hub) remove(m *member) {
	if m.waiting == nil {
		h.members.remove(m)
	} else {
		h.halfOpen.Remove(m.waiting)
		h.ids.reserved[m.session.PeerID()]--
	}
	heap.Remove(&h.deadlines, m.heapIndex)
	h.byAddr.remove(m)
	h.counters.add(m.session.Counters())
	m.session.release()
}
