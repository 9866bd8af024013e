package match

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Limits of streams.
const (
	maxStreams = 200
	maxReaders = 100     // streams of a client
	maxFrames  = 64      // frames that wait for a reader
	maxPending = 100_000 // changes and events of a link that wait to be encoded
)

// Stream receives the changes of a link of a live match. Frames is closed when the stream ends,
// also because its reader is too slow, or because others take its place.
type Stream struct {
	Frames chan Frame

	client string
	link   *link
	ended  bool
}

// Frame is an encoded event of a stream.
type Frame struct {
	Name string // "info" or "changes"
	Data []byte // JSON without line feeds
}

// streams are the streams of all links.
type streams struct {
	all      []*Stream // the oldest first
	roster   int       // number of changes of the names of players, messages and links
	reported int       // roster of the last info
}

// pending holds the changes of a link since the last frame.
type pending struct {
	from    float64
	changes []Change
	events  []Event
	full    bool
}

// changesFrame is the data of a frame "changes". It has all changes from From until To, both
// included. The next frame continues after To. A reader that misses frames fetches the snapshot
// at From.
type changesFrame struct {
	From     float64  `json:"from"`
	To       float64  `json:"to"`
	Changes  []Change `json:"changes"`
	Events   []Event  `json:"events"`
	Messages int      `json:"messages"`
}

// infoFrame is the data of a frame "info".
type infoFrame struct {
	End      float64 `json:"end"`
	Messages int     `json:"messages"`
}

// Subscribe begins a stream of a link for a client. If there are too many streams, it ends the
// oldest one of the client, or of the client with most of them. With a time, the first frame has the
// changes since that time, at most MaxWindow seconds ago.
func (s *Store) Subscribe(client string, linkID int, from *float64) (*Stream, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
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
	s.deliver(l) // the pending changes are not for the new stream
	x := &Stream{Frames: make(chan Frame, maxFrames), client: client, link: l}
	if from != nil {
		frame, err := s.since(l, *from)
		if err != nil {
			return nil, err
		}
		x.Frames <- frame
	}
	if old := s.streams.old(client); old != nil {
		s.end(old)
	}
	l.streams[x] = true
	s.streams.all = append(s.streams.all, x)
	return x, nil
}

// old returns the stream that a new one of a client replaces, or nil if there is room.
func (s *streams) old(client string) *Stream {
	counts := map[string]int{}
	for _, x := range s.all {
		counts[x.client]++
	}
	if counts[client] < maxReaders {
		if len(s.all) < maxStreams {
			return nil
		}
		client = s.all[0].client
		for _, x := range s.all {
			if counts[x.client] > counts[client] {
				client = x.client
			}
		}
	}
	return s.all[slices.IndexFunc(s.all, func(x *Stream) bool { return x.client == client })]
}

// since returns a frame with the changes of a link since a time.
func (s *Store) since(l *link, from float64) (Frame, error) {
	f := &changesFrame{From: from, To: s.clock.last, Messages: s.messages - s.first(), Changes: []Change{}, Events: []Event{}}
	r := s.replay(l, l.checkpointAt(from))
	if err := r.until(from); err != nil {
		return Frame{}, err
	}
	if err := r.collect(&f.Changes, func(float64, int) bool { return true }); err != nil {
		return Frame{}, err
	}
	for _, e := range l.events {
		if e.Time >= from {
			f.Events = append(f.Events, e)
		}
	}
	return encode("changes", f), nil
}

// Unsubscribe ends a stream.
func (s *Store) Unsubscribe(x *Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end(x)
}

func (s *Store) end(x *Stream) {
	if x.ended {
		return
	}
	x.ended = true
	delete(x.link.streams, x)
	s.streams.all = slices.DeleteFunc(s.streams.all, func(y *Stream) bool { return y == x })
	close(x.Frames)
}

func (s *Store) endAll(l *link) {
	for x := range l.streams {
		s.end(x)
	}
}

// Deliver sends the changes since the last call to the streams. Call it several times a second.
func (s *Store) Deliver() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.links {
		s.deliver(l)
	}
	if s.streams.roster == s.streams.reported {
		return
	}
	s.streams.reported = s.streams.roster
	frame := encode("info", &infoFrame{s.clock.last, s.messages - s.first()})
	for _, l := range s.links {
		s.send(l, frame)
	}
}

// deliver encodes the pending changes of a link once for all its streams.
func (s *Store) deliver(l *link) {
	p := &l.pending
	if p.full {
		s.endAll(l)
	}
	if len(l.streams) > 0 {
		if len(p.changes)+len(p.events) == 0 {
			return // the next frame begins where the last one ended
		}
		s.send(l, encode("changes", &changesFrame{p.from, s.clock.last, orEmpty(p.changes), orEmpty(p.events), s.messages - s.first()}))
	}
	*p = pending{from: after(s.clock.last)}
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// send gives a frame to the streams of a link. It ends those whose readers are too slow.
func (s *Store) send(l *link, f Frame) {
	for x := range l.streams {
		select {
		case x.Frames <- f:
		default:
			s.end(x)
		}
	}
}

// add keeps a change or an event for the streams of a link.
func (p *pending) add(c Change, e *Event) {
	switch {
	case p.full:
	case len(p.changes)+len(p.events) >= maxPending:
		*p = pending{full: true}
	case e != nil:
		p.events = append(p.events, *e)
	default:
		p.changes = append(p.changes, c)
	}
}

func encode(name string, v any) Frame {
	data, err := json.Marshal(v)
	if err != nil { // all numbers are finite
		data = []byte("{}")
	}
	return Frame{name, data}
}
