package show

import (
	"bytes"
	"net/netip"

	"github.com/bcwire/bcwire/examples/internal/recording"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

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
