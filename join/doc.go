// Package join brings a client from a connection into the game, for both sides. A [Client] joins a
// host over a [transport.Session], and a [Host] lets clients join over a [transport.Hub]. Package
// udp runs both on sockets: udp.Join is one call from an address to a player in the game, and
// udp.Serve runs a Host.
//
//	host := join.NewHost(time.Now(), join.HostOptions{})
//	err := udp.Serve(ctx, conn, host.Hub(), udp.Handler{Event: host.Handle, Tick: host.Tick})
//
// # How a client joins
//
//	client                              host
//	Connect with the password       ->      held between two rounds, refused, or accepted
//	                                <-  ConnectReply, ChecksumRequest         StageChecking
//	NameChange, ChecksumResponse    ->      five rounds; see package checksum
//	                                <-  ChecksumComplete, Settings            StageStarting
//	                                <-  GameInit
//	NewPlayerInGame                 ->                                        StageEntering
//	                                <-  MissionInit, names, scores, ships
//	                                <-  NewPlayerJoined                       StageInGame
//
// Settings have the client's slot, and another name if its own one is taken. The client takes the
// new name and sends it back.
//
// # Client
//
// A [Client] replies to the host and follows the names, slots, teams and scores of the players; see
// [State]. It does not follow ships: see package stateupdate. The program passes the events of the
// session to [Client.Handle], which returns the decoded messages. The error of a Client that cannot join, or
// whose session has ended, wraps a reason such as [ErrFull]. Its text is, for example,
// `join: comparing files: the server has other files: "scripts/App.pyc"`.
//
// # Host
//
// A [Host] compares files, assigns slots and names, sends what a newcomer must know about the other players, and
// announces who joins and leaves. It passes each message of a player to the program after it has been authorized
// and validated; see [HostOptions].Message. The program adds the rules and the scores; tournament of the examples is such
// a server. Without any function of the program, a Host relays the messages of its players. With HostOptions.Ships,
// it also follows their ships, so that such a Host is a whole server, as the program minimal of the examples.
//
// [Host.AddPlayer] adds players that the program plays itself. [Host.End] ends a round, [Host.Restart] begins the
// next one, and [Host.NextMission] one of another mission. A Host has no ban list: a program refuses an address by
// [transport.Hub.Refuse] before it passes the event to [Host.Handle].
//
// A Client and a Host are state machines without goroutines, sockets and clocks. They are not safe
// for concurrent use. If the time of the caller goes back, no time passes.
//
// # Limits of a Client
//
//	join           2 minutes
//	entering       5 s between MissionInit and NewPlayerJoined; the Client then does without the missing one
//	checksums      32 requests, and 64 messages that are malformed or not expected
//	map            255 bytes
//	names          200 UTF-16 units
//	players        the peer IDs 2 to 127
//
// # Limits of a Host
//
//	sessions       64 in all, 4 of one network (HostOptions.Hub)
//	players        HostOptions.Mission.PlayerLimit, at most 16, with the players of the program
//	files          30 s for each round, down to 5 s as the sessions are used up
//	loading        2 minutes (HostOptions.LoadTimeout); others may take the slot; see below
//	Acks           45 s for each message (HostOptions.Hub.Session.SendTimeout)
//	between rounds 256 Connects wait, each for 40 s
//	passwords      10 wrong ones of a network, then one a second
//	messages       25 a second of a player, with bursts of 256
//	StateUpdates   40 a second, with bursts of 80
//	chat           2 lines a second, with bursts of 10
//	ships          one in 2 s, with bursts of 3; the limits of messages and bytes do not stop them
//	relayed        1.5 KiB of datagrams a second to each other player, with bursts of 16 KiB
//	names          32 characters
//	log            a line a second about clients that are not in the game, with bursts of 20; a line a minute about a
//	               player, with bursts of 30, and more if the first limit allows
//	waiting        128 KiB of messages for each player, until it acknowledges earlier ones
//
// # Who pays
//
// The protocol authenticates nothing, and the address of a datagram can be forged. The session of a client opens when
// its address is validated. Until then, the client has no record, takes from nobody's budget, and displaces only other
// clients whose addresses are not validated; see [transport.Hub.Accept].
//
// A budget belongs to a network, and outlives its sessions until it is full again: to leave and come back never
// gains anything. A network is an IPv4 address, 64 bits of an IPv6 address, or a port of the loopback interface.
// Eight players behind one address need MaxPerIP 8.
//
// The limits of the table from messages to relayed bytes, and that of the log, form an account. A network has as many
// accounts as it has had open sessions at once, so each player of a household has one, and so has a player who comes back
// while the session of a crashed program is open. A join costs 512 relayed bytes, because all players are told of it and
// of the later leave. If the account has fewer, what the player sends, its ship excepted, is not relayed for a third of a
// second for each such join. A network has 32 joins at once.
//
// Messages that a player does not acknowledge fast enough wait, in their order and on the account of the player who has
// caused them. Messages of the Host about a player or its ship are on the account of that player, and all others of the
// Host and of players of the program on the account of the Host. A newer state of an object replaces an older one that
// waits, and a player who leaves before a receiver has been told of it leaves nothing there. If too much waits, the
// account with most of it loses some, shots and chat first. Joins, leaves and names are never lost. The
// session of a player who acknowledges nothing for SendTimeout ends. No session ends for what other players send.
//
// The reply to a Connect does not depend on its password. When the address is validated, each wrong password in the
// client's Connects is a trial of its network, and a client without the right one gets a Boot. If the network has no
// trial left, its clients wait, and are taken in random order. A Connect with the forged address and port of a client
// counts as its own, at most four of them.
//
// A client gets a slot after the comparison of files. If there are as many clients with slots as clients may be, it
// gets the slot of another one that has not entered the game: of the network that occupies most slots without
// entering. Among networks that are equal, only a client that has loaded for 20 s loses its slot. The slot of a player
// in the game is never taken.
//
// # Evidence
//
// The order of the messages is observed in captures of the game. Package opcode explains the grades
// of evidence and the messages.
package join
