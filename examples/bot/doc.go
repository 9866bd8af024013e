// Bot joins a match of Bridge Commander as a player without a screen.
//
//	go run -C examples ./bot [flags]
//
// It connects, answers the host's requests for the hashes of files, chooses a ship and flies.
// With flags it also fires and sends chat. It plays until an interrupt or the end of -duration.
// It prints a line for each player who joins or leaves, each ship, and each line of chat.
//
// # Files
//
// A host refuses players whose files differ from its own. The bot sends the hashes of the files
// in an installation of the game (-dir) or in a manifest (-manifest). Without either flag it uses
// the bundled manifest of the unmodified game, which lacks some hashes.
//
// # Exit status
//
// The status is 0 if the bot has left the match, and 2 for wrong flags. It is 1 if the host has
// refused or disconnected the bot or does not reply, if the bot left before joining, or if
// its files or its output failed.
//
// Package player is the client as a state machine, without a socket. The file main.go connects
// it to package transport/udp.
package main
