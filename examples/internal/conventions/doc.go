// Package conventions holds the tests of what concerns the library as a whole: which package may
// import which, that everything is documented, that links in the documentation lead somewhere,
// that there is an example for whatever people come for, and the exported surface, which is
// recorded in testdata/api so that no change of it goes unnoticed.
//
//	go test -C examples ./internal/conventions -update
//
// records the surface, and the numbers of vectors in README.md and testdata/README.md.
package conventions
