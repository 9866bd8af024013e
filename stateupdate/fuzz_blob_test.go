package stateupdate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// FuzzBlob compares the subsystems of a create blob with its dissection.
func FuzzBlob(f *testing.F) {
	for i, class := range stateupdate.Stock() {
		for _, cloak := range []bool{false, true} {
			blob := blobOf(f, class, cloak)
			f.Add(uint8(i), blob)
			f.Add(uint8(i), blob[:len(blob)-1])
		}
	}
	for _, v := range testdata.Load[block](f, "blocks.json") {
		if v.Form == "create" {
			f.Add(uint8(v.Species-1), []byte(v.Hex))
		}
	}
	f.Fuzz(func(t *testing.T, species uint8, blob []byte) {
		all := stateupdate.Stock()
		checkBlob(t, all[int(species)%len(all)], blob)
	})
}

// blobOf returns the blob of a new ship, with or without the bool of a cloaking device.
func blobOf(t testing.TB, class *stateupdate.Class, cloak bool) []byte {
	ship := stateupdate.NewShip(1, class)
	for i := range ship.Subsystems {
		own := &ship.Subsystems[i]
		own.HasCloak = own.HasCloak && cloak
		own.Cloaked = own.HasCloak
	}
	blob, err := class.AppendBlob(nil, ship.Subsystems)
	require.NoError(t, err)
	return blob
}

func checkBlob(t *testing.T, class *stateupdate.Class, blob []byte) {
	payload, err := opcode.Marshal(&opcode.ObjectCreateTeam{Object: opcode.Object{ClassID: opcode.ObjectShip, SubsystemsRaw: blob}})
	require.NoError(t, err)
	fields, want := dissect(class, payload)
	all, err := collect(class.Blob(blob))
	checkStatuses(t, class, all, fields, true)
	if want == nil {
		require.NoError(t, err)
		again, err := class.AppendBlob([]byte("before"), all)
		require.NoError(t, err)
		require.Equal(t, append([]byte("before"), blob...), again)
		return
	}
	requireLocated(t, err, len(blob))
	var located, dissected *stream.Error
	require.ErrorAs(t, err, &located)
	require.ErrorAs(t, want, &dissected)
	require.Equal(t, dissected.Err, located.Err)
	require.Equal(t, dissected.Offset-(len(payload)-len(blob)), located.Offset)
}

// Blobs with and without the bool of a cloaking device have the same length and can be
// distinguished.
func TestBlobCloak(t *testing.T) {
	cloaking := 0
	for _, class := range stateupdate.Stock() {
		with, without := blobOf(t, class, true), blobOf(t, class, false)
		require.Len(t, with, len(without), class.Name)
		require.Equal(t, firstOf(class, stateupdate.KindCloak) >= 0, string(with) != string(without), class.Name)
		if firstOf(class, stateupdate.KindCloak) < 0 {
			continue
		}
		cloaking++
		for blob, has := range map[string]bool{string(with): true, string(without): false} {
			all, err := collect(class.Blob([]byte(blob)))
			require.NoError(t, err)
			device := all[firstOf(class, stateupdate.KindCloak)]
			require.Equal(t, [2]bool{has, has}, [2]bool{device.HasCloak, device.Cloaked}, class.Name)
			checkBlob(t, class, []byte(blob))
		}
	}
	require.Equal(t, 7, cloaking)
}

// If the cloaking device precedes all weapons, the condition of a hull may look like a bit
// group. The form that decodes to the end is then the right one.
func TestBlobCloakFirst(t *testing.T) {
	class := &stateupdate.Class{Subsystems: []stateupdate.Subsystem{
		{Name: "Cloak", Kind: stateupdate.KindCloak}, {Name: "Hull"}, {Name: "Phasers", Kind: stateupdate.KindPhaser},
	}}
	for blob, want := range map[string]bool{
		"ff9c 60 ff64 20 01": false, // a hull with condition 0x60, no bool of the cloak
		"ff9c 41 ff ff64 01": true,
	} {
		all, err := collect(class.Blob(testdata.Bytes(blob)))
		require.NoError(t, err, blob)
		require.Equal(t, want, all[0].HasCloak, blob)
		again, err := class.AppendBlob(nil, all)
		require.NoError(t, err)
		require.Equal(t, testdata.Bytes(blob), again)
	}
}

// forms returns the number of possible forms of a blob.
func forms(class *stateupdate.Class) int {
	if firstOf(class, stateupdate.KindCloak) >= 0 {
		return 2
	}
	return 1
}

// A truncated blob is an error at its end, and so is a longer blob.
func TestBlobPrefixes(t *testing.T) {
	for _, class := range stateupdate.Stock() {
		for _, cloak := range []bool{true, false}[:forms(class)] {
			blob := blobOf(t, class, cloak)
			checkBlob(t, class, blob)
			for n := 0; n < len(blob); n += testdata.Either(1, 4) {
				_, err := collect(class.Blob(blob[:n]))
				require.Error(t, err, "%s, %d bytes", class.Name, n)
				checkBlob(t, class, blob[:n])
			}
			_, err := collect(class.Blob(append(blob, 0xFF)))
			require.ErrorIs(t, err, stream.ErrTrailing)
			checkBlob(t, class, append(blob, 0xFF))
		}
	}
}

// Every power byte of a blob can be decoded, printed and encoded. A negative byte means that
// the subsystem is off.
func TestBlobPower(t *testing.T) {
	class := stateupdate.Stock().Named("akira")
	blob := blobOf(t, class, true)
	for b := range 256 {
		blob[2] = byte(b) // power of the shield generator
		checkBlob(t, class, blob)
		all, err := collect(class.Blob(blob))
		require.NoError(t, err)
		power := int(int8(b))
		require.Equal(t, power < 0, all[1].Off)
		require.Equal(t, max(power, -power), int(all[1].Power.Percent()))
	}
	for power, text := range map[byte]string{0: "0%", 100: "100%", 0x9C: "100% off", 0x80: "128% off"} {
		blob[2] = power
		fields, err := dissect(class, append(testdata.Bytes("02 00 08800000 ffffff3f 01"+strings.Repeat("00", 12+16+7+2)), blob...))
		require.NoError(t, err)
		i := slices.IndexFunc(fields, func(f stream.Field) bool { return f.Path() == "Subsystems.Shield Generator.Power" })
		require.Equal(t, text, fmt.Sprint(fields[i].Value()))
	}
}
