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
	steps := 1 + int((s.clock.last-t.Start)/t.Step)
	links, names, totals := map[int]*LinkTraffic{}, make([][]int, len(s.names.values)), make([]int, len(s.names.values))
	for _, g := range s.segments {
		for i := range g.datagrams {
			x := &g.datagrams[i]
			l := links[int(x.link)]
			if l == nil {
				l = newLinkTraffic(int(x.link), steps)
				links[l.Link] = l
			}
			l.add(int((x.at-t.Start)/t.Step), x)
		}
		for i := range g.rows {
			row := &g.rows[i]
			if names[row.name] == nil {
				names[row.name] = make([]int, steps)
			}
			names[row.name][int((g.datagrams[row.datagram].at-t.Start)/t.Step)] += int(row.size)
			totals[row.name] += int(row.size)
		}
	}
	ids := slices.Sorted(maps.Keys(links))
	if ids[0] == 0 { // the datagrams without a link are the last
		ids = append(ids[1:], 0)
	}
	for _, id := range ids {
		l := links[id]
		if of, err := s.link(id); err == nil {
			l.Player = of.name()
		}
		t.Links = append(t.Links, l.finish())
	}
	t.addNames(s.names.values, names, totals)
	return t
}

func newLinkTraffic(link, steps int) *LinkTraffic {
	return &LinkTraffic{
		Link: link, Datagrams: make([]int, steps), Bytes: make([]int, steps), Lost: make([]int, steps), Repeated: make([]int, steps),
		RTT: make([]*float64, steps), acks: make([]int, steps),
	}
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

// addNames adds the names with the most bytes, and the sum of the others.
func (t *Traffic) addNames(texts []string, bytes [][]int, totals []int) {
	var order []int
	for name := range bytes {
		if bytes[name] != nil {
			order = append(order, name)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(totals[b], totals[a]) })
	for i, name := range order {
		switch {
		case i < maxNames:
			t.Names = append(t.Names, NameTraffic{texts[name], bytes[name]})
		case i == maxNames:
			t.Names = append(t.Names, NameTraffic{"other", bytes[name]})
		default:
			for step, n := range bytes[name] {
				t.Names[maxNames].Bytes[step] += n
			}
		}
	}
}
