package timeline

import (
	"fmt"
	"slices"
	"sort"

	"github.com/bcwire/bcwire/examples/internal/show"
)

// MaxWindow is the longest window in seconds.
const MaxWindow = 30

// Window is the world of a link during a time.
type Window struct {
	Link     int       `json:"link"`
	From     float64   `json:"from"`
	To       float64   `json:"to"`
	Snapshot *Snapshot `json:"snapshot,omitempty"` // the state before From
	Changes  []Change  `json:"changes"`            // from From until before To
}

// Window returns the world of a link during a time. It decodes the datagrams again, from the last
// checkpoint.
func (s *Store) Window(linkID int, from, to float64, snapshot bool) (*Window, error) {
	if !(to >= from && to-from <= MaxWindow+1e-6) {
		return nil, fmt.Errorf("%w: a window must have from <= to and at most %d seconds", ErrRange, MaxWindow)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	l, err := s.link(linkID)
	if err != nil {
		return nil, err
	}
	win := &Window{Link: linkID, From: from, To: to, Changes: []Change{}}
	r, err := s.replay(l, s.datagramSince(from))
	if err != nil {
		return nil, err
	}
	if snapshot {
		win.Snapshot = r.world.snapshot()
	}
	err = r.collect(&win.Changes, func(at float64, _ int) bool { return at < to })
	return win, err
}

// maxWeight limits the changes of one response. The creation of a ship weighs as much as its
// subsystems, and any other change as much as one.
const maxWeight = 300_000

// collect decodes datagrams as run does, and appends the changes of the world to a list.
func (r *replay) collect(list *[]Change, more func(at float64, number int) bool) error {
	weight, limit := 0, r.store.options.weight
	r.world.change = func(c Change) {
		weight++
		if c, ok := c.(*Created); ok {
			weight += len(c.Ship.Systems)
		}
		if weight <= limit {
			*list = append(*list, c)
		}
	}
	err := r.run(func(at float64, number int) bool { return weight <= limit && more(at, number) })
	if err == nil && weight > limit {
		err = fmt.Errorf("%w: there are too many changes at this time; ask for a shorter time, or use the list of messages", ErrRange)
	}
	return err
}

// replay decodes the datagrams of a link again.
type replay struct {
	store *Store
	link  *link
	state
	next    int // number of the datagram
	changes int // of the history that the world has
}

// replay returns a replay of the link from a datagram on. It decodes the datagrams since the last checkpoint. A
// link whose first checkpoint is later has nothing between.
func (s *Store) replay(l *link, number int) (*replay, error) {
	c := checkpoint{state: l.state, datagram: number}
	if i := sort.Search(len(l.checkpoints), func(i int) bool { return l.checkpoints[i].datagram > number }); len(l.checkpoints) > 0 && number < s.datagrams {
		c = l.checkpoints[max(0, i-1)]
	}
	r := &replay{store: s, link: l, state: c.clone(), next: c.datagram}
	first := s.messageOf(min(number, c.datagram))
	r.world.players, r.changes = l.history.playersBefore(first), l.history.changesBefore(first)
	return r, r.run(func(_ float64, next int) bool { return next < number })
}

// follow applies the changes of players until a message, as long as more returns true.
func (r *replay) follow(message int, more func(at float64, number int) bool) {
	all := r.link.history.changes
	for ; r.changes < len(all) && all[r.changes].Message <= message && more(all[r.changes].Time, r.next); r.changes++ {
		r.world.playerChanged(all[r.changes])
	}
}

// run decodes datagrams as long as more returns true for the time and the number of the next one.
func (r *replay) run(more func(at float64, number int) bool) error {
	for ; ; r.next++ {
		g, i := r.store.datagramAt(r.next)
		if g == nil {
			r.follow(r.store.messages, more)
			return nil
		}
		x := &g.datagrams[i]
		first := g.first + int(x.first)
		r.follow(first-1, more)
		if !more(x.at, r.next) {
			return nil
		}
		if int(x.link) != r.link.id {
			continue
		}
		p, err := r.store.decode(r.link, r.decoder, g, i)
		if err != nil {
			return err
		}
		for j, m := range p.Messages {
			r.follow(first+j, more)
			r.world.apply(m, x.at, first+j)
		}
	}
}

// decode reads and decodes a datagram of a segment.
func (s *Store) decode(l *link, decoder *show.Decoder, g *segment, i int) (*show.Packet, error) {
	x := &g.datagrams[i]
	record, err := g.read(x.offset, x.size)
	if err != nil {
		return nil, err
	}
	d := &show.Datagram{}
	if err := readDatagram(record, d); err != nil {
		return nil, err
	}
	d.Number, d.Dir = int(x.packet), directions[x.dir]
	if l != s.other {
		d.Client, d.Src, d.Dst = l.client, l.player, l.server
		if x.dir != 0 {
			d.Src, d.Dst = l.server, l.player
		}
	}
	return decoder.Decode(d), nil
}

// datagramAt returns the segment of a datagram, and its index there. It returns nil if the datagram
// is not kept.
func (s *Store) datagramAt(number int) (*segment, int) {
	return s.segmentAt(number, func(g *segment) (first, count int) { return g.firstData, len(g.datagrams) })
}

// messageAt returns the segment of a message, and its index there. It returns nil if the message is
// not kept.
func (s *Store) messageAt(number int) (*segment, int) {
	return s.segmentAt(number, func(g *segment) (first, count int) { return g.first, len(g.rows) })
}

func (s *Store) segmentAt(number int, span func(*segment) (first, count int)) (*segment, int) {
	for _, g := range slices.Backward(s.segments) {
		if first, count := span(g); number >= first {
			if number < first+count {
				return g, number - first
			}
			break
		}
	}
	return nil, 0
}

// datagramSince returns the number of the first kept datagram at or after a time.
func (s *Store) datagramSince(t float64) int {
	for _, g := range s.segments {
		if i := sort.Search(len(g.datagrams), func(i int) bool { return g.datagrams[i].at >= t }); i < len(g.datagrams) {
			return g.firstData + i
		}
	}
	return s.datagrams
}

// messageOf returns the number of the first message at or after a datagram.
func (s *Store) messageOf(datagram int) int {
	if g, i := s.datagramAt(datagram); g != nil {
		return g.first + int(g.datagrams[i].first)
	}
	return s.messages
}
