package gamespy

import (
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/internal/clock"
	"github.com/bcwire/bcwire/internal/limit"
)

// Limits of the answers of a [Responder].
const (
	answerInterval = time.Second / 2 // in which a source earns an answer
	burst          = 10              // answers to a source that was silent
	bytesPerSecond = 32 << 10        // to all sources together, and size of their burst
	maxSources     = 1024            // sources to remember: all sources together get at most 768 answers in 5 s
	leastCharge    = 256             // minimum charge for an answer in bytes
)

// answers is the only bucket of a source.
const answers = 0

// limiter limits the answers that a server sends. If an attacker exhausts the limit of all sources,
// the server sends no answers for a while.
type limiter struct {
	clock   clock.Clock
	sources limit.Table
	total   limit.Bucket // of bytes
}

// totalRate is the rate of all sources together, rounded down.
func totalRate() limit.Rate {
	return limit.Rate{Interval: time.Second/bytesPerSecond + 1, Burst: bytesPerSecond}
}

// set tells the time.
func (l *limiter) set(now time.Time) {
	if l.sources.Max == 0 {
		l.sources = limit.Table{Max: maxSources, Rates: []limit.Rate{answers: {Interval: answerInterval, Burst: burst}}}
	}
	l.clock.Set(now)
}

// allow reports whether a source may get an answer now.
func (l *limiter) allow(from netip.AddrPort) bool {
	return !l.exhausted() && l.sources.Has(l.clock.Now, limit.Of(from), answers, 1)
}

// exhausted reports whether all sources together have reached their limit.
func (l *limiter) exhausted() bool { return !l.total.Has(l.clock.Now, totalRate(), 1) }

// spend records an answer of the given length to a source. It may exceed the limit of all sources: a large
// answer delays later ones.
func (l *limiter) spend(from netip.AddrPort, bytes int) {
	l.sources.Spend(l.clock.Now, limit.Of(from), answers, 1)
	l.total.Spend(l.clock.Now, totalRate(), max(bytes, leastCharge))
}
