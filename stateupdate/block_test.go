package stateupdate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
)

// turn returns the data of a block of all subsystems from the first on, in hex.
func turn(t *testing.T, name string) string {
	class := stateupdate.Stock().Named(name)
	payload, err := class.AppendUpdate(nil, &opcode.StateUpdate{}, stateupdate.NewShip(1, class).Subsystems)
	require.NoError(t, err)
	return fmt.Sprintf("%x", payload[headSize:])
}

// A block that ends inside a subsystem is an error at that subsystem. A block that ends
// between two subsystems is valid, unless its bit group has more bools.
func TestBlockPrefixes(t *testing.T) {
	for _, class := range stateupdate.Stock() {
		for _, u := range blocksOf(t, class) {
			whole, err := collect(class.Block(&u.message))
			require.NoError(t, err)
			data := u.message.Data
			for n := range data {
				u.message.Data = data[:n:n]
				all, err := collect(class.Block(&u.message))
				require.Equal(t, len(all) > 0, n >= least(&whole[0]))
				same, failed := class.AppendStatuses(nil, &u.message)
				require.Equal(t, all, same)
				require.Equal(t, err, failed)
				switch {
				case n == 0 && u.message.Bits.Read == 0:
					require.NoError(t, err, "a block without subsystems is valid")
				case err == nil:
					checkUpdate(t, class, &u.message, all, u.payload[:len(u.payload)-len(data)+n])
				default:
					require.True(t, isEnd(err), "%v", err)
				}
			}
		}
	}
}

// AppendStatuses appends the subsystems of messages that create ships, too.
func TestAppendStatuses(t *testing.T) {
	class := stateupdate.Stock().Named("akira")
	object, err := stateupdate.NewShip(1, class).Object()
	require.NoError(t, err)
	want, err := collect(class.Blob(object.SubsystemsRaw))
	require.NoError(t, err)
	require.Len(t, want, len(class.Subsystems))
	for _, m := range []opcode.Message{&opcode.ObjectCreate{Object: object}, &opcode.ObjectCreateTeam{Object: object}} {
		got, err := class.AppendStatuses(want[:1:1], m)
		require.NoError(t, err)
		require.Equal(t, append(want[:1:1], want...), got)
	}
	got, err := class.AppendStatuses(nil, &opcode.EndGame{})
	require.NoError(t, err)
	require.Empty(t, got)
}

// least returns the number of bytes of the first subsystem of a block.
func least(s *stateupdate.Status) int {
	n := 1 + len(s.Parts)
	switch {
	case s.Subsystem.Kind == stateupdate.KindReactor:
		return n + 2
	case s.Subsystem.Kind.Powered() && s.HasPower:
		return n + 2
	case s.Subsystem.Kind.Powered():
		return n + 1
	}
	return n
}

// Bits can have values that no decoder produces. No bool is taken from them.
func TestBlockWithInvalidBits(t *testing.T) {
	class := stateupdate.Stock().Named("akira")
	for _, bits := range []stream.Bits{
		{Byte: 0x21, Read: 2}, {Byte: 0x23, Read: 1}, {Byte: 0x01, Read: 1}, {Byte: 0xC1, Read: 1}, {Byte: 0xE1, Read: 1}, {Byte: 0x61, Read: 200},
	} {
		for _, data := range [][]byte{nil, {0xFF}, {0xFF, 0xFF, 1, 2, 3, 4, 5, 6}} {
			m := &opcode.StateUpdate{Flags: opcode.StatePosition | opcode.StateSubsystems, Data: data, Bits: bits}
			all, err := collect(class.Block(m))
			require.ErrorIs(t, err, stream.ErrBadBitGroup, "%+v", bits)
			require.Empty(t, all)
		}
	}
}
