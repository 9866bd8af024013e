//go:build race

package testdata

// UnderRace reports whether the race detector is on. It needs more time and memory.
const UnderRace = true
