// Proxy relays datagrams between players and a server, and shows and records them. It can also
// simulate a bad network.
//
//	go run ./examples/proxy [flags]
//
// Players connect to the address of -listen instead of the server's. Datagrams are relayed
// unchanged, byte for byte. The proxy has a socket towards the server for each player, because
// the server identifies players by their addresses. The game's LAN browser scans the ports 22101
// to 22201. It finds the proxy only if the proxy listens on all addresses, as with -listen :22102.
//
// # Output
//
//	(none)   one line per message, as dump prints them
//	-v       one line per message, and its fields
//	-x       every byte of each datagram, with its field
//	-json    one object per message
//	-quiet   nothing
//
// A password of a player is "***", and zeros in bytes, unless -passwords is given.
//
// With -record FILE, the proxy writes the datagrams as JSON lines, or as a capture if FILE ends in .pcapng. The
// program dump reads both. To record a game, listen on all addresses and choose the proxy in the game's LAN browser.
// The proxy writes the datagrams at least once a second. Only the owner of the file can read it, because datagrams
// have passwords. At -recordlimit, or on a full disk, recording ends with a line on standard error, and the proxy
// goes on.
//
// The output and the recording have each datagram once, as the proxy received it. A note marks datagrams that are
// dropped, duplicated or held back. Standard error reports the clients and, at the end, the counts of datagrams.
//
// # Bad network
//
//	-drop 5%        drops datagrams
//	-delay 50ms     delays all datagrams
//	-jitter 20ms    makes the delay shorter or longer; datagrams stay in order
//	-duplicate 1%   sends datagrams twice, with different delays
//	-reorder 2%     holds datagrams back for -hold, so that later datagrams overtake them
//
// A value is for both directions, or for one: -drop c2s=10%,s2c=1%. With the same flags and -seed,
// every run drops, delays and duplicates the same datagrams of each player, counted from the first.
//
// # Limits
//
// At most -clients players are relayed at a time, and from one IP address at most 16, or a quarter of -clients if that
// is more. A player counts when the server has acknowledged a message after the Connect, or has sent a keepalive.
// Connects from forged addresses do not count, so they keep nobody out. The proxy removes a player who has been silent
// for -idle, or for six seconds before the player counts. If there is no room, a new player replaces one whose link has
// been silent for 12 seconds. The proxy queues at most 4096 datagrams or 1 MiB per player and direction. If a terminal
// is too slow, some datagrams are not printed, but still recorded. The exit status is 0 after an interrupt, 1 if a
// socket, the output or the recording failed, and 2 for wrong flags.
package main
