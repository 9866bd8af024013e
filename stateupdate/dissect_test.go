package stateupdate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// Visit passes the fields of opcode.Dissect for messages without subsystems.
func TestVisitOthers(t *testing.T) {
	class := stateupdate.Stock().Named("akira")
	for name, payload := range map[string][]byte{
		"empty":        nil,
		"chat":         testdata.Bytes("2c 02 000000 0500 48454c4c4f"),
		"unknown":      testdata.Bytes("d4 0102"),
		"cut":          testdata.Bytes("19 0d0000"),
		"object alone": testdata.Bytes("02 00 08800000"),
	} {
		_, want, wantErr := opcode.Dissect(payload)
		got, err := dissect(class, payload)
		if name == "object alone" { // truncated, but possibly a ship
			require.EqualError(t, err, "stateupdate: decode ObjectCreate.ObjectID at offset 6: unexpected EOF")
			continue
		}
		require.Equal(t, fmt.Sprint(wantErr), fmt.Sprint(err), name)
		require.Len(t, got, len(want), name)
		for i := range want {
			require.Equal(t, []any{want[i].Path(), want[i].Value(), want[i].Raw}, []any{got[i].Path(), got[i].Value(), got[i].Raw}, name)
		}
	}
	torpedo := testdata.Bytes("02 00 09800000 ffffff3f 02 0102030405")
	fields, err := dissect(class, torpedo)
	require.NoError(t, err)
	checkCover(t, torpedo, fields)
	last := fields[len(fields)-1]
	require.Equal(t, "Raw", last.Path())
	require.Equal(t, torpedo[11:], last.Raw)
}

// An empty update, or an update with power settings, has no subsystems.
func TestVisitUpdate(t *testing.T) {
	class := stateupdate.Stock().Named("akira")
	for wire, paths := range map[string][]string{
		"1c ffffff3f 0000803f 80 01cc 02ff": {"Power[0].Index", "Power[0].Value", "Power[1].Index", "Power[1].Value"},
		"1c ffffff3f 0000803f 00":           nil,
		"1c ffffff3f 0000803f 20 0a":        {"StartIndex"},
		"1c ffffff3f 0000803f a0 0a ff":     {"StartIndex", "Subsystems.Bridge.Condition"},
		"1c ffffff3f 0000803f 20 0a ff ff":  {"StartIndex", "Subsystems.Bridge.Condition", "Subsystems.Hull.Condition"},
		"1c ffffff3f 0000803f 20 08 ff 21 64": {
			"StartIndex", "Subsystems.Engineering.Condition", "Subsystems.Engineering.HasPower",
			"Subsystems.Engineering.Power",
		},
	} {
		payload := testdata.Bytes(wire)
		fields, err := dissect(class, payload)
		require.NoError(t, err)
		checkCover(t, payload, fields)
		var got []string
		for _, f := range fields[4:] {
			got = append(got, f.Path())
		}
		require.Equal(t, paths, got, wire)
	}
	_, err := dissect(new(stateupdate.Class), testdata.Bytes("1c ffffff3f 0000803f 00"))
	require.NoError(t, err, "the class has no subsystems")
}

// AppendUpdate clears the flag for power, unless the message also has the flag for subsystems.
func TestAppendUpdateFlags(t *testing.T) {
	class := stateupdate.Stock().Named("akira")
	all := stateupdate.NewShip(1, class).Subsystems[10:]
	for flags, want := range map[opcode.StateFlags]opcode.StateFlags{
		0: opcode.StateSubsystems, opcode.StatePower: opcode.StateSubsystems,
		opcode.StateSubsystems | opcode.StatePower: opcode.StateSubsystems | opcode.StatePower,
	} {
		m := &opcode.StateUpdate{Flags: flags, Power: []opcode.PowerEntry{{Index: 1}}, Data: []byte("old")}
		b, err := class.AppendUpdate(nil, m, all)
		require.NoError(t, err)
		require.Equal(t, []byte{byte(want), 10, 0xFF}, b[9:])
		require.Equal(t, flags, m.Flags)
	}
}

// Both creation messages contain the same object, and their dissections the same values.
func TestVisitCreation(t *testing.T) {
	team := creation(t, opcode.SpeciesBirdOfPrey)
	class := stateupdate.Stock().Named("birdofprey")
	shown := func(m opcode.Message) map[string]any {
		payload, err := opcode.Append(nil, m)
		require.NoError(t, err)
		fields, err := dissect(class, payload)
		require.NoError(t, err)
		checkCover(t, payload, fields)
		values := map[string]any{}
		for _, f := range fields[1:] {
			values[f.Path()] = f.Value()
		}
		return values
	}
	got := shown(&opcode.ObjectCreate{OwnerSlot: team.OwnerSlot, Object: team.Object})
	want := shown(team)
	require.Equal(t, objectid.PeerID(2), want["NetPlayerID"])
	delete(want, "NetPlayerID")
	require.Equal(t, want, got)
	require.Equal(t, stateupdate.Level(127), got["Subsystems.Hull.Condition"])
	require.Equal(t, stateupdate.Level(255), got["Subsystems.Warp Core.MainBattery"])
	require.Equal(t, stateupdate.Level(255), got["Subsystems.Warp Core.BackupBattery"])
	require.Equal(t, "100% off", fmt.Sprint(got["Subsystems.Cloaking Device.Power"]))
	require.Equal(t, false, got["Subsystems.Cloaking Device.Cloaked"])
}

// Object rejects names outside Windows-1252 and statuses of another class.
func TestObjectFails(t *testing.T) {
	for name, v := range map[string]struct {
		spoil func(*stateupdate.Ship)
		err   error
	}{
		"name":    {func(s *stateupdate.Ship) { s.PlayerName = "Ω" }, stream.ErrText},
		"set":     {func(s *stateupdate.Ship) { s.SetName = "銀河" }, stream.ErrText},
		"systems": {func(s *stateupdate.Ship) { s.Subsystems = s.Subsystems[1:] }, stateupdate.ErrOrder},
		"parts":   {func(s *stateupdate.Ship) { s.Subsystems[1].Parts = nil }, stream.ErrRange},
	} {
		ship := stateupdate.NewShip(1, stateupdate.Stock().Named("akira"))
		v.spoil(ship)
		object, err := ship.Object()
		require.ErrorIs(t, err, v.err, name)
		require.Zero(t, object, name)
	}
	empty := stateupdate.NewShip(1, new(stateupdate.Class))
	object, err := empty.Object()
	require.NoError(t, err)
	require.Empty(t, object.SubsystemsRaw)
}

// Encoding messages does not modify the ship.
func TestEncodingDoesNotModifyShip(t *testing.T) {
	ship := newShip(1, stateupdate.Stock().Named("warbird"))
	for i := range ship.Subsystems {
		ship.Subsystems[i].HasPower = i%2 == 0
	}
	before := ship.Clone()
	_, err := ship.Object()
	require.NoError(t, err)
	for _, role := range roles {
		e := role.encoder()
		_, err := e.Append(nil, seconds(1), ship)
		require.NoError(t, err)
	}
	_, err = ship.Class.AppendUpdate(nil, &opcode.StateUpdate{}, ship.Subsystems)
	require.NoError(t, err)
	require.Equal(t, before, ship)
}
