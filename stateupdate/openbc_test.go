package stateupdate_test

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// openBCBlock returns the block that an OpenBC server sends from the first subsystem on, and its
// statuses. It is a second implementation, which shares no code with the package.
func openBCBlock(ship *stateupdate.Ship, first int, power bool) (m *opcode.StateUpdate, all []stateupdate.Status) {
	var data []byte
	var mark, bools int // offset of the last bit group and number of its bools
	ended := false      // a subsystem has ended the group
	n := len(ship.Subsystems)
	for i := 0; i < n && (i < 2 || 1+len(data) < 10); i++ {
		s := blockOf(ship.Subsystems[(first+i)%n], power)
		data = append(data, byte(s.Condition))
		switch kind := s.Subsystem.Kind; kind {
		case stateupdate.KindShield:
			s.Parts, s.HasPower, s.Power, s.OpenBC = nil, false, 0, true
			ended = true
		case stateupdate.KindHull:
			data = append(data, s.Parts...)
			ended = true
		case stateupdate.KindReactor:
			data = append(append(data, s.Parts...), byte(s.MainBattery), byte(s.BackupBattery))
			ended = true
		default:
			data = append(data, s.Parts...)
			if bools == 0 || bools == 5 || ended {
				s.OpenBC = ended && bools != 0 && bools != 5
				mark, bools, ended = len(data), 0, false
				data = append(data, 0)
			}
			data[mark] &= 0x1F
			if power {
				data[mark] |= 1 << bools
				data = append(data, s.Power.Percent())
			}
			bools++
			data[mark] |= byte(bools << 5)
		}
		all = append(all, s)
	}
	return &opcode.StateUpdate{ObjectID: ship.ID, GameTime: 9, Flags: opcode.StateSubsystems, StartIndex: int8(first), Data: data}, all
}

// shuffle sets random levels and powers up to MaxPower.
func shuffle(rng *rand.Rand, ship *stateupdate.Ship) {
	for _, p := range levels(ship) {
		*p = byte(rng.UintN(256))
	}
	for i := range ship.Subsystems {
		ship.Subsystems[i].Power = stateupdate.PowerPercent(uint8(rng.UintN(126)))
	}
}

// Every block of OpenBC that is malformed as a block of the game is read and encoded again.
// About one of a thousand blocks fits both forms with different values.
func TestOpenBCBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var total, stock, tolerant, misread int
	for _, class := range stateupdate.Stock()[:16] {
		ship := stateupdate.NewShip(slotID(0), class)
		for range testdata.Either(100, 20) {
			shuffle(rng, ship)
			m, want := openBCBlock(ship, rng.IntN(len(class.Subsystems)), rng.IntN(2) == 0)
			all, err := collect(class.Block(m))
			require.NoError(t, err, "%s %d %x", class.Name, m.StartIndex, m.Data)
			total++
			switch {
			case isOpenBC(all):
				tolerant++
			case cmp.Equal(want, all, cmpopts.EquateEmpty()):
				stock++
			default:
				misread++
				continue
			}
			require.Empty(t, cmp.Diff(want, all, cmpopts.EquateEmpty()))
			payload, err := opcode.Append(nil, m)
			require.NoError(t, err)
			checkUpdate(t, class, m, all, payload)
			checkSplit(t, class, payload)
		}
	}
	require.Equal(t, testdata.Either([]int{1600, 811, 787, 2}, []int{320, 157, 162, 1}), []int{total, stock, tolerant, misread})
}

func isOpenBC(all []stateupdate.Status) bool {
	for i := range all {
		if all[i].OpenBC {
			return true
		}
	}
	return false
}

// after returns the payload of a block that begins a bit group after the open group of other fields.
func after(t testing.TB, rng *rand.Rand, block *opcode.StateUpdate) []byte {
	const fields = opcode.StatePosition | opcode.StateDelta | opcode.StateForward | opcode.StateUp | opcode.StateSpeed | opcode.StateCloak
	head := motion(block.GameTime, 0)
	head.ObjectID, head.StartIndex, head.Cloak = block.ObjectID, block.StartIndex, rng.UintN(2) == 0
	head.HasHash, head.Hash = rng.UintN(2) == 0, 0xFB37
	head.Flags = opcode.StateSubsystems | opcode.StateFlags(rng.UintN(256))&fields
	if head.Flags&opcode.StateCloak == 0 {
		head.Flags |= opcode.StatePosition
	}
	payload, err := opcode.Append(nil, head)
	require.NoError(t, err)
	return append(payload, block.Data...)
}

// checkAfter requires that a block after an open group reads as it does alone, except that its first bool
// begins a group.
func checkAfter(t testing.TB, class *stateupdate.Class, payload []byte, alone []stateupdate.Status) {
	t.Helper()
	want := slices.Clone(alone)
	for i := range want {
		if s := &want[i]; s.Subsystem.Kind.Powered() && !(s.OpenBC && s.Subsystem.Kind == stateupdate.KindShield) {
			s.OpenBC = true
			break
		}
	}
	var m opcode.StateUpdate
	require.NoError(t, opcode.Unmarshal(payload, &m))
	all, err := collect(class.Block(&m))
	require.NoError(t, err, "%s %x", class.Name, payload)
	require.Empty(t, cmp.Diff(want, all, cmpopts.EquateEmpty()), "%s %x", class.Name, payload)
}

// A block of OpenBC after a position, a cloak or both begins a bit group of its own.
func TestOpenBCBlocksAfterOpenGroup(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, class := range stateupdate.Stock()[:16] {
		ship := stateupdate.NewShip(slotID(0), class)
		for range testdata.Either(100, 20) {
			shuffle(rng, ship)
			m, want := openBCBlock(ship, rng.IntN(len(class.Subsystems)), rng.IntN(2) == 0)
			payload := after(t, rng, m)
			checkAfter(t, class, payload, want)
			checkSplit(t, class, payload)
		}
	}
}

// The same holds for a block that has the form of the game otherwise, with the facings of the shield
// generator, of undamaged ships.
func TestBlocksOfTheGameAfterOpenGroup(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, class := range stateupdate.Stock() {
		for _, u := range blocksOf(t, class) {
			u.message.Flags, u.message.Bits = opcode.StateSubsystems, stream.Bits{}
			alone, err := collect(class.Block(&u.message))
			if err != nil { // its bools are in the group of the position
				continue
			}
			payload := after(t, rng, &u.message)
			checkAfter(t, class, payload, alone)
			checkSplit(t, class, payload)
			for n := range u.message.Data { // a block that ends between two subsystems is valid
				cut := u.message
				cut.Data = cut.Data[:n]
				if alone, err := collect(class.Block(&cut)); err == nil {
					checkAfter(t, class, after(t, rng, &cut), alone)
				}
			}
		}
	}
}

// OpenBC's server sends a block to the owner alone, and to others after a position. Both give the same
// subsystems.
func TestOpenBCBlockAfterPosition(t *testing.T) {
	var ships [2]*stateupdate.Ship
	for i, file := range []string{"openbc-20.hex", "openbc-3d.hex"} {
		var d stateupdate.Tracker
		data, err := os.ReadFile("testdata/" + file)
		require.NoError(t, err)
		for line := range strings.Lines(string(data)) {
			datagram, err := hex.DecodeString(strings.Fields(line)[1])
			require.NoError(t, err)
			for m, err := range transport.Messages(datagram) {
				require.NoError(t, err)
				decoded, err := opcode.Decode(m.Body)
				require.NoError(t, err)
				change := apply(t, &d, decoded)
				ships[i] = change.Ship
				if u, ok := decoded.(*opcode.StateUpdate); ok {
					all, err := collect(change.Ship.Class.Block(u))
					require.NoError(t, err)
					checkUpdate(t, change.Ship.Class, u, all, m.Body)
					checkSplit(t, change.Ship.Class, m.Body)
				}
			}
		}
	}
	require.Equal(t, ships[0].Subsystems, ships[1].Subsystems)
	require.Equal(t, stateupdate.Level(0xFF), ships[1].Subsystems[8].Condition)
	require.Equal(t, "100%", ships[1].Subsystems[4].Power.String())
	require.Zero(t, ships[1].Stale)
	require.True(t, ships[1].OpenBC)
}

// A tracker that has read a block of OpenBC for a ship reads the next ones so, too, even if they fit
// both forms. The shield generator keeps its facings and its power.
func TestTrackerOfOpenBC(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, class := range stateupdate.Stock()[:16] {
		var d stateupdate.Tracker
		ship := stateupdate.NewShip(slotID(0), class)
		shield := firstOf(class, stateupdate.KindShield)
		object, err := ship.Object()
		require.NoError(t, err)
		got := apply(t, &d, &opcode.ObjectCreate{Object: object}).Ship
		m, _ := openBCBlock(ship, shield, false)
		apply(t, &d, m)
		require.True(t, got.OpenBC)
		facings := bytes.Clone(got.Subsystems[shield].Parts)
		for range testdata.Either(500, 100) {
			shuffle(rng, ship)
			m, want := openBCBlock(ship, rng.IntN(len(class.Subsystems)), rng.IntN(2) == 0)
			m.GameTime = 1
			apply(t, &d, m)
			for i := range want {
				own := got.Subsystems[want[i].Index]
				require.False(t, own.OpenBC)
				require.Equal(t, want[i].Condition, own.Condition, class.Name)
				if !want[i].OpenBC || want[i].Subsystem.Kind != stateupdate.KindShield {
					require.Empty(t, cmp.Diff(want[i].Parts, own.Parts, cmpopts.EquateEmpty()), class.Name)
				}
			}
		}
		require.Equal(t, stateupdate.Levels(facings), got.Subsystems[shield].Parts)
		require.Equal(t, "100%", got.Subsystems[shield].Power.String())
	}
}

// The condition of a shield generator alone is a change only if it differs.
func TestChangeOfOpenBCShield(t *testing.T) {
	d, ship := akira(t)
	sent := stateupdate.NewShip(ship.ID, ship.Class)
	sent.Subsystems[0].Condition = ship.Subsystems[0].Condition
	m, _ := openBCBlock(sent, 0, false)
	require.Zero(t, apply(t, d, m).Subsystems.Len())
	sent.Subsystems[1].Condition = 7
	m, _ = openBCBlock(sent, 0, false)
	change := apply(t, d, m)
	require.True(t, change.Subsystems.Has(1))
	require.Equal(t, 1, change.Subsystems.Len())
}

// A status of OpenBC has no facings.
func TestStatusOfOpenBC(t *testing.T) {
	class := stateupdate.Stock().Named("sovereign")
	m, _ := openBCBlock(stateupdate.NewShip(1, class), 1, true)
	all, err := collect(class.Block(m))
	require.NoError(t, err)
	require.Equal(t, "Shield Generator 100%", all[0].String())
	require.Empty(t, all[0].Parts)
	require.Equal(t, "Sensor Array 100% power 100%", all[1].String())

	for range class.Block(m) { // the caller may stop
		break
	}
}

// A block that breaks one rule of OpenBC is an error about the form of the game.
func TestOpenBCRules(t *testing.T) {
	class := stateupdate.Stock().Named("sovereign") // Hull, Shield Generator, Sensor Array, Warp Core, Impulse Engines
	for name, m := range map[string]*opcode.StateUpdate{
		"power of some":      {Flags: opcode.StateSubsystems, Data: testdata.Bytes("ff ff ff 21 64 ff ff ff ff ff ff 20")},
		"power above 125":    {Flags: opcode.StateSubsystems, Data: testdata.Bytes("ff ff ff 21 7e ff ff ff ff ff ff 21 64")},
		"too short":          {Flags: opcode.StateSubsystems, Data: testdata.Bytes("ff ff ff 20 ff ff ff")},
		"too long":           {Flags: opcode.StateSubsystems, Data: testdata.Bytes("ff ff ff 20 ff ff ff ff ff ff 20 ff ff ff ff ff ff ff 20")},
		"truncated":          {Flags: opcode.StateSubsystems, Data: testdata.Bytes("ff ff ff 20 ff ff ff ff ff ff")},
		"a byte too many":    {Flags: opcode.StateSubsystems, Data: testdata.Bytes("ff ff ff 20 ff ff ff ff ff ff 20 ff")},
		"one group for two":  {Flags: opcode.StateSubsystems, Data: testdata.Bytes("ff ff ff 40 ff ff ff ff ff ff")},
		"a bool too many":    {Flags: opcode.StateSubsystems, Data: testdata.Bytes("ff ff ff 20 ff ff ff ff ff ff 40")},
		"a group in a group": {Flags: opcode.StateSubsystems, StartIndex: 4, Data: testdata.Bytes("ff ff ff 20 ff ff ff ff ff ff ff 20")},
		"bools in the group": {Flags: opcode.StateSubsystems | opcode.StatePosition, Bits: stream.Bits{Byte: 0x41, Read: 1}, Data: testdata.Bytes("ff ff ff 20 ff ff ff ff ff ff 20")},
	} {
		all, err := collect(class.Block(m))
		require.ErrorIs(t, err, stream.ErrBadBitGroup, name)
		require.False(t, isOpenBC(all), name)
	}
	m := &opcode.StateUpdate{Flags: opcode.StateSubsystems, Data: testdata.Bytes("ff ff ff 20 ff ff ff ff ff ff 20")}
	all, err := collect(class.Block(m))
	require.NoError(t, err)
	require.True(t, isOpenBC(all))
}

// A block of OpenBC has at least two subsystems, even if the first fills ten bytes. Here, a block
// with only one of them would not be full.
func TestOpenBCBlockHasTwoSubsystems(t *testing.T) {
	class := &stateupdate.Class{Subsystems: []stateupdate.Subsystem{
		{Name: "Hull", Children: make([]stateupdate.Child, 9)},
		{Name: "Shield Generator", Kind: stateupdate.KindShield},
		{Name: "Sensor Array", Kind: stateupdate.KindSensor},
	}}
	m, want := openBCBlock(stateupdate.NewShip(1, class), 0, false)
	require.Len(t, want, 2)
	all, err := collect(class.Block(m))
	require.NoError(t, err)
	require.True(t, isOpenBC(all))
	require.Empty(t, cmp.Diff(want, all, cmpopts.EquateEmpty()))
}

// A shield generator with OpenBC's form is read so, too, if the form of the game ends with its facings: in the middle of
// a bit group, which no later subsystem shows.
func TestOpenBCBlockEndsLikeTheGames(t *testing.T) {
	for name, subsystems := range map[string][]stateupdate.Subsystem{
		"hull":                     {{}, {Kind: stateupdate.KindShield}, {Children: make([]stateupdate.Child, 6)}},
		"another shield generator": {{}, {Kind: stateupdate.KindShield}, {Kind: stateupdate.KindShield}, {Children: make([]stateupdate.Child, 5)}},
	} {
		class := &stateupdate.Class{Subsystems: subsystems}
		ship := stateupdate.NewShip(1, class)
		ship.Subsystems[2].Condition = 0x40 // to the game, a group of two bools
		m, want := openBCBlock(ship, 0, false)
		require.Len(t, m.Data, 9)
		all, err := collect(class.Block(m))
		require.NoError(t, err, name)
		require.Empty(t, cmp.Diff(want, all, cmpopts.EquateEmpty()), name)
	}
}

// A block that fits both forms is the game's, until a block has shown that the ship is OpenBC's. Even then, a block that
// fits the game's form alone is the game's.
func TestTrackerOfBothForms(t *testing.T) {
	class := &stateupdate.Class{Name: "Cutter", Species: 200, Subsystems: []stateupdate.Subsystem{
		{Name: "Hull"}, {Name: "Shield Generator", Kind: stateupdate.KindShield}, {Name: "Keel", Children: make([]stateupdate.Child, 6)},
	}}
	d := stateupdate.Tracker{Classes: stateupdate.Catalogue{class}}
	object, err := stateupdate.NewShip(slotID(0), class).Object()
	require.NoError(t, err)
	ship := apply(t, &d, &opcode.ObjectCreate{Object: object}).Ship
	send := func(data string) stateupdate.Change {
		return apply(t, &d, &opcode.StateUpdate{ObjectID: ship.ID, Flags: opcode.StateSubsystems, Data: testdata.Bytes(data)})
	}
	facings := func() stateupdate.Levels { return ship.Subsystems[1].Parts }

	send("ff ff 20 01 02 03 04 05 06")
	require.Equal(t, stateupdate.Levels{1, 2, 3, 4, 5, 6}, facings())
	require.False(t, ship.OpenBC)
	send("ff ff 40 11 12 13 14 15 16")
	require.True(t, ship.OpenBC)
	send("ff ff 20 21 22 23 24 25 26")
	require.Equal(t, stateupdate.Levels{1, 2, 3, 4, 5, 6}, facings())
	require.Equal(t, stateupdate.Levels{0x21, 0x22, 0x23, 0x24, 0x25, 0x26}, ship.Subsystems[2].Parts)
	send("ff ff 20 31 32 33 34 35 36 ff 41 42 43 44 45 46")
	require.Equal(t, stateupdate.Levels{0x31, 0x32, 0x33, 0x34, 0x35, 0x36}, facings())

	_, err = d.Apply(&opcode.StateUpdate{
		ObjectID: ship.ID, Flags: opcode.StateSubsystems | opcode.StateCloak,
		Bits: stream.Bits{Byte: 0x22, Read: 1}, // a value beyond the only bool
		Data: testdata.Bytes("ff ff 20 51 52 53 54 55 56"),
	})
	require.ErrorIs(t, err, stream.ErrBadBitGroup)
}

// A truncated block of the game is not read as a block of OpenBC, except for at most
// one in ten thousand blocks of damaged ships.
func TestTruncatedBlocksAreNotOpenBC(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	cuts, misread := 0, 0
	for _, class := range stateupdate.Stock() {
		ship := newShip(slotID(0), class)
		for _, role := range []role{toOwner, toOther} {
			e := role.encoder()
			for round := range 60 {
				if round >= 12 {
					shuffle(rng, ship)
				}
				payload, err := e.Append(nil, seconds(1), ship)
				require.NoError(t, err)
				var m opcode.StateUpdate
				require.NoError(t, opcode.Unmarshal(payload, &m))
				all, err := collect(class.Block(&m))
				require.NoError(t, err)
				require.False(t, isOpenBC(all))
				for n := range m.Data {
					cut := m
					cut.Data = m.Data[:n]
					all, _ := collect(class.Block(&cut))
					cuts++
					if isOpenBC(all) {
						require.GreaterOrEqual(t, round, 12, "%s %d %x", class.Name, cut.StartIndex, cut.Data)
						misread++
					}
				}
			}
		}
	}
	require.LessOrEqual(t, misread, cuts/10000)
}

// For any class, a block of OpenBC decodes to the statuses that were encoded.
func propertyOpenBC(t *rapid.T) {
	class := drawClass(t)
	ship := stateupdate.NewShip(slotID(0), class)
	for i := range ship.Subsystems {
		drawStatus(t, &ship.Subsystems[i], false)
		ship.Subsystems[i].Power = min(ship.Subsystems[i].Power, stateupdate.PowerPercent(125))
	}
	m, want := openBCBlock(ship, rapid.IntRange(0, len(class.Subsystems)-1).Draw(t, "start"), rapid.Bool().Draw(t, "power"))
	payload, err := class.AppendUpdate(nil, m, want)
	require.NoError(t, err)
	exact, err := opcode.Append(nil, m)
	require.NoError(t, err)
	require.Equal(t, exact, payload)
	all, err := collect(class.Block(m))
	if err == nil && isOpenBC(all) {
		require.Empty(t, cmp.Diff(want, all, cmpopts.EquateEmpty()))
	}
	if err != nil { // only a block of fewer than ten bytes is not certain
		require.Less(t, 1+len(m.Data), 10)
	}
}

func TestOpenBC(t *testing.T) { rapid.Check(t, propertyOpenBC) }

func FuzzOpenBCProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyOpenBC)) }

// The recording has blocks of undamaged and damaged ships, for their owners and for others.
func TestRecordingOfOpenBC(t *testing.T) {
	p := newPipeline(testdata.OpenBC(t))
	var stock, tolerant int
	p.frame(func(l *link, payload []byte) {
		decoded, err := l.decoder.Decode(payload)
		require.NoError(t, err)
		_, err = l.tracker.Apply(decoded)
		require.NoError(t, err)
		m, ok := decoded.(*opcode.StateUpdate)
		if !ok || m.Flags&opcode.StateSubsystems == 0 {
			return
		}
		class := l.tracker.Ship(m.ObjectID).Class
		all, err := collect(class.Block(m))
		require.NoError(t, err)
		checkUpdate(t, class, m, all, payload)
		checkSplit(t, class, payload)
		if isOpenBC(all) {
			tolerant++
		} else {
			stock++
		}
	})
	require.Equal(t, []int{147, 91}, []int{stock, tolerant})
}
