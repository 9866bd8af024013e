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
	maxDatagram = 64 << 10 // of UDP
	maxServers  = 16 << 10
	maxBytes    = 16 << 20 // of answers that are kept

	rounds = 3 // how often a target is asked

	// scanTimeout is how long servers can keep a scan going after all were asked.
	scanTimeout = 30 * time.Second

	// burst queries go out at once, and then none for a pause: 800 a second.
	burst = 16
	pause = 20 * time.Millisecond
)

// scan is a [Scanner] at work, on one goroutine: it sends what is due, and reads until
// something else is.
type scan struct {
	Scanner
	conn      net.PacketConn
	targets   []netip.AddrPort
	asked     map[netip.AddrPort]time.Time // by key
	servers   map[netip.AddrPort]*server   // who answered
	whole     int                          // of them, answered completely
	kept      int                          // bytes of their answers
	assembler gamespy.Assembler

	round    int              // of asking
	began    time.Time        // the round
	queue    []netip.AddrPort // to be asked in this round
	nextSend time.Time
	quiet    time.Time // since when there is nothing new
	limit    time.Time // when it ends in any case, if all were asked
	sent     bool      // a query, at least
	failure  error     // why the first query could not be sent
	failed   failures  // of reads, since something was read or sent
}

// server is somebody who answered.
type server struct {
	Result
	kept bool // there is an answer
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

// key is what tells whether and when somebody was asked. Who answers a broadcast is known
// by the port only.
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

// results returns who answered, with replies that are not complete.
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
