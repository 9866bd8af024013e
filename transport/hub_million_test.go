package transport_test

import (
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// The heap of a hub does not grow with the number of its past sessions: a million addresses connect,
// use their peer IDs in several ways, and leave, fall silent, or begin payloads that never end.
func TestMillionSessions(t *testing.T) {
	total := testdata.Either(1_000_000, 20_000)
	h, now := newHub(t, transport.HubOptions{}), start
	opened, heap := 0, []int64{}
	settle := func(d time.Duration) {
		for end := now.Add(d); now.Before(end); now = now.Add(time.Second) {
			h.Sent(now)
			h.Events()
		}
	}
	for i := range total {
		addr := netip.AddrPortFrom(netip.AddrFrom4([4]byte{11, byte(i >> 16), byte(i >> 8), byte(i)}), uint16(1024+i%60000))
		now = now.Add(5 * time.Millisecond)
		h.ReceiveFrom(now, addr, connectOf(uint32(i)))
		var s *transport.Session
		for e := range h.Hub.Events() {
			if e.Kind == transport.EventConnect {
				var err error
				s, err = h.Hub.Accept(e)
				require.NoError(t, err)
				require.NoError(t, s.Send(make([]byte, 30), reliable))
			}
		}
		for range h.Hub.Datagrams(now) {
		}
		id := s.PeerID()
		switch i % 4 {
		case 0: // never uses its ID
		case 1:
			h.ReceiveFrom(now, addr, from(id, wire(transport.NewMessage(1, &transport.Disconnect{PeerID: id}))))
		case 2:
			h.ReceiveFrom(now, addr, (&harness{Session: s}).Validation(fragment(3, 0, 9, string(make([]byte, 300)))))
		case 3:
			h.ReceiveFrom(now, addr, (&harness{Session: s}).Validation("01 0000 00", text(0, "hello"), text(5, "early")))
		}
		for e := range h.Hub.Events() {
			if e.Kind == transport.EventConnected {
				opened++
			}
		}
		for range h.Hub.Datagrams(now) {
		}
		if (i+1)%(total/4) == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			heap = append(heap, int64(m.HeapAlloc>>10))
			require.NoError(t, transport.CheckHub(h.Hub))
		}
	}
	require.LessOrEqual(t, h.Hub.Len(), 124)
	require.Equal(t, total/2, opened)
	require.LessOrEqual(t, heap[3], heap[1]+512, "heap in KiB: %d", heap)
	sessions, networks, connects := h.Hub.TableSizes()
	require.LessOrEqual(t, sessions, 124+124+10_240)
	require.LessOrEqual(t, networks, 124)
	require.LessOrEqual(t, connects, transport.MaxRecentConnects)
	t.Logf("%d of %d opened; heap %d KiB", opened, total, heap)

	settle(10 * time.Minute)
	sessions, networks, _ = h.Hub.TableSizes()
	require.Zero(t, sessions)
	require.Zero(t, networks)
	require.Zero(t, h.Dropped()["malformed"])
}
