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
	win := &Window{Link: linkID, From: from, To: to}
	r, err := s.replay(l, s.datagramSince(from))
	if err != nil {
		return nil, err
	}
	if snapshot {
		win.Snapshot = r.world.snapshot()
	}
	win.Changes, err = r.collect(s.datagramSince(to))
	return win, err
}

// maxWeight limits the changes of one response. The creation of a ship weighs as much as its
// subsystems, and any other change as much as one.
const maxWeight = 300_000

var errWeight = fmt.Errorf("%w: there are too many changes at this time; "+
	"ask for a shorter time, or use the list of messages", ErrRange)

// replay decodes the datagrams of a link again.
type replay struct {
	store *Store
	link  *link
	state
	next    int // number of the datagram
	changes int // of the history that the world has
	weight  int // of the changes that are collected
}

// replay returns a replay of the link from a datagram on. It decodes the datagrams since the last checkpoint. A
// link whose first checkpoint is later has nothing between.
func (s *Store) replay(l *link, number int) (*replay, error) {
	c := checkpoint{state: l.state, datagram: number}
	if n := len(l.checkpoints); n > 0 && number < s.datagrams {
		i := sort.Search(n, func(i int) bool { return l.checkpoints[i].datagram > number })
		c = l.checkpoints[max(0, i-1)]
	}
	r := &replay{store: s, link: l, state: c.clone(), next: c.datagram}
	first := s.messageOf(min(number, c.datagram))
	r.world.players, r.changes = l.history.playersBefore(first), l.history.changesBefore(first)
	return r, r.run(number)
}

// collect decodes the datagrams before a number, and returns the changes of the world.
func (r *replay) collect(end int) ([]Change, error) {
	list := []Change{}
	r.weight = 0
	r.world.change = func(c Change) {
		r.weight++
		if c, ok := c.(*Created); ok {
			r.weight += len(c.Ship.Systems)
		}
		if r.weight <= r.store.options.weight {
			list = append(list, c)
		}
	}
	return list, r.run(end)
}

// run decodes the datagrams before a number.
func (r *replay) run(end int) error {
	for ; r.next < end; r.next++ {
		g, i := r.store.datagramAt(r.next)
		x := &g.datagrams[i]
		if int(x.link) != r.link.id {
			continue
		}
		p, err := r.store.decode(r.link, r.decoder, g, i)
		if err != nil {
			return err
		}
		for j, m := range p.Messages {
			number := g.first + int(x.first) + j
			r.follow(number)
			r.world.apply(m, x.at, number)
		}
		if r.weight > r.store.options.weight {
			return errWeight
		}
	}
	r.follow(r.store.messageOf(end) - 1)
	return nil
}

// follow applies the changes of players until a message.
func (r *replay) follow(message int) {
	all := r.link.history.changes
	for ; r.changes < len(all) && all[r.changes].Message <= message; r.changes++ {
		r.world.playerChanged(all[r.changes])
	}
}

// decode reads and decodes a datagram of a segment. The link is nil if there is none, or none any more.
func (s *Store) decode(l *link, decoder *show.Decoder, g *segment, i int) (*show.Packet, error) {
	x := &g.datagrams[i]
	d, err := x.read(g)
	if err != nil {
		return nil, err
	}
	if l != nil {
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
	for _, g := range slices.Backward(s.segments) {
		if i := number - g.firstData; i >= 0 && i < len(g.datagrams) {
			return g, i
		}
	}
	return nil, 0
}

// messageAt returns the segment of a message, and its index there. It returns nil if the message is
// not kept.
func (s *Store) messageAt(number int) (*segment, int) {
	for _, g := range slices.Backward(s.segments) {
		if i := number - g.first; i >= 0 && i < len(g.rows) {
			return g, i
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
