package timeline

import (
	"encoding/json"
	"fmt"
)

// Stream reads the changes of a link of a live match as they happen.
type Stream struct {
	replay *replay
	from   float64 // of the next frame
	events int     // number of the next event
	news   int     // news of the store that the reader knows
}

// Frame is an encoded event of a stream.
type Frame struct {
	Name string // "info" or "changes"
	Data []byte // JSON without line feeds
}

// changesFrame is the data of a frame "changes". It has all changes from From until To, both included.
// The next frame continues after To.
type changesFrame struct {
	From     float64  `json:"from"`
	To       float64  `json:"to"`
	Changes  []Change `json:"changes"`
	Events   []Event  `json:"events"`
	Messages int      `json:"messages"`
}

// Subscribe begins a stream of a link. With a time, the first frame has the changes since that time, at
// most MaxWindow seconds ago.
func (s *Store) Subscribe(linkID int, from *float64) (*Stream, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	l, err := s.link(linkID)
	switch {
	case err != nil:
		return nil, err
	case !s.options.Live:
		return nil, fmt.Errorf("%w: the match is a recording; fetch windows", ErrRange)
	case s.failed != nil:
		return nil, s.failed
	case from != nil && !(s.clock.last-*from <= MaxWindow):
		return nil, fmt.Errorf("%w: from is more than %d seconds ago; fetch a window first", ErrRange, MaxWindow)
	}
	begin := after(s.clock.last)
	if from != nil {
		begin = *from
	}
	x := &Stream{from: begin, events: l.history.dropped + len(l.history.events), news: s.news}
	for x.events > l.history.dropped && l.history.events[x.events-l.history.dropped-1].reported >= begin {
		x.events--
	}
	x.replay, err = s.replay(l, s.datagramSince(begin))
	return x, err
}

// Next returns what is new since the last call. An error ends the stream.
func (s *Store) Next(x *Stream) (frames []Frame, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, h := x.replay, x.replay.link.history
	switch {
	case s.failed != nil:
		return nil, s.failed
	case s.links[r.link.flow] != r.link || r.next < s.segments[0].firstData:
		return nil, ErrNoLink
	}
	changes, err := r.collect(s.datagrams)
	if err != nil {
		return nil, err
	}
	f := &changesFrame{x.from, s.clock.last, changes, append([]Event{}, h.since(x.events)...), s.messages - s.first()}
	x.events = h.dropped + len(h.events)
	if len(f.Changes)+len(f.Events) > 0 {
		frames, x.from = append(frames, encode("changes", f)), after(f.To)
	}
	if x.news != s.news {
		frames, x.news = append(frames, encode("info", map[string]any{"end": f.To, "messages": f.Messages})), s.news
	}
	return frames, nil
}

func encode(name string, v any) Frame {
	data, _ := json.Marshal(v) // all numbers are finite
	return Frame{name, data}
}
