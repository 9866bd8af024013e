package match_test

import (
	"bytes"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// stack is the baseline: an Observer and a Tracker for each link, and a Decoder.
type stack struct {
	datagrams []match.Datagram
	links     map[string]*stackLink
	decoder   opcode.Decoder
	payloads  int
}

type stackLink struct {
	observer transport.Observer
	tracker  stateupdate.Tracker
}

func newStack(datagrams []recording.Datagram) *stack {
	s := &stack{links: map[string]*stackLink{}}
	for _, d := range datagrams {
		s.datagrams = append(s.datagrams, deciphered(d))
	}
	return s
}

// run passes some datagrams.
func (s *stack) run(from, to int) {
	for i := range s.datagrams[from:to] {
		d := &s.datagrams[from+i]
		l := s.links[d.Client]
		if l == nil {
			l = &stackLink{}
			s.links[d.Client] = l
		}
		for m, err := range l.observer.Receive(time.Unix(1, 0).Add(d.Time), d.FromHost, d.Data) {
			if m.NewConnection {
				l.tracker.Reset()
			}
			if err != nil || m.Payload == nil {
				continue
			}
			s.payloads++
			if game, err := s.decoder.Decode(m.Payload); err == nil {
				_, _ = l.tracker.Apply(game)
			}
		}
	}
}

// follower passes the same datagrams to a Match.
type follower struct {
	m         match.Match
	datagrams []match.Datagram
	payloads  int
}

func (f *follower) run(from, to int) {
	for i := range f.datagrams[from:to] {
		for step := range f.m.Receive(f.datagrams[from+i]) {
			if step.Game != nil {
				f.payloads++
			}
		}
	}
}

// BenchmarkSteps compares the steps of the recorded battle, without events, with the layers below.
func BenchmarkSteps(b *testing.B) {
	all, size := newStack(testdata.Battle(b)).datagrams, 0
	for i := range all {
		size += len(all[i].Data)
	}
	testdata.Compare(b, size,
		func() { f := follower{datagrams: all}; f.run(0, len(all)) },
		func() { s := stack{datagrams: all, links: map[string]*stackLink{}}; s.run(0, len(all)) })
}

// BenchmarkRead reads the recorded battle, with events and without.
func BenchmarkRead(b *testing.B) {
	text := recorded(b, testdata.Battle(b))
	for _, events := range []bool{false, true} {
		b.Run(map[bool]string{false: "Steps", true: "Events"}[events], func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				m := match.Match{Events: events}
				for _, err := range match.Read(bytes.NewReader(text), &m) {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// After the joins, following a match without events allocates no more than the layers below.
func TestSteadyStateAllocs(t *testing.T) {
	s := newStack(testdata.Battle(t))
	at := func(d time.Duration) int {
		return slices.IndexFunc(s.datagrams, func(x match.Datagram) bool { return x.Time >= d })
	}
	// At 12.5 s the ships exist, and each kind of message has been decoded. The next ship is created at 18.7 s.
	begin, end := at(12500*time.Millisecond), at(18500*time.Millisecond)
	mallocs := func(start func() (run func(from, to int))) uint64 {
		least := uint64(math.MaxUint64) // the runtime may allocate, too
		for range 10 {
			run := start()
			run(0, begin)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			run(begin, end)
			runtime.ReadMemStats(&after)
			least = min(least, after.Mallocs-before.Mallocs)
		}
		return least
	}
	below := mallocs(func() func(from, to int) { return (&stack{datagrams: s.datagrams, links: map[string]*stackLink{}}).run })
	require.Less(t, below, uint64(100))
	require.LessOrEqual(t, mallocs(func() func(from, to int) { return (&follower{datagrams: s.datagrams}).run }), below)
	require.Greater(t, end-begin, 400)
}
