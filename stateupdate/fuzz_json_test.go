package stateupdate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// FuzzParseJSON reads arbitrary classes. For a valid class, a ship can be created and updated,
// and a tracker has the same state.
func FuzzParseJSON(f *testing.F) {
	for _, subsystems := range []string{
		``, `{"kind":"hull"}`, `{"name":"?","kind":"cloak"}`, `{"kind":"shield","facings":[1,2]}`,
		`{"kind":"pulse","children":[{},{"maxCondition":1e38}]},{"kind":"reactor","mainBattery":-1}`,
		`{"kind":"shield","children":[{}]}`, `{"kind":"bridge"}`,
		`{"name":"Hull","kind":"hull","maxCondition":200},{"name":"Core","kind":"reactor","mainBattery":5e4,"backupBattery":1},
		{"name":"Engines","kind":"warp","normalPower":1,"powerMode":2,"children":[{"name":"Port","maxCondition":3}]}`,
		`{"kind":"cloak"},{"kind":"phaser"},{"kind":"torpedo"},{"kind":"tractor"},{"kind":"pulse"},{"kind":"pulse"},{"kind":"cloak"}`,
	} {
		f.Add([]byte(`{"ships":[{"species":46,"name":"X","subsystems":[` + subsystems + `]}]}`))
	}
	f.Add([]byte(`{"ships":[{"species":37,"name":"X","evidence":"inferred","subsystems":[
		{"name":"Hull","kind":"hull","idOffset":3},{"name":"W","kind":"warp","idOffset":1,"children":[{"idOffset":2}]}]}]}`))
	f.Add([]byte(`{"projectiles":[{"script":"Dart","speed":5}],"ships":[{"species":46,"physics":{"mass":1},"subsystems":[
		{"name":"P","kind":"pulse","repairComplexity":1,"children":[{"repairComplexity":1,"position":[1,2,3],"weapon":{"direction":[0,1,0],"projectile":"Dart"}}]}]}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		all, err := stateupdate.ParseJSON(text)
		if err != nil {
			require.Nil(t, all)
			require.Regexp(t, "^stateupdate: classes: line [1-9][0-9]*: ", err.Error())
			return
		}
		for _, class := range all {
			require.NoError(t, class.Validate())
			checkClass(t, class)
			checkPartIDs(t, class, slotID(0))
		}
	})
}

// checkClass creates a ship and updates all its subsystems with one block.
func checkClass(t *testing.T, class *stateupdate.Class) {
	d := stateupdate.Tracker{Classes: stateupdate.Catalogue{class}}
	ship := stateupdate.NewShip(1, class)
	for i, p := range levels(ship) {
		*p = byte(i)
	}
	object, err := ship.Object()
	require.NoError(t, err)
	change, err := d.Apply(&opcode.ObjectCreate{Object: object})
	require.NoError(t, err)
	require.Same(t, class, change.Ship.Class)
	require.Empty(t, cmp.Diff(ship.Subsystems, change.Ship.Subsystems))

	for i, p := range levels(ship) {
		*p = ^byte(i)
	}
	payload, err := class.AppendUpdate(nil, &opcode.StateUpdate{ObjectID: 1}, ship.Subsystems)
	require.NoError(t, err)
	var m opcode.StateUpdate
	require.NoError(t, opcode.Unmarshal(payload, &m))
	change, err = d.Apply(&m)
	require.NoError(t, err)
	require.Equal(t, len(class.Subsystems), change.Subsystems.Len())
	require.Empty(t, cmp.Diff(ship.Subsystems, change.Ship.Subsystems))
}
