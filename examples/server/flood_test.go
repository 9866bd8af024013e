package main

import (
	"math/rand/v2"
	"net"
	"net/netip"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/testdata"
)

// A flood of garbage, of mutated traffic, of Connects from many places and of forged peer
// IDs, while bots play: the match goes on, memory stays bounded, every drop is counted.
func TestFlood(t *testing.T) {
	t.Parallel()
	total := testdata.Either(1_000_000, 20_000)
	p := start(t, "-metrics", "127.0.0.1:0")
	addr, metrics := p.addr(), p.find(`msg=metrics addr=(\S+)`)
	var all seats
	for i := range 4 {
		all = append(all, sit(t, addr, i, bot.Options{Fire: true, Choose: choose}))
	}
	all.untilAllSee(t, 3)
	before := heapBytes()

	var attack sync.WaitGroup
	kinds := []func(*rand.Rand) []byte{siege.Garbage, siege.Mutated, siege.Connects, siege.Forged}
	for i, kind := range kinds {
		attack.Go(func() { flood(t, addr, byte(2+i), total/4, kind) })
	}
	attack.Wait()
	t.Logf("%d datagrams; heap %d KiB before and %d KiB after", total, before>>10, heapBytes()>>10)

	require.Less(t, heapBytes(), before+16<<20)
	time.Sleep(2 * siege.Tick) // the last counts
	for _, reason := range []string{"malformed", "unknown_address", "no_connect"} {
		n := metric(t, metrics, "bcwire_transport_dropped_total", reason)
		for round := 0; n == 0 && round < 200; round++ { // a slow machine has lost most of the flood
			for i, kind := range kinds {
				flood(t, addr, byte(6+(4*round+i)%200), 1, kind)
			}
			time.Sleep(2 * siege.Tick)
			n = metric(t, metrics, "bcwire_transport_dropped_total", reason)
		}
		t.Logf("%.0f dropped: %s", n, reason)
		require.Positive(t, n, reason)
	}
	require.NoError(t, ask(all[0], func(p *bot.Player) error { return p.Say("still here") }))
	require.Eventually(t, func() bool { return p.find(`text="(still here)"`) != "" }, 5*time.Second, 10*time.Millisecond)
	for _, s := range all {
		require.Equal(t, bot.InGame, s.state())
	}
	all.leave(t)
	p.stop()
	p.exits(0)
}

func heapBytes() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// flood sends datagrams from an address of the loopback network, through a socket that is
// another one every now and then.
func flood(t *testing.T, to netip.AddrPort, host byte, n int, next func(*rand.Rand) []byte) {
	const perSocket = 250
	rng := rand.New(rand.NewPCG(uint64(host), 1))
	end := time.Now().Add(60 * time.Second)
	for sent := 0; sent < n && time.Now().Before(end); sent += perSocket {
		conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, host)})
		if err != nil {
			t.Error(err)
			return
		}
		for i := range perSocket {
			_, _ = conn.WriteToUDPAddrPort(next(rng), to)
			if i%50 == 0 {
				time.Sleep(time.Millisecond) // what a socket has no room for harms nobody
			}
		}
		conn.Close()
	}
}
