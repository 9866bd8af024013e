package match

import (
	"cmp"
	"errors"
	"math"
	"sync"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/stateupdate"
)

// Options are the options of a Store.
type Options struct {
	Title   string
	Live    bool
	Plain   bool                  // the datagrams are not enciphered
	Classes stateupdate.Catalogue // ship classes in addition to the game's
	Dir     string                // of temporary files; the default is os.TempDir()

	// MaxMessages and MaxBytes limit what is kept. The oldest messages are dropped. 0 means no
	// limit.
	MaxMessages int
	MaxBytes    int64
	// Every is the number of messages of a link between two checkpoints. The default is 4096. It
	// doubles, to at most 131,072, when the checkpoints exceed a limit: MaxCheckpoints, by default
	// 256 besides the first one of each link, or MaxCheckpointBytes, by default about 256 MiB.
	Every              int
	MaxCheckpoints     int
	MaxCheckpointBytes int

	segmentMessages int   // of a segment; the default is segmentMessages
	weight          int   // of the changes of a response; the default is maxWeight
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
	checkpoints checkpointCount
	skipped     bool // datagrams of more clients than maxLinks
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

// New returns an empty store. A store that is not live is loading until Finish.
func New(o Options) *Store {
	o.Every, o.MaxCheckpoints, o.MaxCheckpointBytes = cmp.Or(o.Every, 4096), cmp.Or(o.MaxCheckpoints, 256), cmp.Or(o.MaxCheckpointBytes, 256<<20)
	o.weight = cmp.Or(o.weight, maxWeight)
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
		s.skipped = true
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
	s.problem(err.Error() + ": the rest of the match is missing; make room in the directory for temporary files, or choose another one with TMPDIR, and start again")
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
	l.kept++
	l.noteSender(d.Dir, index.peer)
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

// Errors of requests.
var (
	ErrNoLink    = errors.New("there is no link")
	ErrNoMessage = errors.New("there is no message")
	ErrRange     = errors.New("out of range")
)
