//go:build duckdb

package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
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

func (f *facts) traffic() [][]string {
	all := map[[3]string][]int{}
	for _, x := range f.all {
		if x.player != "" {
			counted(all, [3]string{x.player, string(x.direction), x.name}, 1, x.size)
		}
	}
	list := lines(all, func(k [3]string) []string { return k[:] }, func(a, b []string) int {
		return cmp.Or(descending(a[4], b[4]), slices.Compare(a[:3], b[:3]))
	})
	return list[:min(12, len(list))]
}

func (f *facts) shots() [][]string {
	all := map[[2]string][]int{}
	targets := map[[2]string]map[objectid.ID]bool{}
	for _, x := range f.all {
		m, ok := x.message.(opcode.Shot)
		if !ok || x.duplicate || x.direction != recording.ToServer {
			continue
		}
		key := [2]string{x.player, cmp.Or(x.weapon, "NULL")}
		if _, target, _ := m.Fired(); target != objectid.None {
			if targets[key] == nil {
				targets[key] = map[objectid.ID]bool{}
			}
			targets[key][target] = true
		}
		counted(all, key, 1)
	}
	for key := range all {
		all[key] = append(all[key], len(targets[key]))
	}
	return lines(all, func(k [2]string) []string { return k[:] }, func(a, b []string) int {
		return cmp.Or(descending(a[2], b[2]), slices.Compare(a[:2], b[:2]))
	})
}

// died returns the first message about each death.
func (f *facts) died() (list []fact) {
	last := map[objectid.ID]float64{}
	for _, x := range f.all {
		if x.dead == objectid.None || x.duplicate {
			continue
		}
		if before, told := last[x.dead]; !told || x.seconds-before > 2 {
			list = append(list, x)
		}
		last[x.dead] = x.seconds
	}
	return list
}

func (f *facts) deaths() (list [][]string) {
	for _, x := range f.died() {
		list = append(list, []string{rounded(x.seconds), x.owner, x.class, x.killer})
	}
	return list
}

func (f *facts) chat() (list [][]string) {
	for _, x := range f.all {
		if m, ok := x.message.(*opcode.ChatMessage); ok && !x.duplicate && x.direction == recording.ToServer {
			list = append(list, []string{rounded(x.seconds), x.player, m.Text.String()})
		}
	}
	return list
}

// roundTrips computes the times of Acks, with milliseconds as the unit.
func (f *facts) roundTrips() (list [][]string) {
	times := map[string][]float64{}
	for _, x := range f.all {
		if x.observed.Type != transport.TypeAck || x.direction != recording.ToServer || x.player == "" {
			continue
		}
		now := time.Unix(0, 0).Add(recording.Datagram{Seconds: x.seconds}.Time())
		if d, ok := x.observed.Acked.RoundTrip(now); ok {
			times[x.player] = append(times[x.player], d.Seconds()*1000)
		}
	}
	for player, all := range times {
		slices.Sort(all)
		n := len(all)
		median := (all[(n-1)/2] + all[n/2]) / 2
		list = append(list, []string{player, fmt.Sprint(n), rounded(all[0]), rounded(median), rounded(all[n-1])})
	}
	slices.SortFunc(list, func(a, b []string) int { return cmp.Compare(a[0], b[0]) })
	return list
}

// number identifies a reliable message on a link.
type number struct {
	client    int64
	direction recording.Direction
	system    bool
	seq       uint16
	fragment  int // -1 for a whole message
}

func (f *facts) repetition() [][]string {
	acked := map[number]bool{}
	for _, x := range f.all {
		if x.observed.Type != transport.TypeAck {
			continue
		}
		ack := x.ack
		n := number{x.client, recording.ToServer, ack.Flags&transport.AckSystem != 0, ack.Seq, -1}
		if x.direction == recording.ToServer {
			n.direction = recording.ToClient
		}
		if ack.Flags&transport.AckFragment != 0 {
			n.fragment = int(ack.FragIndex)
		}
		acked[n] = true
	}
	all := map[[2]string][]int{}
	for _, x := range f.all {
		m := &x.observed
		if !m.Reliable || x.player == "" {
			continue
		}
		n := number{x.client, x.direction, m.System(), m.Seq, -1}
		if m.Fragment {
			n.fragment = int(m.FragIndex)
		}
		counts := []int{1, 0, 0}
		switch {
		case x.duplicate:
			counts = []int{0, 1, 0}
		case !acked[n]:
			counts[2] = 1
		}
		counted(all, [2]string{x.player, string(x.direction)}, counts...)
	}
	return lines(all, func(k [2]string) []string { return k[:] }, slices.Compare)
}

// totals returns the clients, players, seconds, messages and bytes of a recording.
func (f *facts) totals() []string {
	clients, players := map[int64]bool{}, map[string]bool{}
	seconds, size := 0.0, 0
	for _, x := range f.all {
		clients[x.client] = true
		if x.player != "" {
			players[x.player] = true
		}
		seconds = max(seconds, x.seconds)
		size += x.size
	}
	return []string{fmt.Sprint(len(clients)), fmt.Sprint(len(players)), fmt.Sprint(math.Round(seconds)), fmt.Sprint(len(f.all)), fmt.Sprint(size)}
}

// losses returns the players who lost ships.
func (f *facts) losses() (list [][]string) {
	ships := map[[2]string][]int{}
	for _, x := range f.died() {
		counted(ships, [2]string{x.owner, ""}, 1)
	}
	return lines(ships, func(k [2]string) []string { return k[:1] }, slices.Compare)
}

func rounded(v float64) string { return fmt.Sprint(math.Round(v*10) / 10) }
