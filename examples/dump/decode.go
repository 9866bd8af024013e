package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/transport"
)

// decoder decodes datagrams in the order of their coming.
type decoder struct {
	plain    bool
	sessions sessions
}

// pending returns how many payloads lack pieces.
func (d *decoder) pending() int { return d.sessions.pending() }

// decode decodes a datagram, which it deciphers in place.
func (d *decoder) decode(dg *datagram) *packet {
	p := &packet{datagram: dg}
	s := d.sessions.find(dg)
	if transport.IsGameSpy(dg.data) {
		p.gamespy = true
		p.add(&record{typ: "GameSpy", name: "GameSpy", raw: dg.data})
		return p
	}
	if !d.plain {
		cipher.Decrypt(dg.data)
	}
	if len(dg.data) > 0 {
		p.peer = int8(dg.data[0])
	}
	end := d.messages(p, s)
	d.remark(p, end)
	return p
}

func (p *packet) add(r *record) {
	r.index = len(p.records)
	p.records = append(p.records, r)
}

// messages decodes the messages of a datagram and returns the offset after the last one.
func (d *decoder) messages(p *packet, s *session) int {
	offset := min(2, len(p.data))
	for m, err := range transport.Messages(p.data) {
		raw := p.data[offset:]
		raw = raw[:wireLen(raw, &m, err)]
		r := &record{typ: m.Type.String(), raw: raw, offset: offset, msg: m, err: err}
		r.name = r.typ
		if len(raw) == 0 {
			r.typ, r.name = "", ""
		}
		p.add(r)
		offset += len(raw)
		p.message(r, s)
	}
	return offset
}

// wireLen returns how many bytes of raw a message takes: all, if that is not known.
func wireLen(raw []byte, m *transport.Message, err error) int {
	var e *transport.Error
	switch {
	case err == nil:
		return min(m.Len(), len(raw))
	case errors.As(err, &e) && e.Len > 0:
		return min(e.Len, len(raw))
	}
	return len(raw)
}

// message decodes what is in a message.
func (p *packet) message(r *record, s *session) {
	switch {
	case r.typ == "":
	case r.err != nil:
		r.dissectHead()
	case r.msg.Type == transport.TypeData:
		p.game(r, s)
	default:
		p.system(r, s)
	}
}

// remark adds to the last message what concerns the whole datagram. The messages end at
// end.
func (d *decoder) remark(p *packet, end int) {
	if len(p.records) == 0 {
		p.add(&record{offset: end, notes: []note{{kind: "no messages"}}})
	}
	last := p.records[len(p.records)-1]
	bad := slices.ContainsFunc(p.records, func(r *record) bool { return r.err != nil })
	if rest := p.data[min(end, len(p.data)):]; len(rest) > 0 {
		p.trailing = rest
		last.note("trailing bytes", trailingText(rest)+" after the last message")
	}
	if p.missing > 0 {
		last.note("cut by the capture", fmt.Sprintf("the capture lacks %d bytes of the datagram", p.missing))
	}
	if bad && d.otherwise(p.data) {
		last.note("cipher", d.advice())
	}
}

func (d *decoder) advice() string {
	if d.plain {
		return "reads well when deciphered: leave out -plain"
	}
	return "reads well as it is: try -plain"
}

// otherwise says whether a datagram that does not decode would have done so with the
// other choice of -plain.
func (d *decoder) otherwise(data []byte) bool {
	data = slices.Clone(data)
	if d.plain {
		cipher.Decrypt(data)
	} else {
		cipher.Encrypt(data)
	}
	var p transport.Packet
	return p.UnmarshalBinary(data) == nil && len(p.Messages) > 0 && len(p.Trailing) == 0
}
