//go:build !race

package player

// many is how many messages a hostile host sends.
const many = 1_000_000
