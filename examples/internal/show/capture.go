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
// The files follow the data: capture, session, message and ships; then fields, value and format;
// then one file per output.
//
// # Limits
//
// No input makes it fail: malformed messages are shown with the reason. A Decoder follows at
// most 256 sessions. If there are more, it forgets the session that has been silent for
// longest. A session keeps as many partial payloads as a [transport.Observer] does.
//
// [transport.Observer]: https://pkg.go.dev/github.com/bcwire/bcwire/transport#Observer
package show

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// Datagram is the input of a [Decoder].
type Datagram struct {
	Number   int                 // of the packet, from 1
	Time     float64             // seconds
	Dir      recording.Direction // empty: derived from the peer ID
	Client   string              // name of the client; empty: derived from the addresses
	Src, Dst netip.AddrPort      // if they are known
	Data     []byte              // as on the wire
	Missing  int                 // number of bytes that the capture lacks
	Note     string              // printed with the last message
}

// Recorded returns a datagram of a recording, without the note. It aliases the bytes.
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
	// Finish is called after the last packet, with the number of partial payloads.
	Finish(pending int) error
	// Failed reports whether the program should exit with a failure.
	Failed() bool
}

// Decoder decodes datagrams in the order of their arrival. The zero value is ready to use.
type Decoder struct {
	Plain    bool                  // the datagrams are not enciphered
	Classes  stateupdate.Catalogue // of ships, in addition to the classes of the game
	sessions sessions
}

// Pending returns the number of partial payloads.
func (d *Decoder) Pending() int { return d.sessions.pending() }

// Decode decodes a datagram. It deciphers the bytes in place, and the Packet aliases them. It sets
// the direction and the client if they are empty.
func (d *Decoder) Decode(dg *Datagram) *Packet {
	p := &Packet{Datagram: dg}
	s := d.sessions.find(dg)
	s.ships.tracker.Classes = d.Classes
	if transport.IsGameSpy(dg.Data) {
		p.gamespy = true
		p.add(&record{typ: "GameSpy", name: "GameSpy", raw: dg.Data})
		return p
	}
	if !d.Plain {
		cipher.Decrypt(dg.Data)
	}
	if len(dg.Data) > 0 {
		p.peer = objectid.PeerID(dg.Data[0])
	}
	end := d.messages(p, s)
	d.addNotes(p, end)
	return p
}

func (p *Packet) add(r *record) {
	r.index = len(p.records)
	p.records = append(p.records, r)
}

// messages decodes the messages of a datagram and returns the offset after the last one.
func (d *Decoder) messages(p *Packet, s *session) int {
	offset := min(2, len(p.Data))
	for m, err := range s.observer.Receive(instant(p.Time), p.Dir == recording.ToClient, p.Data) {
		r := &record{typ: m.Type.String(), raw: m.Raw, offset: offset, msg: m.Message, err: err}
		r.name = r.typ
		if len(m.Raw) == 0 {
			r.typ, r.name = "", ""
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

// unreadable reports whether the framing of a message is malformed. A fragment that contradicts
// others can be read.
func unreadable(m *transport.Observation, err error) bool {
	return m.Verdict == transport.VerdictRefused && !(m.Reliable && errors.Is(err, transport.ErrBadFragment))
}

// addNotes adds notes about the datagram to its last message. The messages end at end.
func (d *Decoder) addNotes(p *Packet, end int) {
	if len(p.records) == 0 {
		p.add(&record{offset: end, notes: []note{{kind: "no messages"}}})
	}
	last := p.records[len(p.records)-1]
	if p.Note != "" {
		last.note(p.Note, "")
	}
	bad := slices.ContainsFunc(p.records, func(r *record) bool { return r.err != nil })
	if rest := p.Data[min(end, len(p.Data)):]; len(rest) > 0 {
		p.trailing = rest
		last.note("trailing bytes", trailingText(rest)+" after the last message")
	}
	if p.Missing > 0 {
		last.note("cut by the capture", fmt.Sprintf("the capture lacks %d bytes of the datagram", p.Missing))
	}
	if bad && d.plainIsWrong(p.Data) {
		last.note("cipher", d.advice())
	}
}

func (d *Decoder) advice() string {
	if d.Plain {
		return "reads well when deciphered: leave out -plain"
	}
	return "reads well as it is: try -plain"
}

// plainIsWrong reports whether a datagram that does not decode would decode with the other
// value of Plain.
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

// Packet is a decoded datagram.
type Packet struct {
	*Datagram
	peer      objectid.PeerID
	gamespy   bool
	malformed bool      // the framing of a message
	records   []*record // at least one
	trailing  []byte    // after the last message
}

// record is a decoded message.
type record struct {
	index           int
	typ             string // as in the JSON output
	name            string
	raw             []byte // the message in the datagram
	offset          int    // of raw in the datagram
	msg             transport.Message
	body            transport.Body // of a system message
	code            opcode.Code    // of a payload
	hasCode         bool
	whole           bool               // payload is complete
	payload         []byte             // of Data: the payload, or its beginning
	parts           []stream.Field     // of the payload
	message         opcode.Message     // decoded from the payload
	trailing        []byte             // bytes of the payload after the last field
	class           *stateupdate.Class // of the ship, if parts has its subsystems
	afterSubsystems []byte             // bytes of the payload after the last subsystem
	power           []string           // power settings in text, if the class of the ship is known
	notes           []note
	err             error
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
func (r *record) note(kind, text string) {
	r.notes = append(r.notes, note{kind, text})
}

// noteText returns all notes in one line.
func (r *record) noteText() string {
	texts := make([]string, len(r.notes))
	for i, n := range r.notes {
		texts[i] = n.String()
	}
	return strings.Join(texts, "; ")
}

// label is the name of the message in tables.
func (r *record) label() string {
	switch {
	case r.typ == "":
		return "(none)"
	case r.name == "Data" && r.msg.Fragment:
		return "Data (fragment)"
	}
	return r.title()
}
