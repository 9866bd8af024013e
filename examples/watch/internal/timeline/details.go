package timeline

import (
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/bcwire/bcwire/examples/internal/show"
)

// Details describe a message completely.
type Details struct {
	Row      *Row            `json:"row"`
	JSON     json.RawMessage `json:"json"`     // as dump -json prints it for the link alone
	Datagram Bytes           `json:"datagram"` // deciphered, with the spans of the message and of the header
	Payload  *Bytes          `json:"payload"`  // that the message, a fragment, completes
}

// Bytes are bytes and their meaning, as dump -x prints it.
type Bytes struct {
	Hex   string `json:"hex"`
	Spans []Span `json:"spans"`
}

// Span is a field of a datagram or a payload.
type Span struct {
	Offset int    `json:"offset"`
	Size   int    `json:"size"`
	Path   string `json:"path"`
	Text   string `json:"text"`
	Bit    int    `json:"bit"` // of a packed bool, or -1
	Error  string `json:"error"`
}

// Message returns the details of a message. It decodes the datagrams of the link again, from the
// last checkpoint.
func (s *Store) Message(number int) (*Details, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	row, err := s.row(number)
	if err != nil {
		return nil, err
	}
	g, i := s.messageAt(number)
	datagram := int(g.rows[i].datagram)
	p, err := s.packet(g, datagram)
	if err != nil {
		return nil, err
	}
	if row.Index >= len(p.Messages) {
		return nil, fmt.Errorf("%w message %d", ErrNotFound, number)
	}
	return details(row, p), nil
}

// packet decodes a datagram again with the state of its link at that time.
func (s *Store) packet(g *segment, i int) (*show.Packet, error) {
	l, err := s.link(int(g.datagrams[i].link))
	if err != nil {
		return s.decode(nil, s.newDecoder(), g, i)
	}
	r, err := s.replay(l, g.firstData+i)
	if err != nil {
		return nil, err
	}
	return s.decode(l, r.decoder, g, i)
}

func details(row *Row, p *show.Packet) *Details {
	m := p.Messages[row.Index]
	d := &Details{Row: row, JSON: new(show.JSON).AppendMessage(nil, p, m), Datagram: Bytes{hex.EncodeToString(p.Data), []Span{}}}
	if m.Frame.Fragment && m.Whole {
		d.Payload = &Bytes{hex.EncodeToString(m.Payload), []Span{}}
	}
	for _, leaf := range p.Leaves() {
		span := Span{Offset: leaf.Offset, Size: len(leaf.Raw), Path: leaf.Path, Text: leaf.Text, Bit: leaf.Bit}
		if leaf.Err != nil {
			span.Error = leaf.Err.Error()
		}
		switch {
		case leaf.Message != -1 && leaf.Message != row.Index:
		case leaf.Payload != 0 && d.Payload != nil:
			d.Payload.Spans = append(d.Payload.Spans, span)
		default:
			d.Datagram.Spans = append(d.Datagram.Spans, span)
		}
	}
	return d
}
