package timeline

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// A page that watches one player of a live match is told to watch another one once that player is not heard any more,
// and that nobody is there once the server is silent.
func TestLiveGoesOn(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Live: true})
	all := datagrams(t, battle)
	best := func(link int) *Window {
		w, err := s.Window(link, math.Inf(1), math.Inf(1), false)
		require.NoError(t, err)
		return w
	}
	for _, d := range all[:len(all)/3] {
		require.NoError(t, s.Add(copyOf(d)))
	}
	info := s.Info()
	watched := info.Links[info.Link-1]
	for _, l := range info.Links {
		require.Equal(t, l.Link, best(l.Link).Best)
	}
	for _, d := range all[len(all)/3 : len(all)*2/3] {
		if d.Client != watched.Client {
			require.NoError(t, s.Add(copyOf(d)))
		}
	}
	require.NotEqual(t, watched.Link, best(watched.Link).Best)
	require.Equal(t, s.Info().Link, best(watched.Link).Best)

	end := s.Info().End
	s.Tick(end + 1)
	require.Zero(t, s.Info().Silent)
	require.InDelta(t, end+1, s.Info().End, 1e-6, "the clock goes on")
	s.Tick(end + 5)
	w := best(info.Link)
	require.InDelta(t, 5, w.Silent, 0.5)
	require.GreaterOrEqual(t, w.Age, w.Silent)
	for _, l := range s.Info().Links {
		require.False(t, l.Here)
	}
}

// A server with an empty lobby, which sends every five seconds, is not silent.
func TestPulseOfLobby(t *testing.T) {
	t.Parallel()
	p := pulse{}
	for at := 1.0; at < 100; at += 5 {
		p.beat(at)
		p.now = at + 4.9
		require.Zero(t, p.silent(p.heard))
	}
}
