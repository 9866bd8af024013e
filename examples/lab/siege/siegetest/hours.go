package siegetest

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	bot "github.com/bcwire/bcwire/examples/bot/player"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/testdata"
)

// Hours plays three hours (half a minute in the short form), and a third of it with random peer IDs, on a full server
// with eight honest bots, under a random mix of all attacks. Now and then a bot leaves, and another one comes and
// takes its place. No other bot ends, each one that comes enters within a minute, and neither the memory nor the log
// grows. While an attacker who came first plays, or has vanished from the game less than 45 s ago, the game is full,
// and the minute has not begun.
func Hours(t *testing.T, start siege.Start) {
	const players = 8
	for _, random := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(5, 25))
		mix := siege.NewMix(rng)
		m := newMatch(t, start, &scenario{attacker: func(*match) siege.Attacker { return mix }, random: random}, 100*time.Millisecond)
		for len(m.players) < players {
			m.players = append(m.players, m.come())
		}
		m.players.InGame(m.World, 10*time.Second)
		lasts, memory, logged := testdata.Either(3*time.Hour, 30*time.Second), []int64{}, m.log
		if random && testdata.Long() {
			lasts /= 3
		}
		breaks := testdata.Either[time.Duration](3, 2)
		comers, slowest := 0, time.Duration(0)
		for began, calm := m.Now, lasts/breaks; m.Now.Sub(began) < lasts; {
			m.run(time.Duration(5+rng.IntN(25)) * time.Second)
			for range 6 { // a ship that was destroyed in a fight or a collision has a successor soon
				if m.kept() == players {
					break
				}
				m.run(time.Second / 2)
			}
			require.Equal(t, players, m.kept())

			leaver := m.players[0]
			leaver.Leave()
			m.run(time.Second)
			m.Drop(leaver)
			m.players = m.players[1:]
			comer, came, asked := m.come(), m.Now, m.Now
			for comer.State() != bot.InGame {
				if m.others(comer) == players {
					came = m.Now
				}
				require.Less(t, m.Now.Sub(came), time.Minute, "comer %d", comers)
				require.Less(t, m.Now.Sub(asked), 10*time.Minute, "comer %d", comers)
				if comer.Err() != nil { // refused
					m.run(time.Second)
					m.Drop(comer)
					comer = m.come()
				}
				m.run(siege.Step)
			}
			comers, slowest = comers+1, max(slowest, m.Now.Sub(came))
			m.players = append(m.players, comer)
			m.run(3 * time.Second)

			if m.Now.Sub(began) >= calm {
				calm += lasts / breaks
				m.Stop()
				pause := testdata.Either(2*time.Minute, 50*time.Second)
				m.World.Run(pause) // the sessions of the attackers end
				began = began.Add(pause)
				m.Stop()
				memory = append(memory, siege.LiveHeap()>>10)
			}
		}
		for i, n := range mix.Used {
			require.True(t, n > 0 || !testdata.Long(), "kind %d", i)
		}
		bytes := float64(m.log-logged) / lasts.Seconds()
		t.Logf("%v, kinds %v: %d came, the slowest in %v; %.0f B/s of log; heap %d KiB", lasts, mix.Used, comers, slowest, bytes, memory)
		for _, p := range m.players {
			require.NoError(t, p.Err())
		}
		require.LessOrEqual(t, bytes, 300.0)
		require.LessOrEqual(t, slices.Max(memory), memory[0]+1024)
	}
}

// others returns the number of clients in the game without a bot, also of attackers.
func (m *match) others(than *siege.Robot) (n int) {
	for _, x := range m.Server.Host.Members() {
		if addr := x.Session.Addr(); addr != m.AddrOf(than) && m.InGame(addr) {
			n++
		}
	}
	return n
}
