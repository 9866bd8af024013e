//go:build duckdb

package main

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMillionMessages writes a recording of a million messages from a pipe. The memory that is in
// use stays the same, and DuckDB reads all row groups.
func TestMillionMessages(t *testing.T) {
	const battles = 77 // of 13,086 messages
	r, w := io.Pipe()
	var early, late uint64
	go func() {
		w.CloseWithError(repeatBattle(w, battles, func(i int) {
			switch i {
			case battles / 4:
				early = heap()
			case battles - 1:
				late = heap()
			}
		}))
	}()
	dir := t.TempDir()
	var complaints bytes.Buffer
	status := run(t.Context(), []string{"-tables", "messages", "-parquet", filepath.Join(dir, "x.parquet"), "-"}, r, io.Discard, &complaints)
	require.Zero(t, status, complaints.String())
	t.Logf("memory in use: %d MB after %d messages, %d MB after %d", early>>20, 13_086*(battles/4+1), late>>20, 13_086*battles)
	require.Less(t, late, early+32<<20)
	got := query(t, dir,
		"SELECT count(*), count(DISTINCT datagram), count(fields->>'$.Text') FROM 'x.parquet'",
		"SELECT max(row_group_num_rows) BETWEEN 4096 AND 16384 FROM parquet_metadata('x.parquet')",
	)
	require.Equal(t, [][]string{{fmt.Sprint(13_086 * battles), fmt.Sprint(5705 * battles), fmt.Sprint(48 * battles)}}, got[0].texts())
	require.Equal(t, [][]string{{"true"}}, got[1].texts())
}

// heap returns the bytes that are in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
