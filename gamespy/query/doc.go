// Package query asks Bridge Commander servers and masters over real sockets, and answers.
//
// It is a thin layer of package gamespy, which does the work without sockets or a clock,
// and which a program can import without package net.
//
//	conn, err := net.ListenPacket("udp4", ":0")
//	...
//	servers, err := query.LAN(ctx, conn)
//	for _, s := range servers {
//		info := s.Pairs.ServerInfo()
//		fmt.Printf("%v %q %v %v\n", s.From, info.HostName, s.Ping, s.Incomplete)
//	}
//
// # Strangers
//
// Who answers is not to be trusted. Datagrams of others than those who were asked are
// dropped, and a [Scanner] has limits for the time, the servers and the memory that they
// take. Texts are as they came: a terminal acts on some characters, which is why the
// example prints them with %q.
//
// # Client
//
// [LAN] asks the local network, [Server] one server, [Scanner] any number of them, such as
// those of a list, which [List] fetches from a master.
//
// # Server
//
// [Serve] answers queries on a socket of its own. A game server shares the socket with
// the game: it passes what [gamespy.IsGameSpy] says is text to a [gamespy.Responder].
//
// # Time
//
// Everything ends when its context does, and by itself when nobody answers. The functions
// set the deadlines of the connection they are given and clear them in the end.
package query
