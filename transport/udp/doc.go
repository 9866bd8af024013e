// Package udp runs the sessions of package transport on UDP sockets: Serve runs a Hub for a server,
// Dial connects a client, Join brings one into the game, and Relay stands between clients and a server.
//
//	player, err := udp.Join(ctx, "127.0.0.1:22101", join.Options{Name: "Ann"})
//	if err != nil {
//		log.Fatal(err)
//	}
//	defer player.Close()
//	for m, err := range player.Messages(ctx) {
//		...
//	}
//
// The package deciphers and enciphers the datagrams. A program with its own event loop can use
// package transport directly.
//
// # Servers
//
// [Serve] calls the functions of a [Handler] on its own goroutine, so they may use the Hub and its
// sessions without locks. Other goroutines reach the Hub through a [Loop].
//
// A function that blocks stops the whole server: clients disconnect after 45 seconds without a
// datagram. Serve does not recover from a panic in a function, and the clients get no Disconnect.
//
// # Clients
//
// [Dial] returns a [Conn] when the host has accepted the client. [Join] returns one that is in the game: it replies
// to the host and follows the names and scores of the players; see package join. Receive returns the payloads and
// system messages in order. Messages returns only decoded payloads. A Conn retains the events that the program has
// not received, up to 4096 events and 4 MiB. Another event ends the Conn.
//
// # Errors
//
// If the host refuses or ends the session, does not answer or breaks the protocol, the errors of [Dial], [Join] and
// [Conn.Receive] wrap an error of package join, such as [join.ErrFull], [join.ErrLeft] or [join.ErrTimeout]. After the
// program itself has ended a Conn, a Serve or a client of a [Relay], the errors wrap [net.ErrClosed].
//
// Some systems report the loss of an earlier datagram as an error of the next read, such as
// ECONNREFUSED on Linux and WSAECONNRESET on Windows. Serve continues after them.
//
// # Limits
//
// Serve retains no datagrams. Each Serve and each Conn has a buffer of 64 KiB for the longest
// datagram. [transport.HubOptions] and [transport.Options] limit the sessions.
package udp
