package udp_test

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

// useResolver makes all queries of host names fail for a test.
func useResolver(t *testing.T, fail func(context.Context) error) {
	before := net.DefaultResolver
	t.Cleanup(func() { net.DefaultResolver = before })
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return nil, fail(ctx)
	}}
}

// Addresses that no host can have fail at once, and close the socket of the caller.
func TestDialBadAddress(t *testing.T) {
	useResolver(t, func(context.Context) error { return errOdd })
	for address, text := range map[string]string{
		"":                "dial udp: missing port in address",
		"10.0.0.1":        "dial udp: address 10.0.0.1: missing port in address",
		"10.0.0.1:":       "dial udp: address 10.0.0.1:: no port",
		"10.0.0.1:0":      "dial udp: address 10.0.0.1:0: no port",
		"10.0.0.1:70000":  "dial udp: address 70000: invalid port",
		"10.0.0.1:bridge": "dial udp: lookup udp/bridge: unknown port",
		"[10.0.0.1:1":     "dial udp: address [10.0.0.1:1: missing ']' in address",
		"::1:22101":       "dial udp: address ::1:22101: too many colons in address",
		"a host:1":        "dial udp: lookup a host: no such host",
	} {
		conn := newNetwork().listen(t, annAddr)
		_, err := udp.Dial(t.Context(), address, udp.Options{Conn: conn})
		require.IsType(t, &net.OpError{}, err)
		require.Equal(t, text, err.Error())
		requireClosed(t, conn)
	}
	_, err := udp.Dial(t.Context(), "host.invalid:1", udp.Options{})
	require.ErrorContains(t, err, "odd")
}

// The first IPv4 address of a host name is used, since most servers have no other.
func TestDialChoosesIPv4(t *testing.T) {
	for addrs, want := range map[string]string{
		"::1 127.0.0.1 127.0.0.2": "127.0.0.1",
		"::1 ::ffff:127.0.0.1":    "127.0.0.1",
		"2001:db8::2 2001:db8::1": "2001:db8::2",
	} {
		var ips []netip.Addr
		for s := range strings.FieldsSeq(addrs) {
			ips = append(ips, netip.MustParseAddr(s))
		}
		require.Equal(t, want, udp.Choose(ips).String())
	}
}

// Addresses that are written in another way reach the same host.
func TestDialAddress(t *testing.T) {
	for address, remote := range map[string]string{
		"10.0.0.1:22101":          "10.0.0.1:22101",
		"[::ffff:10.0.0.1]:22101": "10.0.0.1:22101",
		":22101":                  "127.0.0.1:22101",
		"0.0.0.0:22101":           "127.0.0.1:22101",
		"[::ffff:0.0.0.0]:22101":  "127.0.0.1:22101",
		"[::]:22101":              "[::1]:22101",
		"[fe80::1%eth0]:22101":    "[fe80::1%eth0]:22101",
	} {
		bubble(t, func(t *testing.T, n *network) {
			hub, host := transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs}), n.listen(t, remote)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { done <- udp.Serve(ctx, host, hub, echo(hub)) }()
			conn, err := udp.Dial(t.Context(), address, udp.Options{Conn: n.listen(t, annAddr)})
			require.NoError(t, err)
			require.Equal(t, addrOf(remote), conn.RemoteAddr())
			requireEcho(t, conn, "hello")
			conn.Close()
			cancel()
			require.NoError(t, <-done)
		})
	}
}

// mapped is a socket that reports IPv4 addresses as a socket of both IP versions does.
type mapped struct{ *simConn }

func (m mapped) ReadFromUDPAddrPort(b []byte) (int, netip.AddrPort, error) {
	n, from, err := m.simConn.ReadFromUDPAddrPort(b)
	if err == nil {
		from = netip.AddrPortFrom(netip.AddrFrom16(from.Addr().As16()), from.Port())
	}
	return n, from, err
}

func TestMappedAddresses(t *testing.T) {
	bubble(t, func(t *testing.T, n *network) {
		hub := transport.NewHub(time.Now(), transport.HubOptions{Rand: testdata.LowestIDs})
		var addrs []netip.AddrPort
		h := echo(hub)
		event := h.Event
		h.Event = func(now time.Time, e transport.Event) {
			addrs = append(addrs, e.Addr)
			event(now, e)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		host := mapped{n.listen(t, hostAddr)}
		go func() { done <- udp.Serve(ctx, host, hub, h) }()
		conn, err := udp.Dial(t.Context(), hostAddr, udp.Options{Conn: mapped{n.listen(t, annAddr)}})
		require.NoError(t, err)
		requireEcho(t, conn, "hello")
		conn.Close()
		cancel()
		require.NoError(t, <-done)
		for _, addr := range addrs {
			require.Equal(t, addrOf(annAddr), addr)
		}
	})
}
