package query

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"time"

	"github.com/bcwire/bcwire/gamespy"
)

// Serve answers the queries that arrive on conn. It calls info for each datagram, in the
// calling goroutine. Serve returns the error of the context or of the connection that ends
// it. A zero Responder has the limits of [gamespy.Limiter].
func Serve(ctx context.Context, conn net.PacketConn, r *gamespy.Responder, info func() *gamespy.ServerInfo) error {
	defer interrupt(ctx, conn)()
	buf := make([]byte, maxDatagram) // on Windows, a shorter buffer makes a long datagram an error
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
			continue // a malformed or limited query gets no answer
		}
		for _, d := range datagrams {
			conn.WriteTo(d, net.UDPAddrFromAddrPort(from))
		}
	}
}
