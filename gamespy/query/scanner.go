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

// ErrNoAnswer means that a server does not answer.
var ErrNoAnswer = errors.New("query: no answer")

// A Result is the answer of a server.
type Result struct {
	gamespy.Reply

	// Ping is the time from the last query to the first datagram of the answer.
	Ping time.Duration
}

// A Scanner queries servers for their status. The zero value is ready to use.
type Scanner struct {
	// Wait is how long to listen after all targets were queried once, or after a server last began
	// or completed an answer. The default is [gamespy.ScanWait], 3 s.
	Wait time.Duration

	// Broadcast means that the targets are broadcast addresses: any host may answer, from a queried
	// port, and each target is queried once. Other targets are queried up to three times.
	Broadcast bool

	// MaxServers limits the targets and the servers that answer. Further targets and answers
	// are ignored. The default is 16,384.
	MaxServers int

	// MaxBytes limits the memory of answers. Beyond it, Scan drops the pairs of the longest answers,
	// which are incomplete then. The default is 16 MiB.
	MaxBytes int
}

// LAN queries the local network as the game does: by broadcast, on 101 ports. It returns the errors
// of [Scanner.Scan].
func LAN(ctx context.Context, conn net.PacketConn) ([]Result, error) {
	s := Scanner{Broadcast: true}
	return s.Scan(ctx, conn, gamespy.ScanPlan(gamespy.Broadcast()))
}

// Server queries one server. If only incomplete answers arrive, Incomplete is set. Server returns
// an error wrapping [ErrNoAnswer] if the server does not answer, and the errors of [Scanner.Scan].
func Server(ctx context.Context, conn net.PacketConn, addr netip.AddrPort) (Result, error) {
	var s Scanner
	results, err := s.Scan(ctx, conn, []netip.AddrPort{addr})
	if len(results) == 0 {
		return Result{}, cmp.Or(err, fmt.Errorf("%w from %v", ErrNoAnswer, addr))
	}
	return results[0], err
}

// Scan queries the targets and returns their answers, ordered by address. Duplicate targets
// count once. Scan ends when Wait is over, at most 30 s after all were queried once. Without
// Broadcast, it ends earlier if all targets have given a complete answer.
//
// Silence is not an error. If the context ends, the connection is closed, no query can be sent, or
// 1000 reads fail between two queries, Scan returns an error and the answers received so far.
func (s *Scanner) Scan(ctx context.Context, conn net.PacketConn, targets []netip.AddrPort) ([]Result, error) {
	defer interrupt(ctx, conn)()
	run := newScan(s, conn, targets)
	err := run.run(ctx)
	if err != nil {
		err = fmt.Errorf("query: scan: %w", cmp.Or(ctx.Err(), err))
	}
	return run.results(), err
}
