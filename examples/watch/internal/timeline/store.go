package timeline

import (
	"cmp"
	"errors"
	"iter"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/damagelog"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/watch/internal/report"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport/recording"
)

// Options are the options of a Store.
type Options struct {
	Title string
	Live  bool
	Plain bool // the datagrams are not enciphered
	// Passwords shows the passwords of players. They are otherwise "***", and zero bytes.
	Passwords bool
	Classes   stateupdate.Catalogue // ship classes in addition to the game's
	Dir       string                // of temporary files; the default is os.TempDir()
	// Memory keeps the match in memory instead of temporary files, if it is not 0. After so many bytes,
	// nothing more is added.
	Memory int64

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

	mu        sync.RWMutex
	segments  []*segment
	locator   capture.Locator
	match     match.Match
	reports   report.Builder
	hits      Hits                 // nil without a log of damage
	people    table[*match.Player] // whom messages are about; the first one is nil
	subjects  []uint16             // of the messages of a datagram, in people
	last      show.Packet          // whose memory the next one reuses
	links     map[flow]*link
	histories map[int]*history // by the number of the match
	other     *link            // link 0
	lastLink  int
	names     table[string]
	clock     clock
	hosts     pulse // of the servers of a live match
	datagrams int   // of all time
	messages  int   // of all time
	skipped   bool  // datagrams of more clients than maxLinks
	readable  bool
	foreign   bool // the input is neither a capture nor a recording
	ciphered  int  // datagrams that decode with the other value of Plain
	progress  Progress
	loading   bool
	problems  []string
	notes     []string // about the whole input
	failed    error    // of the temporary file
	filters   filterCache
	news      int // number of changes of the names of players, messages and links
}

// Progress is how much of the input was read.
type Progress struct {
	Read     int64  `json:"read"`
	Size     *int64 `json:"size"` // nil if unknown
	Messages int    `json:"messages"`
}

// Hits is a log of damage; package damagelog reads it. The page without the program has none.
type Hits interface {
	// Until returns the further hits until a datagram, by its seconds, or by its time of day.
	Until(seconds float64, at time.Time) iter.Seq[*damagelog.Hit]
	// Rest returns the hits after the last datagram.
	Rest() iter.Seq[*damagelog.Hit]
	// Close returns the error that has ended the log.
	Close() error
}

// Follow sets the log of damage of the host. Finish closes it.
func (s *Store) Follow(hits Hits) { s.hits = hits }

// New returns an empty store. A store that is not live is loading until Finish.
func New(o Options) *Store {
	o.Every, o.MaxCheckpoints, o.MaxCheckpointBytes = cmp.Or(o.Every, 4096), cmp.Or(o.MaxCheckpoints, 256), cmp.Or(o.MaxCheckpointBytes, 256<<20)
	o.weight = cmp.Or(o.weight, maxWeight)
	if o.Memory > 0 {
		o.segmentBytes = memoryBytes
	}
	o.segmentMessages, o.segmentBytes = cmp.Or(o.segmentMessages, segmentMessages), cmp.Or(o.segmentBytes, segmentBytes)
	s := &Store{options: o, links: map[flow]*link{}, histories: map[int]*history{}, loading: !o.Live}
	s.people.add(nil)
	s.match.Classes, s.match.Events, s.reports.Classes = o.Classes, true, o.Classes
	s.clock.strict = o.Live
	s.other = &link{state: state{decoder: s.newDecoder()}, senders: map[sender]bool{}}
	return s
}

func (s *Store) newDecoder() *show.Decoder {
	return &show.Decoder{Plain: s.options.Plain, Mask: !s.options.Passwords, NoFlags: s.inBrowser(), Match: &match.Match{Classes: s.options.Classes}}
}

// inBrowser reports whether the store is that of the page without the program, which has no flags.
func (s *Store) inBrowser() bool { return s.options.Memory > 0 }

// Close removes the temporary files.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, g := range s.segments {
		g.close()
	}
	s.segments, s.failed = nil, errClosed
}

var (
	errClosed = errors.New("the match is closed")
	errMemory = errors.New("the match is too large for the browser")
)

// maxProblems is the number of problems of the input that are kept.
const maxProblems = 3

// Problem reports a problem of the input.
func (s *Store) Problem(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case errors.Is(err, capture.ErrCipher): // see advice
		s.ciphered++
	case errors.Is(err, capture.ErrNotGame):
	default:
		s.foreign = s.foreign || errors.Is(err, capture.ErrFormat)
		s.problem(err.Error())
	}
}

// Note tells what people should know about the whole input.
func (s *Store) Note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notes = append(s.notes, clip(text))
}

func (s *Store) problem(text string) {
	if text != "" && len(s.problems) < maxProblems {
		s.problems = append(s.problems, clip(text))
	}
}

// timeOf returns a time of the match for package match.
func timeOf(at float64) time.Duration { return recording.Datagram{Seconds: at}.Time() }

// Tick advances the time of a live match, so that events need not wait for the next datagram. The time is that of
// datagrams.
func (s *Store) Tick(seconds float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clock.any && s.failed == nil {
		at := max(s.clock.last, seconds+s.clock.shift)
		s.hosts.now = max(s.hosts.now, at)
		s.settle(s.match.Tick(timeOf(at)), at)
	}
}

// Finish reports that the input has ended. Events that have waited for more of it are kept.
func (s *Store) Finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle(s.match.Flush(), s.clock.last)
	if s.loading = false; s.hits != nil {
		for h := range s.hits.Rest() {
			s.reports.Hit(h)
		}
		if err := s.hits.Close(); err != nil {
			s.problem(err.Error())
		}
	}
	if !s.options.Live && !s.foreign {
		s.problem(s.advice())
	}
}

// advice returns what is wrong with an input without readable datagrams, and what to do, or "".
func (s *Store) advice() string {
	const box = `the box "The recording is already deciphered"`
	do, undo := "start again with -plain", "start again without -plain"
	if s.inBrowser() {
		do, undo = "tick "+box+", and open the file again", "untick "+box+", and open the file again"
	}
	switch {
	case s.readable:
		return ""
	case s.ciphered > 0 && s.options.Plain:
		return "the datagrams are enciphered: " + undo
	case s.ciphered > 0:
		return "the datagrams are not enciphered: " + do
	}
	return "no datagrams of the game were found: is this a capture of a match?"
}

// Add adds a datagram, which it deciphers. It retains nothing of it. An error concerns the temporary file: nothing
// more can be added.
func (s *Store) Add(d *show.Datagram) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed != nil {
		return s.failed
	}
	s.locator.Locate(d)
	if s.hits != nil {
		for h := range s.hits.Until(d.Time, d.At) {
			s.reports.Hit(h)
		}
	}
	at := s.clock.at(d.Time)
	l := s.linkOf(d)
	if l == nil {
		s.skipped = true
		return nil
	}
	err := s.makeRoom()
	if err == nil {
		if l != s.other {
			s.checkpoint(l)
		}
		s.add(l, d, at)
		err = s.segments[len(s.segments)-1].flush()
	}
	if err != nil {
		s.fail(err)
	}
	return err
}

func (s *Store) fail(err error) {
	s.failed = err
	advice := "; make room in the directory for temporary files, or choose another one with TMPDIR, and start again"
	if err == errMemory {
		advice = "; the program watch, which you can download, shows all of it"
	}
	s.problem(err.Error() + ": the rest of the match is missing" + advice)
}

// add decodes a datagram and keeps it with its messages.
func (s *Store) add(l *link, d *show.Datagram, at float64) {
	if !s.options.Plain {
		d.Decipher()
	}
	g := s.segments[len(s.segments)-1]
	client := ""
	if l == s.other {
		client = d.Client
	}
	index := datagramIndex{
		at: at, packet: uint32(d.Number), first: uint32(len(g.rows)),
		link: uint32(l.id), dir: uint8(max(0, slices.Index(directions[:], d.Dir))),
	}
	index.write(g, d, client)
	s.datagrams++
	l.end = at
	if s.hosts.now = max(s.hosts.now, at); d.Dir == recording.ToClient && l != s.other {
		s.hosts.beat(at)
		l.heard = at
	}
	s.subjects = s.subjects[:0]
	if l != s.other {
		l.world.now = Moment{at, s.messages}
		datagram := d.Match()
		datagram.Time = timeOf(at)
		for step := range s.match.Receive(datagram) {
			number := s.messages + len(s.subjects)
			s.subjects = append(s.subjects, s.people.add(s.follow(l, step, Moment{at, number})))
			s.reports.Add(step, number)
		}
	}
	p := &s.last
	l.decoder.Follow(p, d)
	if !s.readable && slices.ContainsFunc(p.Messages[len(p.Messages)-1].Notes, func(n show.Note) bool { return n.Kind == show.KindCipher }) {
		s.ciphered++
	}
	index.peer = int8(p.Peer)
	l.senders[sender{index.dir, index.peer}] = true
	index.count(l, p)
	known := len(s.names.values)
	for i, m := range p.Messages {
		row := s.newRow(g, m)
		if i < len(s.subjects) {
			row.player = s.subjects[i]
		}
		g.rows = append(g.rows, row)
	}
	if len(s.names.values) > known {
		s.news++
	}
	g.datagrams = append(g.datagrams, index)
	s.messages += len(p.Messages)
	l.messages += len(p.Messages)
	l.since += len(p.Messages)
}

// newRow returns the row of a message. A row that the bytes tell completely has no text.
func (s *Store) newRow(g *segment, m *show.Message) rowIndex {
	row := rowIndex{datagram: uint32(len(g.datagrams)), size: uint16(min(len(m.Raw), math.MaxUint16)), name: s.names.add(m.Title()), marks: marksOf(m)}
	if class := m.Plain(); class != nil {
		row.offset = uint32(class.Species)
		return row
	}
	text := appendText(nil, m)
	row.offset, row.length = g.append(text), uint16(len(text))
	return row
}

// Errors of requests.
var (
	ErrNotFound = errors.New("there is no")
	ErrRange    = errors.New("out of range")
)
