// Package player is a client of a match as a state machine. The bot runs one on a socket, and
// tests run many in virtual time:
//
//	p := player.New(now, options)
//	p.Join(now, conn, local)
//	for p.Err() == nil {
//		event := receive(p.NextDeadline())
//		p.Handle(now, event)
//		p.Tick(now)
//	}
//
// A [Player] has no goroutine, socket or clock. The same calls send the same messages.
//
// # Course of a match
//
//	Connecting  the host has not accepted the player
//	Checksums   the host requests the hashes of files
//	Loading     Settings have arrived, GameInit has not
//	Joined      the player has sent NewPlayerInGame and has no ship
//	InGame      the player has a ship and sends an update every 100 ms
//	GameOver    the host has ended the game; RestartGame begins another
//	Closed      the player has left, or the link has ended
//
// A player whose ship is destroyed is Joined again and chooses another. A player retains at most
// 256 ships, and the names and scores of 126 peers.
package player
