package show

import (
	"math"
	"net/netip"

	"github.com/bcwire/bcwire/examples/internal/recording"
)

// Limits for captures of servers that were scanned or attacked.
const (
	maxSessions = 256
	maxServers  = 1024
)

// flow tells the sessions of an input apart.
type flow struct {
	client         string
	player, server netip.AddrPort
}

// sessions finds the session of each datagram.
type sessions struct {
	open    map[flow]*session
	servers map[netip.AddrPort]bool // who has sent with the peer ID of a host
	count   uint64
}

// session is what the datagrams of a client and a server have in common.
type session struct {
	connected bool
	connID    uint32
	channels  map[channelKey]*channel
	ships     ships
	used      uint64
}

// channelKey tells the senders of a session apart. Where the input does not name the
// client, several may share a session, and their peer IDs are all there is.
type channelKey struct {
	dir  recording.Direction
	peer int8
}

// find returns the session of a datagram, and completes the direction and the client of
// the datagram.
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

// channel returns what is known of the sender of a datagram.
func (x *session) channel(d *Datagram, peer int8) *channel {
	key := channelKey{dir: d.Dir}
	if d.Client == "" {
		key.peer = peer
	}
	c := x.channels[key]
	if c == nil {
		c = &channel{totals: map[uint16]uint8{}}
		x.channels[key] = c
	}
	return c
}

// connect takes a connection request: another connection ID than before begins a new
// session, whose sequence numbers start again.
func (x *session) connect(connID uint32) {
	if x.connected && x.connID == connID {
		return
	}
	x.connected, x.connID = true, connID
	clear(x.channels)
	x.ships.known.Reset()
}

// pending returns how many payloads lack pieces.
func (s *sessions) pending() (n int) {
	for _, x := range s.open {
		for _, c := range x.channels {
			payloads, _ := c.game.Pending()
			n += payloads
		}
	}
	return n
}
