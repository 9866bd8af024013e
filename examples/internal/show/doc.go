// Package show decodes datagrams of Bridge Commander and prints their fields.
//
// A [Decoder] takes datagrams in the order of their arrival, enciphered as on the wire. It
// assigns them to sessions by client or address and reassembles fragments. It remembers the
// classes of ships, which give the subsystems their names. An [Output] prints the decoded
// datagrams:
//
//	NewLines  one line per message, and its fields
//	NewBytes  every byte with its field
//	NewJSON   one object per message
//	NewCheck  whether encoding gives the same bytes
//	NewStats  counts, bytes and rates
//
// The files follow the data: datagram, session, decode, message and ships; then fields,
// value and format; then one file per output.
//
// # Limits
//
// No input makes it fail: malformed messages are shown with the reason. A Decoder follows at
// most 256 sessions. If there are more, it forgets the session that has been silent for
// longest. A session keeps as many partial payloads as a [transport.Reassembler] does.
//
// [transport.Reassembler]: https://pkg.go.dev/github.com/bcwire/bcwire/transport#Reassembler
package show
