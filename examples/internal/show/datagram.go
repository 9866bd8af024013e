package show

import (
	"bytes"
	"net/netip"
	"strconv"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// Datagram is the input of a [Decoder].
type Datagram struct {
	Number   int                 // of the packet, from 1
	Time     float64             // seconds
	Dir      recording.Direction // empty: derived from the peer ID
	Client   string              // name of the client; empty: derived from the addresses
	Src, Dst netip.AddrPort      // if they are known
	Data     []byte              // as on the wire
	Missing  int                 // number of bytes that the capture lacks
	Note     string              // printed with the last message
}

// Recorded returns a datagram of a recording, without the note. It aliases the bytes.
func Recorded(number int, d recording.Datagram) *Datagram {
	dg := &Datagram{Number: number, Time: d.Seconds, Dir: d.Direction, Data: d.Data}
	if d.Client != recording.NoClient {
		dg.Client = strconv.FormatInt(d.Client, 10)
	}
	return dg
}

// Output prints decoded datagrams.
type Output interface {
	Packet(p *Packet) error
	// Finish is called after the last packet, with the number of partial payloads.
	Finish(pending int) error
	// Failed reports whether the program should exit with a failure.
	Failed() bool
}

// direction returns the direction of a datagram, which follows from its peer ID. For GameSpy
// text it follows from the addresses.
func (s *sessions) direction(d *Datagram) recording.Direction {
	switch {
	case transport.IsGameSpy(d.Data):
		return s.gamespyDirection(d)
	case len(d.Data) == 0 || objectid.PeerID(d.Data[0]) != objectid.Host:
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
	case bytes.Contains(d.Data, []byte(`\queryid\`)): // numbers the parts of a response
		return recording.ToClient
	}
	return recording.ToServer
}
