package stateupdate_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// node is a subsystem in a golden vector.
type node struct {
	Index         int
	Name, Kind    string
	Condition     int
	Children      []int
	HasPower      *bool
	Power         *int
	MainBattery   *int
	BackupBattery *int
	Facings       []int
	Flag          *bool
	PhaserLevel   *int
	AmmoType      *int
	TractorMode   *int
	Cloak         *bool
}

type block struct {
	testdata.Vector
	Form       string
	Species    opcode.Species
	Hex        testdata.Hex
	StartIndex *int
	NextIndex  *int
	Subsystems []node
	Error      string
}

type payload struct {
	testdata.Vector
	Hex        testdata.Hex
	Opcode     testdata.Number
	Species    opcode.Species
	Subsystems []node
	Error      string
	ErrorAt    string
}

var sentinels = map[string]error{"badBitGroup": stream.ErrBadBitGroup, "trailing": stream.ErrTrailing}

func TestBlockVectors(t *testing.T) {
	for _, v := range testdata.Load[block](t, "blocks.json") {
		t.Run(v.Name, func(t *testing.T) {
			class := stateupdate.Stock().Species(v.Species)
			require.NotNil(t, class)
			if v.Form == "create" {
				all, err := collect(class.Blob(v.Hex))
				require.NoError(t, err)
				checkNodes(t, v.Subsystems, all, true)
				again, err := class.AppendBlob(nil, all)
				require.NoError(t, err)
				require.Equal(t, []byte(v.Hex), again)
				return
			}
			m := &opcode.StateUpdate{Flags: opcode.StateSubsystems, StartIndex: int8(v.Hex[0]), Data: v.Hex[1:]}
			all, err := collect(class.Block(m))
			if v.Error != "" {
				require.ErrorIs(t, err, sentinels[v.Error])
				return
			}
			require.NoError(t, err)
			checkNodes(t, v.Subsystems, all, false)
			require.Equal(t, *v.NextIndex, int(all[len(all)-1].Index+1)%len(class.Subsystems))
			want, err := opcode.Marshal(m)
			require.NoError(t, err)
			checkUpdate(t, class, m, all, want)
		})
	}
}

func TestPayloadVectors(t *testing.T) {
	split := 0
	for _, v := range testdata.Load[payload](t, "payloads.json") {
		if v.Species == 0 {
			continue
		}
		split++
		t.Run(v.Name, func(t *testing.T) {
			class := stateupdate.Stock().Species(v.Species)
			m, err := opcode.Decode(v.Hex)
			require.NoError(t, err)
			fields, dissectErr := dissect(class, v.Hex)
			checkCover(t, v.Hex, fields)
			var all []stateupdate.Status
			switch m := m.(type) {
			case *opcode.StateUpdate:
				all, err = collect(class.Block(m))
				require.NoError(t, err)
				checkUpdate(t, class, m, all, v.Hex)
			case *opcode.ObjectCreate:
				all, err = collect(class.Blob(m.SubsystemsRaw))
			case *opcode.ObjectCreateTeam:
				all, err = collect(class.Blob(m.SubsystemsRaw))
				if v.Error != "" {
					require.ErrorIs(t, err, sentinels[v.Error])
					require.ErrorIs(t, dissectErr, sentinels[v.Error])
					return
				}
				again, err := class.AppendBlob(nil, all)
				require.NoError(t, err)
				require.Equal(t, m.SubsystemsRaw, again)
			}
			require.NoError(t, err)
			require.NoError(t, dissectErr)
			checkNodes(t, v.Subsystems, all, opcode.Code(v.Opcode) != opcode.OpStateUpdate)
		})
	}
	require.GreaterOrEqual(t, split, 6)
}

// In all captured create blobs, the flags of weapons are false, and no ship has a cloaking device.
func TestCapturedBlobs(t *testing.T) {
	blobs := 0
	for name, m := range capturedShips(t) {
		class := stateupdate.Stock().Species(m.Species)
		require.NotNil(t, class, name)
		all, err := collect(class.Blob(m.SubsystemsRaw))
		if err != nil {
			continue
		}
		blobs++
		for _, s := range all {
			require.False(t, s.Flag || s.HasCloak, "%s: %v", name, s)
			require.NotEqual(t, stateupdate.KindCloak, s.Subsystem.Kind, name)
		}
	}
	require.NotZero(t, blobs)
}

// checkUpdate encodes a block again, after other bytes.
func checkUpdate(t *testing.T, class *stateupdate.Class, m *opcode.StateUpdate, all []stateupdate.Status, want []byte) {
	t.Helper()
	again, err := class.AppendUpdate([]byte("before"), m, all)
	require.NoError(t, err)
	require.Equal(t, append([]byte("before"), want...), again)
}

func collect(block func(func(stateupdate.Status, error) bool)) (all []stateupdate.Status, err error) {
	for s, e := range block {
		if e != nil {
			return all, e
		}
		all = append(all, s)
	}
	return all, nil
}

func checkCover(t *testing.T, payload []byte, fields []stream.Field) {
	t.Helper()
	at := 0
	for _, f := range fields {
		if len(f.Raw) > 0 {
			require.Equal(t, at, f.Offset, f.Path())
			at += len(f.Raw)
		}
	}
	require.Equal(t, len(payload), at)
}

func checkNodes(t *testing.T, want []node, all []stateupdate.Status, create bool) {
	t.Helper()
	require.Len(t, all, len(want))
	for i := range want {
		require.Equal(t, want[i], nodeOf(&all[i], create), "subsystem %d", i)
	}
}

// nodeOf returns a status in the form of the vectors.
func nodeOf(s *stateupdate.Status, create bool) node {
	kind := s.Subsystem.Kind
	n := node{
		Index: int(s.Index), Name: s.Subsystem.Name, Kind: kind.String(), Condition: int(s.Condition),
	}
	if kind == stateupdate.KindShield {
		n.Facings = ints(s.Parts)
	} else {
		n.Children = ints(s.Parts)
	}
	if kind == stateupdate.KindReactor {
		n.MainBattery, n.BackupBattery = new(int(s.MainBattery)), new(int(s.BackupBattery))
	}
	if !create {
		if kind.Powered() && !(kind == stateupdate.KindShield && s.OpenBC) {
			n.HasPower = new(s.HasPower)
		}
		if s.HasPower {
			n.Power = new(int(s.Power.Percent()))
		}
		return n
	}
	if kind.Powered() {
		n.Power = new(int(s.Power.Percent()))
		if s.Off {
			*n.Power *= -1
		}
	}
	if isWeapon(kind) {
		n.Flag = new(s.Flag)
	}
	switch kind {
	case stateupdate.KindPhaser:
		n.PhaserLevel = new(int(s.Mode))
	case stateupdate.KindTorpedo:
		n.AmmoType = new(int(s.Mode))
	case stateupdate.KindTractor:
		n.TractorMode = new(int(s.Mode))
	case stateupdate.KindCloak:
		if s.HasCloak {
			n.Cloak = new(s.Cloaked)
		}
	}
	return n
}

func ints(levels stateupdate.Levels) (out []int) {
	for i := range levels {
		out = append(out, int(levels[i]))
	}
	return out
}

// Messages that are not in the table of Apply change nothing.
func TestOtherMessagesChangeNothing(t *testing.T) {
	applied := []opcode.Code{
		opcode.OpObjectCreate, opcode.OpObjectCreateTeam, opcode.OpStateUpdate, opcode.OpPythonEvent,
		opcode.OpEnterSet, opcode.OpDestroyObject, opcode.OpRestartGame,
	}
	d, ship := akira(t)
	before := ship.Clone()
	seen := map[opcode.Code]bool{}
	for _, file := range []string{"payloads.json", "payloads-constructed.json"} {
		for _, v := range testdata.Load[payload](t, file) {
			m, err := opcode.Decode(v.Hex)
			if err != nil || slices.Contains(applied, m.Opcode()) {
				continue
			}
			seen[m.Opcode()] = true
			require.Equal(t, stateupdate.Change{}, apply(t, d, m), v.Name)
		}
	}
	require.Greater(t, len(seen), 40)
	require.Same(t, ship, d.Ship(ship.ID))
	require.Equal(t, before, ship)
}
