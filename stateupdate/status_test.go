package stateupdate_test

import (
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// A new ship is created with the bytes of a captured creation.
func TestNewShip(t *testing.T) {
	seen := 0
	for _, v := range testdata.Load[block](t, "blocks.json") {
		if v.Form != "create" {
			continue
		}
		ship := stateupdate.NewShip(1, stateupdate.Stock().Species(v.Species))
		object, err := ship.Object()
		require.NoError(t, err)
		require.Equal(t, []byte(v.Hex), object.SubsystemsRaw)
		seen++
		for i := range ship.Subsystems {
			require.Equal(t, len(ship.Subsystems[i].Parts), cap(ship.Subsystems[i].Parts), "an append to Parts overwrites the next subsystem")
		}
	}
	require.NotZero(t, seen)
}

// The last class with a species or name takes precedence.
func TestCatalogueOrder(t *testing.T) {
	first, last := &stateupdate.Class{Species: 46, Key: "x"}, &stateupdate.Class{Species: 46, Key: "x"}
	all := stateupdate.Catalogue{first, last}
	require.Same(t, last, all.Species(46))
	require.Same(t, last, all.Named("X"))
}

func TestValidateCapacities(t *testing.T) {
	for _, bad := range []float32{-1, nan, inf, -inf} {
		for name, s := range map[string]stateupdate.Subsystem{
			"condition": {MaxCondition: bad}, "power": {NormalPower: bad}, "main battery": {MainBattery: bad}, "backup battery": {BackupBattery: bad},
			"facing": {Facings: [6]float32{5: bad}}, "child": {Children: []stateupdate.Child{{}, {MaxCondition: bad}}},
		} {
			class := stateupdate.Class{Subsystems: []stateupdate.Subsystem{{}, s}}
			require.ErrorIs(t, class.Validate(), stateupdate.ErrClass, "%s %v", name, bad)
		}
	}
}

func TestPoints(t *testing.T) {
	ship := stateupdate.NewShip(1, stateupdate.Stock().Named("akira"))
	ship.Subsystems[0].Condition = 51
	require.Equal(t, float32(1800), ship.FirstOf(stateupdate.KindHull).Points())
	require.Nil(t, ship.FirstOf(stateupdate.KindCloak))
}

// The zero Status, which accompanies an error, has no subsystem.
func TestZeroStatus(t *testing.T) {
	akira := stateupdate.Stock().Named("akira")
	_, err := collect(akira.Blob([]byte{1}))
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	for s, err := range akira.Blob(nil) {
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.Equal(t, "no subsystem", s.String())
		require.Zero(t, s.Points())
	}
}

func TestShieldFaces(t *testing.T) {
	require.Equal(t, "front rear top bottom left right Face 6", fmt.Sprint(
		stateupdate.FaceFront, stateupdate.FaceRear, stateupdate.FaceTop,
		stateupdate.FaceBottom, stateupdate.FaceLeft, stateupdate.FaceRight, stateupdate.ShieldFace(6)))
}

// A block after an unpacked bool has its own bit group.
func TestBlockAfterPlainBool(t *testing.T) {
	for _, head := range []string{"21 0000803f 00000040 00004040 00", "60 00", "60 01"} {
		d := opcode.Decoder{Tolerant: true}
		m, err := d.Decode(testdata.Bytes("1c ffffff3f 0000c842" + head + "02 ff 2164 ff7f7f"))
		require.NoError(t, err)
		all, err := collect(stateupdate.Stock().Named("akira").Block(m.(*opcode.StateUpdate)))
		require.NoError(t, err)
		require.Len(t, all, 2)
		require.Equal(t, "Sensor Array 100% power 100%", all[0].String())
	}
}

func TestStatusText(t *testing.T) {
	ship := stateupdate.NewShip(1, stateupdate.Stock().Named("vorcha"))
	all := ship.Subsystems
	all[1].Parts[2], all[1].Power = 127, stateupdate.PowerPercent(125)
	all[2].MainBattery = 0
	all[5].Mode, all[5].Flag, all[5].HasPower = 2, true, false
	all[8].Cloaked, all[8].Off = true, true
	for i, text := range map[int]string{
		0:  "Hull 100%",
		1:  "Shield Generator 100% power 125% facings 100/100/50/100/100/100%",
		2:  "Warp Core 100% main 0% backup 100%",
		3:  "Disruptor Beams 100% power 100% children 100% level medium",
		5:  "Torpedoes 100% children 100/100/100% type 2 flag",
		8:  "Cloaking Device 100% power 100% off cloaked",
		11: "Tractors 100% power 100% children 100/100% mode " + opcode.TractorMode(1).String(),
	} {
		require.Equal(t, text, all[i].String())
	}
}

func TestKinds(t *testing.T) {
	for k := range 14 {
		kind := stateupdate.Kind(k)
		require.Equal(t, k != 0 && k != 3 && k < 12, kind.Powered(), "%v", kind)
	}
	require.Equal(t, "Kind(12)", stateupdate.Kind(12).String())
}

// A loop may end early.
func TestIterationsStopEarly(t *testing.T) {
	class := stateupdate.Stock().Named("akira")
	ship := stateupdate.NewShip(1, class)
	blob := blobOf(t, class, true)
	payload, err := class.AppendUpdate(nil, &opcode.StateUpdate{}, ship.Subsystems)
	require.NoError(t, err)
	m := new(opcode.StateUpdate)
	require.NoError(t, opcode.Unmarshal(append(payload, "trailing"...), m))
	for stop := range 11 {
		for _, each := range []func(func(stateupdate.Status, error) bool){class.Block(m), class.Blob(append(blob, 1))} {
			n := 0
			for s, err := range each {
				require.NoError(t, err)
				require.Equal(t, n, int(s.Index))
				if n++; n > stop {
					break
				}
			}
			require.Equal(t, stop+1, n)
		}
	}
	var d stateupdate.Tracker
	for id := range 3 {
		m := creation(t, opcode.SpeciesAkira)
		m.ObjectID, m.OwnerSlot = slotID(id), objectid.Slot(id)
		apply(t, &d, m)
	}
	for range d.Ships() {
		break
	}
	m.Flags = opcode.StatePower
	for range class.Block(m) {
		require.Fail(t, "a message without subsystems has none")
	}
}

func TestIndexSet(t *testing.T) {
	d, _ := akira(t)
	set := apply(t, d, withBlock(9, "01 02 03 40 04 05 06 010203040506")).Subsystems
	require.Equal(t, stateupdate.IndexSet{1<<0 | 1<<1 | 1<<9 | 1<<10}, set)
	require.True(t, set.Has(0) && set.Has(1) && set.Has(9) && set.Has(10))
	require.Equal(t, 4, set.Len())
	require.False(t, set.Has(-1) || set.Has(2) || set.Has(128) || set.Has(math.MaxInt))
}

// Statuses to encode must be consecutive subsystems of the class.
func TestAppendRequiresConsecutiveSubsystems(t *testing.T) {
	class := stateupdate.Stock().Named("akira")
	systems := func(order ...int) (all []stateupdate.Status) {
		ship := stateupdate.NewShip(1, class)
		for _, i := range order {
			all = append(all, ship.Subsystems[i])
		}
		return all
	}
	round := []int{7, 8, 9, 10, 0, 1, 2, 3, 4, 5, 6}
	other := stateupdate.NewShip(1, stateupdate.Stock().Named("galaxy")).Subsystems
	update := func(all []stateupdate.Status) ([]byte, error) {
		return class.AppendUpdate([]byte("before"), &opcode.StateUpdate{StartIndex: 3}, all)
	}
	blob := func(all []stateupdate.Status) ([]byte, error) { return class.AppendBlob([]byte("before"), all) }
	for name, v := range map[string]struct {
		encode func([]stateupdate.Status) ([]byte, error)
		all    []stateupdate.Status
		err    error
	}{
		"a round":                          {update, systems(round...), nil},
		"none":                             {update, nil, nil},
		"the last and the first subsystem": {update, systems(10, 0), nil},
		"a missing subsystem":              {update, systems(2, 4), stateupdate.ErrOrder},
		"a repeated subsystem":             {update, systems(2, 2), stateupdate.ErrOrder},
		"more than a round":                {update, systems(append(round, 7)...), stateupdate.ErrOrder},
		"subsystems of another class":      {update, other[2:4], stateupdate.ErrOrder},
		"a status without a subsystem":     {update, []stateupdate.Status{{}}, stateupdate.ErrOrder},
		"an index out of range":            {update, []stateupdate.Status{{Index: 11, Subsystem: &class.Subsystems[0]}}, stateupdate.ErrOrder},
		"empty blob":                       {blob, nil, stateupdate.ErrOrder},
		"blob of some subsystems":          {blob, systems(0, 1, 2), stateupdate.ErrOrder},
		"blob in another order":            {blob, systems(round...), stateupdate.ErrOrder},
		"blob with a repeated subsystem":   {blob, systems(0, 1, 1, 3, 4, 5, 6, 7, 8, 9, 10), stateupdate.ErrOrder},
		"blob of all subsystems":           {blob, systems(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), nil},
		"blob with power above 127":        {blob, with(systems(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), 128), stream.ErrRange},
	} {
		b, err := v.encode(v.all)
		require.ErrorIs(t, err, v.err, name)
		require.Equal(t, "before", string(b[:6]), name)
		require.Equal(t, err != nil, len(b) == 6, name)
	}
}

func with(all []stateupdate.Status, percent uint8) []stateupdate.Status {
	all[2].Power = stateupdate.PowerPercent(percent)
	return all
}
