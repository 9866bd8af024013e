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

// Traffic is the traffic of a match by steps of time.
type Traffic struct {
	Start float64       `json:"start"`
	Step  float64       `json:"step"` // seconds
	Links []LinkTraffic `json:"links"`
	Names []NameTraffic `json:"names"` // the names with the most bytes, and "other"
}

// LinkTraffic is the traffic of a link. All lists have the same length.
type LinkTraffic struct {
	Link      int    `json:"link"`
	Player    string `json:"player"`
	Datagrams []int  `json:"datagrams"`
	Bytes     []int  `json:"bytes"`
	// Lost counts the numbers of reliable messages that are missing when a later number appears.
	// The sender retransmits these messages. A message that another one has overtaken also
	// counts. Losses between the place of the capture and the receiver appear in Repeated.
	Lost []int `json:"lost"`
	// Repeated counts the reliable messages that were seen before.
	Repeated []int `json:"repeated"`
	// RTT is the mean round-trip time from a message to its Ack in milliseconds, at the place of
	// the capture, or nil.
	RTT  []*float64 `json:"rtt"`
	acks []int      // number of round trips
}

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
			l.add(step(d), d)
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
	ids := slices.Sorted(maps.Keys(links))
	if ids[0] == 0 { // the datagrams without a link are the last
		ids = append(ids[1:], 0)
	}
	for _, id := range ids {
		t.Links = append(t.Links, links[id].finish())
	}
	t.Names = largest(slices.DeleteFunc(names, func(n NameTraffic) bool { return n.Bytes == nil }))
	return t
}

func (s *Store) newLinkTraffic(id, steps int) *LinkTraffic {
	l := &LinkTraffic{
		Link: id, Datagrams: make([]int, steps), Bytes: make([]int, steps),
		Lost: make([]int, steps), Repeated: make([]int, steps),
		RTT: make([]*float64, steps), acks: make([]int, steps),
	}
	if of, err := s.link(id); err == nil {
		l.Player = of.name()
	}
	return l
}

// add adds a datagram.
func (l *LinkTraffic) add(step int, x *datagramIndex) {
	l.Datagrams[step]++
	l.Bytes[step] += int(x.bytes)
	l.Lost[step] += int(x.lost)
	l.Repeated[step] += int(x.repeated)
	if x.acks > 0 {
		if l.RTT[step] == nil {
			l.RTT[step] = new(float64)
		}
		*l.RTT[step] += float64(x.rtt)
		l.acks[step] += int(x.acks)
	}
}

// finish returns the traffic with means. Messages that are late make up for missing ones.
func (l *LinkTraffic) finish() LinkTraffic {
	for i := range l.acks {
		l.Lost[i] = max(0, l.Lost[i])
		if l.acks[i] > 0 {
			*l.RTT[i] = math.Round(100**l.RTT[i]/float64(l.acks[i])) / 100
		}
	}
	return *l
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
