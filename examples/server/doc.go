// Server hosts a match of Bridge Commander, as a dedicated host does.
//
//	go run -C examples ./server [flags]
//
// It binds the loopback interface; -addr 0.0.0.0:22101 opens it to the network, which is
// that of IPv4. Players find it in their LAN browser, or on the master that -master names.
//
// # How it is built
//
// The library has the protocol: package transport the sessions, checksum the comparison
// of files, gamespy the discovery, opcode the messages, stateupdate the ships. What is left
// is the match, and its files can be read in this order:
//
//	main.go      the program: from the flags to the socket and back
//	options.go   the flags, and what they must not be
//	settings.go  what a match is made of
//	loop.go      the socket: datagrams in, datagrams out, a tick ten times a second
//	match.go     who plays; what becomes of each event
//	connect.go   who is let in, and in whose place
//	join.go      from the connection to the first ship
//	names.go     what players are called
//	play.go      what happens to a message of a player: acted on, passed on, dropped
//	budget.go    how much a player may send
//	team.go      who is of which team
//	ships.go     the ships and what everybody is told of them
//	score.go     deaths, limits, the end of the match and the next one
//	leave.go     how players go
//	discovery.go what browsers and the master are told
//	stats.go     what is counted
//	console.go   commands
//
// A match has no clock and no socket of its own. The tests play hours of it, with players
// and a network that fails, in seconds.
//
// # What it does not do
//
// It computes no flight and no weapons: ships are where their players say. A ship is harmed
// by its own destruction and, if the match has collision damage, by the collisions that its
// own player reports; the other player gets the kill if the other ship is near. Torpedoes and
// beams are passed on, and everybody sees them.
//
// # Limits
//
// Each player has a budget of messages, updates, lines of chat and bytes that are passed on.
// What is beyond it, longer than the game's messages, or not the sender's to say is dropped
// and counted; -metrics shows why. A player who cannot keep up with what all others may say
// is dismissed, since it has missed something.
//
// Nothing is authenticated: a name, a score that waits for it and an address in a NameChange
// are what a client says. A client takes a slot with its first datagram, whose address can be
// forged, for 10 s or until somebody needs the slot; who has answered once keeps it. One IP
// address has -perip slots.
//
// The game's time is a float32 of seconds: within days its steps are as long as a tick.
// Restart the program before that; the console's restart does not turn the clock back.
//
// # Console
//
// Lines of standard input are commands: "players", "say TEXT", "kick NAME", "kick #PEER",
// "end", "restart", "quit". The log names the peer of each player.
//
// # Exit status
//
// 0 after an interrupt or "quit", when everybody has been told; 1 if it could not run; 2
// for wrong flags.
package main
