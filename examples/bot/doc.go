// Bot joins a match of Bridge Commander as a player without a screen.
//
//	go run -C examples ./bot [flags]
//
// It connects, answers the host's questions about the files of the game, chooses a ship,
// flies, and fires and talks if it is told to, until it is interrupted or -duration is
// over. A line of output says who comes and goes, who says what, and what becomes of
// ships.
//
// # Files
//
// A host lets nobody in whose files are not those that it expects. The bot answers with
// the hashes of an installation of the game (-dir), or from a manifest (-manifest), as
// the host may have learned it from another client; without either from the bundled one
// of the unmodified game, which does not have the hashes of all files. The directory is
// read before the bot connects.
//
// # A socket for each match
//
// Each run has a socket of its own, with a port that the system chooses. A program that joins
// again must do the same: late datagrams of a session would be taken for those of the next
// session with that port.
//
// # How it is built
//
// Package player is the client as a state machine, without a socket. Here are the socket,
// the cipher and the clock:
//
//	loop.go     datagrams in, datagrams out, until the player is done
//	files.go    where the hashes of files come from
//	options.go  flags
//
// # Exit status
//
// 0 after a Disconnect to the host, which has acknowledged it or has had five seconds to; 1
// with a reason if the bot was refused or dismissed, if the host is silent, or if the bot
// had to go before it had joined, or if its output cannot be written; 2 for wrong flags.
package main
