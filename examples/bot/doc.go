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
// in an installation of the game (-dir) or in a manifest (-manifest). Without either flag it sends
// the 136 hashes of the bundled manifest of the stock game. The 101 hashes of scripts/ships are not
// verified, so a host that compares strictly can refuse the bot.
//
// # Exit status
//
//   - 0: the bot has left the match.
//   - 1: the host has refused or disconnected the bot, or does not reply.
//   - 1: the bot was interrupted before it had joined.
//   - 1: a file could not be read, or the output could not be written.
//   - 2: a flag is wrong.
//
// Package player is the client as a state machine, without a socket. The file main.go connects
// it to package transport/udp.
package main
