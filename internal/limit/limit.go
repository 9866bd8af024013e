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

// Table holds the buckets of networks. A network that it does not hold has full buckets, so it forgets a
// network as soon as all of its buckets are full. Beyond Max networks, it forgets the one whose buckets would
// be full first. It finds a network in constant time. A Table with Max and Rates is ready to use.
type Table struct {
	Max   int
	Rates []Rate // of the buckets of each network

	networks map[Network]*record
	order    order
}

// record has the buckets of a network.
type record struct {
	network Network
	buckets []Bucket
	full    time.Duration // when all of them will be full
	index   int           // in Table.order
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
	b := &r.buckets[bucket]
	b.Spend(now, t.Rates[bucket], tokens)
	r.full = max(r.full, b.full)
	heap.Fix(&t.order, r.index)
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
	r := &record{network: n, buckets: make([]Bucket, len(t.Rates))}
	t.networks[n] = r
	heap.Push(&t.order, r)
	return r
}

// order is a heap of the networks of a Table by the time at which their buckets are full. Networks with the same time
// are in the order of their addresses, so that a repeated run is the same.
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
	o[i].index, o[j].index = i, j
}

func (o *order) Push(x any) {
	r := x.(*record)
	r.index = len(*o)
	*o = append(*o, r)
}

func (o *order) Pop() any {
	last := len(*o) - 1
	r := (*o)[last]
	(*o)[last] = nil
	*o = (*o)[:last]
	return r
}
