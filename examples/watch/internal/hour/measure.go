package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/bcwire/bcwire/examples/internal/input"
	"github.com/bcwire/bcwire/examples/watch/internal/match"
)

// measure loads a match and prints the times.
func measure(name string) error {
	store := match.New(match.Options{Title: name})
	defer store.Close()
	began := time.Now()
	if err := load(store, name); err != nil {
		return err
	}
	info := store.Info()
	if info.Problem != "" || info.Link == 0 {
		return fmt.Errorf("the match is not complete: %s", info.Problem)
	}
	fmt.Printf("loaded %d messages in %d datagrams, %.0f s of a match, in %v; max RSS %s\n",
		info.Messages, info.Datagrams, info.End-info.Start, time.Since(began).Round(time.Millisecond), maxRSS())
	random := rand.New(rand.NewPCG(3, 4))
	calls := []struct {
		name string
		n    int
		call func() error
	}{
		{"window of 2 s", 100, func() error {
			from := info.Start + random.Float64()*(info.End-info.Start-2)
			_, err := store.Window(info.Link, from, from+2, true)
			return err
		}},
		{"details of a message", 100, func() error {
			_, err := store.Message(random.IntN(info.Messages))
			return err
		}},
		{"page of all messages", 100, func() error {
			_, err := store.Messages(match.Query{From: random.IntN(info.Messages), Count: 100})
			return err
		}},
		{"new filter by name", 8, func() error {
			f := match.Filter{Names: "TorpedoFire", Player: 2 + random.IntN(16)}
			_, err := store.Messages(match.Query{Filter: f, Count: 100})
			return err
		}},
		{"new filter by text", 8, func() error {
			f := match.Filter{Text: fmt.Sprintf("0x4%03x", random.IntN(4096))}
			_, err := store.Messages(match.Query{Filter: f, Count: 100})
			return err
		}},
		{"traffic", 20, func() error {
			store.Traffic()
			return nil
		}},
	}
	for _, c := range calls {
		if err := repeat(c.name, c.n, c.call); err != nil {
			return err
		}
	}
	fmt.Printf("max RSS %s\n", maxRSS())
	return nil
}

func load(store *match.Store, name string) error {
	in, err := new(input.Opener).Open(context.Background(), name)
	if err != nil {
		return err
	}
	defer in.Close()
	for d, err := range in.Datagrams() {
		if err != nil {
			return err
		}
		d.Data = bytes.Clone(d.Data)
		if err := store.Add(d); err != nil {
			return err
		}
	}
	store.Finish()
	return nil
}

// repeat calls a function n times and prints the median and the largest time.
func repeat(name string, n int, call func() error) error {
	var times []time.Duration
	for range n {
		began := time.Now()
		if err := call(); err != nil {
			return err
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	fmt.Printf("%-22s p50 %8v  max %8v\n", name, times[n/2].Round(10*time.Microsecond), times[n-1].Round(10*time.Microsecond))
	return nil
}

// maxRSS returns the largest memory of the process so far, or "unknown" on other systems than
// Linux.
func maxRSS() string {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			return cmp.Or(strings.TrimSpace(value), "unknown")
		}
	}
	return "unknown"
}
