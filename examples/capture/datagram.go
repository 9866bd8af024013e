package capture

import (
	"cmp"
	"maps"
	"net/netip"
	"strconv"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// Datagram is a captured datagram.
type Datagram struct {
	Number   int                 // of the packet in a capture, or of the datagram in a text, from 1
	Time     float64             // seconds; in captures, since the first packet
	At       time.Time           // when the packet was captured; zero in recordings
	Dir      recording.Direction // derived from the peer ID if the input does not have it, or has a wrong one
	Client   string              // number of the client in a recording, or its address; "" if unknown
	Src, Dst netip.AddrPort      // zero in recordings
	Data     []byte              // as on the wire
	Missing  int                 // number of bytes at the end that the capture has truncated
	Note     string              // for people
}

// Recorded returns a datagram of a recording, without its note. It aliases d.Data.
func Recorded(number int, d recording.Datagram) *Datagram {
	dg := &Datagram{Number: number, Time: d.Seconds, Dir: d.Direction, Data: d.Data}
	if d.Client != recording.NoClient {
		dg.Client = strconv.FormatInt(d.Client, 10)
	}
	return dg
}

// Decipher deciphers the data in place, unless it is GameSpy text.
func (d *Datagram) Decipher() {
	if !transport.IsGameSpy(d.Data) {
		cipher.Decrypt(d.Data)
	}
}

// Match returns the datagram for a match. It must be deciphered, and aliases d.Data.
func (d *Datagram) Match() match.Datagram {
	fromHost := d.Dir == recording.ToClient
	server, name := d.Dst, ""
	if fromHost {
		server = d.Src
	}
	if server.IsValid() {
		name = server.String()
	}
	at := recording.Datagram{Seconds: d.Time}.Time()
	return match.Datagram{Time: at, Client: d.Client, Server: name, FromHost: fromHost, Data: d.Data}
}

// maxServers is the number of servers that a Locator remembers. A capture may show a scan.
const maxServers = 1024

// Locator derives the directions and the clients of datagrams. A [Reader] has one. The zero value is ready to
// use.
type Locator struct {
	servers map[netip.AddrPort]bool // addresses that have sent with the peer ID of the host
}

// Clone returns a copy.
func (l *Locator) Clone() Locator { return Locator{maps.Clone(l.servers)} }

// Locate sets the direction and the client of a datagram if they are empty.
func (l *Locator) Locate(d *Datagram) {
	if d.Dir == "" {
		d.Dir = l.direction(d)
	}
	client := d.Src
	if d.Dir == recording.ToClient {
		client = d.Dst
	}
	if d.Client == "" && client.IsValid() {
		d.Client = client.String()
	}
}

// direction derives the direction of a datagram from its peer ID. For GameSpy text it uses the
// addresses.
func (l *Locator) direction(d *Datagram) recording.Direction {
	switch {
	case transport.IsGameSpy(d.Data):
		return l.gamespyDirection(d)
	case len(d.Data) == 0 || objectid.PeerID(int8(d.Data[0])) != objectid.Host:
		return recording.ToServer
	}
	if d.Src.IsValid() {
		if l.servers == nil || len(l.servers) >= maxServers {
			l.servers = map[netip.AddrPort]bool{}
		}
		l.servers[d.Src] = true
	}
	return recording.ToClient
}

func (l *Locator) gamespyDirection(d *Datagram) recording.Direction {
	switch {
	case l.servers[d.Src], d.Src.Port() == gamespy.DefaultPort:
		return recording.ToClient
	case l.servers[d.Dst], d.Dst.Port() == gamespy.DefaultPort:
		return recording.ToServer
	}
	return cmp.Or(textDirection(d.Data), recording.ToServer)
}

// textDirection returns the direction that a GameSpy text shows, or "".
func textDirection(text []byte) recording.Direction {
	switch gamespy.Classify(text) {
	case gamespy.KindQuery:
		return recording.ToServer
	case gamespy.KindReply:
		return recording.ToClient
	}
	return ""
}
