// Sim plays whole matches in virtual time, with faults, and checks everything. It finds errors of the library,
// the server and the bots that need a rare combination of faults.
//
//	go run ./examples/lab/sim -seed 1 -seeds 100
//
// A match has the server without its socket, up to 16 bots, observers on all links, a browser and strangers who
// attack. A seed determines all of it, to the byte. The program prints a line for each match, and its exit
// status is 1 after a violation:
//
//	seed N: ok 78.7 s digest eb40bf4fc928c126
//	seed N: VIOLATION at 31.2 s: the server has 3 sessions, not 2
//
// The digest is of all datagrams at the server, with their times. It does not depend on the machine.
//
// # Repeat a failure
//
// The flag -seed with the seed of the line repeats the match. With -minimize, the program looks for a match with
// fewer players, less time and fewer faults, and prints its flags. With -record, it writes the datagrams of the
// match to SEED.jsonl in a directory. The times in the file are those of the line, so that watch and dump show
// the moment of the violation.
//
//	go run ./examples/lab/sim -seed 2 -minimize
//	go run ./examples/lab/sim -seed 2 -record /tmp
//	go run ./examples/watch /tmp/2.jsonl
//
// # Faults
//
// Each seed draws some of the faults and the strength of each. The flag -without leaves faults out.
//
//	network   loss, duplicate, delay, reorder, late (by half a minute), damage, partition
//	processes pause, crash (with lost state), reuse (of the port), leave, rebind (another address), clock (jumps)
//	server    server (pauses, crashes), disk (the recording finds it full), clock
//	strangers attack (those of package siege), spoof (with addresses of players), browsers
//	players   stock (timing of the game) and openbc (counts modulo 256), also for the server; chat, fight, teams
//	matches   rounds, kick, files, password, modem, combat
//
//	liars     lies (of names, chat, ships, shots, deaths and scores of others; floods), lag (of one link, up to 45 s)
//	drills    before each match; see below
//
// Times with faults of up to four minutes alternate with times of calm, in which all must become well.
//
// # Checks
//
// In each tenth of a second: slots, peer IDs and names are unique, the sessions keep to their limits, and a kill
// has its points. Each reliable message that the server receives or relays arrives once, in order, and with the
// peer ID of its sender. Without a fault, nobody is disconnected. No line of the log repeats within a second.
//
// In calm, everybody is in the game within 150 seconds, and all queues drain. Then kills and deaths are those in
// the log, and each client and each observer has the players, scores, ships, deaths and chat of the server. Each
// ship is where its owner has flown it lately, within 0.15 units. At the end, the server has at most 40 MiB.
//
// The server refuses what is forged, and no observer has an event of it. Each message that the server relays is its
// sender's for the observer of each single link. An observer goes on when the server crashes and starts again. In every
// third match, the datagrams are read again without 1, 5 and 20 % of them: nobody is given what another one did, and the
// lines are there that a link shows which has lost nothing. They are also read from the middle on, all and those of one
// link: what happens there happens in the whole match, once, to the same player.
//
// # Drills
//
// In a drill, some guests do one thing on a server of their own, and a referee computes again what must come of it: a
// slow and plain computation that shares the codec and the data of the ships with the server, and nothing else.
//
//	authority  who may send which message, of which length, and what observers see of it
//	cadence    the intervals of updates, by players and modems
//	collision  damage, overflow, repairs, and what is announced of them
//	fire       beams of one class, by level, time and distance
//	torpedo    flight and damage, past wrecks
//	score      kills, points and helpers, of friends and enemies
//	limits     players, names, lines, ships and messages: each limit and one more
//	late       positions in another order
//	return     scores of a player who comes back
//	reuse      the next player with a peer ID, while a link is cut off
//	stream     long and urgent payloads on a bad network
//	console    commands and heartbeats
//
// The flag -meaning prints how many matches have seen each message, event, refusal, fault and lie, and what none has
// seen. The flag -rare draws matches towards it: of each eight seeds it plays the one whose faults have led to what
// few matches have seen.
//
// # Limits
//
// An observer cannot know what no link carries: the checks of observers are left out after damaged or forged
// datagrams, and if a port is used again. With OpenBC's numbers, late datagrams and used ports are left out.
// So are used ports with late datagrams: nothing in a datagram of the host tells which of two sessions it is of. A client
// with OpenBC's numbers, or on a used port, that takes an old datagram for a new one begins again.
// A server or a client with OpenBC's forms is not compared if a player's slot is not the one that OpenBC gives to the
// peer ID. A strict server may refuse motions, so that positions are not compared.
//
// README.md has the planted bugs by which the checks are tested, the speed, and a matrix of interoperability.
package main
