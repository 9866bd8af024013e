//go:build race

package main

// underRace says whether the race detector makes everything ten times as slow.
const underRace = true
