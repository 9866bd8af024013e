package stateupdate_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/stateupdate"
)

// edges are fractions without a code of their own.
var edges = []struct {
	fraction float32
	level    int
}{
	{nan, 0},
	{-inf, 0},
	{-1, 0},
	{-math.SmallestNonzeroFloat32, 0},
	{0, 0},
	{math.SmallestNonzeroFloat32, 0},
	{0.5, 127},
	{math.Nextafter32(1, 0), 254},
	{1, 255},
	{math.Nextafter32(1, 2), 255},
	{2.55, 255},
	{2.6, 255},
	{1e30, 255},
	{inf, 255},
}

func TestLevel(t *testing.T) {
	for code := range 256 {
		l := stateupdate.Level(code)
		require.Equal(t, l, stateupdate.LevelOf(l.Fraction()))
		require.InDelta(t, float64(code)/255, l.Fraction(), 1e-7)
		if code > 0 {
			below := math.Nextafter32(l.Fraction(), 0)
			require.Equal(t, l-1, stateupdate.LevelOf(below), "truncated")
		}
	}
	for _, v := range edges {
		require.Equal(t, stateupdate.Level(v.level), stateupdate.LevelOf(v.fraction), "%v", v.fraction)
	}
}

func TestLevelText(t *testing.T) {
	for code, text := range map[stateupdate.Level]string{0: "0%", 1: "1%", 2: "1%", 127: "50%", 240: "94%", 254: "99%", 255: "100%"} {
		require.Equal(t, text, code.String())
	}
	for code := 1; code < 255; code++ {
		want := min(max(math.Round(float64(code)*100/255), 1), 99)
		require.Equal(t, fmt.Sprintf("%v%%", want), stateupdate.Level(code).String())
	}
	for percent := range 101 { // a level prints its percentage
		require.Equal(t, fmt.Sprintf("%d%%", percent), stateupdate.LevelOf(float32(percent)/100).String())
	}
	require.Equal(t, "100/94/0%", stateupdate.Levels{255, 240, 0}.String())
	require.Equal(t, "50%", stateupdate.Levels{127}.String())
	require.Empty(t, stateupdate.Levels{}.String())
	require.Equal(t, strings.Repeat("100/", 299)+"100%", stateupdate.Levels(bytes.Repeat([]byte{255}, 300)).String())
}

func TestPower(t *testing.T) {
	for code := range 256 {
		raw := uint8(code)
		percent, setting := stateupdate.PowerPercent(raw), stateupdate.PowerSetting(raw)
		require.Equal(t, raw, percent.Percent())
		require.Equal(t, 51*code, int(percent))
		require.Equal(t, 25*code, int(setting))
		require.Equal(t, code*100/204, int(setting.Percent()), "trunc(wanted * 100)")
		require.Equal(t, min(code*204/100, 255), int(percent.Setting()), "trunc(wanted * 204)")
	}
	require.Equal(t, stateupdate.PowerPercent(100), stateupdate.PowerSetting(0xCC))
	require.Equal(t, stateupdate.PowerPercent(125), stateupdate.PowerSetting(0xFF))
	require.Equal(t, [2]uint8{255, 255}, [2]uint8{stateupdate.Power(65535).Percent(), stateupdate.Power(65535).Setting()})
	require.Equal(t, "125%", stateupdate.PowerPercent(125).String())
	require.Equal(t, "99% 100%", (stateupdate.PowerPercent(100)-30).String()+" "+(stateupdate.PowerPercent(100)-20).String())
	require.Equal(t, "0% 1%", stateupdate.Power(25).String()+" "+stateupdate.Power(26).String())
	require.Equal(t, "1285%", stateupdate.Power(65535).String())
	for percent := range 126 {
		require.Equal(t, fmt.Sprintf("%d%%", percent), stateupdate.PowerPercent(uint8(percent)).String())
	}
}

// The code is trunc(x*255), as in the game, except for the fractions of a code.
func TestTruncation(t *testing.T) {
	own := map[float32]bool{}
	for code := range 256 {
		own[float32(code)/255] = true
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		x := 1.25 * rng.Float32()
		if want := min(int(float32(x*255)), 255); !own[x] && int(stateupdate.LevelOf(x)) != want {
			t.Fatalf("%v: %v, not %v", x, stateupdate.LevelOf(x), want)
		}
	}
}
