package stateupdate_test

import (
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
)

var (
	nan = float32(math.NaN())
	inf = float32(math.Inf(1))
)

// motion returns an update with all fields but subsystems and power settings.
func motion(at float32, more opcode.StateFlags) *opcode.StateUpdate {
	return &opcode.StateUpdate{
		ObjectID: slotID(0), GameTime: at, Position: [3]float32{1, 2, 3}, Delta: compress.EncodeVector4(10, 0, 0),
		Forward: compress.Vector3{X: 127}, Up: compress.Vector3{Z: -127}, Speed: compress.EncodeFloat16(4), Cloak: true,
		Flags: opcode.StateForward | opcode.StateUp | opcode.StateSpeed | opcode.StateCloak | more,
	}
}

func withBlock(start int8, data string) *opcode.StateUpdate {
	m := motion(1, opcode.StateSubsystems)
	m.StartIndex, m.Data, m.Flags = start, unhex(data), m.Flags&^opcode.StateCloak
	return m
}

// badMessage is a message that cannot be applied as a whole to an Akira that was created.
type badMessage struct {
	message opcode.Message
	err     error
	text    string // behind the ship
	applied []int  // subsystems
	lost    bool   // the motion is not applied
}

func TestBadMessages(t *testing.T) {
	at := func(m *opcode.StateUpdate, x, y, z float32) *opcode.StateUpdate {
		m.Flags |= opcode.StatePosition
		m.Position = [3]float32{x, y, z}
		return m
	}
	power := func(entries ...opcode.PowerEntry) *opcode.StateUpdate {
		m := motion(1, opcode.StatePower)
		m.Power = entries
		return m
	}
	half := opcode.PowerEntry{Index: 5, Value: 102}
	const (
		block   = "stateupdate: decode StateUpdate."
		noPower = "power: power setting for no powered subsystem"
	)
	for name, v := range map[string]badMessage{
		"start index beyond the list": {
			withBlock(11, "ff"), stateupdate.ErrStartIndex,
			"subsystems: " + block + "StartIndex at offset 18: start index beyond the list", nil, false,
		},
		"start index negative": {
			withBlock(-2, "ff"), stateupdate.ErrStartIndex,
			"subsystems: " + block + "StartIndex at offset 18: start index beyond the list", nil, false,
		},
		"block ends inside a subsystem": {
			withBlock(10, "10 11 12"), io.ErrUnexpectedEOF,
			"subsystems: " + block + "Subsystems.Shield Generator.HasPower at offset 22: unexpected EOF",
			[]int{0, 10},
			false,
		},
		"bit count 0": {
			withBlock(8, "10 00"), stream.ErrBadBitGroup,
			"subsystems: " + block + "Subsystems.Engineering.HasPower at offset 20: bad bit group", nil, false,
		},
		"bit count 6": {
			withBlock(10, "10 11 12 c0"), stream.ErrBadBitGroup,
			"subsystems: " + block + "Subsystems.Shield Generator.HasPower at offset 22: bad bit group",
			[]int{0, 10},
			false,
		},
		"bit count 7": {
			withBlock(0, "10 11 e0"), stream.ErrBadBitGroup,
			"subsystems: " + block + "Subsystems.Shield Generator.HasPower at offset 21: bad bit group",
			[]int{0},
			false,
		},
		"power of no subsystem":             {power(opcode.PowerEntry{Index: 11}, half), stateupdate.ErrPowerIndex, noPower, []int{5}, false},
		"power of index 255":                {power(half, opcode.PowerEntry{Index: 255}), stateupdate.ErrPowerIndex, noPower, []int{5}, false},
		"power of the hull":                 {power(opcode.PowerEntry{Index: 0}, half), stateupdate.ErrPowerIndex, noPower, []int{5}, false},
		"power of the reactor":              {power(opcode.PowerEntry{Index: 3}, half), stateupdate.ErrPowerIndex, noPower, []int{5}, false},
		"position not a number":             {at(withBlock(10, "10"), 1, nan, 3), stateupdate.ErrNotFinite, "position: not a finite number", []int{10}, false},
		"position infinite":                 {at(withBlock(10, "10"), 1, 2, -inf), stateupdate.ErrNotFinite, "position: not a finite number", []int{10}, false},
		"time not a number":                 {motion(nan, 0), stateupdate.ErrNotFinite, "game time: not a finite number", nil, true},
		"time infinite":                     {motion(inf, opcode.StatePosition), stateupdate.ErrNotFinite, "game time: not a finite number", nil, true},
		"time before all times":             {motion(-inf, opcode.StatePosition), stateupdate.ErrNotFinite, "game time: not a finite number", nil, true},
		"created twice":                     {creation(t, opcode.SpeciesGalaxy), stateupdate.ErrExists, "creation: object exists", nil, true},
		"created twice, with another class": {&opcode.ObjectCreate{Object: creation(t, 46).Object}, stateupdate.ErrExists, "creation: object exists", nil, true},
	} {
		t.Run(name, func(t *testing.T) { v.check(t) })
	}
}

func (v badMessage) check(t *testing.T) {
	var d stateupdate.Tracker
	_, err := d.Apply(creation(t, opcode.SpeciesAkira))
	require.NoError(t, err)
	before := snapshot(d.Ship(slotID(0)))

	change, err := d.Apply(v.message)
	require.ErrorIs(t, err, v.err)
	require.EqualError(t, err, "stateupdate: ship 0x3fffffff: "+v.text)
	var located *stateupdate.Error
	require.ErrorAs(t, err, &located)
	require.Equal(t, slotID(0), located.ObjectID)
	require.NoError(t, checkChange(before, change))
	var applied []int
	for i := range change.Subsystems.All() {
		applied = append(applied, i)
	}
	require.Equal(t, v.applied, applied)

	want := before.Motion // the position was bad or not there
	if !v.lost {
		m := v.message.(*opcode.StateUpdate)
		want.Forward, want.Up, want.Speed, want.Cloaked = m.Forward, m.Up, m.Speed, m.Flags&opcode.StateCloak != 0
		require.Equal(t, m.GameTime, change.Ship.GameTime)
	}
	require.Equal(t, want, change.Ship.Motion)
}

// Of a power list with half an entry the rest is good.
func TestOddPowerList(t *testing.T) {
	var d stateupdate.Tracker
	_, err := d.Apply(creation(t, opcode.SpeciesAkira))
	require.NoError(t, err)
	m, err := opcode.Decode(unhex("1c ffffff3f 0000803f 80 0566 04"))
	require.ErrorIs(t, err, stream.ErrTrailing)
	change, err := d.Apply(m)
	require.NoError(t, err)
	require.Equal(t, 1, change.Subsystems.Len())
	require.Equal(t, "50%", change.Ship.Subsystems[5].Power.String())
}
