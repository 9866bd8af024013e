//go:build browser

package main

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// battle is a recorded match of four players.
const battle = "../../testdata/battle.jsonl"

// TestBrowser tests the page in a browser. All tests share it.
func TestBrowser(t *testing.T) {
	c := startChrome(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *chrome)
	}{
		{"Views", testViews},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, c) })
	}
}

// serve runs the program until the end of the test and returns the address of the page.
func serve(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, in := io.Pipe()
	var stderr strings.Builder
	done := make(chan int, 1)
	go func() {
		status := run(ctx, args, strings.NewReader(""), in, &stderr)
		in.Close()
		done <- status
	}()
	t.Cleanup(func() {
		cancel()
		require.Zero(t, <-done, "%s", &stderr)
	})
	line := make([]byte, 200)
	n, err := out.Read(line)
	require.NoError(t, err)
	go func() { _, _ = io.Copy(io.Discard, out) }()
	return strings.TrimSpace(string(line[:n]))
}
