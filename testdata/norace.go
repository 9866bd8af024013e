//go:build !race

package testdata

// UnderRace reports whether the race detector is on, which takes time and memory.
const UnderRace = false
