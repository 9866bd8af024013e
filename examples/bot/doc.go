// Bot joins a match of Bridge Commander as a player without a screen.
//
//	go run ./examples/bot [flags]
//
// It connects, answers the host's requests for the hashes of files, chooses a ship and flies.
// With flags it also fights (-fire) and sends chat. It plays until an interrupt or the end of -duration. If the
// host falls silent, it joins again.
// It prints a line for each player who joins or leaves, each ship, and each line of chat.
//
// # Files
//
// A host refuses players whose files differ from its own. The bot sends the hashes of an
// installation of the game or of a manifest (-files). Without this flag it sends the 136 hashes of
// the bundled manifest of the stock game. The 101 hashes of scripts/ships are not verified, so a host
// that compares strictly can refuse the bot.
//
// # Exit status
//
//   - 0: the bot has left the match.
//   - 1: the host has refused or disconnected the bot, or does not reply.
//   - 1: the bot was interrupted before it had joined.
//   - 1: a file could not be read, or the output could not be written.
//   - 2: a flag is wrong.
//
// # How it flies and fights
//
// The ship moves by the law of motion that was measured on the game, and reports its own collisions. With -fire, the
// pilot approaches the nearest enemy, fires what bears, turns away before the ships touch, and attacks again. Pilots
// of skill 2 and 3 keep their range and turn the strongest face of their shields to the enemy when the front is weak.
// Pilots of lower skill decide less often, aim worse and fire from a shorter range. After its death, the bot chooses
// another ship.
//
// Package pilot decides how a ship flies and fights. Package player is the client as a state machine, without a
// socket. The file main.go connects it to package transport/udp.
package main
