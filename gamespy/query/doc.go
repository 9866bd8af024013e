// Package query finds Bridge Commander servers over sockets, answers queries, and runs masters:
//
//	conn, err := net.ListenPacket("udp4", ":0")
//	...
//	scanner := query.Scanner{Broadcast: true} // the local network, as the game does
//	servers, err := scanner.Scan(ctx, conn, query.ScanPlan(query.Broadcast()))
//	for _, s := range servers {
//		info := s.Pairs.ServerInfo()
//		fmt.Printf("%v %q %v %v\n", s.From, info.HostName, s.Ping, s.Incomplete)
//	}
//
// A [Scanner] queries servers: the local network, the ports of one host, or one server. [List] fetches
// the list of servers from a master. Package gamespy implements the protocol without sockets.
//
// # Servers and masters
//
// [Serve] needs a socket that is used only for queries. A game server that uses one socket for both
// passes GameSpy text to a [gamespy.Responder]; IsGameSpy of package transport identifies it. [ServeMaster] runs a
// master, which lists the servers whose heartbeats it gets.
//
// # Timeouts
//
// All functions end with their context. The client functions also end if nobody answers.
// All functions set the deadlines of the connection and clear them before they return. While one
// runs, nothing else may read from the connection or set its deadlines.
//
// # Security
//
// Anybody can register any address with a master, so that its clients send queries there. [List] omits
// addresses of no single computer, such as broadcast addresses. From a master on the Internet, it also omits
// addresses of this computer and of private networks, and ports below 1024.
//
// Datagrams from addresses that were not queried are dropped. After a broadcast, only the port must
// match. A [Scanner] limits time, servers and memory. Print received text with %q.
package query
