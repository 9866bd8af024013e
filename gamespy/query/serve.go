package query

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"time"

	"github.com/bcwire/bcwire/gamespy"
)

// Serve answers the queries that come to conn until the context ends or the connection is
// closed, and returns why. For each datagram it asks info what to say, in the goroutine
// that called Serve. A zero Responder has the limits of [gamespy.Limiter].
func Serve(ctx context.Context, conn net.PacketConn, r *gamespy.Responder, info func() *gamespy.ServerInfo) error {
	defer interrupt(ctx, conn)()
	buf := make([]byte, maxDatagram) // a shorter one makes long datagrams errors on Windows
	var failed failures
	for {
		n, from, err := readFrom(conn, buf)
		switch {
		case err == nil:
			failed = 0
		case ctx.Err() != nil || isTimeout(err) || failed.fatal(err):
			return fmt.Errorf("query: serve: %w", cmp.Or(ctx.Err(), err))
		default:
			continue
		}
		datagrams, err := r.Answer(time.Now(), from, buf[:n], info())
		if err != nil {
			continue // there is nothing to tell a stranger
		}
		for _, d := range datagrams {
			conn.WriteTo(d, net.UDPAddrFromAddrPort(from))
		}
	}
}
