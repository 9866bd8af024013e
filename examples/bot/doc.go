// Bot joins a match of Bridge Commander as a player without a screen.
//
//	go run -C examples ./bot [flags]
//
// It connects, answers the host's requests for the hashes of files, chooses a ship and flies.
// With flags it also fires and talks. It plays until it is interrupted or -duration is over. A
// line of output reports each player who comes or goes, each line of chat, and each ship.
//
// # Files
//
// A host refuses players whose files differ from its own. The bot answers with the hashes of
// the files in an installation of the game (-dir) or in a manifest (-manifest). Without either
// flag it uses the bundled manifest of the unmodified game, which lacks some hashes. The bot
// reads the directory before it connects.
//
// # How it is built
//
// Package player is the client as a state machine, without a socket. Package transport/udp has
// the socket and the session. The file main.go connects the two.
//
// # Exit status
//
// The status is 0 if the bot has left the match, and 2 for wrong flags. It is 1, with a reason, if
//
//   - the host has refused or disconnected the bot, or does not answer;
//   - the bot left before it had joined;
//   - the output cannot be written, or the files cannot be read.
package main
