package gamespy

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bcwire/bcwire/internal/clock"
	"github.com/bcwire/bcwire/internal/limit"
	"github.com/bcwire/bcwire/stream"
)

// Limits of a [Master].
const (
	maxListed          = 2048 // servers; both forms of a list have room for more
	maxListedOfNetwork = 16

	listedTime = 30 * time.Minute // from the last proof of a server to its removal

	// challengeTime is how long a server gets the same challenge. The next challenge does not make it invalid.
	challengeTime = 15 * time.Second
)

// A Master is the UDP side of a master server: it takes the heartbeats of servers and lists the servers. Pass all
// received datagrams to Receive, and send the datagrams that it returns:
//
//	server  \heartbeat\22101\gamename\bcommander
//	master  \secure\ABCDEF
//	server  \validate\zfmiAycI\final\\queryid\1.1
//
// The answer of the server proves its address, and lists the server for another 30 minutes. A heartbeat alone neither
// lists nor removes a server, because anybody can forge it. The challenge goes to the query port in the heartbeat,
// because players are sent there; port 0 means [DefaultPort]. It is shorter than its heartbeat, and depends on the
// address, the time and a secret, so that a Master retains nothing before the proof. It can be answered for 15 to 30 s.
// A [ListServer] sends the list to clients over TCP.
//
// A Master lists at most 2,048 servers, and 16 of an IPv4 address. On the loopback interface, each port is an address
// of its own. If 2,048 are listed, a newcomer replaces the server with the oldest proof at the address with the most
// servers, unless that address would then have fewer servers than its own. The protocol has IPv4 only.
//
// The zero value is ready to use. It is not safe for concurrent use.
//
// Evidence: heartbeats and challenges are observed. The times of masters, and port 0, are documented.
type Master struct {
	clock    clock.Clock
	secret   []byte
	servers  map[netip.AddrPort]time.Duration // when a server expires
	next     time.Duration                    // no server expires earlier
	networks map[limit.Network]int            // numbers of servers, at least 1
	sizes    [maxListedOfNetwork + 1]int      // numbers of networks with so many servers
}

// Receive takes a datagram. If it is a heartbeat, Receive returns the challenge, and the address to which the caller
// must send it. If it is the answer to a challenge, Receive lists the server. It ignores other texts.
//
// The error wraps [ErrChallenge] for a wrong or late answer to a challenge, and [stream.ErrLimit] for a text of
// more than 1 KiB or if there is no room for the server. It wraps [stream.ErrInvalid] for a datagram that is not text, an
// IPv6 address, and a heartbeat of another game or without a port. Times must not decrease.
func (m *Master) Receive(now time.Time, from netip.AddrPort, datagram []byte) (challenge []byte, to netip.AddrPort, err error) {
	m.set(now)
	kind, validates := classify(datagram)
	from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
	switch {
	case kind == KindNone:
		return nil, to, errNotText
	case kind != KindHeartbeat && !validates:
		return nil, to, nil
	case len(datagram) > maxLogin:
		return nil, to, alone(kind.String(), maxLogin, tooMany(len(datagram), "bytes", maxLogin))
	case !from.Addr().Is4():
		return nil, to, alone(kind.String(), -1, fmt.Errorf("%w: %v is not IPv4", stream.ErrInvalid, from))
	}
	text, err := Parse(datagram)
	switch {
	case err != nil:
		return nil, to, err
	case validates:
		return nil, to, m.prove(from, text.Pairs)
	}
	port, err := text.Pairs.queryPort()
	if err != nil {
		return nil, to, err
	}
	to = netip.AddrPortFrom(from.Addr(), port)
	return []byte(`\secure\` + m.challenge(to, 0)), to, nil
}

// Servers returns the listed servers, ordered by address. Both forms of a list have room for them.
func (m *Master) Servers(now time.Time) []netip.AddrPort {
	m.set(now)
	return slices.SortedFunc(maps.Keys(m.servers), netip.AddrPort.Compare)
}

// set tells the time, and removes the servers that expire.
func (m *Master) set(now time.Time) {
	if m.secret == nil {
		m.secret = make([]byte, sha256.Size)
		rand.Read(m.secret) // never fails
		m.servers, m.networks = map[netip.AddrPort]time.Duration{}, map[limit.Network]int{}
	}
	m.clock.Set(now)
	if m.clock.Now < m.next {
		return
	}
	m.next = clock.Never
	for server, expires := range m.servers {
		if expires <= m.clock.Now {
			m.remove(server)
		} else {
			m.next = min(m.next, expires)
		}
	}
}

// challenge returns the challenge of a server, or with 1 the one before.
func (m *Master) challenge(server netip.AddrPort, before time.Duration) string {
	text := server.AppendTo(nil)
	text = binary.BigEndian.AppendUint64(text, uint64(m.clock.Now/challengeTime-before))
	h := hmac.New(sha256.New, m.secret)
	h.Write(text)
	return newChallenge(binary.BigEndian.Uint32(h.Sum(nil)))
}

// queryPort returns the query port in a heartbeat.
func (p Pairs) queryPort() (uint16, error) {
	port, err := strconv.ParseUint(p[0].Value, 10, 16)
	if err != nil {
		return 0, alone("heartbeat", -1, fmt.Errorf("%w: port %.20q", stream.ErrInvalid, p[0].Value))
	}
	if game, _ := p.Get("gamename"); !strings.EqualFold(game, gameName) {
		return 0, alone("heartbeat", -1, fmt.Errorf("%w: gamename %.20q", stream.ErrInvalid, game))
	}
	return cmp.Or(uint16(port), DefaultPort), nil
}

// prove lists a server if it has answered its challenge.
func (m *Master) prove(server netip.AddrPort, answer Pairs) error {
	if answer.verify(m.challenge(server, 0)) != nil {
		if err := answer.verify(m.challenge(server, 1)); err != nil {
			return err
		}
	}
	if _, listed := m.servers[server]; !listed {
		if err := m.makeRoom(server); err != nil {
			return err
		}
		m.count(server, 1)
	}
	expires := m.clock.Now + listedTime
	m.servers[server], m.next = expires, min(m.next, expires)
	return nil
}

// makeRoom makes room for another server, if there is any.
func (m *Master) makeRoom(server netip.AddrPort) error {
	own := m.networks[limit.Of(server)]
	if own == maxListedOfNetwork {
		return alone("validation", -1, tooMany(own+1, "servers of an address", maxListedOfNetwork))
	}
	if len(m.servers) < maxListed {
		return nil
	}
	most := maxListedOfNetwork
	for m.sizes[most] == 0 {
		most--
	}
	if most <= own+1 {
		return alone("validation", -1, tooMany(maxListed+1, "servers", maxListed))
	}
	var oldest netip.AddrPort
	for s, expires := range m.servers { // the networks become more equal each time, so that this is rare
		if m.networks[limit.Of(s)] == most && (!oldest.IsValid() || cmp.Or(cmp.Compare(expires, m.servers[oldest]), s.Compare(oldest)) < 0) {
			oldest = s
		}
	}
	m.remove(oldest)
	return nil
}

func (m *Master) remove(server netip.AddrPort) {
	delete(m.servers, server)
	m.count(server, -1)
}

// count adds to the number of servers of a network.
func (m *Master) count(server netip.AddrPort, n int) {
	network := limit.Of(server)
	size := m.networks[network]
	m.sizes[size]--
	m.sizes[size+n]++
	if m.networks[network] = size + n; size+n == 0 {
		delete(m.networks, network)
	}
}
