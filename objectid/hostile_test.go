package objectid_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
)

// All slots, IDs and numbers of IDs that were tried because they are none, or the last.
func TestHostile(t *testing.T) {
	t.Run("Base", hostileBase)
	t.Run("ID", hostileIDs)
	t.Run("Allocator", hostileAllocators)
	t.Run("PeerID", hostilePeerIDs)
	t.Run("Slot", hostileSlots)
}

func hostilePeerIDs(t *testing.T) {
	for _, v := range []struct {
		name string
		n    int
	}{
		{"none in a score message", 0},
		{"none in a byte of the transport", -1},
		{"none as an unsigned byte", 255},
		{"after the last", 128},
		{"whose low byte is the host", 257},
		{"whose low half is the host", 1<<16 + 1},
		{"negative, whose low byte is a client", -254},
		{"largest", math.MaxInt},
		{"least", math.MinInt},
	} {
		t.Run(v.name, func(t *testing.T) {
			require.Equal(t, objectid.NoPeer, objectid.PeerIDFrom(v.n))
		})
	}
}

func hostileSlots(t *testing.T) {
	for _, v := range []struct {
		name string
		n    int
	}{
		{"before the first", -1},
		{"after the last", 16},
		{"whose low byte is the first", 256},
		{"negative, whose low byte is the first", -256},
		{"largest", math.MaxInt},
		{"least", math.MinInt},
	} {
		t.Run(v.name, func(t *testing.T) {
			require.Equal(t, objectid.NoSlot, objectid.SlotFrom(v.n))
		})
	}
}

func hostileBase(t *testing.T) {
	for _, v := range []struct {
		name string
		slot objectid.Slot
	}{
		{"before the first", objectid.NoSlot},
		{"after the last", 16},
		{"largest", math.MaxInt8},
		{"least", math.MinInt8},
	} {
		t.Run(v.name, func(t *testing.T) {
			id, ok := objectid.Base(v.slot)
			require.False(t, ok)
			require.Equal(t, objectid.None, id)
		})
	}
}

func hostileIDs(t *testing.T) {
	for _, v := range []struct {
		name string
		id   objectid.ID
	}{
		{"none", objectid.None},
		{"all", objectid.All},
		{"object of the host", 0x22},
		{"last local object seen", 0x791},
		{"before the first slot", 0x3FFFFFFE},
		{"after the last slot", 0x403FFFFF},
		{"largest", math.MaxInt32},
		{"least, whose distance overflows", math.MinInt32},
	} {
		t.Run(v.name, func(t *testing.T) {
			slot, ok := v.id.Slot()
			require.False(t, ok)
			require.Equal(t, objectid.NoSlot, slot)
			index, ok := v.id.Index()
			require.False(t, ok)
			require.Zero(t, index)
		})
	}
}

func hostileAllocators(t *testing.T) {
	const none = objectid.None
	for _, v := range []struct {
		name     string
		slot     objectid.Slot
		observed objectid.ID // first
		reserve  int
		id       objectid.ID
		err      error
	}{
		{"no slot", objectid.NoSlot, none, 1, none, objectid.ErrSlot},
		{"slot after the last", 16, none, 1, none, objectid.ErrSlot},
		{"largest slot", math.MaxInt8, none, 1, none, objectid.ErrSlot},
		{"no IDs", 3, none, 0, none, objectid.ErrNumber},
		{"less than none", 3, none, -1, none, objectid.ErrNumber},
		{"least number", 3, none, math.MinInt, none, objectid.ErrNumber},
		{"largest number", 3, none, math.MaxInt, none, objectid.ErrExhausted},
		{"all of the slot", 15, none, 1 << 18, 0x403BFFFF, nil},
		{"one more", 15, none, 1<<18 + 1, none, objectid.ErrExhausted},
		{"peer took the last", 3, 0x400FFFFE, 1, none, objectid.ErrExhausted},
		{"peer took the last but one", 3, 0x400FFFFD, 1, 0x400FFFFE, nil},
		{"and two are wanted", 3, 0x400FFFFD, 2, none, objectid.ErrExhausted},
		{"peer took one of the next slot", 3, 0x400FFFFF, 1, 0x400BFFFF, nil},
		{"peer took what is of nobody", 3, 0x403FFFFF, 1, 0x400BFFFF, nil},
		{"peer took all", 3, objectid.All, 1, 0x400BFFFF, nil},
		{"peer took the least", 3, math.MinInt32, 1, 0x400BFFFF, nil},
	} {
		t.Run(v.name, func(t *testing.T) {
			a := objectid.Allocator{Slot: v.slot}
			a.Observe(v.observed)
			before := a
			id, err := a.Reserve(v.reserve)
			require.ErrorIs(t, err, v.err)
			require.Equal(t, v.id, id)
			if err != nil {
				require.Equal(t, before, a, "an error takes no IDs")
				return
			}
			a.Observe(id) // behind
			next, err := a.Next()
			end := id + objectid.ID(v.reserve)
			if err == nil {
				require.Equal(t, end, next)
				return
			}
			require.ErrorIs(t, err, objectid.ErrExhausted)
			slot, ok := end.Slot()
			require.False(t, ok && slot == v.slot, "%v is left", end)
		})
	}
}
