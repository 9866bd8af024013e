// Package show decodes datagrams of Bridge Commander and prints their fields:
//
//	var decoder show.Decoder
//	out := show.NewLines(false, false, 0)
//	text := out.Append(nil, decoder.Decode(&show.Datagram{Number: 1, Data: data}))
//
// A [Decoder] follows the match of the datagrams: clients, players and ships, whose classes name the
// subsystems. An [Output] appends the decoded datagrams to a text:
//
//	NewLines  one line per message, and its fields
//	NewBytes  every byte with its field
//	NewJSON   one object per message
//
// Outputs print malformed messages with the error. A Decoder has the limits of a [match.Match].
package show

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// Datagram is the input of a [Decoder].
type Datagram = capture.Datagram

// Output prints decoded datagrams.
type Output interface {
	// Append appends the text of a datagram.
	Append(dst []byte, p *Packet) []byte
}

// Decoder decodes datagrams in the order of their arrival. The zero value is ready to use.
type Decoder struct {
	Plain bool // the datagrams are not enciphered
	// NoFlags is for programs without the flag -plain, which notes otherwise name.
	NoFlags bool
	// Mask hides the passwords of players: the text of a password is "***", and its bytes in the datagram
	// become zeros.
	Mask bool
	// Match follows the datagrams. Nil is a new match.
	Match *match.Match
	// Step is called with each step of the match and its message, unless it is nil. Notes about the datagram
	// follow later.
	Step func(*match.Step, *Message)

	locator capture.Locator
	fleets  fleets
	width   int // characters of the longest client
}

// Clone returns a deep copy of the decoder, for example to seek in a capture. Packets that were
// decoded before stay valid.
func (d *Decoder) Clone() *Decoder {
	clone := Decoder{Plain: d.Plain, NoFlags: d.NoFlags, Mask: d.Mask, locator: d.locator.Clone(), width: d.width}
	if d.Match != nil {
		clone.Match = d.Match.Clone()
	}
	return &clone
}

// Pending returns the number of partial payloads, and the bytes of their fragments.
func (d *Decoder) Pending() (payloads, bytes int) {
	if d.Match == nil {
		return 0, 0
	}
	for l := range d.Match.Links() {
		n, size := l.Pending()
		payloads, bytes = payloads+n, bytes+size
	}
	return payloads, bytes
}

// Decode decodes the next datagram. It deciphers the bytes in place, and the Packet aliases
// them. It sets Dir and Client if they are empty.
func (d *Decoder) Decode(dg *Datagram) *Packet {
	d.locator.Locate(dg)
	if !d.Plain {
		dg.Decipher()
	}
	p := new(Packet)
	d.Follow(p, dg)
	return p
}

// Follow decodes the next datagram, which was located and deciphered, into a packet. It reuses the memory
// of the packet, which aliases the datagram.
func (d *Decoder) Follow(p *Packet, dg *Datagram) {
	*p = Packet{Datagram: dg, Messages: p.Messages[:0]}
	p.width = max(d.width, utf8.RuneCountInString(dg.Client))
	d.width = p.width
	if transport.IsGameSpy(dg.Data) {
		p.gamespy, p.Malformed = true, true
		r := p.add()
		r.Type, r.Name, r.Raw = "GameSpy", "GameSpy", dg.Data
		return
	}
	if len(dg.Data) > 0 {
		p.Peer = objectid.PeerID(int8(dg.Data[0]))
	}
	if d.Match == nil {
		d.Match = new(match.Match)
	}
	end := min(2, len(dg.Data))
	for step := range d.Match.Receive(dg.Match()) {
		r := p.add()
		r.Offset = end
		r.set(step)
		d.fleets.follow(step)
		end += len(r.Raw)
		if unreadable(step) {
			p.Malformed = true
			r.readHead()
		} else {
			d.content(r, step)
		}
		if d.Mask {
			r.mask()
		}
		if d.Step != nil {
			d.Step(step, r)
		}
	}
	d.addNotes(p, end)
}

// unreadable reports whether the framing of a message is malformed. The framing of a fragment
// that contradicts others is not.
func unreadable(step *match.Step) bool {
	m := step.Message
	contradicts := m.Reliable && errors.Is(step.Err, transport.ErrBadFragment)
	return m.Verdict == transport.VerdictRefused && !contradicts
}

// addNotes adds notes about the datagram to its last message, which ends at offset end.
func (d *Decoder) addNotes(p *Packet, end int) {
	if len(p.Messages) == 0 {
		r := p.add()
		r.Offset = end
		r.note("no messages", "")
	}
	last := p.Messages[len(p.Messages)-1]
	if p.Note != "" {
		last.note(p.Note, "")
	}
	if rest := p.Data[min(end, len(p.Data)):]; len(rest) > 0 {
		p.Trailing = rest
		last.note(kindTrailing, trailingText(rest)+" after the last message")
	}
	if p.Missing > 0 {
		kind := "truncated by the capture"
		last.note(kind, fmt.Sprintf("%s: %s of the datagram are missing", kind, terminal.Plural(p.Missing, "byte")))
	}
	failed := func(r *Message) bool { return r.Err != nil }
	if slices.ContainsFunc(p.Messages, failed) && d.plainIsWrong(p.Data) {
		text, advice := "the datagram is not enciphered", ": use -plain"
		if d.Plain {
			text, advice = "the datagram is enciphered", ": leave out -plain"
		}
		if d.NoFlags {
			advice = ""
		}
		last.note(KindCipher, text+advice)
	}
}

// plainIsWrong reports whether a datagram decodes with the other value of Plain.
func (d *Decoder) plainIsWrong(data []byte) bool {
	data = bytes.Clone(data)
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
	Peer      objectid.PeerID // 0 for GameSpy text
	Messages  []*Message      // at least one, which has no Type if the datagram has no messages
	Malformed bool            // the framing of a message is malformed, or the datagram is GameSpy text
	Trailing  []byte          // bytes after the last message

	gamespy bool
	width   int // characters of the longest client so far
}

// add adds an empty message, whose memory may be that of an earlier one.
func (p *Packet) add() *Message {
	n := len(p.Messages)
	if n < cap(p.Messages) && p.Messages[:n+1][n] != nil {
		p.Messages = p.Messages[:n+1]
		r := p.Messages[n]
		*r = Message{Index: n, Sender: noPlayer, Notes: r.Notes[:0]}
		return r
	}
	p.Messages = append(p.Messages, &Message{Index: n, Sender: noPlayer})
	return p.Messages[n]
}

// HasPeer reports whether the datagram has a peer ID. GameSpy text has none.
func (p *Packet) HasPeer() bool { return !p.gamespy && len(p.Data) > 0 }
