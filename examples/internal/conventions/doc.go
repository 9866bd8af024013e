// Package conventions tests the library as a whole: imports, documentation and its links,
// examples, zero values, and the exported surface. To record the surface in testdata/api, and the
// numbers of vectors in README.md and testdata/README.md, run
//
//	go test -C examples ./internal/conventions -update
package conventions
