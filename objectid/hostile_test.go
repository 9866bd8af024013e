package objectid_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
)

// Slots, IDs and numbers of IDs that are invalid, or the last valid ones.
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
		n    objectid.PeerID
	}{
		{"no player in a score message", 0},
		{"no peer in a byte of the transport", -1},
		{"no peer as an unsigned byte", 255},
		{"after the last", 128},
		{"whose low byte is the host", 257},
		{"whose low half is the host", 1<<16 + 1},
		{"negative, whose low byte is a client", -254},
		{"maximum", math.MaxInt32},
		{"minimum", math.MinInt32},
	} {
		t.Run(v.name, func(t *testing.T) {
			require.False(t, v.n.Valid())
		})
	}
}

func hostileSlots(t *testing.T) {
	for _, v := range []struct {
		name string
		n    objectid.Slot
	}{
		{"before the first", -1},
		{"after the last", 16},
		{"whose low byte is the first", 256},
		{"negative, whose low byte is the first", -256},
		{"maximum", math.MaxInt32},
		{"minimum", math.MinInt32},
	} {
		t.Run(v.name, func(t *testing.T) {
			require.False(t, v.n.Valid())
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
		{"maximum", math.MaxInt32},
		{"minimum", math.MinInt32},
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
		{"maximum", math.MaxInt32},
		{"minimum, whose distance overflows", math.MinInt32},
	} {
		t.Run(v.name, func(t *testing.T) {
			slot, ok := v.id.Slot()
			require.False(t, ok)
			require.Equal(t, objectid.NoSlot, slot)
		})
	}
}

func hostileAllocators(t *testing.T) {
	for _, n := range []int{0, -1, math.MinInt} {
		a := objectid.Allocator{Slot: 3}
		id, err := a.Reserve(n)
		require.ErrorContains(t, err, "IDs requested, must be at least 1")
		require.Equal(t, objectid.None, id)
		require.Equal(t, objectid.Allocator{Slot: 3}, a)
	}
	const none = objectid.None
	for _, v := range []struct {
		name     string
		slot     objectid.Slot
		observed objectid.ID // first
		reserve  int
		id       objectid.ID
		err      error
	}{
		{"NoSlot", objectid.NoSlot, none, 1, none, objectid.ErrSlot},
		{"slot after the last", 16, none, 1, none, objectid.ErrSlot},
		{"largest slot", math.MaxInt32, none, 1, none, objectid.ErrSlot},
		{"largest number", 3, none, math.MaxInt, none, objectid.ErrExhausted},
		{"all of the slot", 15, none, 1 << 18, 0x403BFFFF, nil},
		{"one more", 15, none, 1<<18 + 1, none, objectid.ErrExhausted},
		{"peer uses the last ID", 3, 0x400FFFFE, 1, none, objectid.ErrExhausted},
		{"peer uses the last ID but one", 3, 0x400FFFFD, 1, 0x400FFFFE, nil},
		{"peer uses the last ID but one, two requested", 3, 0x400FFFFD, 2, none, objectid.ErrExhausted},
		{"peer uses an ID of the next slot", 3, 0x400FFFFF, 1, 0x400BFFFF, nil},
		{"peer uses an ID outside the slots", 3, 0x403FFFFF, 1, 0x400BFFFF, nil},
		{"peer uses All", 3, objectid.All, 1, 0x400BFFFF, nil},
		{"peer uses the minimum ID", 3, math.MinInt32, 1, 0x400BFFFF, nil},
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
			a.Observe(id) // earlier ID: no effect
			next, err := a.Reserve(1)
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
