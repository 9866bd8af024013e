// Manifest writes the hashes of the files in an installation of Bridge Commander.
//
//	go run ./examples/manifest [-name TEXT] [-o FILE] DIR
//	go run ./examples/manifest -compare A B
//
// The output is a manifest in JSON: the hashes of the files that a host compares with the files
// of its clients. DIR is the directory that has the directory "scripts".
//
// With -compare, manifest compares A with B and prints the differences. Each is a manifest, "-"
// for standard input, the directory of an installation, or "vanilla" for the stock game. The
// manifest "vanilla" has 136 hashes, of which 101 are not verified, all for files of scripts/ships.
// These files are compared by name only, so a changed ship script is not found.
//
// To use the manifest of your installation in a match, run server -manifest FILE.
//
// The exit status is 0 for success, 1 if A and B differ or some files could not be read, and 2
// for any other error.
package main
