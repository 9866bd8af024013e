package query_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/gamespy/query"
)

// fakeListener is a Listener without a network, for use with testing/synctest.
type fakeListener struct {
	arrived chan net.Conn
	errs    chan error
	closed  chan struct{}
	close   sync.Once
}

func newFakeListener() *fakeListener {
	return &fakeListener{arrived: make(chan net.Conn), errs: make(chan error, 2000), closed: make(chan struct{})}
}

func (l *fakeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.arrived:
		return conn, nil
	case err := <-l.errs:
		return nil, err
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *fakeListener) Close() error   { l.close.Do(func() { close(l.closed) }); return nil }
func (l *fakeListener) Addr() net.Addr { return nil }

// remoteConn is a connection from an address.
type remoteConn struct {
	net.Conn
	from netip.AddrPort
}

func (c remoteConn) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(c.from) }

// connect connects a client. The greeting is not read yet.
func (l *fakeListener) connect(t *testing.T, from netip.AddrPort) net.Conn {
	client, server := net.Pipe()
	t.Cleanup(func() { client.Close() })
	l.arrived <- remoteConn{server, from}
	synctest.Wait()
	return client
}

// listedBy returns a Master that lists a server.
func listedBy(t *testing.T, server netip.AddrPort) *gamespy.Master {
	var m gamespy.Master
	beacon, info := gamespy.Beacon{Port: server.Port()}, gamespy.NewServerInfo("X")
	challenge, _, err := m.Receive(time.Now(), server, beacon.Due(time.Now(), &info))
	require.NoError(t, err)
	answers, err := new(gamespy.Responder).Answer(time.Now(), server, challenge, &info)
	require.NoError(t, err)
	_, _, err = m.Receive(time.Now(), server, answers[0])
	require.NoError(t, err)
	return &m
}

// isOpen reports whether a connection is open. It reads a byte of the greeting.
func isOpen(conn net.Conn) bool {
	conn.SetReadDeadline(time.Now().Add(time.Nanosecond))
	_, err := conn.Read(make([]byte, 1))
	return !errors.Is(err, io.EOF)
}

// A flood of forged heartbeats and clients that send nothing keep no client from the list.
func TestServeMasterUnderAttack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		out := 0
		conn := newFakeConn(func(_ *fakeConn, _ netip.AddrPort, datagram string) error {
			require.Equal(t, gamespy.KindQuery, gamespy.Classify([]byte(datagram)))
			out++
			return syscall.EHOSTUNREACH // does not end ServeMaster
		})
		for i := range 5000 {
			conn.deliver(time.Duration(i)*time.Millisecond, address(1+i%200), `\heartbeat\22101\gamename\bcommander`, "\x01\xD7game", `\status\`)
		}
		l, done := newFakeListener(), make(chan error)
		l.errs <- syscall.EMFILE
		go func() { done <- query.ServeMaster(ctx, conn, l, listedBy(t, listed[1])) }()
		for i := range 1000 { // 200 a second
			l.connect(t, netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 18, byte(i >> 8), byte(i)}), 1))
			if i%100 == 50 {
				servers, err := query.List(ctx, l.connect(t, netip.MustParseAddrPort("192.0.2.7:1")))
				require.NoError(t, err)
				require.Equal(t, listed[1:], servers)
			}
			time.Sleep(5 * time.Millisecond)
		}
		require.Equal(t, 5000, out)
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
		require.True(t, conn.deadline.IsZero())
	})
}

// The connections of an address are limited, and those of all. An idle one ends.
func TestServeMasterLimitsConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		l, done := newFakeListener(), make(chan error)
		go func() { done <- query.ServeMaster(ctx, newFakeConn(nil), l, new(gamespy.Master)) }()
		var own []net.Conn
		for port := range uint16(8) {
			own = append(own, l.connect(t, netip.AddrPortFrom(listed[0].Addr(), port)))
		}
		require.False(t, isOpen(l.connect(t, listed[0])), "the ninth of an address")
		own[0].Close()
		synctest.Wait()
		own = append(own[1:], l.connect(t, listed[0]))
		require.True(t, isOpen(own[7]), "one has left")

		var others []net.Conn
		for i := range 256 - 8 {
			others = append(others, l.connect(t, netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), 1)))
		}
		require.True(t, isOpen(own[0]))
		others = append(others, l.connect(t, netip.MustParseAddrPort("[2001:db8::1]:1")))
		require.False(t, isOpen(own[0]), "the oldest of 256")
		require.True(t, isOpen(own[1]))
		for i := range 7 {
			others = append(others, l.connect(t, netip.MustParseAddrPort("[2001:db8::2]:1")))
			require.True(t, isOpen(others[len(others)-1]), i)
		}
		require.False(t, isOpen(l.connect(t, netip.MustParseAddrPort("[2001:db8::ffff:3]:1"))), "the ninth of an IPv6 network")

		time.Sleep(query.ListTimeout)
		synctest.Wait()
		for _, conn := range others {
			require.False(t, isOpen(conn))
		}
		last, ends := l.connect(t, listed[0]), time.Now()
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
		require.Zero(t, time.Since(ends), "without waiting for clients")
		require.False(t, isOpen(last))
	})
}

// ServeMaster ends with either of its sockets, and closes the listener.
func TestServeMasterEnds(t *testing.T) {
	for want, fail := range map[error]func(*fakeConn, *fakeListener){
		syscall.EBADF: func(c *fakeConn, _ *fakeListener) {
			for range 1000 {
				c.arrived <- arrival{err: syscall.EBADF}
			}
		},
		net.ErrClosed: func(_ *fakeConn, l *fakeListener) { l.Close() },
		syscall.EMFILE: func(_ *fakeConn, l *fakeListener) {
			for range 1000 { // for 20 s
				l.errs <- syscall.EMFILE
			}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			conn, l := newFakeConn(nil), newFakeListener()
			time.AfterFunc(time.Second, func() { fail(conn, l) })
			err := query.ServeMaster(t.Context(), conn, l, new(gamespy.Master))
			require.EqualError(t, err, "query: serve master: "+want.Error())
			_, err = l.Accept()
			require.ErrorIs(t, err, net.ErrClosed)
			require.True(t, conn.deadline.IsZero())
		})
	}
}
