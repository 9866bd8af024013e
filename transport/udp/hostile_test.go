package udp_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// hostileRow is datagrams of an attacker, as on the wire, and the reasons in alphabetical order
// for which they are dropped.
type hostileRow struct {
	name  string
	in    [][]byte
	drops string
}

// TestHostile is the table of malformed inputs: datagrams to a server from an address without a
// session, to a server from the address of a player, and to a client from the address of its host.
// The sessions of other players continue.
func TestHostile(t *testing.T) {
	for _, row := range slices.Concat(malformed(), hostileToServer()) {
		t.Run("Serve/"+row.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				s := n.serve(t, echo)
				ann := n.dial(t, annAddr)
				time.Sleep(time.Second)
				for _, d := range row.in {
					n.send(addrOf(bobAddr), addrOf(hostAddr), d)
				}
				requireEcho(t, ann, "hello")
				require.NoError(t, ann.Close())
				_, err := s.stop()
				require.NoError(t, err)
				require.Equal(t, row.drops, dropped(s.hub.Counters()))
			})
		})
	}
	for _, row := range append(malformed(), hostileAsPlayer()...) {
		t.Run("Player/"+row.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				s := n.serve(t, echo)
				ann := n.dial(t, annAddr)
				bob := n.dial(t, bobAddr) // in whose name the attacker sends
				require.EqualValues(t, 3, bob.PeerID())
				time.Sleep(time.Second)
				for _, d := range row.in {
					n.send(addrOf(bobAddr), addrOf(hostAddr), d)
				}
				requireEcho(t, ann, "hello")
				require.NoError(t, ann.Close())
				time.Sleep(time.Minute)
				require.NoError(t, bob.Close())
				_, err := s.stop()
				require.NoError(t, err)
			})
		})
	}
	for _, row := range append(malformed(), hostileToClient()...) {
		for from, name := range map[string]string{hostAddr: "Conn", "10.9.9.9:9": "Conn from elsewhere"} {
			t.Run(name+"/"+row.name, func(t *testing.T) {
				bubble(t, func(t *testing.T, n *network) {
					n.serve(t, echo)
					ann := n.dial(t, annAddr)
					bob := n.dial(t, bobAddr)
					time.Sleep(time.Second)
					for _, d := range row.in {
						n.send(addrOf(from), addrOf(annAddr), d)
					}
					requireEcho(t, ann, "hello")
					requireEcho(t, bob, "hello")
					if from != hostAddr {
						require.Zero(t, ann.Counters().Dropped())
					}
				})
			})
		}
	}
}

// dropped returns the reasons for drops in alphabetical order.
func dropped(c transport.Counters) string {
	reasons := map[string]bool{}
	for r, n := range c.Drops {
		if n > 0 {
			reasons[transport.DropReason(r).String()] = true
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(reasons)), " ")
}

// malformed returns datagrams that are not of the game.
func malformed() []hostileRow {
	noise, random := make([]byte, 1400), rand.New(rand.NewPCG(1, 1))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	noise[0] = 0x77 // a peer ID of nobody
	return []hostileRow{
		{"nothing", [][]byte{{}}, "malformed"},
		{"a peer ID alone", [][]byte{{3}}, "malformed"},
		{"no peer ID and no message", [][]byte{{0xFF}, {0xFF, 0}}, "malformed no_connect"},
		{"GameSpy text", [][]byte{[]byte(`\`), []byte(`\basic\`), []byte(strings.Repeat(`\`, 60000))}, ""},
		{"noise", [][]byte{noise}, "unknown_address"},
		{"the longest datagram", [][]byte{make([]byte, 65507)}, "unknown_address"},
		{"a datagram that is too long for UDP", [][]byte{make([]byte, 70000)}, "unknown_address"},
		{"HTTP", [][]byte{[]byte("GET / HTTP/1.1\r\n\r\n")}, "unknown_address"},
		{"a Connect that is not enciphered", [][]byte{plain(objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{}))}, "no_connect"},
		{"a Connect that is enciphered twice", [][]byte{enciphered(wire(objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{})))}, "no_connect"},
		{"a Connect that ends too soon", [][]byte{enciphered(plain(objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{}))[:14])}, "no_connect"},
		{"255 messages that are not there", [][]byte{enciphered([]byte{0xFF, 255}), enciphered([]byte{0x7B, 255})}, "no_connect unknown_address"},
		{"length 0", [][]byte{enciphered(testdata.Bytes("7B 01 32 0000"))}, "unknown_address"},
		{"type that nobody knows", [][]byte{enciphered(testdata.Bytes("7B 02 33 0380 0000"))}, "unknown_address"},
	}
}

// hostileToServer returns datagrams from an address without a session, while the player 2 has
// one.
func hostileToServer() []hostileRow {
	connect := func(id uint32) transport.Message {
		return transport.NewMessage(0, &transport.ConnectRequest{ConnID: id})
	}
	var flood, half [][]byte
	for id := range uint32(3000) {
		flood = append(flood, wire(objectid.NoPeer, connect(id)))
	}
	for id := range 90 {
		half = append(half, wire(objectid.PeerID(id), transport.NewData(0, []byte("x"))))
	}
	return []hostileRow{
		{"payload of a player", [][]byte{wire(2, transport.NewData(0, []byte("x")))}, "unknown_address"},
		{"Disconnect of a player", [][]byte{wire(2, transport.NewMessage(1, &transport.Disconnect{PeerID: 2}))}, "unknown_address"},
		{"Boot of a player", [][]byte{wire(1, transport.NewMessage(0, &transport.Boot{Reason: 4, PeerID: 2}))}, "unknown_address"},
		{"Ack without a Connect", [][]byte{wire(objectid.NoPeer, ackOf(0))}, "no_connect"},
		{"reply to no Connect", [][]byte{wire(objectid.NoPeer, transport.NewMessage(0, &transport.ConnectReply{PeerID: 2}))}, "no_connect"},
		{"Connect with a long password", [][]byte{wire(objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{Password: make([]byte, 16000)}))}, ""},
		{"255 Connects", [][]byte{wire(objectid.NoPeer, slices.Repeat([]transport.Message{connect(1)}, 255)...)}, ""},
		{"a flood of Connects", flood, ""},
		{"a Connect and the peer IDs up to 89", append([][]byte{wire(objectid.NoPeer, connect(1))}, half...), "unvalidated wrong_peer"},
	}
}

// hostileAsPlayer returns datagrams in the name of the player 3, whose session they may end.
func hostileAsPlayer() []hostileRow {
	fragment := func(index, total uint8) transport.Message {
		return transport.Message{Type: transport.TypeData, Reliable: true, Fragment: true, FragIndex: index, FragTotal: total, Body: []byte("x")}
	}
	var ahead [][]byte
	for seq := range uint16(2000) {
		ahead = append(ahead, wire(3, transport.NewData(seq+1, make([]byte, 300))))
	}
	return []hostileRow{
		{name: "payload out of the window", in: [][]byte{wire(3, transport.NewData(0x4000, []byte("x")))}},
		{name: "2000 payloads, the first missing", in: ahead},
		{name: "fragments that contradict each other", in: [][]byte{wire(3, fragment(0, 2), fragment(0, 3))}},
		{name: "fragment without an end", in: [][]byte{wire(3, fragment(254, 0))}},
		{name: "Ack of a message that was not sent", in: [][]byte{wire(3, ackOf(9)), wire(3, transport.NewMessage(0, &transport.Ack{Seq: 9}))}},
		{name: "Disconnect", in: [][]byte{wire(3, transport.NewMessage(2, &transport.Disconnect{PeerID: 3}))}},
		{name: "Disconnect of another player", in: [][]byte{wire(3, transport.NewMessage(2, &transport.Disconnect{PeerID: 2}))}},
		{name: "Boot of another player", in: [][]byte{wire(3, transport.NewMessage(2, &transport.Boot{Reason: 4, PeerID: 2}))}},
		{name: "Connect of a new session", in: [][]byte{wire(objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{ConnID: 9}))}},
		{name: "peer ID of another player", in: [][]byte{wire(2, transport.NewMessage(2, &transport.Disconnect{PeerID: 2}))}},
		{name: "empty payloads", in: [][]byte{wire(3, slices.Repeat([]transport.Message{transport.NewUnreliable(nil)}, 255)...)}},
		{name: "forms of OpenBC", in: [][]byte{enciphered(testdata.Bytes("03 02 06 02 00 02"))}},
	}
}

// hostileToClient returns datagrams in the name of the host that do not end the session of the
// client 2.
func hostileToClient() []hostileRow {
	return []hostileRow{
		{name: "acceptance again", in: [][]byte{acceptance(), acceptance()}},
		{name: "another acceptance", in: [][]byte{wire(1, transport.NewMessage(1, &transport.ConnectReply{PeerID: 9}))}},
		{name: "Connect of a client", in: [][]byte{wire(1, transport.NewMessage(9, &transport.ConnectRequest{}))}},
		{name: "Connect without a peer ID", in: [][]byte{wire(objectid.NoPeer, transport.NewMessage(0, &transport.ConnectRequest{}))}},
		{name: "refusal of OpenBC", in: [][]byte{enciphered(testdata.Bytes("07 01 32 0500 0402"))}},
		{name: "peer ID of another player", in: [][]byte{wire(3, transport.NewMessage(1, &transport.Boot{Reason: 4, PeerID: 2}))}},
		{name: "payload out of the window", in: [][]byte{wire(1, transport.NewData(0x4000, []byte("x")))}},
		{name: "Acks of messages that were not sent", in: [][]byte{wire(1, slices.Repeat([]transport.Message{ackOf(0xFFF0)}, 255)...)}},
		{name: "fragment of nothing", in: [][]byte{wire(1, transport.Message{Type: transport.TypeData, Reliable: true, Fragment: true, Seq: 5})}},
	}
}

// A host that sends more than the program receives takes memory up to the limits only, and the
// context still ends Receive.
func TestHostileHost(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		seq := uint16(0)
		conn := n.host(t, accepting())
		ann := n.dial(t, annAddr, udp.Options{}.Unread(100, 0))
		for range 1000 {
			_, err := conn.WriteToUDPAddrPort(wire(1, transport.NewData(seq, make([]byte, 300))), addrOf(annAddr))
			require.NoError(t, err)
			seq++
		}
		time.Sleep(time.Second)
		require.ErrorIs(t, ann.Err(), udp.ErrUnread)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := ann.Receive(ctx)
		require.ErrorIs(t, err, context.Canceled)
		for range 100 {
			require.Len(t, receive(t, ann), 300)
		}
		_, err = ann.Receive(t.Context())
		require.Equal(t, udp.ErrUnread, err)
	})
}
