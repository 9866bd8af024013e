package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/gamespy"
)

// ErrNoAnswer says that a server does not answer.
var ErrNoAnswer = errors.New("query: no answer")

// Result is what a server says of itself.
type Result struct {
	gamespy.Reply

	// Ping is the time from the last query to the first datagram of an answer.
	Ping time.Duration
}

// Scanner asks servers for their status. The zero value is ready.
type Scanner struct {
	// Wait is how long to listen when nobody has answered. <= 0 means
	// [gamespy.ScanWait], 3 s.
	Wait time.Duration

	// Broadcast says that the targets are broadcast addresses: anybody may answer, and
	// each is asked once. Others are asked three times, for datagrams are lost.
	Broadcast bool

	// MaxServers is how many targets are asked, and how many servers are listened to.
	// <= 0 means 16,384.
	MaxServers int

	// MaxBytes is how much memory the answers that are kept take together. <= 0 means
	// 16 MiB, which is a KiB for each of 16,384 servers; those that do not fit are as if
	// they had not come.
	MaxBytes int
}

// LAN asks the local network, as the game does: by broadcast, on 101 ports.
func LAN(ctx context.Context, conn net.PacketConn) ([]Result, error) {
	s := Scanner{Broadcast: true}
	return s.Scan(ctx, conn, gamespy.ScanPlan(gamespy.Broadcast()))
}

// Server asks one server. It fails with [ErrNoAnswer] if there is none, as [Scanner.Scan]
// does, or with the error of the context. An answer may be incomplete.
func Server(ctx context.Context, conn net.PacketConn, addr netip.AddrPort) (Result, error) {
	var s Scanner
	results, err := s.Scan(ctx, conn, []netip.AddrPort{addr})
	if len(results) == 0 {
		return Result{}, cmp.Or(err, ErrNoAnswer)
	}
	return results[0], err
}

// Scan asks the targets, each address and port once however often it is named, and
// returns who answered, ordered by address. Of several answers of a server it keeps a
// whole one if there is any. It ends when all have answered, or when nobody has for a
// while after all were asked.
//
// With an error it returns the results so far: the error of the context or of the
// connection, or, if no query could be sent, the reason of the first.
func (s *Scanner) Scan(ctx context.Context, conn net.PacketConn, targets []netip.AddrPort) ([]Result, error) {
	defer interrupt(ctx, conn)()
	run := newScan(s, conn, targets)
	err := run.run(ctx)
	if err != nil {
		err = fmt.Errorf("query: scan: %w", cmp.Or(ctx.Err(), err))
	}
	return run.results(), err
}
