// Server hosts a match of Bridge Commander, as a dedicated host does.
//
//	go run -C examples ./server [flags]
//
// It binds the loopback interface; -addr 0.0.0.0:22101 opens it to the network, which is
// that of IPv4. Players find it in their LAN browser, or on the master that -master names.
//
// # How it is built
//
// The library has the protocol: package transport the sessions, checksum the comparison
// of files, gamespy the discovery, opcode the messages, stateupdate the ships. What is left
// is the match, and its files can be read in this order:
//
//	main.go      the program: from the flags to the socket and back
//	options.go   the flags, and what they must not be; optiontexts.go, that of texts
//	setup.go     from the flags to a server
//	settings.go  what a match is made of
//	loop.go      the socket: datagrams in, datagrams out, a tick ten times a second
//	socket.go    when a socket is of no use any more
//	match.go     who plays; what becomes of each event
//	connect.go   who is let in, and in whose place
//	join.go      from the connection to the first ship
//	names.go     what players are called
//	play.go      what happens to a message of a player: acted on, passed on, dropped
//	budget.go    how much a player may send
//	team.go      who is of which team
//	send.go      messages to one player, or to many
//	ships.go     the ships and what everybody is told of them
//	collide.go   what a collision does to a ship
//	score.go     deaths, limits, the end of the match and the next one
//	leave.go     how players go
//	discovery.go what browsers and the master are told
//	stats.go     what is counted
//	console.go   commands
//
// A match has no clock and no socket of its own. The tests play hours of it, with players
// and a network that fails, in seconds.
//
// # What it does not do
//
// It computes no flight and no weapons: ships are where their players say. A ship is harmed
// by its own destruction and, if the match has collision damage, by the collisions that its
// own player reports; the other player gets the kill if the other ship is near. Torpedoes and
// beams are passed on, and everybody sees them. If one names another player than its sender,
// the server writes the sender's peer ID into it, since receivers credit the kill to that
// player. Ships stay in the star system in which they were created.
//
// # Where it follows the game
//
// Ship updates have the cadence of a dedicated host of the game. A player gets the ships in
// the star system of its own ship, and none while it has no ship. They come ten times a
// second, less often to a client on a modem, and less often to all with -modem. In the game
// the distance of a ship matters, too, except for the target of the receiver. Here it does
// not: the distances are not known, and a client tells the host only its previous target.
// -plain sends everybody all ships ten times a second, which suits spectators. The last update
// of a dying ship marks all of it as destroyed.
//
// A client whose name is taken, or has characters outside of Windows-1252, gets another name
// with its settings. If it ignores that, the other players see the name that the server gave
// it all the same, except on its ship.
//
// At the frag limit missions 1 to 3 end with the reason "score limit", as their scripts do,
// and others with "frag limit". Mission1 is "DM" in browsers, as captured. The texts of other
// missions are not known: browsers see the name of the script.
//
// The policy "stock" compares files as the game does. A client that does not answer in time is
// dismissed, and the log names the question: the game is silent if it has no files to
// compare.
//
// Every query is answered, at least with \final\, within the limits below. The master hears of
// the match once a minute and when a player joins or leaves, at most every 2 s, and of the
// end. -stockbeacon has the times of the game: every 30 s until the first query, then every
// 5 minutes, and nothing at the end.
//
// # Limits
//
// Each player has a rate limit for messages (25 a second), updates (40), chat (2), bytes of
// datagrams that are passed on (1.5 KiB) and new ships (one in 2 s), with room for bursts. The
// server drops and counts a message that exceeds a limit, is longer than the game's, or acts for
// another player; -metrics shows the reasons. A player who cannot keep up with what all others
// may send is dismissed, because it has missed something. That takes loss, or a round trip of
// more than 0.5 s.
//
// Nothing is authenticated: a name, a score that waits for it and an address in a NameChange
// are what a client says. The address of a Connect can be forged, so a Connect takes no slot.
// While a client joins, each message to it waits for the Acks of those before, and the server
// gives it up if they do not come within 20 s. A client gets its slot with its settings, after
// the comparison of files, and is a player after the Ack of MissionInit. If all slots are
// taken, the client that has had one longest without acknowledging gives it up. Without
// such a client, the match is full. One IP address has at most -perip sessions.
//
// The game's time is a float32 of seconds: within days its steps are as long as a tick.
// Restart the program before that; the console's restart does not turn the clock back.
//
// # Scale
//
//	go test -C examples -run '^$' -bench Scale -benchtime 1x ./server
//
// prints what a server costs: a match of bots who fly and fire, with the cipher and without
// a socket, and bare sessions that say ten things a second each way, in hubs of 100.
//
//	players  datagrams/s in   out  KiB/s out  to each  µs of CPU/s  heap KiB
//	      1            10.0  10.0        0.3      0.3         17.0      39.2
//	      2            20.8  20.8        1.3      0.7         32.0      48.8
//	      4            42.2  42.2        5.5      1.4         79.0      65.2
//	      8            84.8  85.0       22.6      2.8          253       117
//	     16             170   323       92.3      5.8          890       296
//
//	sessions  datagrams/s  ns/datagram  KiB each, idle  busy
//	       1         21.0          359             5.8   6.4
//	      10          219          173             2.0   2.5
//	     100         2199          173             1.6   2.1
//	    1000        21990          171             1.6   2.1
//
// The traffic from the players grows with their number, and so does the traffic to each of
// them: everybody who has a ship gets an update of every ship ten times a second, in some 37
// bytes. The traffic from the server therefore grows with their square, 2,560 updates a second
// for 16. In the end the time grows with the square, too, and the memory, in which there is an
// encoder for each player and ship. From 12 ships on an update of all of them
// does not always fit into one datagram. A match does not get larger: there are 16 slots.
//
// Sessions know nothing of each other: what a datagram costs does not grow with them. What a
// tick costs by itself, and the maps of a hub, one session pays alone.
//
// # Running many
//
// Many matches are many processes with a port each: a systemd template unit (server@22101), or
// a container each with its UDP port published as it is, because the server tells the port to
// masters. A readiness probe asks /ready at the address of -metrics, which says whether the
// match still ticks, or sends \status\ to the game's port and waits for text.
//
// A million datagrams of garbage, forged and mutated, leave a match and its memory as they
// were, and 16 bots play on real sockets:
//
//	BCWIRE_LONG=1 go test -C examples -count=1 -v -run 'TestSockets|Flood$' ./server
//
// A server that answers browsers sends one address 2 replies a second at most, and 32 KiB a
// second to all: a reply is some 40 times its query, and addresses are forged.
//
// # Under attack
//
// The hostile suite attacks a match of four bots, who fly and fire, in a simulated network.
// Other bots join and leave during the attack. The suite has limits for each column, and
// runs with every test in a short form. This prints the table of the long form, at least two
// minutes for each row:
//
//	BCWIRE_LONG=1 go test -C examples -count=1 -v -run 'HostileSuite$' ./server
//
//	scenario                               rtt ms  attack B/s  kept  joined  slowest s  out/in  KiB   log B/s
//	churn                                  0       47250       4/4   20/20   0.4        0.52    3412  250
//	churn                                  100     47250       4/4   20/20   0.8        0.52    3416  250
//	churn                                  400     47250       4/4   20/20   2.9        0.52    3416  252
//	churn without names                    0       13050       4/4   20/20   0.4        1.89    3412  250
//	churn without names                    100     13050       4/4   20/20   0.8        1.89    3416  250
//	churn without names                    400     13050       4/4   20/20   2.9        1.89    3416  252
//	churn from 200 addresses               0       47250       4/4   20/20   0.4        0.49    3553  236
//	churn from 200 addresses               100     47250       4/4   20/20   0.8        0.49    3556  231
//	churn from 200 addresses               400     47250       4/4   20/20   2.9        0.49    3556  243
//	blind join, no Acks                    0       96          4/4   20/20   0.4        1.22    84    193
//	blind join, no Acks                    100     96          4/4   20/20   0.8        1.22    87    193
//	blind join, two datagrams              0       32          4/4   20/20   0.4        3.47    84    193
//	blind join, two datagrams              100     32          4/4   20/20   0.8        3.47    87    193
//	blind join, first Ack                  0       33          4/4   20/20   0.4        4.07    84    193
//	blind join, first Ack                  100     33          4/4   20/20   0.8        4.07    87    193
//	blind join, no Ack of Settings         0       50          4/4   20/20   0.4        4.38    84    191
//	blind join, no Ack of Settings         100     50          4/4   20/20   0.8        4.41    86    192
//	blind join, wrong Acks                 0       122         4/4   20/20   0.4        0.14    79    184
//	blind join, wrong Acks                 100     122         4/4   20/20   0.8        0.14    82    185
//	blind join, exact Acks                 0       3           4/4   20/20   0.4        583.56  73    67
//	blind join, exact Acks                 100     3           4/4   20/20   0.8        580.00  75    67
//	blind join, exact Acks, random IDs     0       523         4/4   20/20   0.4        4.77    84    194
//	blind join, exact Acks, random IDs     100     523         4/4   20/20   0.8        4.79    88    195
//	blind join, two datagrams, random IDs  0       130         4/4   20/20   0.4        0.48    74    211
//	blind join, two datagrams, random IDs  100     130         4/4   20/20   0.8        0.48    76    212
//	connect flood                          0       6800        4/4   20/20   0.4        3.22    3379  257
//	connect flood                          100     6800        4/4   20/20   0.8        3.22    3383  257
//	connect flood, random IDs              0       6800        4/4   20/20   0.4        3.22    3379  257
//	connect flood, random IDs              100     6800        4/4   20/20   0.8        3.22    3383  257
//	forged events                          0       543         4/4   20/20   0.4        -       98    108
//	forged events                          100     541         4/4   20/20   0.8        -       101   108
//	launch cycle                           0       47827       1/1   20/20   0.4        -       437   2187
//	launch cycle                           100     47709       1/1   20/20   0.8        -       424   2184
//	launch cycle                           400     47208       1/1   20/20   2.9        -       468   2113
//	garbage flood                          0       109891      4/4   20/20   0.4        0.00    83    101
//	garbage flood                          100     109891      4/4   20/20   0.8        0.00    85    101
//	GameSpy, few queries                   0       160         4/4   20/20   0.4        40.25   200   101
//	GameSpy, few queries                   100     160         4/4   20/20   0.8        40.25   204   101
//	GameSpy flood                          0       8279        4/4   20/20   0.4        1.69    201   101
//	GameSpy flood                          100     8279        4/4   20/20   0.8        1.70    204   101
//
// The round trip holds for the honest players; the attacker is near. "kept" is how many
// players from before the attack are in the match at its end and see each other where they
// are. "joined" is how many others got a ship, and "slowest s" the longest time from Connect
// to ship: it is the same without an attack. "out/in" is how many bytes the server sends to
// the attacker's addresses for each byte from there, without headers of IP and UDP. It has no
// meaning for attackers who play. "KiB" is the memory of the server after the attack.
//
// The attackers of "churn" send 450 times a second a Connect, a name of 32 characters and a
// Disconnect. "connect flood" is 400 forged Connects a second, "launch cycle" fifteen players
// who launch a ship and destroy it 25 times a second each, "forged events" a player who sends
// events of other players. "GameSpy, few queries" stays below the limits of the replies. On
// Linux a second test lets churn come from 200 addresses on real sockets:
//
//	BCWIRE_LONG=1 go test -C examples -count=1 -v -run HostileSuiteChurnOnSockets ./server
//
// A blind attacker forges an address, sees no replies, and plays a script of at most 19
// datagrams. The suite lets it predict everything but random peer IDs, of which it tries
// each once. An address that has acknowledged nothing gets at most 5 times what was sent in
// its name, with the default map.
//
// A blind attacker who also predicts the Acks of all messages up to MissionInit cannot be told
// from a player. The server sends some 590 times its bytes to the forged address, until a
// message is not acknowledged for 45 s. If the match sends no reliable message for longer,
// the ship updates go on as long as the attacker sends a datagram of 3 bytes every 45 s. Such
// players take slots, too. With -randomids an attacker must guess the peer ID, and the factor
// over all guesses is 5. The ID is one of 62 to 124 while at most 62 sessions are open. By
// default peer IDs are in order, as in all captures of the game.
//
// The protocol has no authentication. An attacker who knows the address and the peer ID of a
// player can send any message in that player's name, a Disconnect for example.
//
// # Console
//
// Lines of standard input are commands: "players", "say TEXT", "kick NAME", "kick #PEER",
// "end", "restart", "quit". The log names the peer of each player. #5 always is a peer ID, and
// a name may stand in quotes: kick "#5" is for the player who is called so.
//
// # Exit status
//
// 0 after an interrupt or "quit", when everybody has been told; 1 if it could not run, or
// could not write the recording or the log; 2 for wrong flags.
package main
