// Package house holds the tests of what concerns the library as a whole: which package may
// import which, that everything is documented and has examples, and its exported surface,
// which is recorded in testdata/api so that no change of it goes unnoticed.
//
//	go test -C examples ./internal/house -update
//
// records the surface anew.
package house
