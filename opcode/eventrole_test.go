package opcode_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
)

// roleRow is a row of a table of roles in the doc comment of a message.
type roleRow struct {
	op    opcode.Code
	code  string // the name of the constant
	field string
	grade string
}

// roles returns the tables of roles in the doc comments.
func roles(t *testing.T) (rows []roleRow) {
	docs := typeDocs(t)
	for _, op := range types {
		code := ""
		for _, line := range strings.Split(docs[op.String()], "\n") {
			c := columns.Split(strings.TrimSpace(line), -1)
			switch {
			case !strings.HasPrefix(line, "\t"):
				code = ""
			case strings.HasPrefix(c[0], "field of ET"):
				require.Equal(t, []string{"evidence", "role"}, c[1:], op)
				code = strings.TrimPrefix(c[0], "field of ")
			case code != "":
				require.Len(t, c, 3, "%v: %q", op, line)
				rows = append(rows, roleRow{op, code, c[0], c[1]})
			}
		}
	}
	return rows
}

// idsOf returns the fields of an event class that name an object or a player.
func idsOf(class opcode.EventClass) []string {
	fields := []string{"Source", "Dest"}
	switch class {
	case opcode.ClassObjPtrEvent:
		return append(fields, "Object")
	case opcode.ClassStartFiringEvent:
		return append(fields, "TargetID")
	case opcode.ClassPlayerEvent:
		return append(fields, "PlayerID")
	case opcode.ClassObjectExplodingEvent:
		return append(fields, "FiringPlayerID")
	}
	return fields
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
	{opcode.NewStopFiringAtTarget(1, 2), "ETStopFiringAtTargetNotify"},
	{opcode.NewSubsystemStatus(1, true), "ETSubsystemStateChangedNotify"},
	{opcode.NewAddToRepairList(1, 2), "ETAddToRepairList"},
	{opcode.NewTargetChanged(1, 2), "ETTargetWasChanged"},
	{opcode.NewStartCloaking(1), "ETStartCloakingNotify"},
	{opcode.NewStopCloaking(1), "ETStopCloakingNotify"},
	{must(opcode.NewStartWarp(1, "Multi1", [4]float32{})), "ETStartWarpNotify"},
	{opcode.NewRepairListPriority(1, 2), "ETRepairIncreasePriority"},
	{must(opcode.NewSetPhaserLevel(1, opcode.PhaserLow)), "ETSetPhaserLevel"},
	{must(opcode.NewCollisionEffect(1, 2, nil, 1)), "ETObjectCollision"},
	{opcode.NewPlayerJoined(2), "ETNewPlayerInGame"},
	{opcode.NewPlayerLeft(2), "ETNetworkDeletePlayer"},
	{must(opcode.NewTorpedoTypeChange(1, 2)), "ETNetTorpedoTypeChangedNotify"},
}

// The doc comment of each known event has a table with the roles of its IDs. A role is observed
// only if an observed vector has the event.
func TestEventRolesAreDocumented(t *testing.T) {
	observed := map[opcode.EventCode]bool{}
	for _, v := range vectors(t) {
		if m, err := opcode.Decode(v.Hex); err == nil && (v.Kind == "observed" || v.Kind == "rebuilt") {
			if e, ok := m.(opcode.EventMessage); ok {
				observed[e.Envelope().Code] = true
			}
		}
	}
	var want []roleRow
	rows := roles(t)
	for _, known := range knownEvents {
		for _, field := range idsOf(known.m.Envelope().Class) {
			i := slices.IndexFunc(rows, func(r roleRow) bool {
				return r.op == known.m.Opcode() && r.code == known.code && r.field == field
			})
			require.NotEqual(t, -1, i, "%v.%s of %s has no role", known.m.Opcode(), field, known.code)
			grade := rows[i].grade
			require.Contains(t, []string{"observed", "documented", "inferred"}, grade)
			require.True(t, grade != "observed" || observed[known.m.Envelope().Code], "%v of %s: no vector is observed", known.m.Opcode(), known.code)
			want = append(want, rows[i])
		}
	}
	require.ElementsMatch(t, want, rows)
	for _, op := range types {
		if _, isEvent := opcode.New(op).(opcode.EventMessage); isEvent && op != opcode.OpClientEvent {
			require.True(t, slices.ContainsFunc(rows, func(r roleRow) bool { return r.op == op }), op)
		}
	}
}
