package opcode_test

import (
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// The tests in this file are about statements of the docs on captures. The captures are the golden
// vectors.

// captured iterates over the vectors whose bytes or parts were captured, decoded.
func captured(t *testing.T, f func(v *vector, m opcode.Message)) {
	t.Helper()
	for _, v := range vectors(t) {
		if v.Kind == "observed" || v.Kind == "rebuilt" {
			m, err := opcode.Decode(v.Hex)
			require.NoError(t, err, v.Name)
			f(&v, m)
		}
	}
}

// Fields have the values that the docs state for all captures.
func TestValuesOfCaptures(t *testing.T) {
	found := map[string]int{}
	least, most := math.Inf(1), math.Inf(-1)
	captured(t, func(v *vector, m opcode.Message) {
		found[m.Opcode().String()]++
		holds := func(is bool) { require.True(t, is, "%s: %v", v.Name, m) }
		switch m := m.(type) {
		case *opcode.PythonEvent:
			if m.Code == opcode.ETObjectExploding {
				found["deaths"]++
				holds(m.Source == objectid.None && m.FiringPlayerID == 0)
			}
		case *opcode.CollisionEffect:
			holds(m.Source == objectid.None)
			least, most = min(least, float64(m.Force)), max(most, float64(m.Force))
		case *opcode.StartFiring:
			holds(m.TargetID == objectid.None && m.Offset.Mag == 0)
		case *opcode.TorpedoFire:
			holds(m.Flags&opcode.TorpedoLaunched != 0 && m.Form == opcode.TorpedoStock)
		case *opcode.BeamFire:
			holds(m.Flags&opcode.PulseLaunched != 0)
		case *opcode.NewPlayerInGame:
			holds(!m.Modem && !m.Bare)
		case *opcode.StateUpdate:
			blocks, power := m.Flags&opcode.StateSubsystems != 0, m.Flags&opcode.StatePower != 0
			holds(!blocks || !power && v.Dir == "s2c")
			holds(!power && !m.HasHash || v.Dir == "c2s")
		}
	})
	for _, name := range []string{"CollisionEffect", "TorpedoFire", "BeamFire", "NewPlayerInGame", "StateUpdate", "deaths"} {
		require.Positive(t, found[name], name)
	}
	require.Equal(t, 1, found["StartFiring"], "the only message with published bytes")
	for _, op := range []opcode.Code{opcode.OpAddToRepairList, opcode.OpStartCloaking, opcode.OpStopCloaking} {
		require.Zero(t, found[op.String()], "no capture has %v", op)
	}
	require.Equal(t, []float64{485, 1281}, []float64{math.Floor(least), math.Floor(most)}, "the doc of Event.Force")
}

// Enumerations have the values that their docs call observed.
func TestEnumsOfCaptures(t *testing.T) {
	classes := map[opcode.EventClass]bool{}
	objects := map[opcode.ObjectClass]bool{}
	levels := map[opcode.PhaserLevel]bool{}
	captured(t, func(_ *vector, m opcode.Message) {
		switch m := m.(type) {
		case *opcode.SetPhaserLevel:
			levels[opcode.PhaserLevel(m.Value)] = true
		case *opcode.ObjectCreateTeam:
			objects[m.ClassID] = true
		case *opcode.ObjectCreate:
			objects[m.ClassID] = true
		}
		if e, ok := m.(opcode.EventMessage); ok {
			classes[e.Envelope().Class] = true
		}
	})
	require.ElementsMatch(t, []opcode.EventClass{
		opcode.ClassEvent, opcode.ClassBoolEvent, opcode.ClassCharEvent, opcode.ClassPlayerEvent, opcode.ClassCollisionEvent,
		opcode.ClassStartFiringEvent, opcode.ClassObjectExplodingEvent,
	}, slices.Collect(maps.Keys(classes)))
	require.Equal(t, map[opcode.ObjectClass]bool{opcode.ObjectShip: true}, objects)
	require.Equal(t, map[opcode.PhaserLevel]bool{opcode.PhaserLow: true}, levels)
}

// A layout is observed if a vector has captured bytes of the message, and not otherwise.
func TestEvidenceIsThatOfVectors(t *testing.T) {
	// The published counts and the size show HostMessage, which is its opcode alone.
	bytesOf := map[opcode.Code]bool{opcode.OpHostMessage: true}
	captured(t, func(_ *vector, m opcode.Message) { bytesOf[m.Opcode()] = true })
	for _, op := range types {
		require.Equal(t, bytesOf[op], op.Info().Evidence == opcode.Observed, "%v: %s", op, op.Info().Evidence)
	}
}

// The files of the game need three levels of directories.
func TestDepthOfCapturedTrees(t *testing.T) {
	var levels func(tree *opcode.ChecksumTree) int
	levels = func(tree *opcode.ChecksumTree) (n int) {
		for i := range tree.Dirs {
			n = max(n, levels(&tree.Dirs[i].Tree))
		}
		return n + 1
	}
	most := 0
	captured(t, func(_ *vector, m opcode.Message) {
		if response, ok := m.(*opcode.ChecksumResponse); ok {
			most = max(most, levels(&response.Tree))
		}
	})
	require.Equal(t, 3, most)
}
