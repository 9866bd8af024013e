// Package show decodes datagrams of Bridge Commander and shows what is in them.
//
// A [Decoder] takes datagrams in the order of their coming, enciphered as on the wire. It
// tells sessions apart by client or address, puts fragments together, and remembers the
// classes of ships, so that their subsystems have names. What it makes of a datagram, an
// [Output] prints:
//
//	NewLines  one line per message, and its fields
//	NewBytes  every byte with the field that it belongs to
//	NewJSON   one object per message
//	NewCheck  whether encoding gives the same bytes
//	NewStats  counts, bytes and rates
//
// # Limits
//
// No bytes make it fail: what does not decode is shown with the reason. A Decoder follows
// 256 sessions and forgets those that have been silent for longest. A session keeps as
// many incomplete payloads as a [transport.Reassembler] does.
//
// [transport.Reassembler]: https://pkg.go.dev/github.com/bcwire/bcwire/transport#Reassembler
package show
