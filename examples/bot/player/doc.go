// Package player is a client of a match as a state machine. The bot runs one on a socket, and
// tests run many in virtual time:
//
//	p := player.New(now, options)
//	for p.Err() == nil {
//		p.Handle(now, event) // of a session of transport.NewClient
//		p.Tick(now)          // at p.NextDeadline()
//	}
//
// A [Player] has no goroutine, socket or clock. The same calls send the same messages. It joins with a
// join.Client. On a socket, udp.Join does this, and [Player.Enter] continues.
//
// # Course of a match
//
//	Joining   the client is not in the game
//	Joined    the player has no ship
//	InGame    the player has a ship and sends an update every 100 ms
//	GameOver  the host has ended the game; RestartGame begins another
//	Closed    the player has left, or the session has ended
//
// A player whose ship is destroyed is Joined again and chooses another. A player retains at most
// 256 ships of others.
package player
