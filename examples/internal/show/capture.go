// Package show decodes datagrams of Bridge Commander and prints their fields:
//
//	var decoder show.Decoder
//	out := show.NewLines(os.Stdout, false, false)
//	out.Packet(decoder.Decode(&show.Datagram{Number: 1, Data: data}))
//
// A [Decoder] assigns datagrams to sessions by client or address, reassembles fragments and
// tracks ships, whose classes name the subsystems. An [Output] prints the decoded datagrams:
//
//	NewLines  one line per message, and its fields
//	NewBytes  every byte with its field
//	NewJSON   one object per message
//	NewCheck  re-encodes and counts differences
//	NewStats  counts, bytes and rates
//
// Outputs print malformed messages with the error. A Decoder tracks at most 256 sessions and
// replaces the one that has been silent for longest.
package show

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// Datagram is the input of a [Decoder].
type Datagram struct {
	Number   int                 // packet number, from 1
	Time     float64             // seconds
	Dir      recording.Direction // if empty, Decode derives it from the peer ID
	Client   string              // if empty, Decode derives it from the addresses
	Src, Dst netip.AddrPort      // zero if unknown
	Data     []byte              // as on the wire
	Missing  int                 // number of bytes that the capture has truncated
	Note     string              // printed with the last message
}

// Recorded returns a datagram of a recording, without its note. It aliases d.Data.
func Recorded(number int, d recording.Datagram) *Datagram {
	dg := &Datagram{Number: number, Time: d.Seconds, Dir: d.Direction, Data: d.Data}
	if d.Client != recording.NoClient {
		dg.Client = strconv.FormatInt(d.Client, 10)
	}
	return dg
}

// Output prints decoded datagrams.
type Output interface {
	Packet(p *Packet) error
	// Finish ends the output, given the number of partial payloads.
	Finish(pending int) error
	// Failed reports whether a check has failed.
	Failed() bool
}

// Decoder decodes datagrams in the order of their arrival. The zero value is ready to use.
type Decoder struct {
	Plain    bool                  // the datagrams are not enciphered
	Classes  stateupdate.Catalogue // ship classes in addition to the game's
	Brief    bool                  // complete payloads have no fields, which takes a third of the time
	sessions sessions
}

// Pending returns the number of partial payloads.
func (d *Decoder) Pending() int {
	payloads, _ := d.sessions.pending()
	return payloads
}

// PendingBytes returns the bytes of the fragments of partial payloads.
func (d *Decoder) PendingBytes() int {
	_, bytes := d.sessions.pending()
	return bytes
}

// Decode decodes the next datagram. It deciphers the bytes in place, and the Packet aliases
// them. It sets Dir and Client if they are empty.
func (d *Decoder) Decode(dg *Datagram) *Packet {
	p := &Packet{Datagram: dg}
	s := d.sessions.find(dg)
	s.ships.tracker.Classes, s.ships.brief = d.Classes, d.Brief
	if transport.IsGameSpy(dg.Data) {
		p.gamespy = true
		p.add(&Message{Type: "GameSpy", Name: "GameSpy", Raw: dg.Data})
		p.Player = s.players.of(p)
		return p
	}
	if !d.Plain {
		cipher.Decrypt(dg.Data)
	}
	if len(dg.Data) > 0 {
		p.Peer = objectid.PeerID(int8(dg.Data[0]))
	}
	end := d.messages(p, s)
	s.players.learn(p, s.chat)
	p.Player = s.players.of(p)
	d.addNotes(p, end)
	return p
}

func (p *Packet) add(r *Message) {
	r.Index = len(p.Messages)
	p.Messages = append(p.Messages, r)
}

// messages decodes the messages of a datagram and returns the offset after the last one.
func (d *Decoder) messages(p *Packet, s *session) int {
	offset := min(2, len(p.Data))
	for m, err := range s.observer.Receive(Instant(p.Time), p.Dir == recording.ToClient, p.Data) {
		r := &Message{
			Type: m.Type.String(), Raw: m.Raw, Offset: offset, Frame: m.Message, Err: err,
			NewConnection: m.NewConnection, Duplicate: m.Verdict == transport.VerdictDuplicate, Acked: m.Acked,
		}
		r.Name = r.Type
		if len(m.Raw) == 0 {
			r.Type, r.Name = "", ""
		}
		p.add(r)
		offset += len(m.Raw)
		switch {
		case unreadable(m, err):
			p.malformed = true
			r.dissectHead()
		case m.Type == transport.TypeData:
			r.dataMessage(m, &s.ships)
		default:
			r.systemMessage(m, &s.ships)
		}
	}
	return offset
}

// unreadable reports whether the framing of a message is malformed. The framing of a fragment
// that contradicts others is not.
func unreadable(m *transport.Observation, err error) bool {
	return m.Verdict == transport.VerdictRefused && !(m.Reliable && errors.Is(err, transport.ErrBadFragment))
}

// addNotes adds notes about the datagram to its last message, which ends at offset end.
func (d *Decoder) addNotes(p *Packet, end int) {
	if len(p.Messages) == 0 {
		p.add(&Message{Offset: end, notes: []note{{kind: "no messages"}}})
	}
	last := p.Messages[len(p.Messages)-1]
	if p.Note != "" {
		last.note(p.Note, "")
	}
	bad := slices.ContainsFunc(p.Messages, func(r *Message) bool { return r.Err != nil })
	if rest := p.Data[min(end, len(p.Data)):]; len(rest) > 0 {
		p.trailing = rest
		last.note("trailing bytes", trailingText(rest)+" after the last message")
	}
	if p.Missing > 0 {
		kind := "truncated by the capture"
		last.note(kind, fmt.Sprintf("%s: %s of the datagram are missing", kind, terminal.Plural(p.Missing, "byte")))
	}
	if bad && d.plainIsWrong(p.Data) {
		last.note("cipher", d.advice())
	}
}

func (d *Decoder) advice() string {
	if d.Plain {
		return "the datagram is enciphered: leave out -plain"
	}
	return "the datagram is not enciphered: use -plain"
}

// plainIsWrong reports whether a datagram decodes with the other value of Plain.
func (d *Decoder) plainIsWrong(data []byte) bool {
	data = slices.Clone(data)
	if d.Plain {
		cipher.Decrypt(data)
	} else {
		cipher.Encrypt(data)
	}
	var p transport.Packet
	return p.UnmarshalBinary(data) == nil && len(p.Messages) > 0 && len(p.Trailing) == 0
}

// Packet is a decoded datagram. A program that prints nothing reads its Messages.
type Packet struct {
	*Datagram
	Peer     objectid.PeerID // 0 for GameSpy text
	Player   Player
	Messages []*Message // at least one, which has no Type if the datagram has no messages

	gamespy   bool
	malformed bool   // the framing of a message is malformed
	trailing  []byte // bytes after the last message
}

// Message is a decoded message. Its bytes alias the datagram, except for a reassembled Payload.
type Message struct {
	Index  int    // in the datagram
	Type   string // of the framing, or "GameSpy"
	Name   string // of the payload, or the Type
	Raw    []byte // the message in the datagram
	Offset int    // of Raw in the datagram
	Frame  transport.Message
	Body   transport.Body // of a system message, or nil
	Err    error

	Payload []byte         // of Data: the payload, or its beginning
	Whole   bool           // Payload is complete
	Decoded opcode.Message // decoded from a complete Payload without an error, or nil
	Subject Subject        // of Decoded

	NewConnection bool            // a Connect begins a connection
	Duplicate     bool            // a reliable message that was seen before
	Acked         transport.Acked // the message that an Ack acknowledges

	message         opcode.Message // Decoded, or a message with trailing bytes, which changes nothing
	code            opcode.Code    // of a payload
	hasCode         bool
	parts           []stream.Field     // of the payload
	trailing        []byte             // bytes of the payload after the last field
	class           *stateupdate.Class // of the ship, if parts has its subsystems
	afterSubsystems []byte             // bytes of the payload after the last subsystem
	power           []string           // power settings in text, if the class of the ship is known
	notes           []note
}

// note is a note about a message.
type note struct {
	kind string // -check counts notes by kind
	text string // the full text; empty: kind
}

// kindFragment is the kind of notes that -check does not count, because fragments are
// normal.
const kindFragment = "fragment"

func (n note) String() string {
	if n.text != "" {
		return n.text
	}
	return n.kind
}

// note adds a note.
func (r *Message) note(kind, text string) {
	r.notes = append(r.notes, note{kind, text})
}

// Kinds returns the kinds of the notes, such as "dialect" and "trailing bytes". They do not
// include "fragment".
func (r *Message) Kinds() (kinds []string) {
	for _, n := range r.notes {
		if n.kind != kindFragment {
			kinds = append(kinds, n.kind)
		}
	}
	return kinds
}

// Note returns all notes in one line.
func (r *Message) Note() string {
	texts := make([]string, len(r.notes))
	for i, n := range r.notes {
		texts[i] = n.String()
	}
	return strings.Join(texts, "; ")
}

// label is the name of the message in tables.
func (r *Message) label() string {
	switch {
	case r.Type == "":
		return "(none)"
	case r.Name == "Data" && r.Frame.Fragment:
		return "Data (fragment)"
	}
	return r.Title()
}
