package query

import (
	"net"
	"net/netip"
	"time"
)

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
