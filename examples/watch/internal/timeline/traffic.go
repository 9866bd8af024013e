package timeline

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/transport/recording"
)

// count sets the traffic of a datagram, which package match has counted for the link.
func (x *datagramIndex) count(l *link, p *show.Packet) {
	x.bytes = uint16(min(len(p.Data), math.MaxUint16))
	for _, m := range p.Messages {
		if d, ok := m.RoundTrip(); ok && d >= 0 {
			x.rtt += float32(d) / float32(time.Millisecond)
			x.acks++
		}
	}
	if l.match == nil {
		return
	}
	now := l.match.ToHost
	if p.Dir == recording.ToClient {
		now = l.match.FromHost
	}
	before := &l.counted[x.dir]
	if now.Datagrams <= before.Datagrams { // package match has forgotten the link
		*before = match.Traffic{}
	}
	x.lost, x.repeated = int16(now.Gaps-before.Gaps), uint8(now.Duplicates-before.Duplicates)
	*before = now
}

// counted returns the traffic of a datagram.
func (x *datagramIndex) counted() Counted {
	c := Counted{1, float64(x.bytes), float64(x.lost), float64(x.repeated)}
	c[4+2*x.dir], c[5+2*x.dir] = float64(x.rtt), float64(x.acks)
	return c
}

// Traffic is the traffic of a match by steps of time.
type Traffic struct {
	Start float64       `json:"start"`
	Step  float64       `json:"step"` // seconds
	Links []LinkTraffic `json:"links"`
	Names []NameTraffic `json:"names"` // the names with the most bytes, and "other"
}

// LinkTraffic is the traffic of a link.
type LinkTraffic struct {
	Link   int       `json:"link"`
	Player string    `json:"player"`
	Steps  []Counted `json:"steps"`
}

// Counted is the traffic of a link in a step:
//
//	datagrams
//	bytes
//	lost       numbers of reliable messages that are missing when a later number appears. The sender retransmits
//	           these messages. A message that another one has overtaken counts, until it arrives. Losses between
//	           the place of the capture and the receiver appear as repeated.
//	repeated   reliable messages that were seen before
//	time       sum of the round trips from a message of the server to the Ack of the client in milliseconds, at the
//	           place of the capture
//	trips      number of these round trips
//	time       of messages of the client
//	trips      of messages of the client
type Counted [8]float64

// NameTraffic is the number of bytes of the messages with a name.
type NameTraffic struct {
	Name  string `json:"name"`
	Bytes []int  `json:"bytes"`
	total int
}

// Limits of a Traffic.
const (
	maxSteps = 1000
	maxNames = 8
)

// Traffic returns the traffic of the kept datagrams.
func (s *Store) Traffic() *Traffic {
	s.mu.RLock()
	defer s.mu.RUnlock()
	t := &Traffic{Step: 1, Links: []LinkTraffic{}, Names: []NameTraffic{}}
	if s.datagrams == 0 || len(s.segments) == 0 {
		return t
	}
	t.Start = s.segments[0].datagrams[0].at
	for s.clock.last-t.Start >= t.Step*maxSteps {
		t.Step *= 2
	}
	step := func(d *datagramIndex) int { return int((d.at - t.Start) / t.Step) }
	steps := 1 + int((s.clock.last-t.Start)/t.Step)
	links, names := map[int]*LinkTraffic{}, make([]NameTraffic, len(s.names.values))
	for _, g := range s.segments {
		for i := range g.datagrams {
			d := &g.datagrams[i]
			l := links[int(d.link)]
			if l == nil {
				l = s.newLinkTraffic(int(d.link), steps)
				links[l.Link] = l
			}
			counted := &l.Steps[step(d)]
			for i, n := range d.counted() {
				counted[i] += n
			}
		}
		for i := range g.rows {
			row := &g.rows[i]
			n := &names[row.name]
			if n.Bytes == nil {
				n.Name, n.Bytes = s.names.values[row.name], make([]int, steps)
			}
			n.Bytes[step(&g.datagrams[row.datagram])] += int(row.size)
			n.total += int(row.size)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(links)) {
		t.Links = append(t.Links, *links[id])
	}
	if t.Links[0].Link == 0 { // the datagrams without a link are the last
		t.Links = append(t.Links[1:], t.Links[0])
	}
	t.Names = largest(slices.DeleteFunc(names, func(n NameTraffic) bool { return n.Bytes == nil }))
	return t
}

func (s *Store) newLinkTraffic(id, steps int) *LinkTraffic {
	l := &LinkTraffic{Link: id, Steps: make([]Counted, steps)}
	if of, err := s.link(id); err == nil {
		l.Player = of.name()
	}
	return l
}

// largest returns the names with the most bytes, and the sum of the others.
func largest(all []NameTraffic) []NameTraffic {
	slices.SortStableFunc(all, func(a, b NameTraffic) int { return cmp.Compare(b.total, a.total) })
	if len(all) <= maxNames {
		return all
	}
	other := &all[maxNames]
	other.Name = "other"
	for _, n := range all[maxNames+1:] {
		for step, bytes := range n.Bytes {
			other.Bytes[step] += bytes
		}
	}
	return all[:maxNames+1]
}
