package league

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The activity has the shortest unit with at most 62 bars, and counts every match once, but for those before the last
// 62 years.
func TestActivity(t *testing.T) {
	day := func(text string) time.Time {
		at, err := time.Parse(time.DateTime, text)
		require.NoError(t, err)
		return at
	}
	for _, c := range []struct {
		dates       []string
		unit, first string
		bars, most  int
	}{
		{[]string{"2026-03-01 23:59:59", "2026-03-01 20:00:00"}, "day", "2026-03-01 00:00:00", 1, 2},
		{[]string{"2026-01-01 00:00:00", "2026-03-03 00:00:00"}, "day", "2026-01-01 00:00:00", 62, 1},
		{[]string{"2026-01-01 00:00:00", "2026-01-04 12:00:00", "2026-03-04 00:00:00"}, "week", "2025-12-29 00:00:00", 10, 2},
		{[]string{"2024-01-31 00:00:00", "2026-03-04 00:00:00"}, "month", "2024-01-01 00:00:00", 27, 1},
		{[]string{"1970-01-01 00:00:00", "2026-03-04 00:00:00"}, "year", "1970-01-01 00:00:00", 57, 1},
		{[]string{"0001-01-01 00:00:00", "2026-03-04 00:00:00"}, "year", "1965-01-01 00:00:00", maxBars, 1},
	} {
		var all []*Match
		for _, text := range c.dates {
			all = append(all, &Match{Date: day(text)})
		}
		a := activityOf(all)
		require.Equal(t, c.unit, a.Unit)
		require.Equal(t, day(c.first), a.From)
		require.Len(t, a.Bars, c.bars)
		require.Equal(t, c.most, a.Most)
		sum := 0
		for _, b := range a.Bars {
			sum += b.Count
			require.LessOrEqual(t, b.X+b.Width, float64(plotWidth))
			require.InDelta(t, plotHeight, b.Y+b.Height, 0)
			require.LessOrEqual(t, b.Height, float64(plotHeight))
		}
		require.True(t, sum == len(all) || all[0].Date.Before(a.From))
	}
}

// A plot has the best players over the time of their matches. The lowest rating is at the bottom.
func TestPlot(t *testing.T) {
	at := time.Unix(1e9, 0)
	ann := &Person{Name: "Ann", ratings: []rated{{at, 1600}, {at.Add(time.Hour), 1700}}}
	ben := &Person{Name: "Ben", ratings: []rated{{at.Add(time.Hour / 2), 1400}}}
	p := plotOf([]*Person{ann, ben})
	require.Equal(t, []float64{1400, 1700}, []float64{p.Low, p.High})
	require.Equal(t, []Line{{ann, 0, "M0 105L0 55L600 5"}, {ben, 1, "M300 105L300 155"}}, p.Lines)
	require.Len(t, plotOf([]*Person{ann, ann, ann, ann, ann, ann, ann, ann, ben}).Lines, maxLines)
}
