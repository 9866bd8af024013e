// Package player is the client of a match as a state machine, which the bot runs on a
// socket and tests run by the dozen, in virtual time.
//
// # Use
//
// A [Player] has no goroutine, no socket and no clock. Datagrams and the time go in,
// events and datagrams come out, all of them deciphered:
//
//	p.Receive(now, datagram)
//	for e := range p.Events() {
//		fmt.Println(e)
//	}
//	for d := p.AppendDatagram(buf[:0], now); len(d) > 0; d = p.AppendDatagram(buf[:0], now) {
//		...
//	}
//	wait(p.NextDeadline())
//
// The same calls give the same bytes.
//
// # Course of a match
//
//	Connecting  the Connect is repeated until the host answers
//	Checksums   the host asks which files the client has
//	Loading     Settings have come, GameInit has not
//	Joined      NewPlayerInGame is sent; the player has no ship
//	InGame      the player has a ship: it tells about it ten times a second
//	GameOver    the host has ended the game; RestartGame begins another
//	Closed      the player has left, or was made to
//
// A player whose ship is destroyed is Joined again, and chooses another. What other
// programs than the game send in another order is understood: scores and ships before
// MissionInit, and the arrival of players who are there already.
//
// # Pictures
//
// [Player.Ships] has the picture of every ship that the host tells of. It is asked for
// those that it has not introduced, four times a second at most. The player's own ship,
// [Player.Ship], flies where the player wants; in which condition it is, the host says.
//
// # Ownership
//
// Events are values and alias nothing. Pictures are the player's: the next call changes
// them. Of its own ship a program may set what the owner decides, the cloaking device and
// the power of subsystems.
//
// # Limits
//
// Whatever a host sends, a player keeps 1,024 events, 256 ships, 125 players, the
// scores of 128, and 512 characters of a text; the session below has limits of its own.
// What does not fit is counted: see [Counters].
//
// # Evidence
//
// The order of the messages, their delivery and their sequence numbers are those of
// captured joins; the tests hold the package to them. The object IDs of subsystems are
// made up: they are in the range of the ship, but how the game allots them is not known.
package player
