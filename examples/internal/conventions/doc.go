// Package conventions tests the library as a whole: imports, documentation and its links,
// examples, zero values, and the exported surface. The command examples/internal/generate records
// the surface in testdata/api, and the numbers of vectors in README.md and testdata/README.md, with
//
//	go test -C examples ./internal/conventions -run '^Test(API|Counts)$' -update
package conventions
