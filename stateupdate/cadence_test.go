package stateupdate_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
)

// The intervals of the stock game, as tables.
const (
	baseIntervals = `
		client         | no  | no  | any                  | 0.1
		client         | yes | no  | 1-4 / 5 and more     | 0.1 / 0.125
		client         | any | yes | 1-2 / 3 / 4 and more | 0.1 / 0.167 / 0.25
		host           | no  | no  | any                  | 0.1
		host           | no  | yes | 1-4 / 5 and more     | 0.1 / 0.125
		dedicated host | yes | any | 1 / 2 / 3 and more   | 0.1 / 0.167 / 0.5
		playing host   | yes | any | 1-2 / 3 / 4 and more | 0.1 / 0.167 / 0.5`
	distanceFactors = `
		no  | x1, d < D1 | x2, d < D2 | x5, d < D3 | 1.0 s
		yes | x1, d < D0 | x2, d < D1 | 1.0 s      | 1.0 s`
)

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

func (s situation) cadence() stateupdate.Cadence {
	return stateupdate.Cadence{
		Host: s.sender != "client", Dedicated: s.sender == "dedicated host",
		Modem: s.modem, PeerModem: s.peerModem, Players: s.players, Distances: thresholds,
	}
}

// situations returns all situations.
func situations() (all []situation) {
	for _, sender := range []string{"client", "dedicated host", "playing host"} {
		for modems := range 4 {
			for players := 1; players <= 16; players++ {
				all = append(all, situation{sender, modems&1 != 0, modems&2 != 0, players})
			}
		}
	}
	return all
}

// thresholds are example values of D0 to D3.
var thresholds = [4]float32{50, 100, 250, 600}

// base returns the base interval from the tables, in seconds.
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

// interval returns the interval of a distant object from the tables, in seconds.
func (s situation) interval(t *testing.T, distance float32) float64 {
	base := s.base(t)
	if s.sender == "client" {
		return base
	}
	row := rows(distanceFactors)[map[bool]int{false: 0, true: 1}[s.modem]]
	for _, cell := range row[1:] {
		var factor float64
		var threshold int
		if _, err := fmt.Sscanf(cell, "x%g, d < D%d", &factor, &threshold); err == nil && distance < thresholds[threshold] {
			return min(base*factor, 1)
		}
	}
	return 1
}

// seen counts the updates of one object.
type seen struct {
	name    string
	object  *stateupdate.Ship
	encoder stateupdate.Encoder
	want    float64 // the interval, or 0 for an object that is not sent
	n       int
	blocks  int // updates with subsystems
	last    float64
	buf     []byte
}

// TestCadence checks the intervals of all objects with the tables, for all numbers of players,
// combinations of modems and distances.
func TestCadence(t *testing.T) {
	for _, s := range situations() {
		c := s.cadence()
		receiver := stateupdate.NewShip(slotID(0), stateupdate.Stock(opcode.SpeciesAsteroid))
		receiver.SetName = "Multi1"
		objects := sky(t, s, receiver)
		const target objectid.ID = 1000
		const tick = 1. / 24
		minutes := testdata.Either(10, 2)
		for i := range minutes * 60 * 24 {
			now := float64(i) * tick
			for _, o := range objects {
				o.object.Speed ^= 1 // each update has a change
				if c.Prepare(&o.encoder, o.object, receiver, target) {
					o.tick(t, now)
				}
			}
		}
		for _, o := range objects {
			want := 0.
			if o.want > 0 {
				want = float64(minutes) * 60 / o.want
			}
			require.InDelta(t, want, o.n, 1+want/500, "%v: %s", s, o.name)
			omits := c.Host && s.modem && s.players > map[string]int{"dedicated host": 1, "playing host": 2}[s.sender]
			require.Equal(t, omits, c.OmitsSubsystems(), "%v", s)
			switch {
			case o.encoder.Role == stateupdate.Owner:
				require.Zero(t, o.blocks)
			case !omits:
				require.Equal(t, o.n, o.blocks, "%v: %s", s, o.name)
			case o.n > 0: // in the first update after more than a second
				require.LessOrEqual(t, o.blocks, minutes*60, "%v: %s", s, o.name)
				require.GreaterOrEqual(t, o.blocks, int(float64(minutes)*60/(1+o.want+2*tick)), "%v: %s", s, o.name)
			}
		}
	}
}

// sky returns objects at all distances around a receiver.
func sky(t *testing.T, s situation, receiver *stateupdate.Ship) (all []*seen) {
	add := func(name string, id objectid.ID, distance float32, want float64) *seen {
		ship := stateupdate.NewShip(id, stateupdate.Stock(opcode.SpeciesAsteroid))
		ship.SetName = receiver.SetName
		ship.Position[len(all)%3] = distance
		all = append(all, &seen{name: name, object: ship, want: want})
		return all[len(all)-1]
	}
	own := add("own ship", receiver.ID, 0, s.base(t))
	if s.sender == "client" {
		return all
	}
	if c := s.cadence(); c.OmitsSubsystems() {
		own.want = 1 + 1./24 // only forced updates have subsystems
	}
	add("far target", 1000, 5000, s.base(t))
	add("another set", 1001, 0, 0).object.SetName = "Multi2"
	distances := []float32{0, 5000, float32(math.Inf(1)), nan}
	for _, d := range thresholds {
		distances = append(distances, math.Nextafter32(d, 0), d)
	}
	for i, d := range distances {
		add(fmt.Sprint("object at ", d), objectid.ID(2000+i), d, s.interval(t, d))
	}
	return all
}

// tick sends an update if it is due, and checks its time.
func (o *seen) tick(t *testing.T, now float64) {
	b, err := o.encoder.Append(o.buf[:0], float32(now), o.object)
	if err != nil {
		t.Fatal(err)
	}
	o.buf = b
	if len(b) == 0 {
		return
	}
	if gap := now - o.last; o.n > 0 && math.Abs(gap-o.want) > 2./24 {
		t.Fatalf("%s: %v s after the one before, not %v", o.name, gap, o.want)
	}
	o.n++
	o.last = now
	if opcode.StateFlags(b[9])&opcode.StateSubsystems != 0 {
		o.blocks++
	}
}

// A player without a ship gets no updates. A client needs no receiver.
func TestCadenceReceivers(t *testing.T) {
	ship := stateupdate.NewShip(slotID(0), nil)
	for _, c := range []stateupdate.Cadence{{Host: true}, {Host: true, Dedicated: true, Modem: true, Players: 16}} {
		e := stateupdate.Encoder{Interval: 7}
		require.False(t, c.Prepare(&e, ship, nil, objectid.None))
		require.False(t, c.Prepare(&e, nil, ship, objectid.None))
		require.Equal(t, stateupdate.Encoder{Interval: 7}, e)
	}
	var client stateupdate.Cadence
	e := stateupdate.Encoder{Role: stateupdate.HostToOther, OmitSubsystems: true}
	require.True(t, client.Prepare(&e, ship, nil, objectid.None))
	require.Equal(t, stateupdate.Encoder{Interval: 100 * time.Millisecond}, e)
}

// A modem flag that changes during a match affects the next update.
func TestCadenceModemChanges(t *testing.T) {
	ship, receiver := stateupdate.NewShip(slotID(1), nil), stateupdate.NewShip(slotID(0), nil)
	c := stateupdate.Cadence{Host: true, Dedicated: true, Players: 3}
	var e stateupdate.Encoder
	now := float32(0)
	updates := func() (n int) {
		for range 60 * 20 {
			now += 0.05
			ship.Speed ^= 1
			require.True(t, c.Prepare(&e, ship, receiver, objectid.None))
			b, err := e.Append(nil, now, ship)
			require.NoError(t, err)
			if len(b) > 0 {
				n++
			}
		}
		return n
	}
	for range 3 {
		c.Modem = false
		require.InDelta(t, 600, updates(), 2)
		c.Modem = true
		require.InDelta(t, 120, updates(), 2)
		c.Modem, c.PeerModem, c.Players = false, true, 5
		require.InDelta(t, 480, updates(), 2)
		c.PeerModem, c.Players = false, 3
	}
}

// An interval is between the base interval and one second. The distance does not matter for
// exempt objects, or if the thresholds are unset.
func propertyInterval(t *rapid.T) {
	float := rapid.OneOf(rapid.Float32(), rapid.SampledFrom([]float32{0, -1, nan, inf, -inf, math.MaxFloat32, 1}))
	all := situations()
	c := all[rapid.IntRange(0, len(all)-1).Draw(t, "situation")].cadence()
	c.Players += rapid.SampledFrom([]int{0, -99, 1000, math.MinInt, math.MaxInt - 16}).Draw(t, "players")
	base := c.Interval(0, true)
	for i := range c.Distances {
		c.Distances[i] = float.Draw(t, "threshold")
	}
	c.ModemFactor = float.Draw(t, "factor")
	distances := []float32{float.Draw(t, "distance"), float.Draw(t, "distance")}
	for _, d := range distances {
		require.Equal(t, base, c.Interval(d, true))
		got := c.Interval(d, false)
		require.True(t, got >= base && got <= time.Second, "%v", got)
		if !c.Host {
			require.Equal(t, base, got)
		}
	}
	slices.Sort(c.Distances[:])
	if slices.Sort(distances); distances[0] == distances[0] {
		require.LessOrEqual(t, c.Interval(distances[0], false), c.Interval(distances[1], false), "a larger distance gives no shorter interval")
	}
	c.Distances, c.ModemFactor = [4]float32{}, 0
	require.Equal(t, base, c.Interval(distances[0], false))
}

func TestInterval(t *testing.T)         { rapid.Check(t, propertyInterval) }
func FuzzIntervalProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyInterval)) }

func TestModemFactor(t *testing.T) {
	c := stateupdate.Cadence{Host: true, Modem: true, Players: 3, ModemFactor: 3, Distances: thresholds}
	for distance, want := range map[float32]time.Duration{0: 501, 60: 1000, 5000: 1000} { // three times 0.167 s, and at most 1 s
		require.Equal(t, want*time.Millisecond, c.Interval(distance, false))
	}
	require.Equal(t, 167*time.Millisecond, c.Interval(5000, true), "an exempt object has the base interval")
	c.Players = 2
	require.Equal(t, 100*time.Millisecond, c.Interval(0, false), "the factor does not apply to 0.1 s")
	c.Players, c.Modem, c.PeerModem = 5, false, true
	require.Equal(t, 125*time.Millisecond, c.Interval(0, false), "the factor does not apply to the receiver's modem")
}
