package show

import (
	"fmt"
	"math"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// Limits for captures of servers that were scanned or attacked.
const (
	maxSessions = 256
	maxServers  = 1024
)

// flow is the key of a session: the client and the addresses of both sides.
type flow struct {
	client         string
	player, server netip.AddrPort
}

// sessions finds the session of each datagram.
type sessions struct {
	open    map[flow]*session
	servers map[netip.AddrPort]bool // addresses that have sent with the peer ID of a host
	count   uint64
}

// session is the state that the datagrams of a client and a server share.
type session struct {
	connected bool
	connID    uint32
	channels  map[channelKey]*channel
	ships     ships
	used      uint64
}

// channelKey identifies a sender in a session. If the input does not name the client, several
// clients may share a session; only their peer IDs differ.
type channelKey struct {
	dir  recording.Direction
	peer objectid.PeerID
}

// find returns the session of a datagram. It sets the direction and the client of the
// datagram if they are empty.
func (s *sessions) find(d *Datagram) *session {
	if d.Dir == "" {
		d.Dir = s.direction(d)
	}
	f := flow{client: d.Client, player: d.Src, server: d.Dst}
	if d.Dir == recording.ToClient {
		f.player, f.server = d.Dst, d.Src
	}
	if d.Client == "" && f.player.IsValid() {
		d.Client = f.player.String()
	}
	x := s.open[f]
	if x == nil {
		x = s.add(f)
	}
	s.count++
	x.used = s.count
	return x
}

func (s *sessions) add(f flow) *session {
	if s.open == nil {
		s.open = map[flow]*session{}
	}
	if len(s.open) >= maxSessions {
		s.evict()
	}
	x := &session{channels: map[channelKey]*channel{}}
	s.open[f] = x
	return x
}

// evict forgets the session that has been silent for longest.
func (s *sessions) evict() {
	var oldest flow
	least := uint64(math.MaxUint64)
	for f, x := range s.open {
		if x.used < least {
			oldest, least = f, x.used
		}
	}
	delete(s.open, oldest)
}

// channel returns the state of the sender of a datagram.
func (x *session) channel(d *Datagram, peer objectid.PeerID) *channel {
	key := channelKey{dir: d.Dir}
	if d.Client == "" {
		key.peer = peer
	}
	c := x.channels[key]
	if c == nil {
		c = &channel{fragTotals: map[uint16]uint8{}}
		x.channels[key] = c
	}
	return c
}

// connect resets the session if a connection request has a new connection ID: the sequence
// numbers start again.
func (x *session) connect(connID uint32) {
	if x.connected && x.connID == connID {
		return
	}
	x.connected, x.connID = true, connID
	clear(x.channels)
	x.ships.tracker.Reset()
}

// pending returns the number of partial payloads.
func (s *sessions) pending() (n int) {
	for _, x := range s.open {
		for _, c := range x.channels {
			payloads, _ := c.game.Pending()
			n += payloads
		}
	}
	return n
}

// channel is the receiver of the messages in one direction.
type channel struct {
	game       transport.Reassembler
	fragTotals map[uint16]uint8 // numbers of fragments of the partial payloads
}

// duplicate reports whether a system message is a duplicate, and remembers it. Only messages
// in the stock form have a sequence number that increases; in other forms it is always zero.
func (c *channel) duplicate(m *transport.Message) bool {
	return m.Reliable && m.HighPriority && c.game.Duplicate(m)
}

// delivery is the result of a Data message.
type delivery struct {
	payload []byte // if whole
	whole   bool
	notes   []note
}

// deliver adds a Data message, which may be a payload or complete one.
func (c *channel) deliver(now time.Time, m *transport.Message) (d delivery, err error) {
	for _, seq := range c.game.Expire(now) {
		delete(c.fragTotals, seq)
	}
	payload, verdict, err := c.game.Add(now, m)
	d.payload, d.whole = payload, verdict == transport.VerdictComplete
	if m.Fragment {
		d.notes = append(d.notes, c.fragment(m, verdict))
	}
	switch {
	case verdict == transport.VerdictDuplicate && !m.Fragment:
		d.payload, d.whole = m.Body, true
		fallthrough
	case verdict == transport.VerdictDuplicate:
		d.notes = append(d.notes, note{kind: "repeated"})
	case verdict == transport.VerdictDropped:
		d.notes = append(d.notes, note{kind: "not reassembled", text: "not reassembled: " + err.Error()})
		err = nil // the message is valid; only the memory for fragments is full
	}
	return d, err
}

// fragment returns a note with the index of a fragment, and their number if it is known.
func (c *channel) fragment(m *transport.Message, v transport.Verdict) note {
	if m.FragIndex == 0 && v == transport.VerdictStored {
		c.fragTotals[m.Seq] = m.FragTotal
	}
	total := c.fragTotals[m.Seq]
	if m.FragIndex == 0 {
		total = m.FragTotal
	}
	if v == transport.VerdictComplete || v == transport.VerdictDiscarded {
		delete(c.fragTotals, m.Seq)
	}
	text := fmt.Sprintf("fragment %d", int(m.FragIndex)+1)
	if total > 0 {
		text += fmt.Sprintf(" of %d", total)
	}
	if v == transport.VerdictComplete {
		text += ", the last to come"
	}
	return note{kind: kindFragment, text: text}
}

// instant returns the time for a [transport.Reassembler].
func instant(seconds float64) time.Time {
	const limit = 1e9 // of seconds, to stay within a Duration
	seconds = min(max(seconds, -limit), limit)
	return time.Unix(0, 0).Add(time.Duration(seconds * float64(time.Second)))
}
