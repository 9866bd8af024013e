package stateupdate_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
)

// The intervals of the stock game, as a table.
const baseIntervals = `
	host           | no  | no  | any                  | 0.1
	host           | no  | yes | 1-4 / 5 and more     | 0.1 / 0.125
	dedicated host | yes | any | 1 / 2 / 3 and more   | 0.1 / 0.167 / 0.5
	playing host   | yes | any | 1-2 / 3 / 4 and more | 0.1 / 0.167 / 0.5`

// rows returns the cells of a table.
func rows(table string) (all [][]string) {
	for line := range strings.Lines(strings.TrimSpace(table)) {
		cells := strings.Split(line, "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		all = append(all, cells)
	}
	return all
}

// situation is the input of the interval of an object.
type situation struct {
	sender           string
	modem, peerModem bool
	players          int
}

func (s situation) String() string {
	return fmt.Sprintf("%s, modem %v, other's modem %v, %d players", s.sender, s.modem, s.peerModem, s.players)
}

// omits reports whether a host on a modem sends subsystems only in forced updates.
func (s situation) omits() bool {
	return s.modem && s.players > map[string]int{"dedicated host": 1, "playing host": 2}[s.sender]
}

// situations returns all situations.
func situations() (all []situation) {
	for _, sender := range []string{"dedicated host", "playing host"} {
		for modems := range 4 {
			for players := 1; players <= 16; players++ {
				all = append(all, situation{sender, modems&1 != 0, modems&2 != 0, players})
			}
		}
	}
	return all
}

// players returns the number of players of a broadcaster.
func players(dedicated bool, receivers, players int) int {
	switch {
	case players != 0:
		return players
	case dedicated:
		return receivers
	}
	return receivers + 1
}

// base returns the interval from the table, in seconds.
func (s situation) base(t *testing.T) float64 {
	is := func(cell string, b bool) bool { return cell == "any" || (cell == "yes") == b }
	var found []float64
	for _, row := range rows(baseIntervals) {
		if !strings.HasSuffix(s.sender, row[0]) || !is(row[1], s.modem) || !is(row[2], s.peerModem) {
			continue
		}
		for i, players := range strings.Split(row[3], " / ") {
			if within(t, players, s.players) {
				v, err := strconv.ParseFloat(strings.Split(row[4], " / ")[i], 64)
				require.NoError(t, err)
				found = append(found, v)
			}
		}
	}
	require.Len(t, found, 1, "%v", s)
	return found[0]
}

// within reports whether a number is in a range of the table.
func within(t *testing.T, text string, n int) bool {
	if text == "any" {
		return true
	}
	first, last := text, text
	if head, ok := strings.CutSuffix(text, " and more"); ok {
		first, last = head, "99"
	} else if from, to, ok := strings.Cut(text, "-"); ok {
		first, last = from, to
	}
	low, err := strconv.Atoi(first)
	require.NoError(t, err)
	high, err := strconv.Atoi(last)
	require.NoError(t, err)
	return n >= low && n <= high
}

// seen counts the updates of one ship.
type seen struct {
	want   float64 // the interval, or 0 for a ship that is not sent
	n      int
	blocks int // updates with subsystems
	last   float64
}

// TestBroadcasterIntervals checks the intervals of ships with the table, for all numbers of players
// and combinations of modems.
func TestBroadcasterIntervals(t *testing.T) {
	for _, s := range situations() {
		const tick = 1. / 24
		own, other, far := piloted(2, "asteroid", "Multi1"), piloted(3, "asteroid", "Multi1"), piloted(4, "asteroid", "Multi2")
		ships := map[objectid.ID]*seen{own.ID: {want: s.base(t)}, other.ID: {want: s.base(t)}, far.ID: {}}
		if s.omits() {
			ships[own.ID].want = 1 + tick // only forced updates have subsystems
		}
		b := stateupdate.Broadcaster{Dedicated: s.sender == "dedicated host", Modem: s.modem, Players: s.players}
		for _, ship := range []*stateupdate.Ship{own, other, far} {
			require.NoError(t, b.AddShip(ship))
		}
		b.AddReceiver(2).Modem = s.peerModem
		b.AddReceiver(9) // has no ship
		minutes := testdata.Either(10, 2)
		for i := range minutes * 60 * 24 {
			now := float64(i) * tick
			other.Speed ^= 1 // each update has a change
			for _, u := range advance(t, &b, float32(now)) {
				require.Equal(t, objectid.PeerID(2), u.Receiver)
				ships[objectid.ID(binary.LittleEndian.Uint32(u.Payload[1:]))].add(t, now, u.Payload)
			}
		}
		for id, o := range ships {
			want := 0.
			if o.want > 0 {
				want = float64(minutes) * 60 / o.want
			}
			require.InDelta(t, want, o.n, 1+want/500, "%v: %v", s, id)
			if s.omits() && o.n > 0 { // in the first update after more than a second
				require.LessOrEqual(t, o.blocks, minutes*60, "%v: %v", s, id)
				require.GreaterOrEqual(t, o.blocks, int(float64(minutes)*60/(1+o.want+2*tick)), "%v: %v", s, id)
			} else {
				require.Equal(t, o.n, o.blocks, "%v: %v", s, id)
			}
		}
	}
}

// add counts an update and checks its time.
func (o *seen) add(t *testing.T, now float64, payload []byte) {
	if gap := now - o.last; o.n > 0 && math.Abs(gap-o.want) > 2./24 {
		t.Fatalf("%v s after the one before, not %v", gap, o.want)
	}
	o.n++
	o.last = now
	if opcode.StateFlags(payload[9])&opcode.StateSubsystems != 0 {
		o.blocks++
	}
}

// A modem flag that changes during a match affects the next update.
func TestBroadcasterModemChanges(t *testing.T) {
	own, ship := piloted(2, "akira", ""), piloted(3, "akira", "")
	b := stateupdate.Broadcaster{Dedicated: true, Players: 3}
	require.NoError(t, b.AddShip(own))
	require.NoError(t, b.AddShip(ship))
	receiver := b.AddReceiver(2)
	now := float32(0)
	updates := func() (n int) {
		for range 60 * 20 {
			now += 0.05
			ship.Speed ^= 1
			for _, u := range advance(t, &b, now) {
				if objectid.ID(binary.LittleEndian.Uint32(u.Payload[1:])) == ship.ID {
					n++
				}
			}
		}
		return n
	}
	for range 3 {
		b.Modem = false
		require.InDelta(t, 600, updates(), 2)
		b.Modem = true
		require.InDelta(t, 120, updates(), 2)
		b.Modem, receiver.Modem, b.Players = false, true, 5
		require.InDelta(t, 480, updates(), 2)
		receiver.Modem, b.Players = false, 3
	}
}

// Any number of players has an interval.
func TestBroadcasterPlayers(t *testing.T) {
	own := piloted(2, "akira", "")
	for _, n := range []int{math.MinInt, -1, math.MaxInt} {
		for _, dedicated := range []bool{false, true} {
			b := stateupdate.Broadcaster{Dedicated: dedicated, Modem: true, Players: n}
			require.NoError(t, b.AddShip(own))
			b.AddReceiver(2)
			updates := 0
			for tick := range 10 {
				due, err := b.Advance(time.Duration(tick) * 100 * time.Millisecond)
				require.NoError(t, err)
				updates += len(due)
			}
			require.Equal(t, map[bool]int{true: 1, false: 10}[n > 16], updates, "%d players", n)
		}
	}
}
