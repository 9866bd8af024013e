package timeline

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// drained is what a reader of a stream has received.
type drained struct {
	changes []json.RawMessage
	events  []Event
	infos   int
	from    float64 // of the next frame, at most
}

// drain reads what is new. It requires that nothing is missing.
func (d *drained) drain(t *testing.T, s *Store, x *Stream) {
	t.Helper()
	frames, err := s.Next(x)
	require.NoError(t, err)
	for _, f := range frames {
		if f.Name == "info" {
			d.infos++
			continue
		}
		require.Equal(t, "changes", f.Name)
		require.NotContains(t, string(f.Data), "\n")
		var frame struct {
			From, To float64
			Changes  []json.RawMessage
			Events   []Event
		}
		require.NoError(t, json.Unmarshal(f.Data, &frame))
		require.LessOrEqual(t, frame.From, d.from)
		d.changes, d.events, d.from = append(d.changes, frame.Changes...), append(d.events, frame.Events...), after(frame.To)
	}
}

// A snapshot and the frames of a stream give the world of the recording, for readers that begin at
// any time.
func TestStreamEqualsWindows(t *testing.T) {
	t.Parallel()
	all := datagrams(t, battle)
	s := open(t, Options{Live: true})
	type reader struct {
		stream *Stream
		begin  float64
		first  int // message
		link   int
		got    drained
	}
	var readers []*reader
	for i, d := range all {
		require.NoError(t, s.Add(copyOf(d)))
		if i%500 == 0 {
			info := s.Info()
			link := info.Links[i%len(info.Links)].Link
			from := info.End
			x, err := s.Subscribe(link, &from)
			require.NoError(t, err)
			readers = append(readers, &reader{x, from, info.Messages, link, drained{from: from}})
		}
		for n, r := range readers {
			if i%(13+n) == 0 {
				r.got.drain(t, s, r.stream)
			}
		}
	}
	end := after(s.Info().End)
	for _, r := range readers {
		r.got.drain(t, s, r.stream)
		var want []string
		for at := r.begin; at < end; at += MaxWindow {
			want = append(want, texts(t, window(t, s, r.link, at, min(end, at+MaxWindow)).Changes)...)
		}
		var got []string
		for _, c := range r.got.changes {
			got = append(got, string(c))
		}
		require.Equal(t, len(want), len(got))
		require.Equal(t, want, got)
		events, _, err := s.Events(r.link, 0, 1000)
		require.NoError(t, err)
		for len(events) > 0 && events[0].Message < r.first {
			events = events[1:]
		}
		require.Equal(t, jsonOf(t, events), jsonOf(t, append([]Event{}, r.got.events...)))
	}
	require.Greater(t, readers[0].got.infos, 3, "players have joined")
}

// A stream ends when its link is forgotten, and when the messages that it has not read are dropped.
func TestStreamEnds(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Live: true, MaxMessages: 1000, segmentMessages: 100})
	add := func(n int) { require.NoError(t, s.Add(fromHost(t, 1, float64(n), noise))) }
	add(0)
	slow, err := s.Subscribe(1, nil)
	require.NoError(t, err)
	fast, err := s.Subscribe(1, nil)
	require.NoError(t, err)
	for n := range 2000 {
		add(n + 1)
		_, err := s.Next(fast)
		require.NoError(t, err)
	}
	_, err = s.Next(slow)
	require.ErrorIs(t, err, ErrNoLink)
	delete(s.links, flow{client: "1"})
	_, err = s.Next(fast)
	require.ErrorIs(t, err, ErrNoLink)
}

func TestSubscribeErrors(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.game(2, s.ship(0, "akira"))
	_, err := s.store.Subscribe(2, nil)
	require.ErrorIs(t, err, ErrNoLink)
	old := s.now - 31
	_, err = s.store.Subscribe(1, &old)
	require.ErrorIs(t, err, ErrRange)
	_, err = load(t, Options{}, datagrams(t, sample)).Subscribe(1, nil)
	require.ErrorIs(t, err, ErrRange, "a recording has no stream")
	s.store.Close()
	_, err = s.store.Subscribe(1, nil)
	require.Error(t, err)
}

// No two datagrams of a live match have the same time, so that a snapshot at the beginning of a
// frame has everything before it.
func TestLiveTimesDiffer(t *testing.T) {
	t.Parallel()
	c := clock{strict: true}
	last := c.at(5)
	for _, at := range []float64{5, 5, 4.9, 3, 5} {
		now := c.at(at)
		require.Greater(t, now, last)
		last = now
	}
}
