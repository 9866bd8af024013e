package query

import (
	"cmp"
	"context"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/gamespy"
)

const (
	maxDatagram = 64 << 10 // larger than any UDP datagram
	maxServers  = 16 << 10
	maxBytes    = 16 << 20 // of stored answers

	rounds = 3 // queries to each target

	// scanTimeout limits the time after all targets were queried.
	scanTimeout = 30 * time.Second

	// burst is the number of queries sent at once, before a pause: 800 a second.
	burst = 16
	pause = 20 * time.Millisecond
)

// scan is a running [Scanner]. One goroutine sends the queries that are due and reads until
// the next one is due.
type scan struct {
	Scanner
	conn      net.PacketConn
	targets   []netip.AddrPort
	asked     map[netip.AddrPort]time.Time // time of the last query, by key
	servers   map[netip.AddrPort]*server   // servers that answered
	whole     int                          // servers with a complete answer
	kept      int                          // bytes of stored answers
	assembler gamespy.Assembler

	round    int              // current round of queries
	began    time.Time        // start of the round
	queue    []netip.AddrPort // targets not yet queried in this round
	nextSend time.Time
	quiet    time.Time // time of the last new answer or query
	limit    time.Time // end of the scan after all targets were queried
	sent     bool      // at least one query was sent
	failure  error     // error of the first query that could not be sent
	failed   failures  // failed reads since the last successful read or write
}

// server is a server that answered.
type server struct {
	Result
	size    int  // of the pairs
	kept    bool // Result has an answer
	dropped bool // the answer was too long
}

func newScan(s *Scanner, conn net.PacketConn, targets []netip.AddrPort) *scan {
	run := &scan{
		Scanner: *s, conn: conn,
		asked:   make(map[netip.AddrPort]time.Time),
		servers: make(map[netip.AddrPort]*server),
	}
	run.Wait = cmp.Or(max(run.Wait, 0), gamespy.ScanWait)
	run.MaxServers = cmp.Or(max(run.MaxServers, 0), maxServers)
	run.MaxBytes = cmp.Or(max(run.MaxBytes, 0), maxBytes)
	run.assembler.MaxAge = run.Wait
	for _, t := range targets {
		run.targets = append(run.targets, unmap(t))
	}
	slices.SortFunc(run.targets, netip.AddrPort.Compare)
	run.targets = slices.Compact(run.targets)
	run.targets = run.targets[:min(len(run.targets), run.MaxServers)]
	return run
}

// key returns the key of an address in asked. The answer to a broadcast has an unknown
// address, so only its port counts.
func (s *scan) key(a netip.AddrPort) netip.AddrPort {
	if s.Broadcast {
		return netip.AddrPortFrom(netip.Addr{}, a.Port())
	}
	return a
}

func (s *scan) run(ctx context.Context) error {
	buf := make([]byte, maxDatagram)
	for {
		now := time.Now()
		s.send(now)
		if s.over(now) {
			return nil
		}
		if !s.sent && len(s.queue) == 0 {
			return s.failure
		}
		if err := readUntil(ctx, s.conn, s.next()); err != nil {
			return err
		}
		n, from, err := readFrom(s.conn, buf)
		switch {
		case err == nil:
			s.failed = 0
			s.receive(time.Now(), from, buf[:n])
		case ctx.Err() != nil || !isTimeout(err) && s.failed.fatal(err):
			return err
		}
	}
}

// results returns the servers that answered, including incomplete answers.
func (s *scan) results() []Result {
	for _, r := range s.assembler.Flush() {
		s.keep(s.quiet, r)
	}
	results := make([]Result, 0, len(s.servers))
	for _, server := range s.servers {
		if server.kept {
			results = append(results, server.Result)
		}
	}
	slices.SortFunc(results, func(a, b Result) int { return a.From.Compare(b.From) })
	return results
}
