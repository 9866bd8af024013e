//go:build race

package player

// many is how many messages a hostile host sends; the race detector takes its time.
const many = 30_000
