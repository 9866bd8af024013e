package show

import (
	"bytes"
	linked "container/list"
	"iter"
	"maps"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// Limits of the sessions and servers in a capture, which may show a scan or an attack.
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
	open    map[flow]*linked.Element            // of order
	order   *linked.List                        // of *session, the one that has been silent for longest first
	servers map[netip.AddrPort]bool             // addresses that have sent with the peer ID of a host
	chats   map[netip.AddrPort]*opcode.HostChat // by server, for the sessions of all its clients
}

// session is the state of the link between a client and a server. If the input names neither
// clients nor addresses, all clients share a session, and only their peer IDs differ.
type session struct {
	flow     flow
	observer transport.Observer
	ships    ships
	players  players
	chat     *opcode.HostChat
}

// find returns the session of a datagram. It sets the direction and the client of the
// datagram if they are empty.
func (s *sessions) find(d *Datagram) *session {
	f := s.locate(d)
	x := s.open[f]
	if x == nil {
		return s.add(f)
	}
	s.order.MoveToBack(x)
	return x.Value.(*session)
}

// locate returns the flow of a datagram. It sets the direction and the client of the datagram if
// they are empty.
func (s *sessions) locate(d *Datagram) flow {
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
	return f
}

// clone returns a deep copy.
func (s *sessions) clone() sessions {
	clone := sessions{servers: maps.Clone(s.servers)}
	for x := range s.all() {
		c := clone.add(x.flow)
		*c.chat = *x.chat
		c.observer, c.ships, c.players = *x.observer.Clone(), ships{tracker: *x.ships.tracker.Clone()}, x.players.clone()
	}
	return clone
}

// chat returns the chat of the server of a flow. It forgets servers without a session.
func (s *sessions) chat(f flow) *opcode.HostChat {
	if chat := s.chats[f.server]; chat != nil {
		return chat
	}
	if s.chats == nil || len(s.chats) >= maxServers {
		s.chats = map[netip.AddrPort]*opcode.HostChat{}
		for x := range s.all() {
			s.chats[x.flow.server] = x.chat
		}
	}
	chat := new(opcode.HostChat)
	s.chats[f.server] = chat
	return chat
}

// all iterates over the sessions in their order.
func (s *sessions) all() iter.Seq[*session] {
	return func(yield func(*session) bool) {
		if s.order == nil {
			return
		}
		for e := s.order.Front(); e != nil && yield(e.Value.(*session)); e = e.Next() {
		}
	}
}

// add adds a session and returns it. At the limit, it forgets the one that has been silent for
// longest.
func (s *sessions) add(f flow) *session {
	if s.order == nil {
		s.open, s.order = map[flow]*linked.Element{}, linked.New()
	}
	if s.order.Len() >= maxSessions {
		silent := s.order.Remove(s.order.Front()).(*session)
		delete(s.open, silent.flow)
	}
	x := &session{flow: f, chat: s.chat(f)}
	s.open[f] = s.order.PushBack(x)
	return x
}

// pending returns the number of partial payloads, and the bytes of their fragments.
func (s *sessions) pending() (payloads, bytes int) {
	for x := range s.all() {
		n, size := x.observer.Pending()
		payloads, bytes = payloads+n, bytes+size
	}
	return payloads, bytes
}

// Instant returns the time for a [transport.Observer].
func Instant(seconds float64) time.Time {
	const limit = 1e9 // seconds; a Duration holds nine times as many
	seconds = min(max(seconds, -limit), limit)
	return time.Unix(0, 0).Add(time.Duration(seconds * float64(time.Second)))
}

// direction derives the direction of a datagram from its peer ID. For GameSpy text it uses the
// addresses.
func (s *sessions) direction(d *Datagram) recording.Direction {
	switch {
	case transport.IsGameSpy(d.Data):
		return s.gamespyDirection(d)
	case len(d.Data) == 0 || objectid.PeerID(int8(d.Data[0])) != objectid.Host:
		return recording.ToServer
	}
	if d.Src.IsValid() {
		if s.servers == nil || len(s.servers) >= maxServers {
			s.servers = map[netip.AddrPort]bool{}
		}
		s.servers[d.Src] = true
	}
	return recording.ToClient
}

func (s *sessions) gamespyDirection(d *Datagram) recording.Direction {
	switch {
	case s.servers[d.Src], d.Src.Port() == gamespy.DefaultPort:
		return recording.ToClient
	case s.servers[d.Dst], d.Dst.Port() == gamespy.DefaultPort:
		return recording.ToServer
	case bytes.Contains(d.Data, []byte(`\queryid\`)): // only responses have this key
		return recording.ToClient
	}
	return recording.ToServer
}
