package timeline

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The conditions of all ships at the end of a match are those of its world.
func TestConditions(t *testing.T) {
	t.Parallel()
	s := load(t, Options{}, datagrams(t, battle))
	c, err := s.Conditions(1)
	require.NoError(t, err)
	at := s.Info().End
	compared := 0
	for _, ship := range window(t, s, 1, at, at).Snapshot.Ships {
		for _, p := range c.Players {
			if p.Name != ship.Name || ship.Life != "alive" {
				continue
			}
			compared++
			sum := float32(0)
			for _, state := range ship.State {
				if ship.Systems[state.Index].Name == "Hull" {
					require.InDelta(t, state.Condition*100, p.Hull[steps-1], 0.6)
				}
				if state.Facings != nil {
					for _, f := range state.Facings {
						sum += f
					}
				}
			}
			require.InDelta(t, sum/6*100, p.Shields[steps-1], 0.6)
		}
	}
	require.GreaterOrEqual(t, compared, 2)
	require.Equal(t, -1, c.Players[3].Hull[0], "nobody flies before the ship is created")
}
