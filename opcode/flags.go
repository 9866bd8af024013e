package opcode

import (
	"strconv"
	"strings"
)

// flagNames returns the names of the bits that are set, joined by "|", and the number of
// those without one.
func flagNames(v uint8, names ...string) string {
	var set []string
	for i, name := range names {
		if name != "" && v>>i&1 != 0 {
			set = append(set, name)
			v &^= 1 << i
		}
	}
	if v != 0 || len(set) == 0 {
		set = append(set, strconv.Itoa(int(v)))
	}
	return strings.Join(set, "|")
}

// String returns the names of the flags, "launched|no target".
func (f TorpedoFlags) String() string { return flagNames(uint8(f), "launched", "skew", "no target") }

// String returns the names of the flags, "launched|target".
func (f PulseFlags) String() string { return flagNames(uint8(f), "launched", "target") }

// String returns the names of the flags, "position|forward|up".
func (f StateFlags) String() string {
	return flagNames(uint8(f), "position", "delta", "forward", "up", "speed", "subsystems", "cloak", "power")
}
