package gamespy

import (
	"cmp"
	"net/netip"
	"time"
)

// A Limiter limits the answers that a server sends. Without a limit, queries with forged source
// addresses could flood a victim: the captured reply of 267 bytes is 33 times as long as its query.
//
// A source is an IPv4 address or an IPv6 network of 64 bits. An answer counts as at least 256
// bytes. If an attacker exhausts the limit of all sources, the server sends no answers for a while.
// The zero value is ready to use. A Limiter is not safe for concurrent use.
type Limiter struct {
	PerSecond      int // answers to one source; the default is 2
	Burst          int // answers to a source that was silent; the default is 10
	BytesPerSecond int // to all sources together, and size of their burst; the default is 32 KiB
	MaxSources     int // sources to remember; the default is 1024

	sources map[netip.Prefix]time.Time // when the debt of each source ends
	total   time.Time                  // when the debt of all sources ends
	first   time.Time                  // no debt of a source ends before
}

// leastCharge is the minimum charge for an answer in bytes.
const leastCharge = 256

// Allow reports whether a source may get an answer now. Times must not decrease.
func (l *Limiter) Allow(now time.Time, from netip.Addr) bool {
	if l.exhausted(now) {
		return false
	}
	debt, known := l.sources[source(from)]
	if !known {
		return l.room(now)
	}
	return debt.Sub(now) <= l.window()
}

// exhausted reports whether all sources together have reached their limit.
func (l *Limiter) exhausted(now time.Time) bool { return l.total.Sub(now) >= time.Second }

// Spend records an answer of the given length to a source.
func (l *Limiter) Spend(now time.Time, from netip.Addr, bytes int) {
	if l.sources == nil {
		l.sources = make(map[netip.Prefix]time.Time)
	}
	key := source(from)
	l.sources[key] = later(l.sources[key], now).Add(l.interval())
	cost := time.Duration(max(bytes, leastCharge)) * time.Second / time.Duration(cmp.Or(max(l.BytesPerSecond, 0), 32<<10))
	l.total = later(l.total, now).Add(cost)
}

// interval is the time in which a source earns one answer.
func (l *Limiter) interval() time.Duration {
	return time.Second / time.Duration(cmp.Or(max(l.PerSecond, 0), 2))
}

// window is the debt at which a source gets the last answer of a burst.
func (l *Limiter) window() time.Duration {
	return l.interval() * time.Duration(cmp.Or(max(l.Burst, 0), 10)-1)
}

// room reports whether another source can be remembered. It forgets sources without debt.
// With the defaults, at most 768 answers fit the total in 5 s, and no debt of a burst lasts
// longer, so 1,024 sources suffice.
func (l *Limiter) room(now time.Time) bool {
	limit := cmp.Or(max(l.MaxSources, 0), 1024)
	if len(l.sources) >= limit && !now.Before(l.first) {
		l.first = now.Add(l.interval()) // of a source that gets an answer from now on
		for key, debt := range l.sources {
			switch {
			case !debt.After(now):
				delete(l.sources, key)
			case debt.Before(l.first):
				l.first = debt
			}
		}
	}
	return len(l.sources) < limit
}

// source returns the network for which an address counts.
func source(a netip.Addr) netip.Prefix {
	a = a.Unmap().WithZone("")
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // the zero Prefix for the zero Addr
	return p
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
