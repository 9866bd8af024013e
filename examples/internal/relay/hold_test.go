package relay

import (
	"bytes"
	"io"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
	"github.com/bcwire/bcwire/transport/udp"
)

// guest passes datagrams of a client to a Relay.
type guest struct {
	p  *Relay
	of *udp.RelayClient
}

func newGuest(p *Relay, number int64) guest { return guest{p, &udp.RelayClient{Number: number}} }

func (g guest) send(at time.Time, fromHost bool, datagram []byte) {
	g.p.datagram(g.of, at, fromHost, datagram, func([]byte) error { return nil })
}

func (g guest) become(state udp.RelayState) {
	g.of.State = state
	g.p.changed(g.of)
}

// With Hold, datagrams are shown in order, when the server has accepted their client. The datagrams
// that wait are bounded.
func TestHold(t *testing.T) {
	p := newRelay(Options{Clients: 1, Idle: time.Minute, Log: io.Discard}, nil, netip.MustParseAddrPort("127.0.0.1:9"), start)
	var shown []int
	p.Hold, p.Show = true, func(d *show.Datagram) { shown = append(shown, d.Number) }
	ann := newGuest(p, 1)
	for range 2 {
		ann.send(start, false, []byte{1})
	}
	ann.send(start, false, []byte(`\status\`))
	require.Equal(t, []int{3}, shown)
	ann.send(start, true, []byte{2})
	for range 100 {
		ann.send(start, false, make([]byte, 2000))
	}
	require.Equal(t, []int{3}, shown)
	ann.become(udp.RelayProven)
	ann.send(start, false, []byte{3})
	require.Equal(t, []int{3, 1, 2, 4, 5, 6, 7, 105}, shown)
	ann.send(start, false, []byte{3})
	require.Equal(t, 106, shown[len(shown)-1])
}

// Forged Connects, the replies to them, and queries fill the recording with a limited number of bytes. A client that
// joins meanwhile is recorded from its Connect on.
func TestStrangersFillNoRecording(t *testing.T) {
	var file, log bytes.Buffer
	p := newRelay(Options{Clients: 4, Idle: time.Minute, Log: &log}, nil, netip.MustParseAddrPort("127.0.0.1:9"), start)
	p.Record = capture.NewLines(&file, start)
	now := start
	connect := func(g guest) {
		g.send(now, false, make([]byte, 19))
		g.send(now, true, make([]byte, 20))
	}
	ann := newGuest(p, 1)
	flood := func() {
		for n := range int64(20_000) {
			now = now.Add(time.Millisecond)
			stranger := newGuest(p, 1000+n)
			connect(stranger)
			stranger.become(udp.RelayRemoved)
			ann.send(now, false, []byte(`\status\`))
		}
	}
	flood()
	before := file.Len()
	joined := now
	connect(ann)
	require.NoError(t, p.Record.Flush())
	ann.become(udp.RelayProven)
	ann.send(now.Add(time.Second), false, make([]byte, 2))
	flood()
	require.NoError(t, p.Record.Flush())
	require.Less(t, before, 3<<20)
	require.Less(t, file.Len(), 4<<20)
	require.Greater(t, p.unrecorded, 10_000)
	var of []float64
	for d, err := range recording.Read(&file) {
		require.NoError(t, err)
		if d.Client == ann.of.Number && !transport.IsGameSpy(d.Data) {
			of = append(of, d.Seconds)
		}
	}
	require.Equal(t, []float64{joined.Sub(start).Seconds(), joined.Sub(start).Seconds(), joined.Sub(start).Seconds() + 1}, of)
}
