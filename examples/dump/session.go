package main

import (
	"bytes"
	"math"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/transport"
)

// Limits for captures of servers that were scanned or attacked.
const (
	maxSessions = 256
	maxServers  = 1024
)

// defaultPort is where the stock game listens.
const defaultPort = 22101

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
	dir  direction
	peer int8
}

// find returns the session of a datagram, and completes the direction and the client of
// the datagram.
func (s *sessions) find(d *datagram) *session {
	if d.dir == "" {
		d.dir = s.direction(d)
	}
	f := flow{client: d.client, player: d.src, server: d.dst}
	if d.dir == s2c {
		f.player, f.server = d.dst, d.src
	}
	if d.client == "" && f.player.IsValid() {
		d.client = f.player.String()
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

// direction tells the direction of a datagram from its peer ID, or from what is known of
// its sender and receiver if it is GameSpy text.
func (s *sessions) direction(d *datagram) direction {
	switch {
	case transport.IsGameSpy(d.data):
		return s.gamespyDirection(d)
	case len(d.data) == 0 || int8(d.data[0]) != transport.Host:
		return c2s
	}
	if d.src.IsValid() {
		if s.servers == nil || len(s.servers) >= maxServers {
			s.servers = map[netip.AddrPort]bool{}
		}
		s.servers[d.src] = true
	}
	return s2c
}

func (s *sessions) gamespyDirection(d *datagram) direction {
	switch {
	case s.servers[d.src], d.src.Port() == defaultPort:
		return s2c
	case s.servers[d.dst], d.dst.Port() == defaultPort:
		return c2s
	case bytes.Contains(d.data, []byte(`\queryid\`)): // which numbers the parts of an answer
		return s2c
	}
	return c2s
}

// channel returns what is known of the sender of a datagram.
func (x *session) channel(d *datagram, peer int8) *channel {
	key := channelKey{dir: d.dir}
	if d.client == "" {
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

// instant returns the time for a [transport.Reassembler].
func instant(seconds float64) time.Time {
	const limit = 1e9 // of seconds, to stay within a Duration
	seconds = min(max(seconds, -limit), limit)
	return time.Unix(0, 0).Add(time.Duration(seconds * float64(time.Second)))
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
