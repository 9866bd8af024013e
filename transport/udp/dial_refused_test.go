package udp_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// A host that does not accept the client makes Dial fail after PeerTimeout. The error says what
// the host has sent instead.
func TestDialWithoutAnswer(t *testing.T) {
	for _, row := range []struct {
		name   string
		reply  func([]byte) [][]byte
		write  error
		remark string
	}{
		{"silence", func([]byte) [][]byte { return nil }, nil, "nothing received"},
		{
			"GameSpy text", func([]byte) [][]byte { return [][]byte{[]byte(`\status\`)} }, nil,
			"the port answers with GameSpy text only",
		},
		{"HTTP", func([]byte) [][]byte { return [][]byte{[]byte("HTTP/1.1 400")} }, nil, "45 datagrams received that are not of the game"},
		{"nothing but Acks", func([]byte) [][]byte { return [][]byte{wire(objectid.Host, ackOf(0))} }, nil, "45 datagrams received, but no acceptance"},
		{
			"peer ID that nobody can have", func(d []byte) [][]byte {
				if transport.Type(d[2]) != transport.TypeConnect {
					return nil
				}
				return [][]byte{wire(objectid.Host, transport.NewMessage(0, &transport.ConnectReply{PeerID: '\\'}))}
			}, nil,
			"45 datagrams received, but no acceptance",
		},
		{"a firewall", nil, errors.New("not permitted"), "nothing received, not permitted"},
	} {
		t.Run(row.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, n *network) {
				n.host(t, row.reply)
				conn := n.listen(t, annAddr)
				conn.failWrites(row.write)
				begin := time.Now()
				_, err := udp.Dial(t.Context(), hostAddr, udp.Options{Conn: conn})
				require.ErrorIs(t, err, join.ErrTimeout)
				require.Equal(t, "dial udp 10.0.0.1:22101: the server does not answer ("+row.remark+")", err.Error())
				require.True(t, err.(net.Error).Timeout())
				require.InDelta(t, 45, time.Since(begin).Seconds(), 0.1)
				requireClosed(t, conn)
			})
			bubble(t, func(t *testing.T, n *network) { // the context ends first
				n.host(t, row.reply)
				conn := n.listen(t, annAddr)
				conn.failWrites(row.write)
				ctx, cancel := context.WithTimeout(t.Context(), 44500*time.Millisecond)
				defer cancel()
				_, err := udp.Dial(ctx, hostAddr, udp.Options{Conn: conn})
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.Equal(t, "dial udp 10.0.0.1:22101: context deadline exceeded ("+row.remark+")", err.Error())
				require.True(t, err.(net.Error).Timeout())
				requireClosed(t, conn)
			})
		})
	}
}

func requireClosed(t *testing.T, conn *simConn) {
	t.Helper()
	_, _, closed := conn.state()
	require.True(t, closed)
}

// Dial returns the reason of a host that refuses the client.
func TestDialRefused(t *testing.T) {
	boot := func(r transport.BootReason) []byte {
		return wire(objectid.Host, ackOf(0), transport.NewMessage(0, &transport.Boot{Reason: r, PeerID: objectid.NoPeer}))
	}
	openBC := func(r opcode.RefusalReason) []byte {
		payload, err := opcode.Marshal(&opcode.BootPlayer{Reason: r})
		require.NoError(t, err)
		return wire(objectid.Host, transport.NewUnreliable(payload))
	}
	for _, row := range []struct {
		reply []byte
		want  error
		text  string
	}{
		{boot(transport.BootUnspecified), join.ErrRefused, "refused by the server: unspecified"},
		{boot(transport.BootTimeout), join.ErrRefused, "refused by the server: timed out"},
		{boot(transport.BootPassword), join.ErrPassword, "wrong password"},
		{boot(transport.BootTooManyPlayers), join.ErrFull, "the server is full"},
		{boot(transport.BootRemoved), join.ErrRefused, "refused by the server: removed by host"},
		{boot(transport.BootBanned), join.ErrBanned, "banned by the server"},
		{boot(99), join.ErrRefused, "refused by the server: 99"},
		{openBC(opcode.RefusalGeneric), join.ErrRefused, "refused by the server: no reason given"},
		{openBC(opcode.RefusalVersion), join.ErrVersion, "the server has another version of the game"},
		{openBC(opcode.RefusalFull), join.ErrFull, "the server is full"},
		{openBC(opcode.RefusalBanned), join.ErrBanned, "banned by the server"},
		{openBC(opcode.RefusalChecksum), join.ErrFiles, "the server has other files"},
		{openBC(99), join.ErrRefused, "refused by the server: 99"},
	} {
		bubble(t, func(t *testing.T, n *network) {
			n.host(t, func([]byte) [][]byte { return [][]byte{row.reply} })
			conn := n.listen(t, annAddr)
			begin := time.Now()
			_, err := udp.Dial(t.Context(), hostAddr, udp.Options{Conn: conn})
			require.ErrorIs(t, err, row.want)
			require.Equal(t, "dial udp 10.0.0.1:22101: "+row.text, err.Error())
			require.False(t, err.(net.Error).Timeout())
			require.Less(t, time.Since(begin), time.Second)
			requireClosed(t, conn)
		})
	}
}

// Other payloads before the acceptance are no refusal.
func TestDialEarlyPayload(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		early := wire(objectid.Host, transport.NewUnreliable(nil), transport.NewUnreliable([]byte{byte(opcode.OpBootPlayer), 1, 2}))
		n.host(t, func(d []byte) [][]byte { return append([][]byte{early}, accepting()(d)...) })
		require.EqualValues(t, 2, n.dial(t, annAddr).PeerID())
	})
}

// Some hosts accept a client and then refuse it.
func TestKicked(t *testing.T) {
	for reason, want := range map[transport.BootReason]error{
		transport.BootUnspecified: join.ErrRefused, transport.BootTimeout: join.ErrRefused,
		transport.BootPassword: join.ErrPassword, transport.BootTooManyPlayers: join.ErrFull,
		transport.BootRemoved: join.ErrRefused, transport.BootBanned: join.ErrBanned, 99: join.ErrRefused,
	} {
		bubble(t, func(t *testing.T, n *network) {
			s := n.serve(t, func(hub *transport.Hub) udp.Handler {
				return udp.Handler{Event: func(_ time.Time, e transport.Event) {
					switch e.Kind {
					case transport.EventConnect:
						_, _ = hub.Accept(e)
					case transport.EventConnected:
						e.Session.Boot(reason)
					}
				}}
			})
			ann := n.dial(t, annAddr)
			_, err := requireEnd(t, ann)
			require.ErrorIs(t, err, want)
			if want == join.ErrRefused {
				require.Equal(t, fmt.Sprintf("read udp 10.0.0.1:22101: refused by the server: %v", reason), err.Error())
			}
			took, err := s.stop()
			require.NoError(t, err)
			require.Less(t, took, time.Second) // the client has acknowledged
		})
	}
}
