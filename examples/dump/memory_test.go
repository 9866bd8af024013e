package main

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
)

// mostAllocations are the most allocations for a message of the recorded battle, a little more than today's.
var mostAllocations = map[string]float64{"-v=false": 1.1, "-json": 1.1, "-stats": 0.15, "-check": 1, "-events": 0.3}

// Printing, counting and checking allocate little for a message. Unlike seconds, allocations are the same on
// every machine.
func TestAllocations(t *testing.T) {
	if testdata.UnderRace {
		t.Skip("the race detector allocates")
	}
	var once, text bytes.Buffer
	require.NoError(t, repeatBattle(&once, 1, func(int) {}))
	require.NoError(t, repeatBattle(&text, 3, func(int) {}))
	for flag, most := range mostAllocations {
		allocations := func(text []byte) float64 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			require.Zero(t, run(context.Background(), []string{flag, "-jobs", "1", "-"}, bytes.NewReader(text), io.Discard, io.Discard))
			runtime.ReadMemStats(&after)
			return float64(after.Mallocs - before.Mallocs)
		}
		first := allocations(once.Bytes()) // includes what is allocated once
		each := (allocations(text.Bytes()) - first) / (2 * 13_086)
		t.Logf("%s: %.3f allocations for a message", flag, each)
		require.LessOrEqual(t, each, most, flag)
	}
}
