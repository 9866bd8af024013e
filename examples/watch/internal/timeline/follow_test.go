package timeline

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
)

// A snapshot and the windows that a page asks for during a live match give the world of the recording, for
// pages that begin at any time.
func TestFollowing(t *testing.T) {
	t.Parallel()
	// In the short form, the checkpoints are near, because each window decodes all messages since the last one.
	s := open(t, Options{Live: true, Every: testdata.Either(0, 50), MaxCheckpoints: testdata.Either(0, 1000)})
	type page struct {
		link        int
		begin, next float64
		first       int // message
		event, news int // of the last window
		changes     []string
		events      []Event
	}
	follow := func(p *page) {
		w, err := s.Window(p.link, p.next, math.Inf(1), false)
		require.NoError(t, err)
		require.Equal(t, p.next, w.From)
		events, total, err := s.Events(p.link, p.event, 1000)
		require.NoError(t, err)
		require.Equal(t, total, w.Events)
		if w.News == p.news {
			for _, e := range events {
				require.NotEqual(t, "join", e.Kind, "a player who joins is news")
			}
		}
		p.changes, p.events = append(p.changes, texts(t, w.Changes)...), append(p.events, events...)
		p.next, p.event, p.news = w.To, w.Events, w.News
	}
	var pages []*page
	for i, d := range datagrams(t, battle) {
		require.NoError(t, s.Add(copyOf(d)))
		if i%500 == 0 {
			info := s.Info()
			link := info.Links[i%len(info.Links)].Link
			w, err := s.Window(link, math.Inf(1), math.Inf(1), true)
			require.NoError(t, err)
			require.NotNil(t, w.Snapshot)
			require.Empty(t, w.Changes)
			pages = append(pages, &page{link: link, begin: w.To, next: w.To, first: info.Messages, event: w.Events, news: w.News})
		}
		for n, p := range pages {
			if i%(testdata.Either(13, 97)+n) == 0 {
				follow(p)
			}
		}
	}
	end := after(s.Info().End)
	for _, p := range pages {
		follow(p)
		var want []string
		for at := p.begin; at < end; at += MaxWindow {
			want = append(want, texts(t, window(t, s, p.link, at, min(end, at+MaxWindow)).Changes)...)
		}
		require.Equal(t, want, p.changes)
		events, _, err := s.Events(p.link, 0, 1000)
		require.NoError(t, err)
		for len(events) > 0 && events[0].Message < p.first {
			events = events[1:]
		}
		require.Equal(t, jsonOf(t, events), jsonOf(t, append([]Event{}, p.events...)))
	}
	require.NotEmpty(t, pages[0].changes)
}

// Following ends when the link is forgotten or its last time is too long ago.
func TestFollowingEnds(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.game(2, s.ship(0, "akira"))
	_, err := s.store.Window(2, math.Inf(1), math.Inf(1), true)
	require.ErrorIs(t, err, ErrNotFound)
	_, err = s.store.Window(1, s.now-31, math.Inf(1), true)
	require.ErrorIs(t, err, ErrRange)
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
