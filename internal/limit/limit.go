// Package limit limits what a network may cause. A budget belongs to a network, whatever sessions it opens
// and ends, until the budget is full again.
package limit

import (
	"bytes"
	"cmp"
	"container/heap"
	"math"
	"net/netip"
	"time"
)

// Network is what one attacker has as a whole: an IPv4 address, or 64 bits of an IPv6 address. Of the loopback
// interface, each port is a Network: its programs are of several players, or tests.
type Network struct {
	ip   [16]byte // an IPv4 address is mapped into IPv6
	port uint16
}

// Of returns the network of an address.
func Of(a netip.AddrPort) Network {
	addr := a.Addr().Unmap()
	n := Network{ip: addr.As16()}
	switch {
	case addr.IsLoopback():
		n.port = a.Port()
	case addr.Is6():
		clear(n.ip[8:])
	}
	return n
}

// IsValid reports whether n is not the zero value.
func (n Network) IsValid() bool { return n != Network{} }

// First returns the first address of n. Its port is 0, unless n is a port of the loopback interface.
func (n Network) First() netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom16(n.ip).Unmap(), n.port)
}

// Compare returns an integer that orders networks.
func (n Network) Compare(other Network) int {
	return cmp.Or(bytes.Compare(n.ip[:], other.ip[:]), cmp.Compare(n.port, other.port))
}

// Rate is the size of a [Bucket].
type Rate struct {
	Interval time.Duration // in which a bucket gains a token
	Burst    int           // tokens of a full bucket
}

// Bucket is a token bucket. The zero value is full.
type Bucket struct {
	full time.Duration // when it will be full
}

// Has reports whether the bucket has a number of tokens.
func (b *Bucket) Has(now time.Duration, r Rate, tokens int) bool {
	return max(b.full-now, 0) <= time.Duration(r.Burst-tokens)*r.Interval
}

// Spend takes tokens, even if the bucket does not have them. It then has none until it has gained them.
func (b *Bucket) Spend(now time.Duration, r Rate, tokens int) {
	cost := time.Duration(tokens) * r.Interval
	b.full = min(max(b.full, now), math.MaxInt64-cost) + cost
}

// Take takes tokens if the bucket has them, and reports whether it has.
func (b *Bucket) Take(now time.Duration, r Rate, tokens int) bool {
	if !b.Has(now, r, tokens) {
		return false
	}
	b.Spend(now, r, tokens)
	return true
}

// Spent returns the number of tokens that the bucket lacks, rounded up.
func (b *Bucket) Spent(now time.Duration, r Rate) int {
	if b.full <= now {
		return 0
	}
	return int((b.full-now-1)/r.Interval) + 1
}

// record has buckets of a network. There may be as many as sessions, so it is small.
type record struct {
	network Network
	index   int32 // in an order
	buckets []Bucket
	full    time.Duration // when all of them will be full
	next    *record       // of the network, in Accounts
}

func newRecord(n Network, rates []Rate) *record {
	return &record{network: n, buckets: make([]Bucket, len(rates))}
}

func (r *record) spend(now time.Duration, rates []Rate, bucket, tokens int) {
	b := &r.buckets[bucket]
	b.Spend(now, rates[bucket], tokens)
	r.full = max(r.full, b.full)
}

// Account has the buckets of a session; see [Accounts].
type Account struct {
	record *record
	rates  []Rate
}

// Has reports whether a bucket has a number of tokens.
func (a *Account) Has(now time.Duration, bucket, tokens int) bool {
	return a.record.buckets[bucket].Has(now, a.rates[bucket], tokens)
}

// Spend takes tokens from a bucket, even if it does not have them.
func (a *Account) Spend(now time.Duration, bucket, tokens int) {
	a.record.spend(now, a.rates, bucket, tokens)
}

// Take takes tokens if a bucket has them, and reports whether it has.
func (a *Account) Take(now time.Duration, bucket, tokens int) bool {
	if !a.Has(now, bucket, tokens) {
		return false
	}
	a.Spend(now, bucket, tokens)
	return true
}

// Accounts gives each session of a network an Account that outlives the session. A network has as many
// accounts as it has had sessions at once: a session takes an idle account, and a new one only if none is idle.
// Whoever ends a session and begins another one therefore gains nothing. An idle account whose buckets are full is
// as good as a new one, so Accounts forgets it. Beyond Max idle accounts, it forgets the one that would be full
// first. Accounts with Max and Rates is ready to use.
type Accounts struct {
	Max   int
	Rates []Rate // of the buckets of each account

	idle  map[Network]*record // the one that was closed last
	order order
}

// Open returns an account for a session.
func (t *Accounts) Open(now time.Duration, n Network) *Account {
	t.forget(now)
	r := t.idle[n]
	if r == nil {
		r = newRecord(n, t.Rates)
	} else {
		heap.Remove(&t.order, int(r.index))
		t.unlink(r)
	}
	return &Account{r, t.Rates}
}

// Close takes back the account of a session that has ended.
func (t *Accounts) Close(now time.Duration, a *Account) {
	if r := a.record; r.full > now {
		if t.idle == nil {
			t.idle = make(map[Network]*record)
		}
		r.next, t.idle[r.network] = t.idle[r.network], r
		heap.Push(&t.order, r)
	}
	t.forget(now)
}

// Len returns the number of idle accounts.
func (t *Accounts) Len() int { return len(t.order) }

// forget removes the idle accounts that are full, and those beyond Max.
func (t *Accounts) forget(now time.Duration) {
	for len(t.order) > 0 && (t.order[0].full <= now || len(t.order) > t.Max) {
		t.unlink(heap.Pop(&t.order).(*record))
	}
}

// unlink removes an account from the idle ones of its network, of which there are as many as sessions of a network.
func (t *Accounts) unlink(a *record) {
	first := t.idle[a.network]
	switch {
	case first != a:
		for first.next != a {
			first = first.next
		}
		first.next = a.next
	case a.next == nil:
		delete(t.idle, a.network)
	default:
		t.idle[a.network] = a.next
	}
	a.next = nil
}

// Table holds the buckets of networks. A network that it does not hold has full buckets, so it forgets a
// network as soon as all of its buckets are full. Beyond Max networks, it forgets the one whose buckets would
// be full first. It finds a network in constant time. A Table with Max and Rates is ready to use.
type Table struct {
	Max   int
	Rates []Rate // of the buckets of each network

	networks map[Network]*record
	order    order
}

// Has reports whether a bucket of a network has a number of tokens.
func (t *Table) Has(now time.Duration, n Network, bucket, tokens int) bool {
	return t.bucket(n, bucket).Has(now, t.Rates[bucket], tokens)
}

// Spent returns the number of tokens that a bucket of a network lacks.
func (t *Table) Spent(now time.Duration, n Network, bucket int) int {
	return t.bucket(n, bucket).Spent(now, t.Rates[bucket])
}

func (t *Table) bucket(n Network, bucket int) *Bucket {
	if r := t.networks[n]; r != nil {
		return &r.buckets[bucket]
	}
	return &Bucket{}
}

// Spend takes tokens from a bucket of a network, even if it does not have them.
func (t *Table) Spend(now time.Duration, n Network, bucket, tokens int) {
	t.forget(now)
	r := t.networks[n]
	if r == nil {
		r = t.add(n)
	}
	r.spend(now, t.Rates, bucket, tokens)
	heap.Fix(&t.order, int(r.index))
}

// Take takes tokens if a bucket of a network has them, and reports whether it has.
func (t *Table) Take(now time.Duration, n Network, bucket, tokens int) bool {
	if !t.Has(now, n, bucket, tokens) {
		return false
	}
	t.Spend(now, n, bucket, tokens)
	return true
}

// Len returns the number of networks that the Table holds.
func (t *Table) Len() int { return len(t.order) }

// forget removes the networks with full buckets.
func (t *Table) forget(now time.Duration) {
	for len(t.order) > 0 && t.order[0].full <= now {
		t.removeFirst()
	}
}

// removeFirst removes the network whose buckets are full first.
func (t *Table) removeFirst() { delete(t.networks, heap.Pop(&t.order).(*record).network) }

func (t *Table) add(n Network) *record {
	if len(t.order) >= t.Max {
		t.removeFirst()
	}
	if t.networks == nil {
		t.networks = make(map[Network]*record)
	}
	r := newRecord(n, t.Rates)
	t.networks[n] = r
	heap.Push(&t.order, r)
	return r
}

// order is a heap of records by the time at which their buckets are full. Records with the same time are in the order
// of their networks, so that a repeated run is the same.
type order []*record

// Len, Less, Swap, Push and Pop implement [heap.Interface].
func (o order) Len() int { return len(o) }

func (o order) Less(i, j int) bool {
	if o[i].full != o[j].full {
		return o[i].full < o[j].full
	}
	return o[i].network.Compare(o[j].network) < 0
}

func (o order) Swap(i, j int) {
	o[i], o[j] = o[j], o[i]
	o[i].index, o[j].index = int32(i), int32(j)
}

func (o *order) Push(x any) {
	r := x.(*record)
	r.index = int32(len(*o))
	*o = append(*o, r)
}

func (o *order) Pop() any {
	last := len(*o) - 1
	r := (*o)[last]
	(*o)[last] = nil
	*o = (*o)[:last]
	return r
}
