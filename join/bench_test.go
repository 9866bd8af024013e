package join_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// BenchmarkRelay is the whole path of a host: from a datagram of a player to the datagrams that relay its shot to three
// others, and their Acks.
func BenchmarkRelay(b *testing.B) {
	w := newWorld(b, join.HostOptions{})
	var sessions []*transport.Session
	for _, name := range []string{"Ann", "Ben", "Cid", "Dee"} {
		g := w.join(name)
		delete(w.clients, g.addr)
		sessions = append(sessions, g.session)
	}
	w.order = nil
	payload, err := opcode.Marshal(&opcode.BeamFire{WeaponID: 0x40000003, PlayerID: sessions[0].PeerID()})
	require.NoError(b, err)
	hub, heard, buffer := w.host.Hub(), 0, []byte(nil)
	b.ReportAllocs()
	for b.Loop() {
		w.now = w.now.Add(100 * time.Millisecond)
		if err := sessions[0].Send(payload, transport.Reliable); err != nil {
			b.Fatal(err)
		}
		for i, s := range sessions {
			buffer = s.AppendDatagram(buffer[:0], w.now)
			w.receive(addr(i+1, 22102), buffer)
		}
		for to, datagram := range hub.Datagrams(w.now) {
			s := sessions[int(to.Addr().As4()[3])-1]
			s.Receive(w.now, datagram)
			for e := range s.Events() {
				if e.Kind == transport.EventPayload {
					heard++
				}
			}
		}
	}
	require.GreaterOrEqual(b, heard, 3*b.N-3, w.drops)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(heard), "ns/shot")
}
