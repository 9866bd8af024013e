// Browse lists servers of Bridge Commander multiplayer.
//
//	go run ./examples/browse [flags]
//
// # Sources
//
//	-lan                 the local network, by broadcast, as the game does; the default
//	-addr HOST           one host, on the 101 ports that the game scans, 22101 to 22201
//	-addr HOST:PORT      one server
//	-master HOST[:PORT]  the servers that a master lists
//	-demo                two servers and a master that browse runs on the loopback interface
//
// # Output
//
//	(none)    a table; coloured on a terminal
//	-players  the table, with the names of the players
//	-json     one object per server; unknown values are null
//	-watch    scans repeatedly; on a terminal the table is updated in place
//
// A server whose reply lacks a part is marked as incomplete. A scan ends when no server has
// replied for -wait, or after -timeout. The exit status is 1 if a master, the network or the
// output failed, and 2 for wrong flags. After an interrupt it is 130, or 0 with -watch.
package main
