// Server hosts a match of Bridge Commander, as a dedicated host of the game does.
//
//	go run ./examples/server [flags]
//
// By default it listens on the loopback interface. The flag -addr 0.0.0.0:22101 opens it to the
// network. The protocol has IPv4 only. Players find the server in their LAN browser, or on the
// master server that -master names.
//
// # How it is built
//
// The packages of the library do the protocol: transport/udp runs the socket, join lets players join,
// gamespy answers browsers, opcode decodes messages, and stateupdate encodes ships. Package game adds
// the match, and this program the flags and the socket. The program minimal is a shorter server. Read
// the files in this order:
//
//	main.go           from the flags to udp.Serve
//	options.go        the flags and their limits
//	game/game.go      the match, its players and ticks
//	game/play.go      players enter, play and leave
//	game/ships.go     ships, their updates and collisions
//	game/combat.go    what the model of combat computes
//	game/score.go     deaths, scores, limits and rounds
//	game/browsers.go  replies to browsers and heartbeats
//	game/console.go   the commands
//	metrics.go        the metrics
//
// A match has neither a clock nor a socket. The tests run hours of it in seconds, with players
// and a network that loses datagrams. Other programs can import it.
//
// # Combat
//
// The server computes the damage of every ship, as the host of the game does, with the laws of package
// combat/model. It applies the shots, settings and collisions of the players, and believes no client
// about damage. Every tick it sends the conditions of subsystems in turn, so a client that computes
// nothing sees the state of every ship within 2 s. It sends repairs and deaths with the player whose shot
// destroyed the ship. A death by collision has no killer, and damage only counts with -collisions.
// The points of a player are a tenth of the damage that the player has done to ships that were
// destroyed. Damage to the own team is subtracted, as in the scripts of the missions. A ship keeps the team
// that its player has when it is created, or chooses within 2 s.
//
// Clients decide how their ships move and what they fire. The server notes motion and shots that no ship
// is capable of. A ship is too fast above 1.3 times the speed of its class for 2 s, outside of warp and
// collisions, or if it jumps farther than that. A position that is relative to another one counts only from 3.5 s on,
// because the loss of the other one makes it wrong by a second of flight. A weapon must exist, work and be loaded, and the shot must be in
// its arc. The metric
// bcwire_improbable_total counts them, and the log has at most one line in 10 s. A shot of a weapon that cannot fire has
// no effect. With -strict, the server also drops improbable messages: a ship stays where it was.
// A ship may have any place in its first two seconds. For 12 s of a warp, it may have any speed and does not fire.
// The next warp begins 30 s after it at the earliest, and needs a warp engine that works. A ship without a working
// cloaking device is not cloaked. A ship that others have damaged counts as destroyed, without a killer, if its player
// leaves. So does one that was hit or has fired, if its player creates another ship.
//
// With -combat=false, the server relays torpedoes and beams, and they damage nothing. A ship then dies by
// self-destruction, or by the collisions that its own player reports. The other player gets the kill and 1,000
// points if it reports the collision, too, and its ship is within 100 game units.
//
// # What it does not do
//
// The server does not fly ships: each player reports the position of its own ship, and the collisions. A
// client that reports no collisions suffers no damage from them. There are no warp sets, tractor beams, nebulae and
// splash of explosions. In relayed shots and lines of chat,
// the server replaces the player by the sender: receivers credit kills to the player in the shot. Ships
// stay in the star system in which they were created. Ships whose class has no physics, such as those of
// mods, fly, but neither damage ships nor are damaged. The server does not send the scores of teams.
//
// # Compatibility
//
// Ship updates have the rate of a dedicated host of the game. A player gets the ships in the star
// system of its own ship, and none while it has no ship. The rate is ten updates a second for each
// ship. It is lower for a client on a modem, and for all clients with -modem. In the game the rate
// also depends on the distance of the ship, except for the target of the receiver. The server does
// not know the targets, because the message TargetChanged has only the target before the change. The
// server therefore ignores distances. The flag -allships sends all ships to all players ten times a
// second, which suits spectators. The last update of a destroyed ship marks all of it as destroyed.
//
// A client gets another name with its settings if its name is taken or has characters outside of
// Windows-1252. If the client ignores the new name, the other players see the new name all the
// same, and its ship has it, too.
//
// At the frag limit, missions 1 to 3 end with the reason "score limit", like their scripts, and
// other missions with "frag limit". Browsers show Mission1 as "DM", as in the captured reply of a
// game server. The texts of other missions are not known, so browsers show the name of the script.
//
// The policy "stock" compares files as the game does. A client of the game does not answer a request
// if it has none of the files. The server kicks a client that does not answer in time, and logs the
// request. To expect the files of your own installation, write them to a file with the program
// manifest, and pass this file with -manifest.
//
// The server answers every query, at least with \final\, within the limits below. It sends a
// heartbeat to the master server once a minute, at the end, and when a player joins or leaves, at
// most every 2 s. The flag -stockbeacon selects the times of the game: every 30 s until the first
// query, then every 5 minutes, and nothing at the end.
//
// # Limits
//
// A player may send 25 messages, 40 ship updates and 2 lines of chat a second. The messages may
// cause 1.5 KiB of relayed datagrams a second to each other player. A player may create a ship every
// 2 s. Each limit allows bursts. The server drops a message that exceeds a limit, is longer than any
// such message of the game, has values that make no sense, or acts for another player. It also drops
// messages of mods, which it does not know. The metrics count these messages by reason. A player whose send queue is full has missed a message and
// is kicked. With these limits, a queue becomes full only if datagrams are lost, or if the round trip
// is longer than 0.5 s.
//
// The protocol authenticates nothing. A client can claim any name, and gets the score that the server
// keeps for a player of that name who has left. It can claim any address in a NameChange. The address
// of a Connect may be forged, so a client gets a slot only with its settings, after the comparison of
// files. While a client joins, it must acknowledge each message of the server within 20 s. The server
// drops a payload that arrives before that Ack, without an Ack, so the client retransmits it. A
// payload is lost only if it comes in one datagram with a message that the server answers; no known
// client sends such datagrams. A client enters the game when it has acknowledged MissionInit.
//
// A client must load the game within -loadtime, 2 minutes by default. The time for the comparison of
// files shrinks from 30 s to 5 s as the sessions are used up. If all slots are taken, a client gets the
// slot of one that has not entered the game. The first to lose it is a client that has not
// acknowledged its settings, then one from the network that has squatted most. A client that loads
// keeps its slot for 20 s from clients whose networks are no better. If there is no such slot, the
// match is full. A network is an IPv4 address. It has at most -perip sessions, and all have at most 64.
//
// With -idle, the server kicks players who have sent no message of the game for this time. A
// keepalive is no such message. A client that connects between two rounds waits for the next one, at
// most 40 s. A network may guess ten passwords, and then about one a second. The log
// has the guesses, at most one line a second after a burst of 20; the next line counts the rest.
//
// The game time is a float32 in seconds. After 12 days its step is 0.125 s, longer than a tick of
// 0.1 s. Restart the program once a week. The command restart does not reset the game time.
//
// # Scale
//
//	go test -run '^$' -bench Scale -benchtime 1x ./examples/server/game
//
// measures a match of bots who fight, with combat and the cipher and without a socket. It also measures
// sessions with ten messages a second each way, in hubs of 100. The times of the first table are the least
// of ten runs on a machine with other work, on which the second table has twice its times.
//
//	players  datagrams/s in   out  KiB/s out  to each  µs of CPU/s  heap KiB
//	      1            10.0  10.0        0.3      0.3         42.0      34.7
//	      2            21.2  21.2        1.4      0.7          126      56.7
//	      4            46.2  47.5        5.9      1.5          228       106
//	      8            95.8   102       24.0      3.0          756       212
//	     16             206   386       97.0      6.1         2629       502
//
//	sessions  datagrams/s  ns/datagram  KiB each, idle  busy
//	       1         21.0          359             5.9   6.6
//	      10          219          173             2.1   2.6
//	     100         2199          173             1.8   2.3
//	    1000        21990          171             1.8   2.3
//
// Combat takes about a third of the time (-bench Combat). The traffic from the players grows with their
// number. The traffic to each player grows with the number, too: ten updates a second of every ship, of
// some 37 bytes each with the headers. The traffic from the server grows with the square of the players, up to 2,560 updates a second for 16. Time and memory grow
// with the square, too: there is an encoder for each player and ship. With 12 ships and more, the
// updates do not always fit into one datagram. The protocol has no more than 16 slots.
//
// Sessions are independent of each other: the cost of a datagram does not grow with their number.
// With one session, the figures contain the fixed costs of a tick and of the tables of the hub.
//
// # Running many
//
// Run a process with its own port for each match: a systemd template unit (server@22101), or a
// container. Publish the UDP port of a container under the same number, because the server sends
// the number to master servers. A readiness probe requests /ready at the address of -metrics,
// which succeeds while the match runs. It can also send \status\ to the port and wait for text.
//
// The following tests send a million datagrams of garbage, forged and mutated, to a match, and let
// 16 bots play on sockets:
//
//	BCWIRE_LONG=1 go test -count=1 -v -run 'TestSockets|Flood$' ./examples/server
//
// The server sends browsers at most 2 replies a second for each address, and 32 KiB a second in
// all. A reply of this server has some 40 times the bytes of its query, and addresses can be forged.
//
// # Under attack
//
// The hostile suite attacks a match of four bots, who fly and fire, in a simulated network. Other
// bots join and leave during the attack. The test fails if a value exceeds the limit for its column.
// A short form runs with the other tests. The long form takes at least two minutes of virtual time
// for each row:
//
//	BCWIRE_LONG=1 go test -count=1 -v -run 'HostileSuite$' ./examples/server/game
//
//	scenario                               rtt ms  attack B/s  kept  joined  slowest s  out/in  KiB   log B/s
//	churn                                  0       47250       4/4   20/20   0.4        0.47    180   225
//	churn                                  100     47250       4/4   20/20   0.8        0.47    183   225
//	churn                                  400     47250       4/4   20/20   2.9        0.47    183   227
//	churn without names                    0       13050       4/4   20/20   0.4        1.55    180   225
//	churn without names                    100     13050       4/4   20/20   0.8        1.55    183   225
//	churn without names                    400     13050       4/4   20/20   2.9        1.55    183   227
//	churn from 200 addresses               0       47250       4/4   20/20   0.4        0.47    180   226
//	churn from 200 addresses               100     47250       4/4   20/20   0.8        0.47    172   226
//	churn from 200 addresses               400     47250       4/4   20/20   2.9        0.47    173   228
//	blind join, no Acks                    0       96          4/4   20/20   0.4        1.18    60    193
//	blind join, no Acks                    100     96          4/4   20/20   0.8        1.18    63    193
//	blind join, two datagrams              0       32          4/4   20/20   0.4        3.16    60    193
//	blind join, two datagrams              100     32          4/4   20/20   0.8        3.16    63    193
//	blind join, first Ack                  0       33          4/4   20/20   0.4        1.85    144   192
//	blind join, first Ack                  100     33          4/4   20/20   0.8        1.85    147   193
//	blind join, no Ack of Settings         0       50          4/4   20/20   0.4        2.54    155   190
//	blind join, no Ack of Settings         100     50          4/4   20/20   0.8        2.54    158   191
//	blind join, wrong Acks                 0       122         4/4   20/20   0.4        0.14    55    186
//	blind join, wrong Acks                 100     122         4/4   20/20   0.8        0.14    58    187
//	blind join, exact Acks                 0       3           4/4   20/20   0.4        585.05  53    66
//	blind join, exact Acks                 100     3           4/4   20/20   0.8        581.37  56    66
//	blind join, exact Acks, guessed IDs    0       69          4/4   20/20   0.4        35.98   64    99
//	blind join, exact Acks, guessed IDs    100     69          4/4   20/20   0.8        36.13   68    99
//	blind join, exact Acks, random IDs     0       523         4/4   20/20   0.4        4.82    67    198
//	blind join, exact Acks, random IDs     100     523         4/4   20/20   0.8        4.85    70    198
//	blind join, two datagrams, random IDs  0       130         4/4   20/20   0.4        0.66    55    217
//	blind join, two datagrams, random IDs  100     130         4/4   20/20   0.8        0.66    57    218
//	connect flood                          0       6800        4/4   20/20   0.4        3.22    3095  257
//	connect flood                          100     6800        4/4   20/20   0.8        3.22    3098  257
//	connect flood, random IDs              0       6800        4/4   20/20   0.4        3.22    3096  257
//	connect flood, random IDs              100     6800        4/4   20/20   0.8        3.22    3099  257
//	forged events                          0       547         4/4   20/20   0.4        -       71    155
//	forged events                          100     545         4/4   20/20   0.8        -       75    155
//	launch cycle                           0       47829       1/1   20/20   0.4        -       438   2186
//	launch cycle                           100     47710       1/1   20/20   0.8        -       420   2184
//	launch cycle                           400     47209       1/1   20/20   2.9        -       462   2113
//	garbage flood                          0       109891      4/4   20/20   0.4        0.00    59    101
//	garbage flood                          100     109891      4/4   20/20   0.8        0.00    61    101
//	GameSpy, few queries                   0       160         4/4   20/20   0.4        40.25   165   101
//	GameSpy, few queries                   100     160         4/4   20/20   0.8        40.25   167   101
//	GameSpy flood                          0       8279        4/4   20/20   0.4        2.33    165   101
//	GameSpy flood                          100     8279        4/4   20/20   0.8        2.33    167   101
//
// The same tests run against the program minimal (./minimal), with the same limits.
//
// The column "rtt" is the round trip of the honest players; the attacker has none. The column
// "attack B/s" is the bytes that the attackers send each second, and "log B/s" the bytes that the
// server logs. The column "kept" has the players from before the attack who are in the match at its
// end and see each other where they are. The column "joined" has the other players who got a ship. The column "slowest s"
// has the longest time from Connect to ship, which is the same without an attack. The column "out/in"
// is the bytes that the server sends to the attacker's addresses for each byte from there, without
// headers of IP and UDP. It has no meaning for attackers who play. The column "KiB" is the memory of
// the server after the attack.
//
// The attackers of "churn" send 450 times a second a Connect, a name of 32 characters and a
// Disconnect. "connect flood" is 400 forged Connects a second. In "launch cycle" fifteen of the
// sixteen players launch a ship and destroy it 25 times a second each, so one is kept. In "forged events" a player sends events of
// other players. "GameSpy, few queries" stays below the limits of the replies. On Linux, another
// test runs the churn from 200 addresses on sockets:
//
//	BCWIRE_LONG=1 go test -count=1 -v -run HostileSuiteChurnOnSockets ./examples/server
//
// A blind attacker forges an address, receives no replies, and sends a script of at most 19
// datagrams. The suite lets it predict everything except the peer ID where the name of the scenario
// says "guessed" or "random": it then tries each ID once. An address that has acknowledged nothing gets at most
// three times the bytes that were sent in its name, and 128, whatever the server sends.
//
// A blind attacker who also predicts the Acks of all messages up to MissionInit cannot be
// distinguished from a player. The server sends up to 590 times its bytes to the forged address,
// until a reliable message has no Ack for 45 s. If no reliable message is due, the server sends ship
// updates while the attacker sends a keepalive of 3 bytes at least every 45 s. Such players also
// take slots. The attacker must guess the peer ID, which is one of 2 to 17 at random. The factor over
// all guesses is 36, and 5 with -randomids, where it is one of 124.
//
// The protocol has no authentication. An attacker who knows the address and the peer ID of a player
// can send any message in the name of that player, such as a Disconnect. To guess the ID takes 8.5
// datagrams on average, and 62.5 with -randomids. The table in .github/SECURITY.md has what each
// attack takes.
//
// Without the peer ID, no datagram ends a session, and cheap sessions keep nobody out:
//
//	BCWIRE_LONG=1 go test -count=1 -v -run 'Spoofed|Restart|Squatters|CheapSessions|PasswordGuesses|ForgedQueries|HoursOfSiege' ./examples/server/game
//
//	scenario                                         result
//	spoofed Connect, 1/s for 10 min, silent player   stays
//	client restarts on its port                      in after 0.5 to 3.5 s
//	wrong peer IDs from the address of a joiner      in after less than 1 s
//	forged sessions of the IP address of a joiner    in after less than 5 s
//	4 in game, squatters 1 x 4, load 15 s            5 of 5 enter, the slowest after 16 s
//	4 in game, squatters 1 x 4, load 5 s             5 of 5 enter, the slowest after 6 s
//	7 in game, squatter 1 x 1, load 5 s              5 of 5 enter, the slowest after 26 s
//	none in game, squatters 3 x 4, load 15 s         5 of 5 enter, the slowest after 16 s
//	40 addresses, 40 opens/s, one Ack each           6 of 6 join, the slowest after 0.8 s
//	forged sources that guess IDs, 40 joins/s        12 of 12 join, the slowest after 0.8 s
//	opens without an Ack, 200/s from 200 addresses   6 of 6 join, the slowest after 2.9 s
//	3 forged guesses of a password a second          in after 7 s on average
//	2,000 forged queries a second                    a browser gets 30 of 30 answers
//	all at random for 3 hours, 8 in game             all stay, 482 of 482 enter within 42 s
//
// Squatters of "3 x 4" have three addresses with four clients each, who never finish loading. The
// honest clients load for the time in the row. In the last row, a bot leaves every 20 s, and another
// one comes for its slot. The memory of the test stays at 1.4 MiB, and the log at 120 bytes a second.
//
// # Console
//
// Lines of standard input are commands: "players", "say TEXT", "kick NAME", "kick #PEER", "end",
// "restart", "quit". The log and the command players print the peer IDs. The command kick #5
// always means the peer ID 5. With quotes, kick "#5" means the player with the name #5.
//
// # Recordings
//
// With -record FILE, the server records all datagrams. Only the owner of the file can read it,
// because datagrams have passwords. At -recordlimit, or on a full disk, recording ends with a line in
// the log, and the match goes on. The recorded part stays readable.
//
// # Exit status
//
// The status is 0 after an interrupt or the command quit, and 2 for wrong flags. It is 1 if the
// server could not run, or could not write the recording or the log.
package main
