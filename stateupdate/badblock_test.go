package stateupdate_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
)

// badBlock is a block that fails, with what comes before it.
type badBlock struct {
	class string
	start int8
	data  string // hex
	good  int    // subsystems before the failure
	err   error
	text  string // behind "stateupdate: decode StateUpdate."
}

func TestBadBlocks(t *testing.T) {
	const (
		shuttle    = "shuttle"    // hull, impulse+2, reactor, sensor, shield...
		akira      = "akira"      // ...engineering, tractors+2, bridge
		birdOfPrey = "birdofprey" // ...sensor, engineering
		freighter  = "cardfreighter"
	)
	for name, v := range map[string]badBlock{
		"start index beyond the list": {akira, 11, "ff", 0, stateupdate.ErrStartIndex, "StartIndex at offset 10: start index beyond the list"},
		"start index far beyond":      {akira, 127, "", 0, stateupdate.ErrStartIndex, "StartIndex at offset 10: start index beyond the list"},
		"start index 254":             {akira, -2, "ff60", 0, stateupdate.ErrStartIndex, "StartIndex at offset 10: start index beyond the list"},
		"start index 255":             {akira, -1, "", 0, stateupdate.ErrStartIndex, "StartIndex at offset 10: start index beyond the list"},
		"start index -128":            {akira, -128, "ff", 0, stateupdate.ErrStartIndex, "StartIndex at offset 10: start index beyond the list"},
		"count 0": {
			akira, 8, "ff 00 ffffff", 0, stream.ErrBadBitGroup,
			"Subsystems.Engineering.HasPower at offset 12: bad bit group",
		},
		"count 6": {
			akira, 8, "ff c0 ffffff", 0, stream.ErrBadBitGroup,
			"Subsystems.Engineering.HasPower at offset 12: bad bit group",
		},
		"count 7": {
			akira, 8, "ff e0 ffffff", 0, stream.ErrBadBitGroup,
			"Subsystems.Engineering.HasPower at offset 12: bad bit group",
		},
		"a bool beyond the count": {
			akira, 8, "ff 44 ffffff", 0, stream.ErrBadBitGroup,
			"Subsystems.Engineering.HasPower at offset 12: bad bit group",
		},
		"more bools than announced": {
			akira, 8, "ff 20 ffffff ff", 1, stream.ErrBadBitGroup,
			"Subsystems.Tractors.HasPower at offset 12: bad bit group",
		},
		"more bools than announced, in another byte": {
			akira, 8, "ff 20 ffffff 20 ff", 1, stream.ErrBadBitGroup,
			"Subsystems.Tractors.HasPower at offset 12: bad bit group",
		},
		"fewer bools than announced": {
			akira, 8, "ff 60 ffffff ff", 3, stream.ErrBadBitGroup,
			"Subsystems at offset 12: bad bit group",
		},
		"count 0 of the second group": {
			akira, 4, "ffffff a0 ffffffffffffffffff ffffff ffffffffffffff ff ffffff 00", 5, stream.ErrBadBitGroup,
			"Subsystems.Tractors.HasPower at offset 38: bad bit group",
		},
		"power is missing": {
			akira, 8, "ff 21", 0, io.ErrUnexpectedEOF,
			"Subsystems.Engineering.Power at offset 13: unexpected EOF",
		},
		"children are missing": {
			shuttle, 1, "ff ff", 0, io.ErrUnexpectedEOF,
			"Subsystems.Impulse Engines.Children at offset 12: unexpected EOF",
		},
		"battery is missing": {
			shuttle, 2, "ff ff", 0, io.ErrUnexpectedEOF,
			"Subsystems.Warp Core.BackupBattery at offset 13: unexpected EOF",
		},
		"facings are missing": {
			shuttle, 4, "ff 20 ffffffffff", 0, io.ErrUnexpectedEOF,
			"Subsystems.Shield Generator.Facings at offset 13: unexpected EOF",
		},
		"class with fewer nodes": {
			freighter, 8, "ff 60 ffffff ff", 0, stateupdate.ErrStartIndex,
			"StartIndex at offset 10: start index beyond the list",
		},
		"class with smaller nodes": {
			birdOfPrey, 2, "ff 60 ff ffffff ff", 1, stream.ErrBadBitGroup,
			"Subsystems.Disruptor Cannons.HasPower at offset 17: bad bit group",
		},
		"more than a turn": {freighter, 0, turn(t, freighter) + "ff", 8, stream.ErrTrailing, "at offset 39: bytes after the last field"},
	} {
		t.Run(name, func(t *testing.T) { v.check(t) })
	}
}

// turn returns, as hex, the data of a block of all subsystems from the first on.
func turn(t *testing.T, name string) string {
	class := stateupdate.Named(name)
	payload, err := class.AppendUpdate(nil, &opcode.StateUpdate{}, stateupdate.NewShip(1, class).Subsystems)
	require.NoError(t, err)
	return fmt.Sprintf("%x", payload[headSize:])
}

func (v badBlock) check(t *testing.T) {
	class, data := stateupdate.Named(v.class), unhex(v.data)
	m := &opcode.StateUpdate{Flags: opcode.StateSubsystems, StartIndex: v.start, Data: data}
	all, err := collect(class.Block(m))
	require.ErrorIs(t, err, v.err)
	require.Len(t, all, v.good)
	if v.text != "" {
		space := "."
		if v.text[:3] == "at " {
			space = " "
		}
		require.EqualError(t, err, "stateupdate: decode StateUpdate"+space+v.text)
	}
	payload, marshalErr := m.MarshalBinary()
	require.NoError(t, marshalErr)
	_, dissectErr := class.Dissect(payload)
	require.EqualError(t, dissectErr, err.Error())
}

// A block that ends within a subsystem fails there, wherever it ends; one that ends between
// two is shorter and right, but for the bools that it has announced.
func TestBlockPrefixes(t *testing.T) {
	for _, class := range stateupdate.StockClasses() {
		for _, u := range blocksOf(t, class) {
			whole, err := collect(class.Block(&u.message))
			require.NoError(t, err)
			data := u.message.Data
			for n := range data {
				u.message.Data = data[:n:n]
				all, err := collect(class.Block(&u.message))
				require.Equal(t, len(all) > 0, n >= least(&whole[0]))
				switch {
				case n == 0 && u.message.Bits.Read == 0:
					require.NoError(t, err, "no subsystem is legal")
				case err == nil:
					checkUpdate(t, class, &u.message, all, u.payload[:len(u.payload)-len(data)+n])
				default:
					require.True(t, isEnd(err), "%v", err)
				}
			}
		}
	}
}

// least returns how many bytes the first subsystem of a block takes.
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

// Bits that no decoder has set, of which no bool is believed.
func TestBlockImpossibleBits(t *testing.T) {
	class := stateupdate.Named("akira")
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
