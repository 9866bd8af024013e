package query_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/gamespy/query"
	"github.com/bcwire/bcwire/stream"
)

var listed = []netip.AddrPort{
	netip.MustParseAddrPort("92.92.92.92:23644"), netip.MustParseAddrPort("192.0.2.1:22101"),
}

// master sends the greeting, waits for the request and sends the list in two segments.
func master(conn net.Conn, closes bool) error {
	server := gamespy.ListServer{Challenge: "LRPOPQ"}
	if _, err := conn.Write(server.Greeting()); err != nil {
		return err
	}
	buf := make([]byte, 16)
	for {
		n, err := conn.Read(buf)
		if err != nil {
			return err
		}
		list, err := server.Receive(buf[:n], listed)
		if err != nil {
			return err
		}
		if list == nil {
			continue
		}
		for _, piece := range [][]byte{list[:9], list[9:]} {
			if _, err := conn.Write(piece); err != nil {
				return err
			}
		}
		if closes {
			return conn.Close()
		}
		return nil
	}
}

func TestListOverTCP(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	done := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			err = master(conn, true)
		}
		done <- err
	}()
	conn, err := net.Dial("tcp4", l.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	servers, err := query.List(t.Context(), conn)
	require.NoError(t, err)
	require.Equal(t, listed, servers)
	require.NoError(t, <-done)
}

// pipe runs side on one end of a connection and returns the other end.
func pipe(t *testing.T, side func(net.Conn) error) net.Conn {
	a, b := net.Pipe()
	done := make(chan error, 1)
	go func() { done <- side(b) }()
	t.Cleanup(func() {
		a.Close()
		err := <-done
		b.Close()
		if err != nil && !errors.Is(err, io.ErrClosedPipe) && !errors.Is(err, io.EOF) {
			t.Error(err)
		}
	})
	return a
}

func say(texts ...string) func(net.Conn) error {
	return func(c net.Conn) error {
		go io.Copy(io.Discard, c)
		for _, text := range texts {
			if _, err := c.Write([]byte(text)); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestMasterThatDoesNotClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		conn := pipe(t, func(c net.Conn) error { return master(c, false) })
		servers, err := query.List(t.Context(), conn)
		require.NoError(t, err)
		require.Equal(t, listed, servers)
		require.Equal(t, 500*time.Millisecond, time.Since(begin))
	})
}

func TestMastersThatFail(t *testing.T) {
	const greeting = `\basic\\secure\LRPOPQ`
	for _, c := range []struct {
		name string
		side func(net.Conn) error
		want error
		came int
		took time.Duration
	}{
		{"sends nothing", func(net.Conn) error { return nil }, context.DeadlineExceeded, 0, query.ListTimeout},
		{"sends only the greeting", say(greeting), context.DeadlineExceeded, 0, query.ListTimeout},
		{"sends half a list", say(greeting, "123456123"), context.DeadlineExceeded, 1, query.ListTimeout},
		{"sends bytes after the end mark", say(greeting, `\final\`, "12345"), context.DeadlineExceeded, 2, query.ListTimeout},
		{"sends an error", say(greeting, `\error\No such game\final\`), gamespy.ErrRefused, 0, 500 * time.Millisecond},
		{"is another protocol", say("SSH-2.0-x\r\n"), stream.ErrInvalid, 0, 0},
		{"has another enctype", say(greeting + `\enctype\2`), gamespy.ErrChallenge, 0, 0},
		{"sends too much", say(greeting, strings.Repeat("x", 64<<10+1)), stream.ErrLimit, 0, 0},
		{"closes at once", func(c net.Conn) error { return c.Close() }, io.ErrUnexpectedEOF, 0, 0},
		{"closes after the login", func(c net.Conn) error {
			if _, err := c.Write([]byte(greeting)); err != nil {
				return err
			}
			if _, err := c.Read(make([]byte, 1024)); err != nil {
				return err
			}
			return c.Close()
		}, io.ErrUnexpectedEOF, 0, 0},
		{"does not read", func(c net.Conn) error {
			_, err := c.Write([]byte(greeting))
			return err
		}, context.DeadlineExceeded, 0, query.ListTimeout},
		{"closes during the login", func(c net.Conn) error {
			if _, err := c.Write([]byte(greeting)); err != nil {
				return err
			}
			return c.Close()
		}, io.ErrClosedPipe, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				servers, err := query.List(t.Context(), pipe(t, c.side))
				require.ErrorIs(t, err, c.want)
				if c.want != stream.ErrLimit { // which returns the servers so far
					require.Len(t, servers, c.came)
				}
				require.Equal(t, c.took, time.Since(begin))
			})
		})
	}
}

// A master cannot make its clients send queries to many computers, to their own, or to other services.
func TestMayQuery(t *testing.T) {
	for server, want := range map[string][2]bool{ // in the list of a public master, and of a local one
		"8.8.8.8:22101":           {true, true},
		"8.8.8.8:1024":            {true, true},
		"8.8.8.8:1023":            {false, true},
		"8.8.8.8:53":              {false, true},
		"8.8.8.8:0":               {false, false},
		"10.0.0.1:22101":          {false, true},
		"172.16.0.1:22101":        {false, true},
		"192.168.1.255:22101":     {false, true},
		"100.64.0.1:22101":        {false, true},
		"169.254.1.1:22101":       {false, true},
		"127.0.0.1:22101":         {false, true},
		"127.9.9.9:22101":         {false, true},
		"0.0.0.0:22101":           {false, false},
		"0.1.2.3:22101":           {false, false},
		"224.0.0.1:22101":         {false, false},
		"240.0.0.1:22101":         {false, false},
		"255.255.255.255:22101":   {false, false},
		"[2001:db8::1]:22101":     {false, false},
		"[::ffff:10.0.0.1]:22101": {false, true},
	} {
		for _, public := range []string{"9.9.9.9", "2620:fe::fe", "::ffff:9.9.9.9"} {
			require.Equal(t, want[0], query.MayQuery(netip.MustParseAddr(public), netip.MustParseAddrPort(server)), server)
		}
		for _, local := range []string{"127.0.0.1", "::1", "192.168.1.2", "10.1.2.3", "169.254.0.1", "fe80::1", "fd00::1", "::ffff:127.0.0.1"} {
			require.Equal(t, want[1], query.MayQuery(netip.MustParseAddr(local), netip.MustParseAddrPort(server)), server)
		}
		require.Equal(t, want[1], query.MayQuery(netip.Addr{}, netip.MustParseAddrPort(server)), server)
	}
}

// connTo is a connection to a master at an address.
type connTo struct {
	net.Conn
	addr net.Addr
}

func (c connTo) RemoteAddr() net.Addr { return c.addr }

// List omits what may not be queried.
func TestListOmitsLocalServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for addr, want := range map[string]int{"9.9.9.9:28900": 1, "10.0.0.9:28900": 3} {
			conn := pipe(t, say(`\basic\\secure\LRPOPQ`, "\x08\x08\x08\x08\x56\x55\x7f\x00\x00\x01\x56\x55\x08\x08\x08\x08\x00\x35\xff\xff\xff\xff\x56\x55"+`\final\`))
			servers, err := query.List(t.Context(), connTo{conn, net.TCPAddrFromAddrPort(netip.MustParseAddrPort(addr))})
			require.NoError(t, err)
			require.Len(t, servers, want)
		}
	})
}

func TestListIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		conn := pipe(t, func(net.Conn) error { return nil })
		time.AfterFunc(time.Second, cancel)
		begin := time.Now()
		_, err := query.List(ctx, conn)
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, time.Second, time.Since(begin))
		_, err = query.List(ctx, conn)
		require.EqualError(t, err, "query: list: context canceled")

		require.NoError(t, conn.SetReadDeadline(time.Now().Add(time.Second)), "the caller sets a deadline")
		_, err = conn.Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded, "the deadline of the context is cleared")
		require.Equal(t, 2*time.Second, time.Since(begin))
	})
}
