package gamespy

import (
	"net/netip"
	"time"
)

// Limits of the answers of a [Responder].
const (
	answerInterval = time.Second / 2 // in which a source earns an answer
	burst          = 10              // answers to a source that was silent
	bytesPerSecond = 32 << 10        // to all sources together, and size of their burst
	maxSources     = 1024            // sources to remember
	leastCharge    = 256             // minimum charge for an answer in bytes
)

// limiter limits the answers that a server sends. If an attacker exhausts the limit of all sources,
// the server sends no answers for a while.
type limiter struct {
	sources map[netip.Addr]time.Time // when the debt of each source ends
	total   time.Time                // when the debt of all sources ends
	first   time.Time                // no debt of a source ends before
}

// allow reports whether a source may get an answer now.
func (l *limiter) allow(now time.Time, from netip.Addr) bool {
	if l.exhausted(now) {
		return false
	}
	debt, known := l.sources[source(from)]
	if !known {
		return l.room(now)
	}
	return debt.Sub(now) <= (burst-1)*answerInterval
}

// exhausted reports whether all sources together have reached their limit.
func (l *limiter) exhausted(now time.Time) bool { return l.total.Sub(now) >= time.Second }

// spend records an answer of the given length to a source.
func (l *limiter) spend(now time.Time, from netip.Addr, bytes int) {
	if l.sources == nil {
		l.sources = make(map[netip.Addr]time.Time)
	}
	key := source(from)
	l.sources[key] = later(l.sources[key], now).Add(answerInterval)
	l.total = later(l.total, now).Add(time.Duration(max(bytes, leastCharge)) * time.Second / bytesPerSecond)
}

// room reports whether another source can be remembered. It forgets sources without debt. At most 768
// answers fit the total in 5 s, and no debt of a burst lasts longer, so 1,024 sources suffice.
func (l *limiter) room(now time.Time) bool {
	if len(l.sources) >= maxSources && !now.Before(l.first) {
		l.first = now.Add(answerInterval) // of a source that gets an answer from now on
		for key, debt := range l.sources {
			switch {
			case !debt.After(now):
				delete(l.sources, key)
			case debt.Before(l.first):
				l.first = debt
			}
		}
	}
	return len(l.sources) < maxSources
}

// source returns the network for which an address counts: an IPv4 address, or 64 bits of an IPv6
// address.
func source(a netip.Addr) netip.Addr {
	if a = a.Unmap(); a.Is6() {
		a = netip.PrefixFrom(a, 64).Masked().Addr()
	}
	return a
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
