package opcode_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
)

// The objects of these tests: Ann plays slot 0 as peer 2, Bob slot 1 as peer 3.
const (
	annShip, annPhasers, annRepair, annEngine objectid.ID = 0x3FFFFFFF, 0x40000005, 0x40000018, 0x40000002
	bobShip, bobTube                          objectid.ID = 0x4003FFFF, 0x4004009C

	annPeer, bobPeer objectid.PeerID = 2, 3

	nobody = objectid.None
)

// answers returns the results of every accessor of an event that reports ok, without ok, by method
// name.
func answers(m opcode.Message) map[string][]any {
	all := map[string][]any{}
	for name, results := range questions(m) {
		last := len(results) - 1
		if results[last].(bool) {
			all[name] = results[:last]
			continue
		}
		for _, v := range results[:last] {
			if v != objectid.None && v != objectid.NoPeer {
				panic(name + " has results without ok")
			}
		}
	}
	return all
}

// questions calls every method without arguments that returns ok as its last result.
func questions(m opcode.Message) map[string][]any {
	all := map[string][]any{}
	v := reflect.ValueOf(m)
	for i := range v.NumMethod() {
		typ := v.Method(i).Type()
		if n := typ.NumOut(); typ.NumIn() > 0 || n < 2 || typ.Out(n-1).Kind() != reflect.Bool {
			continue
		}
		var results []any
		for _, out := range v.Method(i).Call(nil) {
			results = append(results, out.Interface())
		}
		all[v.Type().Method(i).Name] = results
	}
	return all
}

// Each method returns what the constructor of the same event was given.
func TestEventAccessorsOfConstructors(t *testing.T) {
	nowhere := compress.Vector3{Y: 127}
	for _, v := range []struct {
		m    opcode.Message
		name string
		want []any
	}{
		{must(opcode.NewObjectExploding(bobShip, annShip, annPeer, 9.5)), "Killed", []any{bobShip, annShip, annPeer}},
		{must(opcode.NewObjectExploding(bobShip, nobody, objectid.NoPeer, 9.5)), "Killed", []any{bobShip, nobody, objectid.NoPeer}},
		{opcode.NewDamaged(annEngine, annRepair), "Damaged", []any{annEngine, annRepair}},
		{opcode.NewRepaired(annShip, annEngine, annRepair), "Repaired", []any{annShip, annEngine, annRepair}},
		{opcode.NewRepairFailed(annShip, annEngine, annRepair), "RepairFailed", []any{annShip, annEngine, annRepair}},
		{opcode.NewPlayerJoined(annPeer), "Joined", []any{annPeer}},
		{opcode.NewPlayerLeft(bobPeer), "Left", []any{bobPeer}},
		{opcode.NewTargetChanged(annShip, bobShip), "TargetChanged", []any{annShip, bobShip}},
		{must(opcode.NewCollisionEffect(annShip, bobShip, nil, 500)), "Collided", []any{annShip, bobShip}},
		{opcode.NewStartFiring(annPhasers, bobShip), "Fired", []any{annPhasers, bobShip}},
		{opcode.NewStartFiring(annPhasers, nobody), "Fired", []any{annPhasers, nobody}},
		{opcode.NewTorpedoFire(bobTube, bobPeer, nowhere, annShip, compress.Contact{}), "Fired", []any{bobTube, annShip}},
		{opcode.NewTorpedoFire(bobTube, bobPeer, nowhere, nobody, compress.Contact{}), "Fired", []any{bobTube, nobody}},
		{opcode.NewBeamFire(annPhasers, annPeer, nowhere, bobShip), "Fired", []any{annPhasers, bobShip}},
		{opcode.NewBeamFire(annPhasers, annPeer, nowhere, nobody), "Fired", []any{annPhasers, nobody}},
	} {
		require.Equal(t, map[string][]any{v.name: v.want}, answers(v.m), "%v", v.m)
	}
}

// The golden vectors in the table have these results, by vector name. All other vectors have none.
func TestEventAccessorsOfVectors(t *testing.T) {
	want := map[string]map[string][]any{
		"python-event-object-exploding-collision":     {"Killed": {annShip, nobody, objectid.NoPeer}},
		"python-event-object-exploding-self-destruct": {"Killed": {annShip, nobody, objectid.NoPeer}},
		"python-event-object-exploding-killed":        {"Killed": {bobShip, annShip, annPeer}},
		"python-event-add-to-repair-list-cloak":       {"Damaged": {annEngine, annRepair}},
		"python-event-add-to-repair-list-74-85":       {"Damaged": {objectid.ID(0x40000074), objectid.ID(0x40000085)}},
		"python-event-add-to-repair-list-openbc":      {"Damaged": {objectid.ID(0x10), objectid.ID(0x1E)}},
		"python-event-repair-completed":               {"Repaired": {annShip, annEngine, annRepair}},
		"python-event-repair-cannot-be-completed":     {"RepairFailed": {annShip, annEngine, annRepair}},
		"delete-player-ui-join-6a8":                   {"Joined": {annPeer}},
		"delete-player-ui-join-64f":                   {"Joined": {annPeer}},
		"delete-player-ui-join-791-p2":                {"Joined": {annPeer}},
		"delete-player-ui-join-791-p3":                {"Joined": {bobPeer}},
		"delete-player-ui-leave":                      {"Left": {bobPeer}},
		"python-event2-changed-target":                {"TargetChanged": {bobShip, annShip}},
		"collision-effect-1281":                       {"Collided": {annShip, nobody}},
		"collision-effect-661":                        {"Collided": {bobShip, nobody}},
		"collision-effect-1174":                       {"Collided": {annShip, nobody}},
		"collision-effect-1165":                       {"Collided": {annShip, nobody}},
		"collision-effect-1142":                       {"Collided": {annShip, nobody}},
		"collision-effect-485":                        {"Collided": {annShip, nobody}},
		"start-firing":                                {"Fired": {annPhasers, nobody}},
	}
	found := 0
	for _, v := range vectors(t) {
		m, err := opcode.Decode(v.Hex)
		if _, isEvent := m.(opcode.EventMessage); err != nil || !isEvent {
			continue
		}
		got := answers(m)
		if want[v.Name] == nil {
			require.Empty(t, got, v.Name)
			continue
		}
		require.Equal(t, want[v.Name], got, v.Name)
		found++
	}
	require.Equal(t, len(want), found)
}

// Fired returns the weapon and the target of captured shots, and of OpenBC's forms.
func TestShotsOfPayloads(t *testing.T) {
	for payload, want := range map[string][2]objectid.ID{
		"190d0000400201df8711ffff03400088d85c":               {0x4000000D, 0x4003FFFF},
		"190d0000400205007f00":                               {0x4000000D, 0},
		"19130008400100f1bc69":                               {0x40080013, 0},          // no flag for the missing target
		"19ffffff3f02020d7be6ffff03406e37e55e46":             {0x3FFFFFFF, 0x4003FFFF}, // an offset of five bytes
		"1a7700044002df871101":                               {0x40040077, 0},
		"1a7700044002df871103ffffff3f":                       {0x40040077, 0x3FFFFFFF},
		"0728810000d800800000000000050000400000000000000000": {0x40000005, 0},
	} {
		m, err := opcode.Decode(testdata.Bytes(payload))
		require.NoError(t, err)
		weapon, target, ok := m.(opcode.Shot).Fired()
		require.True(t, ok, payload)
		require.Equal(t, want, [2]objectid.ID{weapon, target}, payload)
	}
	// Fired ignores a target that is not on the wire.
	_, target, _ := (&opcode.TorpedoFire{Flags: opcode.TorpedoNoTarget, TargetID: bobShip}).Fired()
	require.Equal(t, objectid.None, target)
	_, target, _ = (&opcode.BeamFire{TargetID: bobShip}).Fired()
	require.Equal(t, objectid.None, target)
}

// An event of another class or code has no results, even if its fields are set.
func TestEventAccessorsRequireClassAndCode(t *testing.T) {
	type event struct {
		op    opcode.Code
		class opcode.EventClass
		code  opcode.EventCode
	}
	known := map[event]map[string][]any{}
	for _, v := range knownEvents {
		e := v.m.Envelope()
		known[event{v.m.Opcode(), e.Class, e.Code}] = answers(v.m)
	}
	classes, codes := []opcode.EventClass{0, classStringEvent, 0xFFFFFFFF}, []opcode.EventCode{0, 0xFFFFFFFF}
	for _, v := range knownEvents {
		classes = append(classes, v.m.Envelope().Class)
		code := v.m.Envelope().Code
		codes = append(codes, code, code-1, code+1) // among them the codes that receivers give
	}
	asked := map[string]bool{}
	for _, op := range types {
		m, isEvent := opcode.New(op).(opcode.EventMessage)
		if !isEvent {
			continue
		}
		for _, class := range classes {
			for _, code := range codes {
				*m.Envelope() = opcode.Event{
					Class: class, Code: code, Source: 1, Dest: 2, Object: 3, PlayerID: 4, TargetID: 5, FiringPlayerID: 6,
				}
				got, all := answers(m), known[event{op, class, code}]
				require.Len(t, got, len(all), "%v", m)
				for name := range all {
					require.Contains(t, got, name)
					asked[name] = true
				}
			}
		}
	}
	require.Len(t, asked, 9)
}

// knownEvents are the known events on the wire, with the names of their codes.
var knownEvents = []struct {
	m    opcode.EventMessage
	code string
}{
	{opcode.NewDamaged(1, 2), "ETAddToRepairList"},
	{opcode.NewRepaired(1, 2, 3), "ETRepairCompleted"},
	{opcode.NewRepairFailed(1, 2, 3), "ETRepairCannotBeCompleted"},
	{must(opcode.NewObjectExploding(1, 2, 3, 9.5)), "ETObjectExploding"},
	{opcode.NewStartFiring(1, 2), "ETStartFiringNotify"},
	{opcode.NewStopFiring(1), "ETStopFiringNotify"},
	{opcode.NewSubsystemStatus(1, true), "ETSubsystemStateChangedNotify"},
	{opcode.NewTargetChanged(1, 2), "ETTargetWasChanged"},
	{must(opcode.NewStartWarp(1, "Multi1", [4]float32{})), "ETStartWarpNotify"},
	{opcode.NewRepairListPriority(1, 2), "ETRepairIncreasePriority"},
	{must(opcode.NewSetPhaserLevel(1, opcode.PhaserLow)), "ETSetPhaserLevel"},
	{must(opcode.NewCollisionEffect(1, 2, nil, 1)), "ETObjectCollision"},
	{opcode.NewPlayerJoined(2), "ETNewPlayerInGame"},
	{opcode.NewPlayerLeft(2), "ETNetworkDeletePlayer"},
	{must(opcode.NewTorpedoTypeChange(1, 2)), "ETNetTorpedoTypeChangedNotify"},
	{&opcode.AddToRepairList{Event: opcode.Event{Class: opcode.ClassEvent, Code: opcode.ETAddToRepairList}}, "ETAddToRepairList"},
	{&opcode.StartCloaking{Event: opcode.Event{Class: opcode.ClassEvent, Code: opcode.ETStartCloakingNotify}}, "ETStartCloakingNotify"},
	{&opcode.StopCloaking{Event: opcode.Event{Class: opcode.ClassEvent, Code: opcode.ETStopCloakingNotify}}, "ETStopCloakingNotify"},
	{&opcode.StopFiringAtTarget{Event: opcode.Event{Class: opcode.ClassObjPtrEvent, Code: opcode.ETStopFiringAtTargetNotify}}, "ETStopFiringAtTargetNotify"},
}
