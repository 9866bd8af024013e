package timeline

import (
	"fmt"
	"slices"
	"sort"

	"github.com/bcwire/bcwire/examples/internal/show"
)

// checkpoint is the state before a datagram.
type checkpoint struct {
	datagram int  // number
	pinned   bool // the first one of the link, or of the link in a segment that can become the oldest
	size     int  // bytes of the state, approximately
	state
}

// Approximate sizes in bytes. A hostile client can have 160 ships and many partial payloads, and
// all checkpoints of its link have copies.
const (
	senderBytes = 75 << 10
	maxSenders  = 20 // of an Observer
	shipBytes   = 2 << 10
	matchBytes  = 64 << 10 // of the match of a decoder
)

// maxEvery is the largest number of messages between two checkpoints of a link. Decoding so many
// again takes a few seconds.
const maxEvery = 1 << 17

// size returns the approximate number of bytes of the state of a link.
func (l *link) size() int {
	senders := min(len(l.senders), maxSenders)
	_, pending := l.decoder.Pending()
	return matchBytes + senders*senderBytes + len(l.world.shown)*shipBytes + pending
}

// drops reports whether the oldest messages are dropped at a limit.
func (s *Store) drops() bool { return s.options.MaxMessages > 0 || s.options.MaxBytes > 0 }

// checkpoint keeps the state of a link before the next datagram, if it is time. If segments can be
// dropped, the first datagram of a link in a segment has a checkpoint.
func (s *Store) checkpoint(l *link) {
	n := len(l.checkpoints)
	pinned := n == 0 || s.drops() && l.checkpoints[n-1].datagram < s.segments[len(s.segments)-1].firstData
	if !pinned && l.since < s.options.Every {
		return
	}
	l.checkpoints = append(l.checkpoints, checkpoint{s.datagrams, pinned, l.size(), l.clone()})
	l.since = 0
	if loose, bytes := s.checkpoints(); loose > s.options.MaxCheckpoints || bytes > s.options.MaxCheckpointBytes {
		s.thin()
	}
}

// checkpoints returns the number of checkpoints that are not pinned, and the bytes of all.
func (s *Store) checkpoints() (loose, bytes int) {
	for _, l := range s.links {
		for i := range l.checkpoints {
			bytes += l.checkpoints[i].size
			if !l.checkpoints[i].pinned {
				loose++
			}
		}
	}
	return loose, bytes
}

// thin removes every other checkpoint that is not pinned, and doubles their distance.
func (s *Store) thin() {
	s.options.Every = min(2*s.options.Every, max(maxEvery, s.options.Every))
	for _, l := range s.links {
		remove := false
		l.checkpoints = slices.DeleteFunc(l.checkpoints, func(c checkpoint) bool {
			remove = remove != !c.pinned
			return remove && !c.pinned
		})
	}
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
		if c.Ship != nil {
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
		r.follow(r.store.messageOf(r.next+1) - 1)
		r.world.now = Moment{x.at, g.first + int(x.first)}
		if _, err := r.store.decode(r.link, r.decoder, g, i); err != nil {
			return err
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
	p := new(show.Packet)
	decoder.Follow(p, d)
	return p, nil
}
