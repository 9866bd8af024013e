package query

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/gamespy"
)

// Serve answers the queries that arrive on conn. It calls info for each datagram, on the goroutine
// that called Serve; info must not return nil, and r must not be nil. Serve runs until the context
// ends or the connection fails, and wraps the cause in its error. It ignores the errors of
// writing and of [gamespy.Responder.Answer].
func Serve(ctx context.Context, conn net.PacketConn, r *gamespy.Responder, info func() *gamespy.ServerInfo) error {
	err := serve(ctx, conn, func(from netip.AddrPort, datagram []byte) {
		datagrams, err := r.Answer(time.Now(), from, datagram, info())
		if err != nil {
			return // a malformed or limited query gets no answer
		}
		for _, d := range datagrams {
			conn.WriteTo(d, net.UDPAddrFromAddrPort(from))
		}
	})
	return fmt.Errorf("query: serve: %w", err)
}

// serve passes the datagrams that arrive on conn to receive, until the context ends or the connection fails.
func serve(ctx context.Context, conn net.PacketConn, receive func(from netip.AddrPort, datagram []byte)) error {
	defer interrupt(ctx, conn)()
	buf := make([]byte, maxDatagram) // on Windows, a shorter buffer makes a long datagram an error
	var failed failures
	for {
		n, from, err := readFrom(conn, buf)
		switch {
		case err == nil:
			failed = 0
			receive(from, buf[:n])
		case ctx.Err() != nil || isTimeout(err) || failed.fatal(err):
			return cmp.Or(ctx.Err(), err)
		}
	}
}
