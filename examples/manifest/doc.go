// Manifest writes down what files an installation of Bridge Commander has, and compares
// it with another.
//
//	go run -C examples ./manifest [-name TEXT] [-o FILE] DIR
//	go run -C examples ./manifest -compare A B
//
// # Manifests
//
// DIR is the directory of the game, with "scripts" in it. What is written is a manifest
// in JSON, on standard output or to a file: the hashes of the files that a host compares
// with those of its clients. Servers and bots that run without the game read it.
//
// # Comparison
//
// A is what is expected, B what is there. Each is a manifest, "-" for one on standard
// input, the directory of an installation, or "vanilla": what is known of the game as it
// was sold. Files of which a manifest says that their hashes are not verified are
// compared by their names alone.
//
// The exit status is 1 if A and B differ, or if something in an installation could not
// be read, and 2 if nothing could be done.
package main
