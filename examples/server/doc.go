// Server hosts a match of Bridge Commander, as a dedicated host does.
//
//	go run -C examples ./server [flags]
//
// It binds the loopback interface; -addr 0.0.0.0:22101 opens it to the network. Players
// find it in their LAN browser, or on the master that -master names.
//
// # How it is built
//
// The library has the protocol: package transport the sessions, checksum the comparison
// of files, gamespy the discovery, opcode the messages, stateupdate the ships. What is left
// is the match, and its files can be read in this order:
//
//	loop.go      the socket: datagrams in, datagrams out, a tick ten times a second
//	match.go     who plays; what becomes of each event
//	join.go      from the connection to the first ship
//	play.go      what happens to a message of a player: acted on, passed on, dropped
//	ships.go     the ships and what everybody is told of them
//	score.go     deaths, limits, the end of the match and the next one
//	leave.go     how players go
//
// A match has no clock and no socket of its own. The tests play hours of it, with players
// and a network that fails, in seconds.
//
// # What it does not do
//
// It computes no flight and no weapons: ships are where their players say. A ship is harmed
// by collisions that its player reports, if the match has collision damage, and by its own
// destruction; torpedoes and beams are passed on, and everybody sees them.
//
// # Console
//
// Lines of standard input are commands: "players", "say TEXT", "kick NAME", "end",
// "restart", "quit".
//
// # Exit status
//
// 0 after an interrupt or "quit", when everybody has been told; 1 if it could not run; 2
// for wrong flags.
package main
