package show

import (
	"net/netip"

	"github.com/bcwire/bcwire/examples/internal/recording"
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
