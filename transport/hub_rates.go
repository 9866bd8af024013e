package transport

import (
	"net/netip"
	"time"
)

// maxRates is how many addresses connectRates keeps. An attacker must open sessions from
// more than that to make it forget one.
const maxRates = 4096

// connectRates limits how often sessions of one IP address open: a token bucket for each
// address whose bucket is not full.
type connectRates struct {
	burst    int
	interval time.Duration                // in which a bucket gains a token
	full     map[netip.Addr]time.Duration // when the bucket will be full again
}

// allow reports whether a session of an address may open.
func (r *connectRates) allow(ip netip.Addr, now time.Duration) bool {
	return r.full[ip]-now <= time.Duration(r.burst-1)*r.interval
}

// take notes that a session has opened.
func (r *connectRates) take(ip netip.Addr, now time.Duration) {
	if len(r.full) >= maxRates {
		r.clean(now)
	}
	if r.full == nil {
		r.full = map[netip.Addr]time.Duration{}
	}
	r.full[ip] = max(r.full[ip], now) + r.interval
}

// clean forgets the addresses whose buckets are full or, if there is none, all.
func (r *connectRates) clean(now time.Duration) {
	for ip, full := range r.full {
		if full <= now {
			delete(r.full, ip)
		}
	}
	if len(r.full) >= maxRates {
		clear(r.full)
	}
}
