package query

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/gamespy"
)

// The game sends \status\ to 101 ports of the broadcast address and listens until no answer has
// arrived for ScanWait.
const (
	firstScanPort = gamespy.DefaultPort
	lastScanPort  = firstScanPort + 100
	ScanWait      = 3 * time.Second
)

// ScanPlan returns the 101 targets of a scan of addr, such as [Broadcast]. Evidence: observed.
func ScanPlan(addr netip.Addr) []netip.AddrPort {
	plan := make([]netip.AddrPort, 0, lastScanPort-firstScanPort+1)
	for port := firstScanPort; port <= lastScanPort; port++ {
		plan = append(plan, netip.AddrPortFrom(addr, uint16(port)))
	}
	return plan
}

// Broadcast returns 255.255.255.255, the broadcast address of the local network.
func Broadcast() netip.Addr { return netip.AddrFrom4([4]byte{255, 255, 255, 255}) }

// A Result is the answer of a server.
type Result struct {
	gamespy.Reply

	// Ping is the time from the last query to the first datagram of the answer.
	Ping time.Duration
}

// A Scanner queries servers for their status. It has limits of time, servers and memory:
//
//   - 16,384 targets, and as many servers that answer; the others are ignored.
//   - 16 MiB of answers. Beyond it, Scan drops the pairs of the longest answers, which are
//     incomplete then.
//   - 30 s after all targets were queried once.
//
// The zero value is ready to use.
type Scanner struct {
	// Wait is how long to listen after all targets were queried once, or after a server last began
	// or completed an answer. The default is [ScanWait], 3 s.
	Wait time.Duration

	// Broadcast means that the targets are broadcast addresses: any host may answer, from a queried
	// port, and each target is queried once. Other targets are queried up to three times.
	Broadcast bool
}

// Scan queries the targets and returns their answers, ordered by address. Duplicate targets
// count once. Scan ends when Wait is over. Without Broadcast, it ends earlier if all targets have
// given a complete answer. If only incomplete answers of a server arrive, Incomplete is set.
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
	run.Wait = cmp.Or(max(run.Wait, 0), ScanWait)
	run.assembler.MaxAge = run.Wait
	for _, t := range targets {
		run.targets = append(run.targets, unmap(t))
	}
	slices.SortFunc(run.targets, netip.AddrPort.Compare)
	run.targets = slices.Compact(run.targets)
	run.targets = run.targets[:min(len(run.targets), maxServers)]
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

// status is the query of the game's browser.
const status = `\status\`

// send sends the queries that are due.
func (s *scan) send(now time.Time) {
	if len(s.queue) == 0 && s.again(now) {
		s.round++
		s.began = now
		s.queue = s.unanswered()
	}
	if len(s.queue) == 0 || now.Before(s.nextSend) {
		return
	}
	n := min(burst, len(s.queue))
	for _, target := range s.queue[:n] {
		s.asked[s.key(target)] = time.Now()
		_, err := s.conn.WriteTo([]byte(status), net.UDPAddrFromAddrPort(target))
		if err == nil {
			s.sent, s.failed = true, 0 // each query may cause a failed read
		} else if s.failure == nil {
			s.failure = err
		}
	}
	s.queue = s.queue[n:]
	s.nextSend = now.Add(pause)
	if s.round == 1 {
		s.quiet, s.limit = now, now.Add(scanTimeout)
	}
}

// again reports whether another round is due.
func (s *scan) again(now time.Time) bool {
	return s.round == 0 || s.more() && !now.Before(s.nextRound())
}

func (s *scan) more() bool { return s.round < rounds && !s.Broadcast }

func (s *scan) nextRound() time.Time { return s.began.Add(s.Wait / rounds) }

// unanswered returns the targets without a complete answer.
func (s *scan) unanswered() (targets []netip.AddrPort) {
	for _, t := range s.targets {
		if server := s.servers[t]; server == nil || !server.whole() {
			targets = append(targets, t)
		}
	}
	return targets
}

// over reports whether the scan has ended.
func (s *scan) over(now time.Time) bool {
	if !s.Broadcast && s.whole == len(s.targets) {
		return true
	}
	return s.askedAll() && !now.Before(s.end())
}

// askedAll reports whether every target was queried once.
func (s *scan) askedAll() bool { return s.round > 1 || len(s.queue) == 0 }

// end returns when the scan ends without a new answer.
func (s *scan) end() time.Time { return earlier(s.quiet.Add(s.Wait), s.limit) }

// next returns when the next query is due or the scan ends.
func (s *scan) next() time.Time {
	switch {
	case !s.askedAll():
		return s.nextSend
	case len(s.queue) > 0:
		return earlier(s.nextSend, s.end())
	case s.more():
		return earlier(s.nextRound(), s.end())
	}
	return s.end()
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

// whole reports whether no further answer of the server is needed.
func (v *server) whole() bool { return v.dropped || v.kept && !v.Incomplete }

// receive handles a datagram and drops it if its source was not queried.
func (s *scan) receive(now time.Time, from netip.AddrPort, datagram []byte) {
	asked, ok := s.asked[s.key(from)]
	if !ok || gamespy.Classify(datagram) == gamespy.KindNone || !s.known(now, from, now.Sub(asked)) {
		return
	}
	for _, r := range s.assembler.Expire(now) {
		s.keep(now, r)
	}
	r, complete, err := s.assembler.Add(now, from, datagram)
	if err == nil && complete {
		s.keep(now, r)
	}
}

// known reports whether to accept datagrams from a server. It records the first one.
func (s *scan) known(now time.Time, from netip.AddrPort, ping time.Duration) bool {
	if s.servers[from] != nil {
		return true
	}
	if len(s.servers) >= maxServers {
		return false
	}
	s.quiet = now
	s.servers[from] = &server{Result: Result{Ping: ping}}
	return true
}

// keep stores a reply that is better than the stored one. Only a complete reply extends the
// scan, because a server may send parts forever.
func (s *scan) keep(now time.Time, r gamespy.Reply) {
	v := s.servers[r.From]
	if v.whole() || v.kept && r.Incomplete && len(r.Pairs) <= len(v.Pairs) {
		return
	}
	s.kept -= v.size
	v.Reply, v.kept, v.size = r, true, size(r.Pairs)
	s.kept += v.size
	if !r.Incomplete {
		s.whole++
		s.quiet = now
	}
	for s.kept > maxBytes {
		s.drop()
	}
}

// drop drops the longest stored answer. The server counts as answered.
func (s *scan) drop() {
	var longest *server
	for _, v := range s.servers {
		if longest == nil || v.size > longest.size || v.size == longest.size && v.From.Compare(longest.From) > 0 {
			longest = v
		}
	}
	if !longest.whole() {
		s.whole++
	}
	s.kept -= longest.size
	longest.Pairs, longest.size, longest.Incomplete, longest.dropped = nil, 0, true, true
}

// size returns the approximate memory of pairs.
func size(pairs gamespy.Pairs) int {
	const pairSize = 32 // two string headers
	n := pairSize * len(pairs)
	for _, p := range pairs {
		n += len(p.Key) + len(p.Value)
	}
	return n
}

// readFrom is ReadFrom with a comparable address.
func readFrom(conn net.PacketConn, buf []byte) (int, netip.AddrPort, error) {
	n, addr, err := conn.ReadFrom(buf)
	if err != nil {
		return 0, netip.AddrPort{}, err
	}
	if udp, ok := addr.(*net.UDPAddr); ok {
		return n, unmap(udp.AddrPort()), nil
	}
	from, err := netip.ParseAddrPort(addr.String())
	return n, unmap(from), err
}

func unmap(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}
