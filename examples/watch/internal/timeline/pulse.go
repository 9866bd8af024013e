package timeline

import "math"

// pulse tells whether the servers of a live match are heard. A server in a fight sends many datagrams in a second,
// and one with an empty lobby one in five seconds: how long it may be silent depends on how it has been heard.
type pulse struct {
	now   float64 // time of the last datagram or tick
	heard float64 // time of the last datagram of a host
	gap   float64 // the longest silence before, of which 10 s leave a third
}

// Limits of the time in seconds after which a server counts as silent.
const (
	leastSilence = 2.5
	mostSilence  = 12
)

// beat tells that a host was heard.
func (p *pulse) beat(at float64) {
	if p.heard == 0 {
		p.heard, p.gap = at, mostSilence/2
	}
	since := at - p.heard
	p.heard, p.gap = at, max(since, p.gap*math.Exp(-since/10))
}

// silent returns how long the host of a link, or any host, has been silent, or 0 if that is not longer than usual.
func (p *pulse) silent(heard float64) float64 {
	if since := p.now - heard; since > min(max(2*p.gap, leastSilence), mostSilence) {
		return since
	}
	return 0
}

// watchable reports whether a link shows the live match: its player is in the game, and the host is heard.
func (s *Store) watchable(l *link) bool {
	return l.person != nil && l.person.InGame && s.hosts.silent(l.heard) == 0
}

// best returns a link: the given one while it shows the live match, or else the one with the most messages that does, or
// else the given one.
func (s *Store) best(l *link) *link {
	if l != nil && s.watchable(l) {
		return l
	}
	best := l
	for _, other := range s.links {
		if s.watchable(other) && (best == l || other.messages > best.messages) {
			best = other
		}
	}
	return best
}
