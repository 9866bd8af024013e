// Server hosts a match of Bridge Commander, as a dedicated host of the game does.
//
//	go run ./examples/server [flags]
//
// By default it listens on the loopback interface. The flag -addr 0.0.0.0:22101 opens it to the
// network. README.md says what the server does, how it is built, what a match costs, and what attacks
// can do. The program minimal is a shorter server.
//
// The status is 0 after an interrupt or the command quit, and 2 for wrong flags. It is 1 if the
// server could not run, or could not write the recording or the log.
package main
