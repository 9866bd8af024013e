package query

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"time"

	"github.com/bcwire/bcwire/gamespy"
)

// Serve answers the queries that arrive on conn. It calls info for each datagram, on the goroutine
// that called Serve; info must not return nil, and r must not be nil. Serve runs until the context
// ends or the connection fails, and wraps the cause in its error. It ignores the errors of
// writing and of [gamespy.Responder.Answer].
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
