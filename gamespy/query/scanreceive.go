package query

import (
	"net"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/gamespy"
)

// whole reports whether no further answer of the server is needed.
func (v *server) whole() bool { return v.dropped || v.kept && !v.Incomplete }

// receive handles a datagram and drops it if its source was not queried.
func (s *scan) receive(now time.Time, from netip.AddrPort, datagram []byte) {
	asked, ok := s.asked[s.key(from)]
	if !ok || !gamespy.IsGameSpy(datagram) || !s.known(now, from, now.Sub(asked)) {
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
	if len(s.servers) >= s.MaxServers {
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
	for s.kept > s.MaxBytes {
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
