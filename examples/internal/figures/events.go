package figures

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// counted counts keys and sums.
func counted[K comparable](all map[K][]int, key K, values ...int) {
	if all[key] == nil {
		all[key] = make([]int, len(values))
	}
	for i, v := range values {
		all[key][i] += v
	}
}

// lines returns the keys and the values of a table, by an order of its lines.
func lines[K interface{ ~[2]string | ~[3]string }](all map[K][]int, columns func(K) []string, order func(a, b []string) int) (list [][]string) {
	for key, values := range all {
		line := columns(key)
		for _, v := range values {
			line = append(line, fmt.Sprint(v))
		}
		list = append(list, line)
	}
	slices.SortFunc(list, order)
	return list
}

// descending compares two numbers in text.
func descending(a, b string) int {
	return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(b, a))
}

func (f *facts) mostTraffic() [][]string {
	list := lines(f.traffic, func(k [3]string) []string { return k[:] }, func(a, b []string) int {
		return cmp.Or(descending(a[4], b[4]), slices.Compare(a[:3], b[:3]))
	})
	return list[:min(12, len(list))]
}

func (f *facts) ships() [][]string {
	return lines(f.created, func(k [2]string) []string { return k[:] }, slices.Compare)
}

// acks returns the round-trip times of each player in ascending order.
func (f *facts) acks() map[string][]float64 {
	for _, times := range f.trips {
		slices.Sort(times)
	}
	return f.trips
}

func (f *facts) roundTrips() (list [][]string) {
	for player, all := range f.acks() {
		n := len(all)
		median := (all[(n-1)/2] + all[n/2]) / 2
		list = append(list, []string{player, fmt.Sprint(n), rounded(all[0]), rounded(median), rounded(all[n-1])})
	}
	slices.SortFunc(list, func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	return list
}

// number identifies a reliable message on a link, until a later message has the same number.
type number struct {
	source    string
	client    connected
	direction recording.Direction
	system    bool
	seq       uint16
	fragment  int // -1 for a whole message
}

func (x *fact) number() number {
	n := number{x.source, x.client, x.direction, x.observed.System(), x.observed.Seq, -1}
	if x.observed.Fragment {
		n.fragment = int(x.observed.FragIndex)
	}
	return n
}

// countRepetition counts a message as acknowledged if an Ack follows it before the number is used again.
func (f *facts) countRepetition() {
	acked, last := map[int]bool{}, map[number]int{} // messages, by their places in f.all
	for i, x := range f.all {
		switch m := &x.observed; {
		case m.Type == transport.TypeAck:
			n := number{x.source, x.client, recording.ToServer, x.ack.Flags&transport.AckSystem != 0, x.ack.Seq, -1}
			if x.direction == recording.ToServer {
				n.direction = recording.ToClient
			}
			if x.ack.Flags&transport.AckFragment != 0 {
				n.fragment = int(x.ack.FragIndex)
			}
			if message, ok := last[n]; ok {
				acked[message] = true
			}
		case m.Reliable && !x.duplicate:
			last[x.number()] = i
		}
	}
	for i, x := range f.all {
		m := &x.observed
		if !m.Reliable || x.player == "" {
			continue
		}
		counts := []int{1, 0, 0}
		switch {
		case x.duplicate:
			counts = []int{0, 1, 0}
		case !acked[i]:
			counts[2] = 1
		}
		counted(f.repeated, [2]string{x.player, string(x.direction)}, counts...)
	}
}

func (f *facts) repetition() [][]string {
	return lines(f.repeated, func(k [2]string) []string { return k[:] }, slices.Compare)
}

// happened are the events of recordings and the updates of ships on the links of their players.
type happened struct {
	events  []sourced
	updates []motion
}

// sourced is an event of a recording.
type sourced struct {
	source string
	match.Event
}

// motion is a ship after an update.
type motion struct {
	source  string
	seconds float64
	player  string
	class   string
	x, y    float64
	speed   float64
	hull    stateupdate.Level
}

// follow reads a recording with package match.
func (h *happened) follow(source, text string) error {
	m := &match.Match{Events: true}
	type object struct {
		server string
		id     objectid.ID
	}
	type witness struct {
		link *match.Link
		last time.Duration
	}
	witnesses := map[object]witness{} // of ships whose player is not observed
	for step, err := range capture.Read(strings.NewReader(text), m) {
		if err != nil {
			return err
		}
		for _, e := range step.Events {
			h.events = append(h.events, sourced{source, e})
		}
		ship, p := step.Ship, step.Sender
		if _, ok := step.Game.(*opcode.StateUpdate); !ok || ship == nil {
			continue
		}
		u := motion{source: source, seconds: step.Time.Seconds(), player: ship.PlayerName, class: "NULL", x: float64(ship.Position[0]), y: float64(ship.Position[1]), speed: float64(ship.Speed.Float32())}
		if p != nil {
			u.player = cmp.Or(p.Name, u.player)
		}
		if p != nil && p.Link != nil {
			if p.Link != step.Link {
				continue
			}
		} else {
			id := object{step.Link.Server, ship.ID}
			first := witnesses[id]
			if silence := step.Time - first.last; first.link != nil && first.link != step.Link && silence >= 0 && silence < 2*time.Second {
				continue
			}
			witnesses[id] = witness{step.Link, step.Time}
		}
		if ship.Class != nil {
			u.class, u.hull = ship.Class.Name, ship.FirstOf(stateupdate.KindHull).Condition
		}
		h.updates = append(h.updates, u)
	}
	return nil
}

func orNull(text string) string { return cmp.Or(text, "NULL") }

// nullsLast compares lines as DuckDB does.
func nullsLast(a, b []string) int {
	key := func(text string) string { return strings.Replace(text, "NULL", "\xff", 1) }
	return slices.CompareFunc(a, b, func(a, b string) int { return cmp.Compare(key(a), key(b)) })
}

// inTime returns the events in the order of time, and of a name at equal times.
func (h *happened) inTime(name func(*sourced) string) []sourced {
	return slices.SortedStableFunc(slices.Values(h.events), func(a, b sourced) int {
		return cmp.Or(cmp.Compare(a.Time, b.Time), nullsLast([]string{name(&a)}, []string{name(&b)}))
	})
}

func (h *happened) killsPerWeapon() [][]string {
	all := map[[2]string][]int{}
	for _, e := range h.events {
		if e.Kind == match.Kill {
			counted(all, [2]string{orNull(e.Weapon)}, 1)
		}
	}
	return lines(all, func(k [2]string) []string { return k[:1] }, nullsLast)
}

func (h *happened) kills() (list [][]string) {
	for _, e := range h.inTime(func(e *sourced) string { return orNull(e.Victim) }) {
		if e.Kind == match.Kill || e.Kind == match.Explode {
			list = append(list, []string{rounded(e.Time.Seconds()), orNull(e.Killer), orNull(e.Victim), orNull(e.Class), orNull(e.Weapon)})
		}
	}
	return list
}

func (h *happened) damage() [][]string {
	all := map[[2]string][]int{}
	for _, e := range h.events {
		if e.Kind == match.Damage {
			counted(all, [2]string{fmt.Sprint(20 * math.Floor(e.Time.Seconds()/20)), orNull(e.Player)}, e.From-e.To)
		}
	}
	return lines(all, func(k [2]string) []string { return k[:] }, func(a, b []string) int {
		return cmp.Or(-descending(a[0], b[0]), nullsLast(a[1:2], b[1:2]))
	})
}

func (h *happened) shots() [][]string {
	all := map[[2]string][]int{}
	targets := map[[3]string]bool{}
	for _, e := range h.events {
		if e.Kind != match.Fire {
			continue
		}
		key := [2]string{orNull(e.Player), orNull(e.Weapon)}
		target := [3]string{key[0], key[1], e.Target}
		more := 0
		if e.Target != "" && !targets[target] {
			targets[target], more = true, 1
		}
		counted(all, key, 1, more)
	}
	list := lines(all, func(k [2]string) []string { return k[:] }, func(a, b []string) int {
		return cmp.Or(descending(a[2], b[2]), nullsLast(a[:2], b[:2]))
	})
	return list[:min(8, len(list))]
}

func (h *happened) chat() (list [][]string) {
	for _, e := range h.inTime(func(e *sourced) string { return orNull(e.Player) }) {
		if e.Kind == match.Chat {
			list = append(list, []string{rounded(e.Time.Seconds()), orNull(e.Player), e.Text})
		}
	}
	return list
}

func (h *happened) heatmap() [][]string {
	all := map[[2]string][]int{}
	square := func(v float64) string { return fmt.Sprint(100 * math.Floor(v/100)) }
	for _, u := range h.updates {
		counted(all, [2]string{square(u.x), square(u.y)}, 1)
	}
	number := func(s string) (v float64) {
		_, _ = fmt.Sscan(s, &v)
		return v
	}
	list := lines(all, func(k [2]string) []string { return k[:] }, func(a, b []string) int {
		return cmp.Or(descending(a[2], b[2]), cmp.Compare(number(a[0]), number(b[0])), cmp.Compare(number(a[1]), number(b[1])))
	})
	return list[:min(8, len(list))]
}

func (h *happened) speeds() (list [][]string) {
	total, n := map[string]float64{}, map[string]float64{}
	for _, u := range h.updates {
		total[u.class] += u.speed
		n[u.class]++
	}
	for class := range n {
		list = append(list, []string{class, fmt.Sprint(math.Round(total[class]/n[class]*100) / 100)})
	}
	slices.SortFunc(list, nullsLast)
	return list
}

func (h *happened) hulls() (list [][]string) {
	all := map[[2]string]motion{}
	for _, u := range h.updates {
		k := [2]string{orNull(u.player), u.class}
		old, ok := all[k]
		if u.class != "NULL" && (!ok || cmp.Or(cmp.Compare(u.hull, old.hull), cmp.Compare(u.seconds, old.seconds)) < 0) {
			all[k] = u
		}
	}
	for k, u := range all {
		list = append(list, []string{k[0], k[1], rounded(float64(u.hull.Fraction()) * 100), rounded(u.seconds)})
	}
	slices.SortFunc(list, nullsLast)
	return list
}

func (h *happened) totals() [][]string {
	all := map[[2]string][]int{}
	players := map[[3]string]bool{}
	for _, e := range h.events {
		key := [2]string{e.source, fmt.Sprint(e.Match)}
		player := [3]string{key[0], key[1], e.Player}
		counts := []int{1, 0, 0}
		if e.Player != "" && !players[player] {
			players[player], counts[1] = true, 1
		}
		if e.Kind == match.Kill {
			counts[2] = 1
		}
		counted(all, key, counts...)
	}
	return lines(all, func(k [2]string) []string { return k[:] }, nullsLast)
}

func (h *happened) killers() [][]string {
	all := map[[2]string][]int{}
	for _, e := range h.events {
		if e.Kind == match.Kill && (e.source == "battle" || e.source == "rejoins") {
			counted(all, [2]string{e.source, orNull(e.Killer)}, 1)
		}
	}
	return lines(all, func(k [2]string) []string { return k[:] }, nullsLast)
}

func rounded(v float64) string { return fmt.Sprint(math.Round(v*10) / 10) }
