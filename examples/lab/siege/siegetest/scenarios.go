package siegetest

import (
	"math/rand/v2"
	"strings"
	"time"

	"github.com/bcwire/bcwire/examples/lab/siege"
)

// scenarios returns the attacks of the suite. Their limits are a third above what was measured.
func scenarios() []scenario {
	name := strings.Repeat("x", 32)
	churnFrom := func(ips int, name string) func(*match) siege.Attacker {
		return func(*match) siege.Attacker { return siege.Churn(450, ips, name) }
	}
	blind := func(b siege.BlindJoin) func(*match) siege.Attacker {
		return func(*match) siege.Attacker {
			fresh := b
			return &fresh
		}
	}
	seed := func() *rand.Rand { return rand.New(rand.NewPCG(1, 13)) }
	flood := func(*match) siege.Attacker { return siege.ConnectFlood(400, seed()) }
	noisy := func(perSecond float64, kinds ...func(*rand.Rand) []byte) func(*match) siege.Attacker {
		return func(*match) siege.Attacker { return siege.Noise(perSecond, seed(), kinds...) }
	}
	const (
		brief    = 10 * time.Second
		aMinute  = time.Minute
		often    = 2 * time.Second
		halfOpen = 32 << 20 // 10,240 sessions
		few      = 1 << 20
		quiet    = 800 // bytes of log a second
	)
	slow := []time.Duration{0, 100 * time.Millisecond, 400 * time.Millisecond}
	return []scenario{
		{
			name: "churn", attacker: churnFrom(1, name), latencies: slow,
			lasts: brief, amplification: 1.6, memory: halfOpen, log: quiet,
		},
		{
			name: "churn without names", attacker: churnFrom(1, ""), latencies: slow,
			lasts: brief, amplification: 5.6, memory: halfOpen, log: quiet,
		},
		{
			name: "churn from 200 addresses", attacker: churnFrom(200, name), latencies: slow,
			lasts: brief, amplification: 1.6, memory: halfOpen, log: quiet,
		},
		{
			name: "blind join", attacker: blind(siege.BlindJoin{Every: often}),
			lasts: aMinute, amplification: 1.5, memory: few, log: quiet,
		},
		{
			name: "blind join, two datagrams", attacker: blind(siege.BlindJoin{Every: often, Brief: true}),
			lasts: aMinute, amplification: 1.5, memory: few, log: quiet,
		},
		{
			name: "blind join, random IDs", attacker: blind(siege.BlindJoin{Every: often}), random: true,
			lasts: aMinute, amplification: 1.5, memory: few, log: quiet,
		},
		{
			name: "connect flood", attacker: flood,
			lasts: brief, amplification: 6, memory: halfOpen, log: quiet,
		},
		{
			name: "connect flood, random IDs", attacker: flood, random: true,
			lasts: brief, amplification: 6, memory: halfOpen, log: quiet,
		},
		{
			name: "forged events", attacker: newForger, proven: true,
			lasts: 15 * time.Second, memory: few, log: quiet,
		},
		{
			name: "launch cycle", attacker: launchCycle, proven: true, crowd: true, latencies: slow,
			lasts: 30 * time.Second, memory: few, log: 3500,
		},
		{
			name: "garbage flood", attacker: noisy(1000, siege.Garbage, siege.Mutated, siege.Forged),
			lasts: brief, amplification: 0.1, memory: few, log: quiet,
		},
		{
			name: "GameSpy, few queries", attacker: noisy(20, siege.StatusQuery),
			lasts: brief, amplification: 45, memory: few, log: quiet,
		},
		{
			name: "GameSpy flood", attacker: noisy(1000, siege.Query),
			lasts: brief, amplification: 4, memory: few, log: quiet,
		},
	}
}
