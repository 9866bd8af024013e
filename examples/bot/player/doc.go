// Package player is a client of a match as a state machine. The bot runs one on a socket, and
// tests run many in virtual time.
//
// # Use
//
// A [Player] has no goroutine, no socket and no clock. It handles the events of a [Link], sends
// messages through it, and must be called when its deadline has passed:
//
//	p := player.New(now, options)
//	p.Join(now, conn)
//	for p.Err() == nil {
//		event := receive(p.NextDeadline())
//		p.Handle(now, event)
//		p.Tick(now)
//	}
//
// The same calls send the same messages.
//
// # Course of a match
//
//	Connecting  the host has not accepted the player
//	Checksums   the host asks for the hashes of files
//	Loading     Settings have arrived, GameInit has not
//	Joined      NewPlayerInGame is sent; the player has no ship
//	InGame      the player has a ship and sends an update every 100 ms
//	GameOver    the host has ended the game; RestartGame begins another
//	Closed      the player has left, or the link has ended
//
// A player whose ship is destroyed is Joined again and chooses another. Whatever a host sends, a
// player retains at most 256 ships, and the names and scores of 126 peers.
package player
