package match

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/bcwire/bcwire/examples/internal/show"
)

// maxBuckets is the largest number of steps of the traffic.
const maxBuckets = 1000

// traffic counts datagrams over time. Its first step has the first datagram; the steps become
// longer when there are too many.
type traffic struct {
	start, step float64
	any         bool
	links       map[int]*linkTraffic
	names       map[uint16][]int // bytes, by the index of the name
}

// linkTraffic is the traffic of a link by step. Lists may be shorter than others.
type linkTraffic struct {
	datagrams, bytes, lost, repeated []int
	rtt                              []float64 // sum of round trips in milliseconds
	acks                             []int     // number of round trips
	sequences                        [4]sequence
}

// bucket returns the index of the step of a time.
func (t *traffic) bucket(at float64) int {
	if !t.any {
		t.any, t.start, t.step = true, at, 1
		t.links, t.names = map[int]*linkTraffic{}, map[uint16][]int{}
	}
	for at-t.start >= t.step*maxBuckets {
		t.double()
	}
	return min(maxBuckets-1, int((at-t.start)/t.step))
}

// double makes the steps twice as long.
func (t *traffic) double() {
	t.step *= 2
	for _, l := range t.links {
		for _, list := range []*[]int{&l.datagrams, &l.bytes, &l.lost, &l.repeated, &l.acks} {
			*list = halve(*list)
		}
		l.rtt = halve(l.rtt)
	}
	for name := range t.names {
		t.names[name] = halve(t.names[name])
	}
}

// halve adds pairs of neighbours.
func halve[T int | float64](list []T) []T {
	for i := range list {
		if i%2 == 0 {
			list[i/2] = list[i]
		} else {
			list[i/2] += list[i]
		}
	}
	return list[:(len(list)+1)/2]
}

// count adds to a step.
func count[T int | float64](list *[]T, bucket int, n T) {
	if n == 0 {
		return
	}
	for len(*list) <= bucket {
		*list = append(*list, 0)
	}
	(*list)[bucket] += n
}

// add counts a datagram. Names are the indexes of the names of its messages.
func (t *traffic) add(at float64, link int, p *show.Packet, size int, names []uint16) {
	i := t.bucket(at)
	l := t.links[link]
	if l == nil {
		l = &linkTraffic{}
		t.links[link] = l
	}
	count(&l.datagrams, i, 1)
	count(&l.bytes, i, size)
	var arrived [4][]uint16
	for n, m := range p.Messages {
		bytes := t.names[names[n]]
		count(&bytes, i, len(m.Raw))
		t.names[names[n]] = bytes
		if m.Acked.Sends > 0 {
			if d, ok := m.Acked.RoundTrip(show.Instant(p.Time)); ok && d >= 0 {
				count(&l.rtt, i, float64(d)/float64(time.Millisecond))
				count(&l.acks, i, 1)
			}
		}
		switch f := &m.Frame; {
		case !f.Reliable || m.Err != nil:
		case m.Duplicate:
			count(&l.repeated, i, 1)
		default:
			channel := int(directionIndex(p.Dir))
			if f.System() {
				channel += 2
			}
			if m.NewConnection {
				l.sequences = [4]sequence{}
			}
			arrived[channel] = append(arrived[channel], f.Seq)
		}
	}
	for channel := range arrived {
		count(&l.lost, i, l.sequences[channel].gaps(arrived[channel]))
	}
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
	RTT []*float64 `json:"rtt"`
}

// NameTraffic is the number of bytes of the messages with a name.
type NameTraffic struct {
	Name  string `json:"name"`
	Bytes []int  `json:"bytes"`
}

// maxNames is the number of names in a Traffic.
const maxNames = 8

// traffic returns the traffic until a time. The caller must not change the lists.
func (s *Store) trafficUntil(end float64) *Traffic {
	t := &s.traffic
	all := &Traffic{Start: t.start, Step: max(t.step, 1), Links: []LinkTraffic{}, Names: []NameTraffic{}}
	if !t.any {
		return all
	}
	length := min(maxBuckets, int((end-t.start)/t.step)+1)
	for _, l := range s.linksInOrder() {
		if c := t.links[l.id]; c != nil {
			all.Links = append(all.Links, c.export(l, length))
		}
	}
	if c := t.links[0]; c != nil {
		all.Links = append(all.Links, c.export(s.other, length))
	}
	all.Names = t.namesOf(s.names.texts, length)
	return all
}

func (c *linkTraffic) export(l *link, length int) LinkTraffic {
	e := LinkTraffic{
		Link: l.id, Player: l.name(), Datagrams: padded(c.datagrams, length), Bytes: padded(c.bytes, length),
		Lost: padded(c.lost, length), Repeated: padded(c.repeated, length), RTT: make([]*float64, length),
	}
	for i := range min(length, len(c.acks), len(c.rtt)) {
		if c.acks[i] > 0 {
			mean := math.Round(100*c.rtt[i]/float64(c.acks[i])) / 100
			e.RTT[i] = &mean
		}
	}
	return e
}

// padded returns a copy of a list with a length.
func padded(list []int, length int) []int {
	all := make([]int, length)
	copy(all, list)
	return all
}

func (t *traffic) namesOf(texts []string, length int) []NameTraffic {
	type total struct {
		name  uint16
		bytes int
	}
	var totals []total
	for name, list := range t.names {
		sum := 0
		for _, n := range list {
			sum += n
		}
		totals = append(totals, total{name, sum})
	}
	slices.SortFunc(totals, func(a, b total) int { return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.name, b.name)) })
	all := []NameTraffic{}
	other := make([]int, length)
	for i, x := range totals {
		if i < maxNames {
			all = append(all, NameTraffic{texts[x.name], padded(t.names[x.name], length)})
			continue
		}
		for j, n := range t.names[x.name][:min(length, len(t.names[x.name]))] {
			other[j] += n
		}
	}
	if len(totals) > maxNames {
		all = append(all, NameTraffic{"other", other})
	}
	return all
}
