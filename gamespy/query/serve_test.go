package query_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/gamespy/query"
)

func TestServe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var sent []string
		conn := newFakeConn(func(_ *fakeConn, to netip.AddrPort, datagram string) error {
			require.Equal(t, address(7), to)
			sent = append(sent, datagram)
			return syscall.EHOSTUNREACH // does not end Serve
		})
		conn.arrived <- arrival{err: syscall.ECONNRESET}
		conn.deliver(time.Millisecond, address(7), "", "\x01\xD7game", `\unknown\`, `\echo\1`, `\basic\`, `\secure\ABCDEF`)
		conn.deliver(time.Second, address(7), string(make([]byte, 1000)))
		time.AfterFunc(2*time.Second, func() { conn.arrived <- arrival{err: net.ErrClosed} })
		info := gamespy.NewServerInfo("X")
		asked := 0
		var r gamespy.Responder
		err := query.Serve(t.Context(), conn, &r, func() *gamespy.ServerInfo { asked++; return &info })
		require.ErrorIs(t, err, net.ErrClosed)
		require.Equal(t, []string{
			`\echo\1\final\\queryid\2.1`,
			`\gamename\bcommander\gamever\60\location\1\final\\queryid\3.1`,
			`\validate\zfmiAycI\final\\queryid\4.1`,
		}, sent)
		require.Equal(t, 7, asked)
	})
}

// Serve ends with its context and clears the deadline of the connection.
func TestServeClearsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		conn := newFakeConn(nil)
		var r gamespy.Responder
		require.ErrorIs(t, query.Serve(ctx, conn, &r, nil), context.DeadlineExceeded)
		require.True(t, conn.deadline.IsZero())
	})
}

// Serve calls info on its own goroutine, so the caller can recover from a panic.
func TestServeCallsInfoOnItsGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := newFakeConn(nil)
		conn.deliver(0, address(1), `\status\`)
		var r gamespy.Responder
		require.PanicsWithValue(t, "info", func() {
			_ = query.Serve(t.Context(), conn, &r, func() *gamespy.ServerInfo { panic("info") })
		})
	})
}

// One source gets a burst and then 2 answers a second.
func TestServeIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := 0
		conn := newFakeConn(func(*fakeConn, netip.AddrPort, string) error { answers++; return nil })
		for i := range 1000 {
			conn.deliver(time.Duration(i)*10*time.Millisecond, address(1+i%5), `\status\`)
		}
		time.AfterFunc(10*time.Second, func() { conn.arrived <- arrival{err: errors.New("over")} })
		conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		info := gamespy.NewServerInfo("X")
		var r gamespy.Responder
		err := query.Serve(t.Context(), conn, &r, func() *gamespy.ServerInfo { return &info })
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, 10+19, answers)
	})
}

func TestServeEndsAfterReadErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := newFakeConn(nil)
		for range 1000 {
			conn.arrived <- arrival{err: syscall.ECONNRESET}
		}
		var r gamespy.Responder
		err := query.Serve(t.Context(), conn, &r, nil)
		require.EqualError(t, err, "query: serve: "+syscall.ECONNRESET.Error())
	})
}

// Datagrams that are too long for a query do not end Serve.
func TestServeLongDatagrams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := 0
		conn := newFakeConn(func(*fakeConn, netip.AddrPort, string) error { answers++; return nil })
		conn.whole = true
		long := arrival{from: net.UDPAddrFromAddrPort(address(1)), datagram: `\status\` + strings.Repeat("x", 1000)}
		for range 2000 {
			conn.arrived <- long
		}
		conn.deliver(time.Second, address(2), `\status\`)
		conn.SetReadDeadline(time.Now().Add(2 * time.Second))
		info := gamespy.NewServerInfo("X")
		var r gamespy.Responder
		err := query.Serve(t.Context(), conn, &r, func() *gamespy.ServerInfo { return &info })
		require.ErrorIs(t, err, os.ErrDeadlineExceeded)
		require.Equal(t, 1, answers)
	})
}
