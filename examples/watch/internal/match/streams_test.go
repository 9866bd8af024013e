package match

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
)

// drained is what a reader of a stream has received.
type drained struct {
	changes []json.RawMessage
	events  []Event
	infos   int
	from    float64 // of the next frame, at most
}

// drain reads the waiting frames. It requires that no frame is missing.
func (d *drained) drain(t *testing.T, x *Stream) (open bool) {
	t.Helper()
	for {
		select {
		case f, ok := <-x.Frames:
			if !ok {
				return false
			}
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
		default:
			return true
		}
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
			x, err := s.Subscribe("me", link, &from)
			require.NoError(t, err)
			readers = append(readers, &reader{x, from, link, drained{from: from}})
		}
		if i%13 == 0 {
			s.Deliver()
		}
		for _, r := range readers {
			require.True(t, r.got.drain(t, r.stream))
		}
	}
	s.Deliver()
	end := after(s.Info().End)
	for _, r := range readers {
		require.True(t, r.got.drain(t, r.stream))
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
		for len(events) > 0 && events[0].Time < r.begin {
			events = events[1:]
		}
		require.Equal(t, jsonOf(t, events), jsonOf(t, append([]Event{}, r.got.events...)))
	}
	require.Greater(t, readers[0].got.infos, 3, "players have joined")
	for _, r := range readers {
		s.Unsubscribe(r.stream)
		s.Unsubscribe(r.stream)
	}
	require.Empty(t, s.streams.all)
}

// A reader that does not read is cut off. The others are not disturbed.
func TestSlowReaderIsCutOff(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.game(2, s.ship(0, "akira"))
	slow, err := s.store.Subscribe("me", 1, nil)
	require.NoError(t, err)
	fast, err := s.store.Subscribe("me", 1, nil)
	require.NoError(t, err)
	got := drained{from: s.now + 1}
	for n := range maxFrames + 2 {
		s.name(objectid.PeerID(3), string(rune('a'+n%26)))
		s.store.Deliver()
		require.True(t, got.drain(t, fast))
	}
	require.Len(t, got.changes, maxFrames+2)
	require.False(t, (&drained{from: s.now}).drain(t, slow))
	require.Len(t, s.store.streams.all, 1)

	p := &pending{}
	for range maxPending + 1 {
		p.add(&Reset{}, nil)
	}
	require.True(t, p.full)
	s.store.links[flow{client: "1"}].pending = *p
	s.store.Deliver()
	require.False(t, got.drain(t, fast), "too many changes at once")
}

func TestSubscribeErrors(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.game(2, s.ship(0, "akira"))
	_, err := s.store.Subscribe("me", 2, nil)
	require.ErrorIs(t, err, ErrNoLink)
	old := s.now - 31
	_, err = s.store.Subscribe("me", 1, &old)
	require.ErrorIs(t, err, ErrRange)
	_, err = load(t, Options{}, datagrams(t, sample)).Subscribe("me", 1, nil)
	require.ErrorIs(t, err, ErrRange, "a recording has no stream")
	s.store.Close()
	_, err = s.store.Subscribe("me", 1, nil)
	require.Error(t, err)
	require.Empty(t, s.store.streams.all)
}

// Nobody can take all streams: a new stream ends the oldest one of its client, or of the client with
// most of them.
func TestStreamsAreLimited(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.game(2, s.ship(0, "akira"))
	subscribe := func(client string) *Stream {
		x, err := s.store.Subscribe(client, 1, nil)
		require.NoError(t, err)
		require.LessOrEqual(t, len(s.store.streams.all), maxStreams)
		return x
	}
	mine := subscribe("me")
	var eve []*Stream
	for range 3 * maxStreams {
		eve = append(eve, subscribe("eve"))
	}
	require.Len(t, s.store.streams.all, maxReaders+1)
	require.True(t, eve[len(eve)-maxReaders-1].ended)
	require.False(t, eve[len(eve)-maxReaders].ended)
	_, open := <-eve[0].Frames
	require.False(t, open)

	for n := range 3 * maxStreams { // from many addresses
		subscribe(fmt.Sprint("mallory ", n/10))
	}
	require.Len(t, s.store.streams.all, maxStreams)
	require.False(t, mine.ended)
	perClient := map[string]int{}
	for _, x := range s.store.streams.all {
		perClient[x.client]++
	}
	require.Less(t, perClient["eve"], 15)
	s.store.Unsubscribe(mine)
	require.Len(t, s.store.streams.all, maxStreams-1)
	s.store.Close()
	require.Empty(t, s.store.streams.all)
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
