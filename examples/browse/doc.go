// Browse lists servers of Bridge Commander multiplayer.
//
//	go run -C examples ./browse [flags]
//
// # Where it looks
//
//	-lan                 the local network, by broadcast, as the game does; the default
//	-addr HOST           the 101 ports of a host on which the game looks
//	-addr HOST:PORT      one server
//	-master HOST[:PORT]  the servers that a master lists
//	-demo                two servers and a master that it runs itself, on the loopback
//
// # Output
//
//	(none)    a table; coloured on a terminal
//	-players  and the names of the players
//	-json     one object per server; what a server did not tell is null
//	-watch    looks again and again; on a terminal the table stays in its place
//
// A server whose answer lacks a part is marked as incomplete, with question marks for
// what is missing. Names come from strangers: characters that would act on a terminal are
// replaced.
//
// Everything has an end: a scan when nobody has answered for -wait, and all of it after
// -timeout. The exit status is 1 if a master, the network or the output failed, 2 for wrong
// flags and 130 after an interrupt, which is how -watch ends: with 0.
package main
