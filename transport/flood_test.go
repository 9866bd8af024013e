package transport_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// floodReceivers are the types that receive floods, each new.
var floodReceivers = map[string]func([]testdata.FloodDatagram){
	"Observer":              observeFlood,
	"Hub":                   func(all []testdata.FloodDatagram) { floodHub(transport.Options{}, all) },
	"Hub with stock timers": func(all []testdata.FloodDatagram) { floodHub(transport.StockOptions(), all) },
}

// floodBytes is the length of a flood.
const floodBytes = 60_000

// No datagram makes an Observer or a Hub allocate much for each of its bytes. The worst one has 255
// empty payloads, each of which is an event.
func TestFloodAllocations(t *testing.T) {
	if testdata.UnderRace {
		t.Skip("the race detector allocates, too")
	}
	for name, receive := range floodReceivers {
		for _, f := range testdata.Floods() {
			all := f.Datagrams(floodBytes)
			before := totalBytes()
			receive(all)
			require.LessOrEqual(t, totalBytes()-before, uint64(100*floodBytes), "%s, %s", name, f.Name)
		}
	}
}

// BenchmarkFloods compares the time of hostile datagrams with that of the traffic of a match. The worst
// should take at most about 20 times as long for a byte.
func BenchmarkFloods(b *testing.B) {
	match, size := testdata.Battle(b), 0
	for _, d := range match {
		cipher.Decrypt(d.Data)
		size += len(d.Data)
	}
	b.Run("Observer/match", func(b *testing.B) {
		testdata.Worst(b, testdata.Work{Name: "match", Bytes: size, Run: func() {
			observers := map[int64]*transport.Observer{}
			for _, d := range match {
				if observers[d.Client] == nil {
					observers[d.Client] = new(transport.Observer)
				}
				for range observers[d.Client].Receive(start.Add(d.Time()), d.Direction == recording.ToClient, d.Data) {
				}
			}
		}})
	})
	b.Run("Hub/match", func(b *testing.B) {
		hub, size := newHub(b, manyClients).busyHub(16), 0
		for _, d := range hub.wires {
			size += len(d)
		}
		testdata.Worst(b, testdata.Work{Name: "match", Bytes: size, Run: hub.exchange})
	})
	for name, receive := range floodReceivers {
		b.Run(name+"/worst", func(b *testing.B) {
			var works []testdata.Work
			for _, f := range testdata.Floods() {
				all := f.Datagrams(floodBytes)
				works = append(works, testdata.Work{Name: f.Name, Bytes: floodBytes, Run: func() { receive(all) }})
			}
			testdata.Worst(b, works...)
		})
	}
}

func observeFlood(all []testdata.FloodDatagram) {
	var o transport.Observer
	for i := range all {
		for range o.Receive(after(time.Duration(i)*time.Millisecond), all[i].FromHost, all[i].Data) {
		}
	}
}

// floodHub passes a flood to a hub, from the address of a client with an open session. If the flood ends the
// session, the client joins again, at most 50 times.
func floodHub(o transport.Options, all []testdata.FloodDatagram) {
	hub := transport.NewHub(start, transport.HubOptions{Session: o, Rand: testdata.LowestIDs, MaxPerIP: 100}.With(transport.HubLimits{ConnectBurst: 100}))
	joins, addr, id := 0, netip.AddrPort{}, objectid.NoPeer
	for i := range all {
		now := after(time.Duration(i) * time.Millisecond)
		if hub.Len() == 0 && joins < 50 {
			joins++
			addr = addrOf(1, joins)
			id = joinHub(now, hub, addr)
		}
		d := all[i].Data
		if objectid.PeerID(int8(d[0])) != objectid.NoPeer {
			d[0] = byte(id)
		}
		hub.Receive(now, addr, d)
		for range hub.Events() {
		}
		for range hub.Datagrams(now) {
		}
	}
}

// joinHub returns the peer ID of a client whose session opens.
func joinHub(now time.Time, hub *transport.Hub, addr netip.AddrPort) (id objectid.PeerID) {
	hub.Receive(now, addr, connectOf(uint32(addr.Port())))
	for e := range hub.Events() {
		if e.Kind == transport.EventConnect {
			s, _ := hub.Accept(e)
			id = s.PeerID()
			_ = s.Send([]byte{0}, reliable)
		}
	}
	for range hub.Datagrams(now) {
	}
	hub.Receive(now, addr, from(id, handshakeAck, "01 0000 00"))
	for range hub.Events() {
	}
	return id
}
