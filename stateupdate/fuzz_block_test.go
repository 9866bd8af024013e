package stateupdate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// FuzzBlock compares Class.Block with the dissection of the same block. The flags select the
// fields before the block; group is the byte of its bools.
func FuzzBlock(f *testing.F) {
	for i, class := range stateupdate.Stock() {
		for _, u := range blocksOf(f, class) {
			f.Add(uint8(i), uint8(0), u.message.StartIndex, uint8(0), u.message.Data)
			f.Add(uint8(i), uint8(opcode.StatePosition), u.message.StartIndex, uint8(0xA1), u.message.Data)
		}
	}
	for _, v := range testdata.Load[block](f, "blocks.json") {
		if v.Form != "create" {
			f.Add(uint8(v.Species-1), uint8(0), int8(v.Hex[0]), uint8(0), []byte(v.Hex[1:]))
		}
	}
	vorcha := []byte("\xFF\xFF\x64\xFF\xFF\xFF\xFF\xFF\xFF")
	f.Add(uint8(6), uint8(opcode.StatePosition|opcode.StateCloak), int8(0), uint8(0x66), vorcha)
	f.Add(uint8(6), uint8(opcode.StateCloak|opcode.StatePower), int8(-1), uint8(0x21), vorcha)
	f.Add(uint8(6), uint8(0), int8(12), uint8(0x21), []byte(nil))
	f.Fuzz(func(t *testing.T, species, flags uint8, start int8, group uint8, data []byte) {
		all := stateupdate.Stock()
		class := all[int(species)%len(all)]
		checkSplit(t, class, message(opcode.StateFlags(flags), start, group, data))
		checkOwnBits(t, class, &opcode.StateUpdate{
			Flags: opcode.StateFlags(flags) | opcode.StateSubsystems, StartIndex: start, Data: data,
			Bits: stream.Bits{Byte: group, Read: species >> 5},
		})
	})
}

// blocksOf returns the messages of a round, with and without power.
func blocksOf(t testing.TB, class *stateupdate.Class) (all []*update) {
	blocks := allBlocks(t)
	for _, u := range blocks {
		if u.class == class {
			all = append(all, u)
		}
	}
	return all
}

// message returns a payload with a block.
func message(flags opcode.StateFlags, start int8, group uint8, data []byte) []byte {
	flags = flags&(opcode.StatePosition|opcode.StateDelta|opcode.StateCloak|opcode.StatePower) | opcode.StateSubsystems
	b := []byte{byte(opcode.OpStateUpdate), 1, 0, 0, 0, 0, 0, 0, 0, byte(flags)}
	if flags&opcode.StatePosition != 0 {
		b = append(append(b, make([]byte, 12)...), group)
		if group&1 != 0 {
			b = append(b, 0x37, 0xFB)
		}
	}
	if flags&opcode.StateDelta != 0 {
		b = append(b, 1, 2, 3, 4, 5)
	}
	if flags&opcode.StatePosition == 0 && flags&opcode.StateCloak != 0 {
		b = append(b, group)
	}
	return append(append(b, byte(start)), data...)
}

// checkSplit compares the statuses of a payload with its dissection.
func checkSplit(t *testing.T, class *stateupdate.Class, payload []byte) {
	var m opcode.StateUpdate
	fields, want := dissect(class, payload)
	if err := opcode.Unmarshal(payload, &m); err != nil {
		requireLocated(t, want, len(payload))
		require.Equal(t, strings.TrimPrefix(err.Error(), "opcode: "), strings.TrimPrefix(want.Error(), "stateupdate: "))
		return
	}
	all, err := collect(class.Block(&m))
	checkStatuses(t, class, all, fields, false)
	if want != nil {
		require.EqualError(t, err, want.Error())
		requireLocated(t, err, len(payload))
		return
	}
	require.NoError(t, err)
	checkUpdate(t, class, &m, all, payload)
}

// checkOwnBits splits a message with arbitrary Bits. The result must be statuses, and at most
// one error at the end.
func checkOwnBits(t *testing.T, class *stateupdate.Class, m *opcode.StateUpdate) {
	n := 0
	for s, err := range class.Block(m) {
		require.Equal(t, err == nil, s.Subsystem != nil)
		if err != nil {
			requireLocated(t, err, len(m.Data)+64)
		}
		n++
	}
	require.LessOrEqual(t, n, len(class.Subsystems)+1)
}

// requireLocated requires an error with an offset inside the payload.
func requireLocated(t *testing.T, err error, size int) {
	t.Helper()
	var located *stream.Error
	require.ErrorAs(t, err, &located)
	require.NotNil(t, located.Err)
	require.GreaterOrEqual(t, located.Offset, 0)
	require.LessOrEqual(t, located.Offset, size)
}

// checkStatuses requires that the dissected fields match the statuses. Fields of one
// incomplete subsystem may follow.
func checkStatuses(t *testing.T, class *stateupdate.Class, all []stateupdate.Status, fields []stream.Field, create bool) {
	t.Helper()
	var got, want []string
	for _, f := range fields {
		path, ok := strings.CutPrefix(f.Path(), "Subsystems.")
		if ok && f.Err == nil {
			got = append(got, fmt.Sprintf("%s=%#v", path, f.Value()))
		}
	}
	for i := range all {
		require.Same(t, &class.Subsystems[all[i].Index], all[i].Subsystem)
		require.Equal(t, len(all[i].Parts), cap(all[i].Parts), "an append to Parts overwrites the payload")
		want = append(want, describe(&all[i], create)...)
	}
	require.LessOrEqual(t, len(want), len(got))
	require.Empty(t, cmp.Diff(want, got[:len(want)], cmpopts.EquateEmpty()))
	if rest := got[len(want):]; len(rest) > 0 {
		last := fields[len(fields)-1]
		require.Error(t, last.Err)
		name, _, _ := strings.Cut(rest[0], ".")
		for _, field := range rest {
			require.True(t, strings.HasPrefix(field, name+"."), "%s after %s", field, name)
		}
		require.True(t, strings.HasPrefix(last.Path(), "Subsystems."+name+"."), "%v", last.Path())
	}
}

// describe returns the dissected fields of a status.
func describe(s *stateupdate.Status, create bool) (all []string) {
	add := func(field string, v any) { all = append(all, fmt.Sprintf("%s.%s=%#v", s.Subsystem.Name, field, v)) }
	kind := s.Subsystem.Kind
	add("Condition", s.Condition)
	if kind == stateupdate.KindShield && s.OpenBC && len(s.Parts) == 0 {
		return all
	}
	if len(s.Subsystem.Children) > 0 {
		add("Children", s.Parts)
	}
	switch {
	case kind.Powered() && create:
		power := int(s.Power.Percent())
		if s.Off {
			power = -power
		}
		add("Power", int8(power))
	case kind.Powered():
		add("HasPower", s.HasPower)
		if s.HasPower {
			add("Power", s.Power)
		}
	}
	if kind == stateupdate.KindReactor {
		add("MainBattery", s.MainBattery)
		add("BackupBattery", s.BackupBattery)
	}
	if kind == stateupdate.KindShield {
		add("Facings", s.Parts)
	}
	if create {
		describeExtras(s, add)
	}
	return all
}

func describeExtras(s *stateupdate.Status, add func(string, any)) {
	switch kind := s.Subsystem.Kind; {
	case kind == stateupdate.KindPulse:
		add("Flag", s.Flag)
	case isWeapon(kind):
		add("Flag", s.Flag)
		add("Mode", s.Mode)
	case s.HasCloak:
		add("Cloaked", s.Cloaked)
	}
}
