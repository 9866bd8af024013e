// Package timeline keeps the datagrams of a recorded or live match so that a program can show any
// time of it and any message.
//
//	store := timeline.New(timeline.Options{})
//	defer store.Close()
//	err := store.Add(datagram) // for each datagram
//	...
//	window, err := store.Window(link, 12.5, 14.5, true)
//
// # Storage
//
// A Store decodes each datagram for its link, and follows it with the match of all links. Temporary files hold the
// datagrams and, for most kinds of messages, a line of text; the memory holds their places. Nearly all messages are
// StateUpdates: their lines are made from the datagrams when they are shown or searched for. A search of texts takes
// turns with other requests.
//
// For each link the Store also keeps the condition of each ship over time, and checkpoints: copies of the state of
// decoding, every 4096 messages at first. To compute a window or the details of a message, the Store decodes the
// datagrams of the link again from the last checkpoint.
//
// The traffic over time is counted from the kept datagrams when it is asked for.
//
// Files are divided into segments of 65,536 messages or 32 MiB. A live match drops its oldest
// segments when it exceeds the limits of its Options. In the browser, segments have 2 MiB of memory
// instead of files.
//
// # World
//
// The players of a server, the events, and the player whom a message is about come from package match of
// the library, which reads all links together. Each event happens once, however many links show it. An
// event about a subsystem or a cloak counts on the link of the ship's player.
//
// The world of a link consists of the players, and of the ships that package match follows on the link. A ship has the
// name that its player has in the match. A Snapshot is its state, and a Change a difference. A snapshot and
// the changes of the windows that follow it give the same state as a later snapshot. Retransmissions change
// nothing. Numbers that are not finite are missing or null in JSON, and texts are valid UTF-8 of at most 1024 bytes.
//
// A client changes only the motion of ships, and creates its own. Shots, explosions and collisions are those of all
// messages, also of forged ones: nothing is authorized. A world has no clock: a dying ship stays until a
// DestroyObject, a restart, or the next ship of its player. The position of an explosion is the position of the ship,
// because its impact is a point of the ship.
//
// # Limits
//
// There are at most 256 links. A further client displaces the one that has been silent for longest, of those who have not
// been in the game. Its messages stay, without its world. If all 256 have been in the game, the datagrams of further
// clients are left out; in a live match, a client that has been silent for a minute makes room. Datagrams without a
// readable message of the game, such as server queries, have no link. A server has at most 20,000 events and changes
// of players, and a link has plots of 512 ships with 2000 points; the oldest are dropped. Rows name at most
// 8,191 players. Package match has its own limits. A window has at most 300,000
// changes. The checkpoints take about 256 MiB, besides one for each link.
//
// # Figures
//
// A benchmark loads one hour of the link of one client in a match of 16 ships, which the program
// examples/lab/hour writes. On two cores of an AMD EPYC, which other programs used, too:
//
//	go test -run xxx -bench Hour ./examples/watch/internal/timeline
//
//	loading 634,508 messages in 107,998 datagrams    1.5 to 2.2 s
//	window of 2 s                                    2 ms
//	details of a message                             3 ms
//	100 rows                                         0.3 ms
//	the first search for a name                      4 to 13 ms
//	the first search for a text                      1.3 to 1.9 s
package timeline
