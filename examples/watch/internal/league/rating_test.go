package league

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The example of Glickman, "The Glicko system", 1999.
func TestGlicko(t *testing.T) {
	games := []game{{Rating{1400, 30}, 1}, {Rating{1550, 100}, 0}, {Rating{1700, 300}, 0}}
	r := Rating{1500, 200}.after(games, 0)
	require.InDelta(t, 1464, r.Value, 0.5)
	require.InDelta(t, 151.4, r.Deviation, 0.05)
	year := Rating{1500, 50}.after(nil, 365*24*time.Hour)
	require.InDelta(t, 1500, year.Value, 0)
	require.InDelta(t, most, year.Deviation, 0.001)
}
