package match

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// Options are the options of a Store.
type Options struct {
	Title   string
	Live    bool
	Plain   bool                  // the datagrams are not enciphered
	Classes stateupdate.Catalogue // ship classes in addition to the game's
	Dir     string                // of the temporary files; the default is that of the system

	// MaxMessages and MaxBytes limit what is kept. The oldest messages are dropped. 0 means no
	// limit.
	MaxMessages int
	MaxBytes    int64
	// Every is the number of messages of a link between two checkpoints. The default is 4096. It
	// doubles when there are more than MaxCheckpoints, by default 256.
	Every          int
	MaxCheckpoints int

	segmentMessages int   // of a segment; the default is segmentMessages
	segmentBytes    int64 // of a segment; the default is segmentBytes
}

// Store keeps the datagrams of a match. It is safe for concurrent use.
type Store struct {
	options Options

	mu          sync.RWMutex
	segments    []*segment
	locator     show.Decoder
	links       map[flow]*link
	other       *link // link 0
	lastLink    int
	names       nameTable
	traffic     traffic
	clock       clock
	datagrams   int // of all time
	messages    int // of all time
	checkpoints int
	skipped     int // datagrams of more clients than maxLinks
	readable    bool
	progress    Progress
	loading     bool
	problems    []string
	failed      error // of the temporary file
	filters     filterCache
	streams     streams
}

// Progress is how much of the input was read.
type Progress struct {
	Read     int64  `json:"read"`
	Size     *int64 `json:"size"` // nil if unknown
	Messages int    `json:"messages"`
}

// clock makes times that do not go backwards.
type clock struct {
	strict      bool // every time is after the last, so that a stream can continue at any time
	any         bool
	first, last float64
	shift       float64 // is added to the times of the input
}

// maxTime is the largest time in seconds.
const maxTime = 1e9

// jumpBack is the time in seconds by which times must go back to be of another recording.
const jumpBack = 1

// at returns the time of the match for a time of the input. Times that go back a little are the
// last time. After a jump back, the times continue from the last.
func (c *clock) at(seconds float64) float64 {
	if math.IsNaN(seconds) {
		seconds = 0
	}
	t := min(max(seconds, -maxTime), maxTime) + c.shift
	if !c.any {
		c.any, c.first, c.last = true, t, t
		return t
	}
	if t < c.last-jumpBack {
		c.shift += c.last - t
	}
	if c.strict && t <= c.last {
		t = after(c.last)
	}
	c.last = max(c.last, t)
	return c.last
}

// after returns the next time.
func after(t float64) float64 { return math.Nextafter(t, math.Inf(1)) }

// New returns an empty store. A store that is not live is loading until Finish.
func New(o Options) *Store {
	o.Every, o.MaxCheckpoints = cmp.Or(o.Every, 4096), cmp.Or(o.MaxCheckpoints, 256)
	o.segmentMessages, o.segmentBytes = cmp.Or(o.segmentMessages, segmentMessages), cmp.Or(o.segmentBytes, segmentBytes)
	s := &Store{options: o, links: map[flow]*link{}, loading: !o.Live}
	s.clock.strict = o.Live
	s.other = &link{state: state{decoder: s.newDecoder()}}
	return s
}

func (s *Store) newDecoder() *show.Decoder {
	return &show.Decoder{Plain: s.options.Plain, Classes: s.options.Classes}
}

// Close removes the temporary files.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.segments {
		g.close()
	}
	s.segments, s.failed = nil, errClosed
	for _, l := range s.links {
		s.endAll(l)
	}
}

var errClosed = errors.New("the match is closed")

// SetProgress reports how much of the input was read.
func (s *Store) SetProgress(p Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.progress = p
}

// maxProblems is the number of problems of the input that are kept.
const maxProblems = 3

// Problem reports a problem of the input.
func (s *Store) Problem(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problem(err.Error())
}

func (s *Store) problem(text string) {
	if len(s.problems) < maxProblems {
		s.problems = append(s.problems, clip(text))
	}
}

// Finish reports that the input has ended.
func (s *Store) Finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.loading = false
	if !s.readable && !s.options.Live {
		s.problem("no datagrams of the game were found; is this a capture of a match, and does it need -plain?")
	}
}

// Add adds a datagram and retains it. An error concerns the temporary file: nothing more can be
// added.
func (s *Store) Add(d *show.Datagram) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return s.failed
	}
	s.locator.Locate(d)
	at := s.clock.at(d.Time)
	l := s.linkOf(d)
	if l == nil {
		s.skipped++
		return nil
	}
	if err := s.makeRoom(); err != nil {
		s.fail(err)
		return err
	}
	if l != s.other {
		s.checkpoint(l)
	}
	s.add(l, d, at)
	if err := s.segments[len(s.segments)-1].flush(segmentTail); err != nil {
		s.fail(err)
		return err
	}
	return nil
}

func (s *Store) fail(err error) {
	s.failed = err
	s.problem(err.Error() + ": the rest of the match is missing")
}

// linkOf returns the link of a datagram, or nil if there are too many. A link begins with a
// readable message of the game.
func (s *Store) linkOf(d *show.Datagram) *link {
	if transport.IsGameSpy(d.Data) {
		return s.other
	}
	f := flowOf(d)
	if l := s.links[f]; l != nil {
		return l
	}
	if !s.isReadable(d) {
		return s.other
	}
	if len(s.links) >= maxLinks {
		s.forgetLinks()
	}
	if len(s.links) >= maxLinks {
		return nil
	}
	s.readable = true
	s.lastLink++
	l := &link{id: s.lastLink, flow: f, state: state{s.newDecoder(), newWorld()}, plots: map[string]*plot{}, streams: map[*Stream]bool{}}
	l.start, l.end = s.clock.last, s.clock.last
	s.links[f] = l
	s.streams.roster++
	return l
}

// isReadable reports whether a datagram has a message of the game without an error.
func (s *Store) isReadable(d *show.Datagram) bool {
	own := *d
	own.Data = slices.Clone(d.Data)
	for _, m := range s.newDecoder().Decode(&own).Messages {
		if m.Err == nil && m.Type != "" {
			return true
		}
	}
	return false
}

// forgetLinks removes the links of which no datagram is kept.
func (s *Store) forgetLinks() {
	kept := map[int]bool{}
	for _, g := range s.segments {
		for i := range g.datagrams {
			kept[int(g.datagrams[i].link)] = true
		}
	}
	for f, l := range s.links {
		if !kept[l.id] {
			delete(s.links, f)
			delete(s.traffic.links, l.id)
			s.checkpoints -= len(l.checkpoints)
			s.endAll(l)
		}
	}
}

// makeRoom begins a segment if necessary, and drops the oldest ones.
func (s *Store) makeRoom() error {
	if n := len(s.segments); n > 0 && !s.segments[n-1].full(&s.options) {
		return nil
	}
	g, err := newSegment(s.options.Dir, s.messages, s.datagrams)
	if err != nil {
		return err
	}
	s.segments = append(s.segments, g)
	for len(s.segments) > 2 && s.exceeds() {
		s.dropOldest()
	}
	return nil
}

// exceeds reports whether the kept messages and bytes, with a full new segment, exceed the limits.
func (s *Store) exceeds() bool {
	bytes := s.options.segmentBytes
	for _, g := range s.segments {
		bytes += g.size()
	}
	o := &s.options
	return o.MaxMessages > 0 && s.messages-s.first()+o.segmentMessages > o.MaxMessages || o.MaxBytes > 0 && bytes > o.MaxBytes
}

// dropOldest drops the oldest segment.
func (s *Store) dropOldest() {
	s.segments[0].close()
	s.segments = slices.Delete(s.segments, 0, 1)
	first, firstData := s.segments[0].first, s.segments[0].firstData
	for _, l := range s.links {
		n := slices.IndexFunc(l.checkpoints, func(c checkpoint) bool { return c.datagram >= firstData })
		if n < 0 {
			n = len(l.checkpoints)
		}
		s.checkpoints -= n
		l.checkpoints = slices.Delete(l.checkpoints, 0, n)
		gone := slices.IndexFunc(l.events, func(e Event) bool { return e.Message >= first })
		if gone < 0 {
			gone = len(l.events)
		}
		if gone > 0 {
			l.dropEvents(gone)
		}
	}
	s.filters.drop(first)
}

// first returns the number of the first kept message.
func (s *Store) first() int {
	if len(s.segments) == 0 {
		return s.messages
	}
	return s.segments[0].first
}

// checkpoint keeps the state of a link before the next datagram, if it is time. The first datagram
// of a link in a segment has one, so that older segments can be dropped.
func (s *Store) checkpoint(l *link) {
	g := s.segments[len(s.segments)-1]
	n := len(l.checkpoints)
	pinned := n == 0 || l.checkpoints[n-1].datagram < g.firstData
	if !pinned && l.since < s.options.Every {
		return
	}
	l.checkpoints = append(l.checkpoints, checkpoint{s.datagrams, l.end, pinned, l.clone()})
	if l.messages == 0 {
		l.checkpoints[0].before = math.Inf(-1)
	}
	l.since = 0
	s.checkpoints++
	if s.checkpoints > s.options.MaxCheckpoints {
		s.thin()
	}
}

// thin removes every other checkpoint and doubles their distance. Pinned checkpoints stay if
// segments can be dropped.
func (s *Store) thin() {
	s.options.Every *= 2
	s.checkpoints = 0
	for _, l := range s.links {
		i := -1
		l.checkpoints = slices.DeleteFunc(l.checkpoints, func(c checkpoint) bool {
			i++
			return i%2 == 1 && !(c.pinned && s.options.Live)
		})
		s.checkpoints += len(l.checkpoints)
	}
}

// add decodes a datagram and keeps it with its messages.
func (s *Store) add(l *link, d *show.Datagram, at float64) {
	g := s.segments[len(s.segments)-1]
	client := ""
	if l == s.other {
		client = d.Client
	}
	record := appendDatagram(nil, d, client)
	size := len(d.Data)
	index := datagramIndex{
		at: at, offset: g.append(record), size: uint32(len(record)), packet: uint32(d.Number), first: uint32(len(g.rows)),
		link: uint32(l.id), dir: directionIndex(d.Dir),
	}
	p := l.decoder.Decode(d)
	index.peer = int8(p.Peer)
	g.datagrams = append(g.datagrams, index)
	s.datagrams++
	if l.messages == 0 {
		l.start = at
	}
	l.end = at
	names, known := make([]uint16, len(p.Messages)), len(s.names.texts)
	s.watch(l)
	for i, m := range p.Messages {
		names[i] = s.names.add(m.Title())
		s.addMessage(g, l, p, m, at, names[i])
	}
	if len(s.names.texts) > known {
		s.streams.roster++
	}
	l.messages += len(p.Messages)
	l.since += len(p.Messages)
	s.traffic.add(at, l.id, p, size, names)
}

// watch sets the callbacks of the world of a link.
func (s *Store) watch(l *link) {
	if l.world == nil {
		return
	}
	l.world.event = func(e Event) {
		l.log(e)
		if len(l.streams) > 0 {
			l.pending.add(nil, &l.events[len(l.events)-1])
		}
	}
	l.world.updated, l.world.roster = l.sample, func() { s.streams.roster++ }
	l.world.change = nil
	if len(l.streams) > 0 {
		l.world.change = func(c Change) { l.pending.add(c, nil) }
	}
}

func (s *Store) addMessage(g *segment, l *link, p *show.Packet, m *show.Message, at float64, name uint16) {
	number := s.messages
	s.messages++
	row := rowIndex{
		datagram: uint32(len(g.datagrams) - 1), size: uint16(min(len(m.Raw), math.MaxUint16)), name: name, marks: marksOf(m), subject: -1,
	}
	if w := l.world; w != nil {
		before := w.subject(p, m)
		w.apply(p, m, at, number)
		if !before.Valid() {
			before = w.subject(p, m)
		}
		row.subject = int8(before)
	}
	text := appendRow(nil, m)
	row.offset, row.length = g.append(text), uint16(len(text))
	g.rows = append(g.rows, row)
}

// linksInOrder returns the links in the order of their numbers.
func (s *Store) linksInOrder() []*link {
	all := make([]*link, 0, len(s.links))
	for _, l := range s.links {
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b *link) int { return cmp.Compare(a.id, b.id) })
	return all
}

// link returns the link with a number.
func (s *Store) link(id int) (*link, error) {
	for _, l := range s.links {
		if l.id == id {
			return l, nil
		}
	}
	return nil, fmt.Errorf("%w %d; /api/info lists the links", ErrNoLink, id)
}

// Errors of requests.
var (
	ErrNoLink    = errors.New("there is no link")
	ErrNoMessage = errors.New("there is no message")
	ErrRange     = errors.New("out of range")
)

// nameTable holds the names of messages.
type nameTable struct {
	texts  []string
	index  map[string]uint16
	counts []int
}

// add counts a message and returns the index of its name.
func (t *nameTable) add(name string) uint16 {
	i, known := t.index[name]
	if !known {
		if t.index == nil {
			t.index = map[string]uint16{}
		}
		i = uint16(len(t.texts))
		t.index[name] = i
		t.texts, t.counts = append(t.texts, name), append(t.counts, 0)
	}
	t.counts[i]++
	return i
}
