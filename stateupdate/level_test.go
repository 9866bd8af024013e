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
	fraction     float32
	level, power int
}{
	{nan, 0, 0},
	{-inf, 0, 0},
	{-1, 0, 0},
	{-math.SmallestNonzeroFloat32, 0, 0},
	{0, 0, 0},
	{math.SmallestNonzeroFloat32, 0, 0},
	{0.5, 127, 2550},
	{math.Nextafter32(1, 0), 254, 5099},
	{1, 255, 5100},
	{math.Nextafter32(1, 2), 255, 5100},
	{2.55, 255, 13005},
	{2.6, 255, 13005},
	{1e30, 255, 13005},
	{inf, 255, 13005},
}

func TestLevel(t *testing.T) {
	for code := range 256 {
		l := stateupdate.Level(code)
		require.Equal(t, l, stateupdate.LevelOf(l.Fraction()))
		require.InDelta(t, float64(code)/255, l.Fraction(), 1e-7)
		require.InDelta(t, float64(code)*9000/255, l.Points(9000), 1e-2)
		if code > 0 {
			below := math.Nextafter32(l.Fraction(), 0)
			require.Equal(t, l-1, stateupdate.LevelOf(below), "truncated")
		}
	}
	for _, v := range edges {
		require.Equal(t, stateupdate.Level(v.level), stateupdate.LevelOf(v.fraction), "%v", v.fraction)
		require.Equal(t, stateupdate.Power(v.power), stateupdate.PowerOf(v.fraction), "%v", v.fraction)
	}
}

func TestLevelText(t *testing.T) {
	for code, text := range map[stateupdate.Level]string{0: "0%", 1: "1%", 2: "1%", 127: "50%", 240: "94%", 254: "99%", 255: "100%"} {
		require.Equal(t, text, code.String())
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
		require.Equal(t, raw, setting.Setting())
		require.InDelta(t, float64(code)/100, percent.Fraction(), 1e-6)
		require.InDelta(t, float64(code)/204, setting.Fraction(), 1e-6)
		require.Equal(t, percent, stateupdate.PowerOf(percent.Fraction()))
		require.Equal(t, setting, stateupdate.PowerOf(setting.Fraction()))
		require.Equal(t, code*100/204, int(setting.Percent()), "trunc(wanted * 100)")
		require.Equal(t, min(code*204/100, 255), int(percent.Setting()), "trunc(wanted * 204)")
	}
	require.Equal(t, stateupdate.FullPower, stateupdate.PowerPercent(100))
	require.Equal(t, stateupdate.FullPower, stateupdate.PowerSetting(0xCC))
	require.Equal(t, stateupdate.MaxPower, stateupdate.PowerPercent(125))
	require.Equal(t, stateupdate.MaxPower, stateupdate.PowerSetting(0xFF))
	for p := range stateupdate.Power(256 * 51) {
		require.Equal(t, p <= 255*51, p == stateupdate.PowerOf(p.Fraction()))
	}
	require.Equal(t, uint8(255), stateupdate.Power(65535).Percent())
	require.Equal(t, uint8(255), stateupdate.Power(65535).Setting())
	require.Equal(t, "125%", stateupdate.MaxPower.String())
	require.Equal(t, "99%", (stateupdate.FullPower - 30).String())
	require.Equal(t, "1285%", stateupdate.Power(65535).String())
	for percent := range 126 { // also in both codes of the wire
		want, power := fmt.Sprintf("%d%%", percent), stateupdate.PowerOf(float32(percent)/100)
		require.Equal(t, want, power.String())
		require.Equal(t, want, stateupdate.PowerPercent(power.Percent()).String())
		require.Equal(t, want, stateupdate.PowerSetting(power.Setting()).String())
	}
}

// The codes are trunc(x*255), trunc(x*100) and trunc(x*204), as in the game, except for the
// fractions of a code.
func TestTruncation(t *testing.T) {
	own := map[float32]bool{}
	for code := range 5 * 5100 / 2 {
		own[float32(code)/5100] = true
		own[float32(code)/255] = true
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		x := 1.25 * rng.Float32()
		if own[x] {
			continue
		}
		p := stateupdate.PowerOf(x)
		want := [3]int{min(int(float32(x*255)), 255), int(float32(x * 100)), min(int(float32(x*204)), 255)}
		got := [3]int{int(stateupdate.LevelOf(x)), int(p.Percent()), int(p.Setting())}
		if got != want {
			t.Fatalf("%v: %v, not %v", x, got, want)
		}
	}
}
