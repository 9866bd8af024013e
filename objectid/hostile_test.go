package objectid_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
)

// Slots, IDs that are invalid, or the last valid ones.
func TestHostile(t *testing.T) {
	t.Run("Base", hostileBase)
	t.Run("ID", hostileIDs)
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
