package show

import (
	"bytes"
	"net/netip"

	"github.com/bcwire/bcwire/examples/internal/recording"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// Datagram is what a [Decoder] takes.
type Datagram struct {
	Number   int                 // of the packet, from 1
	Time     float64             // seconds
	Dir      recording.Direction // empty: the peer ID tells
	Client   string              // tells clients apart; empty: the addresses or the peer ID do
	Src, Dst netip.AddrPort      // if they are known
	Data     []byte              // as on the wire
	Missing  int                 // bytes that a capture has cut off
	Note     string              // a remark to be shown
}

// Output prints decoded datagrams.
type Output interface {
	Packet(p *Packet) error
	// Finish is called after the last packet, with what is left of incomplete payloads.
	Finish(pending int) error
	// Failed says whether the exit status must tell of a failure.
	Failed() bool
}

// direction tells the direction of a datagram from its peer ID, or from what is known of
// its sender and receiver if it is GameSpy text.
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
	case bytes.Contains(d.Data, []byte(`\queryid\`)): // which numbers the parts of an answer
		return recording.ToClient
	}
	return recording.ToServer
}
