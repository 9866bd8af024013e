package objectid_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
)

func TestVectors(t *testing.T) {
	vectors := testdata.LoadGroup[struct {
		testdata.Vector
		Hex   testdata.Hex
		ID    string
		Int   int32
		Slot  int
		Index int
	}](t, "primitives.json", "objectid")
	require.Len(t, vectors, 15)
	for _, v := range vectors {
		id := objectid.ID(v.Int)
		require.Equal(t, v.ID, id.String())
		require.Equal(t, v.Hex, testdata.Hex{byte(id), byte(id >> 8), byte(id >> 16), byte(id >> 24)})
		slot, ok := id.Slot()
		require.Equal(t, v.Slot >= 0, ok, "%s: in a slot", v.Name)
		if base, _ := objectid.Base(slot); ok {
			require.Equal(t, []int{v.Slot, v.Index}, []int{int(slot), int(id - base)}, v.Name)
		} else {
			require.Equal(t, objectid.NoSlot, slot, v.Name)
		}
	}
}

func TestSlots(t *testing.T) {
	for slot := range objectid.Slot(objectid.Slots) {
		base, ok := objectid.Base(slot)
		require.True(t, ok)
		require.Equal(t, 0x3FFFFFFF+objectid.ID(slot)*0x40000, base)
		for _, index := range []int{0, 1, objectid.PerSlot - 1} {
			id := base + objectid.ID(index)
			s, ok := id.Slot()
			require.True(t, ok)
			require.Equal(t, slot, s, "%v", id)
			require.Equal(t, index == 0, objectid.Slot(id>>18&0xF) != slot, "shifting %v gives a wrong slot", id)
		}
	}
}

func propertyEveryIDHasOneSlot(t *rapid.T) {
	id := objectid.ID(rapid.Int32Range(0x3FFFFFF0, 0x40400010).Draw(t, "id"))
	slot, ok := id.Slot()
	base, _ := objectid.Base(slot)
	if ok != (id >= 0x3FFFFFFF && id <= 0x403FFFFE) || ok && (id < base || id-base >= objectid.PerSlot) {
		t.Fatalf("%v: slot %d, %v", id, slot, ok)
	}
}

func TestEveryIDHasOneSlot(t *testing.T)         { rapid.Check(t, propertyEveryIDHasOneSlot) }
func FuzzEveryIDHasOneSlotProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyEveryIDHasOneSlot)) }

func TestPlayers(t *testing.T) {
	require.Equal(t, "none 1 2 127", fmt.Sprint(objectid.NoPeer, objectid.Host, objectid.PeerID(2), objectid.PeerID(127)))
	require.Equal(t, "none 0 15 -2", fmt.Sprint(objectid.NoSlot, objectid.Slot(0), objectid.Slot(15), objectid.Slot(-2)))
	for n := range 256 {
		p, s := objectid.PeerID(int8(n)), objectid.Slot(int8(n))
		require.Equal(t, n >= 1 && n <= 127, p.Valid(), n)
		require.Equal(t, n <= 15, s.Valid(), n)
	}
}

// The first client of a dedicated host has the slot 0 and the peer ID 2.
func TestPeerIDOfASlot(t *testing.T) {
	for slot, want := range map[objectid.Slot]objectid.PeerID{0: 2, 1: 3, 15: 17, 16: -1, 255: -1, objectid.NoSlot: -1} {
		require.Equal(t, want, slot.PeerID(), slot)
	}
}

func ExamplePeerID_Valid() {
	for _, b := range []byte{0xFF, 0x00, 0x01, 0x03} { // in a message
		p := objectid.PeerID(int8(b))
		fmt.Println(p, p.Valid())
	}
	// Output:
	// none false
	// 0 false
	// 1 true
	// 3 true
}

func ExampleID_Slot() {
	for _, id := range []objectid.ID{0x4000000D, 0x4003FFFF, 0x791} {
		slot, ok := id.Slot()
		fmt.Println(id, slot, ok)
	}
	// Output:
	// 0x4000000d 0 true
	// 0x4003ffff 1 true
	// 0x00000791 none false
}

func TestValidIDs(t *testing.T) {
	for id, want := range map[objectid.ID]bool{
		objectid.None: false, objectid.All: false, 1: true, 0x22: true, 0x3FFFFFFF: true, -2: true, math.MinInt32: true, math.MaxInt32: true,
	} {
		require.Equal(t, want, id.Valid(), id)
	}
}
