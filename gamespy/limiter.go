package gamespy

import (
	"cmp"
	"net/netip"
	"time"
)

// Limiter bounds what a server sends in answer to queries. A reply of 267 bytes to a query
// of 8 is more than 33 times as long, and an address is easily forged: without a limit a
// server would flood whomever an attacker names.
//
// By default a source has 2 answers a second, after a burst of 10, which is some 540 bytes
// a second of a usual reply; a source is an IPv4 address or an IPv6 network of 64 bits.
// All sources together have 32 KiB a second, in which an answer counts as 256 bytes at
// least. That makes 768 answers at most in 5 s, after which any source has paid, so that
// nobody is forgotten too early who is among 1,024 sources. Whoever forges many addresses
// can use the total up: then there are no answers for a while, and no flood.
//
// The zero value is ready. It is not safe for concurrent use. Times must not go back, as
// those of [time.Now] do not.
type Limiter struct {
	PerSecond      int // answers to a source; <= 0 means 2
	Burst          int // answers to a source that has been quiet; <= 0 means 10
	BytesPerSecond int // to all; <= 0 means 32 KiB. One second's worth is the burst
	MaxSources     int // <= 0 means 1024

	sources map[netip.Prefix]time.Time // when each will have paid for its answers
	total   time.Time                  // when all have
}

// leastCharge is what an answer counts at least, in bytes.
const leastCharge = 256

// Allow says whether a source may have an answer now.
func (l *Limiter) Allow(now time.Time, from netip.Addr) bool {
	if l.total.Sub(now) >= time.Second {
		return false
	}
	debt, known := l.sources[source(from)]
	if !known {
		return l.room(now)
	}
	return debt.Sub(now) <= l.window()
}

// Spend tells that an answer of so many bytes goes to a source.
func (l *Limiter) Spend(now time.Time, from netip.Addr, bytes int) {
	if l.sources == nil {
		l.sources = make(map[netip.Prefix]time.Time)
	}
	key := source(from)
	l.sources[key] = later(l.sources[key], now).Add(l.interval())
	cost := time.Duration(max(bytes, leastCharge)) * time.Second / time.Duration(cmp.Or(max(l.BytesPerSecond, 0), 32<<10))
	l.total = later(l.total, now).Add(cost)
}

// interval is the time after which a source has one answer more.
func (l *Limiter) interval() time.Duration {
	return time.Second / time.Duration(cmp.Or(max(l.PerSecond, 0), 2))
}

// window is the debt with which a source gets the last answer of a burst.
func (l *Limiter) window() time.Duration {
	return l.interval() * time.Duration(cmp.Or(max(l.Burst, 0), 10)-1)
}

// room says whether another source can be remembered. Those without a debt need not be.
func (l *Limiter) room(now time.Time) bool {
	limit := cmp.Or(max(l.MaxSources, 0), 1024)
	if len(l.sources) >= limit {
		for key, debt := range l.sources {
			if !debt.After(now) {
				delete(l.sources, key)
			}
		}
	}
	return len(l.sources) < limit
}

// source is what an address is counted with.
func source(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // of the zero Addr: the zero Prefix
	return p
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
