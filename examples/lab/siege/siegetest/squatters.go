package siegetest

import (
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/testdata"
)

// Squatters lets squatters take slots without ever loading the game, and come again at once
// when they lose them. Honest clients arrive one after another, and leave after entering.
func Squatters(t *testing.T, start siege.Start) {
	for _, c := range []struct {
		honest, networks, each int
		load                   time.Duration
		least                  int // of 5 who enter
	}{
		{4, 1, 4, 15 * time.Second, 5},
		{4, 1, 4, 5 * time.Second, 5},
		{7, 1, 1, 5 * time.Second, 5},
		{0, 3, 4, 15 * time.Second, 4},
		{7, 2, 1, 5 * time.Second, 5},
		{5, 1, 4, 5 * time.Second, 5},
	} {
		t.Run(fmt.Sprintf("%d in game, %d x %d, load %v", c.honest, c.networks, c.each, c.load), func(t *testing.T) {
			w := siege.NewWorld(t, start, join.HostOptions{})
			w.Weather.Delay = 50 * time.Millisecond
			for i := range c.honest {
				w.Join(fmt.Sprint("Player ", i))
			}
			s := siege.Squatters{World: w, Networks: c.networks, Each: c.each, Port: 30000}
			entered, slowest := 0, time.Duration(0)
			for try := range 5 {
				began := w.Now
				ok, vic := false, (*siege.Loader)(nil)
				for !ok && w.Now.Sub(began) < time.Minute {
					if vic == nil || vic.Ended != nil { // from a new port
						if vic != nil {
							w.Drop(vic)
						}
						vic = w.ConnectFrom(fmt.Sprint("Victim ", try), netip.AddrPort{}, c.load)
					}
					s.Come()
					w.Run(2 * siege.Step)
					ok = w.InGame(w.AddrOf(vic))
				}
				if ok {
					entered++
					slowest = max(slowest, w.Now.Sub(began))
				}
				vic.Close()
				w.Run(500 * time.Millisecond)
				w.Drop(vic)
			}
			t.Logf("%d of 5 entered, the slowest after %v", entered, slowest)
			require.GreaterOrEqual(t, entered, c.least)
		})
	}
}

// CheapSessions fills the hub with sessions that cost a datagram or two each. Honest bots join
// during the attack, and those in the game stay.
func CheapSessions(t *testing.T, start siege.Start) {
	flood := func(perSecond float64, ips int, validates bool) func(*match) siege.Attacker {
		return func(*match) siege.Attacker { return siege.OpenFlood(perSecond, ips, validates) }
	}
	for _, c := range []struct {
		name     string
		attacker func(*match) siege.Attacker
		latency  time.Duration
		joins    int
		least    int
		before   time.Duration // of the attack, before the first join
		between  time.Duration
	}{
		{"40 addresses, 40 opens/s", flood(40, 40, true), 100 * time.Millisecond, 6, 6, 3 * time.Second, 0},
		{"200 addresses, 10 opens/s", flood(10, 200, true), 100 * time.Millisecond, 6, 6, 15 * time.Second, 0},
		{"200 addresses, 200 opens/s", flood(200, 200, true), 100 * time.Millisecond, 6, 6, 15 * time.Second, 0},
		{"4000 addresses, 1000 opens/s", flood(1000, 4000, true), 100 * time.Millisecond, 6, 6, 15 * time.Second, 0},
		{"half-open, 200/s from 200 addresses", flood(200, 200, false), 400 * time.Millisecond, 6, 5, 3 * time.Second, 0},
		{"half-open, 1000/s from 4000 addresses", flood(1000, 4000, false), 400 * time.Millisecond, 6, 5, 3 * time.Second, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMatch(t, start, &scenario{attacker: c.attacker}, c.latency)
			began := m.Now
			m.run(testdata.Either(c.before, c.before/3))
			joins := testdata.Either(c.joins, 3)
			for range joins {
				m.visit()
				m.run(c.between)
			}
			seconds := m.Now.Sub(began).Seconds()
			t.Logf("%.0f B/s in, %.0f B/s out, %d of %d joined, the slowest after %v", float64(m.FromAttacker)/seconds, float64(m.ToAttacker)/seconds,
				m.joined, joins, m.slowest)
			require.Equal(t, 4, m.kept())
			require.GreaterOrEqual(t, m.joined, testdata.Either(c.least, 2))
			for _, p := range m.players {
				require.Equal(t, bot.InGame, p.State())
			}
		})
	}
}
