package transport

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// IsGameSpy reports whether a datagram is GameSpy text. Call it before deciphering.
func IsGameSpy(datagram []byte) bool {
	return len(datagram) > 0 && datagram[0] == '\\'
}

// IsGame reports whether a deciphered datagram is of the game: it has whole messages and nothing else, and the peer
// ID of the host, of a client or, with a Connect, of nobody.
func IsGame(datagram []byte) bool {
	if len(datagram) < 2 || datagram[1] == 0 {
		return false
	}
	peer, n, connects := objectid.PeerID(int8(datagram[0])), 2, false
	for m, err := range Messages(datagram) {
		if err != nil {
			return false
		}
		n += m.Len()
		connects = connects || m.Type == TypeConnect
	}
	return n == len(datagram) && (peer >= objectid.Host || peer == objectid.NoPeer && connects)
}

// Messages iterates over the messages of a deciphered datagram, and ignores bytes after the last
// message. Each iteration overwrites the message. To retain it, copy *m. A malformed message comes
// with an [*Error], and with the fields that could be read. If its length is known, the iteration
// continues. GameSpy text gives an empty message with [ErrGameSpy].
func Messages(datagram []byte) iter.Seq2[*Message, error] {
	return func(yield func(*Message, error) bool) {
		var m Message
		count, offset := header(datagram)
		for i, n := 0, 1; i < count && n > 0; i++ {
			var err error
			n, err = nextMessage(&m, datagram, i, offset)
			if !yield(&m, err) {
				return
			}
			offset += n
		}
	}
}

// header returns the number of messages in the header of a datagram, and the offset of the first. It
// returns 1 and the length of a datagram without a header, so that a message is found missing.
func header(datagram []byte) (count, offset int) {
	if len(datagram) < 2 || IsGameSpy(datagram) {
		return 1, len(datagram)
	}
	return int(datagram[1]), 2
}

// nextMessage reads message i of a datagram, at an offset, into m. It returns the length of the message,
// or 0 if the length is unknown.
func nextMessage(m *Message, datagram []byte, i, offset int) (n int, err error) {
	*m = Message{}
	switch {
	case i > 0:
	case IsGameSpy(datagram):
		return 0, ErrGameSpy
	case len(datagram) < 2:
		return 0, &Error{Offset: len(datagram), Err: io.ErrUnexpectedEOF, missing: true}
	}
	n, err = m.parse(datagram[offset:])
	if err != nil {
		e := malformed(datagram, i, offset, m.Type, err)
		err = &e
	}
	return n, err
}

// Packet is a deciphered datagram:
//
//	offset  size  field
//	0       1     PeerID of the sender
//	1       1     number of messages
//	2       n     Messages, back to back
//	2+n     m     Trailing, which the game ignores
//
// Evidence: observed.
type Packet struct {
	PeerID   objectid.PeerID // objectid.Host, objectid.NoPeer, or 2 to 126 except 92
	Messages []Message
	Trailing []byte
}

// UnmarshalBinary reads a datagram and reuses the memory of p.Messages. The
// messages alias the datagram. If messages are malformed, UnmarshalBinary returns their errors with
// [errors.Join], and p has the valid messages without Trailing.
func (p *Packet) UnmarshalBinary(datagram []byte) error {
	*p = Packet{Messages: p.Messages[:0]}
	if len(datagram) > 0 {
		p.PeerID = peerOf(datagram[0])
	}
	var errs []error
	count, offset := header(datagram)
	for i, n := 0, 1; i < count && n > 0; i++ {
		last := len(p.Messages)
		p.Messages = append(p.Messages, Message{})
		var err error
		if n, err = nextMessage(&p.Messages[last], datagram, i, offset); err != nil {
			errs = append(errs, err)
			p.Messages = p.Messages[:last]
		}
		offset += n
	}
	if errs == nil && offset < len(datagram) {
		p.Trailing = datagram[offset:]
	}
	return errors.Join(errs...)
}

// AppendBinary appends the datagram to dst, byte-exactly if it was read without an error. It ignores
// fields that the header of a message does not have. On an error it returns dst unchanged: an [*Error] for a message
// that would be read differently, also because of the bytes after it, or that is beyond 255 messages; [ErrGameSpy] for
// the peer ID 92; an error wrapping [stream.ErrRange] for a peer ID that does not fit a signed byte.
func (p *Packet) AppendBinary(dst []byte) ([]byte, error) {
	if p.PeerID == '\\' {
		return dst, ErrGameSpy
	}
	if peerOf(byte(p.PeerID)) != p.PeerID {
		return dst, fmt.Errorf("transport: peer ID %d: %w", p.PeerID, stream.ErrRange)
	}
	n, hasShortest := len(dst), false
	dst = append(dst, byte(p.PeerID), byte(len(p.Messages)))
	for i := range p.Messages {
		m := &p.Messages[i]
		offset := len(dst) - n
		if i == math.MaxUint8 { // the count has one byte
			err := &excess{stream.ErrTooLong, "# messages", len(p.Messages), math.MaxUint8}
			return dst[:n], &Error{Index: i, Offset: offset, Type: m.Type, Err: err}
		}
		var err error
		if dst, err = m.encode(dst); err != nil {
			e := err.(*Error)
			e.Index, e.Offset = i, offset
			return dst[:n], e
		}
		hasShortest = hasShortest || len(dst)-n-offset < 3
	}
	if dst = append(dst, p.Trailing...); hasShortest {
		if err := p.checkShortest(dst[n:]); err != nil {
			return dst[:n], err
		}
	}
	return dst, nil
}

// checkShortest returns an error for a message that would be read with another length because of
// the bytes after it. This concerns only messages of less than three bytes.
func (p *Packet) checkShortest(datagram []byte) error {
	offset := 2
	for i := range p.Messages {
		m := &p.Messages[i]
		if m.Len() < 3 {
			if n, _ := new(Message).parse(datagram[offset:]); n != m.Len() {
				return &Error{Index: i, Offset: offset, Type: m.Type, Err: ErrBadLength}
			}
		}
		offset += m.Len()
	}
	return nil
}

// MarshalBinary returns the datagram.
func (p *Packet) MarshalBinary() ([]byte, error) { return p.AppendBinary(nil) }

// datagramWriter fills a datagram. It does not limit the number of messages: 255 messages of
// three bytes do not fit.
type datagramWriter struct {
	b            []byte
	start, count int
	limit        int // bytes of the datagram
}

// maxMessageBytes is the largest number of bytes of the messages in a datagram.
const maxMessageBytes = MaxDatagram - 2

// writeDatagram begins a datagram after dst.
func writeDatagram(dst []byte, sender byte, limit int) datagramWriter {
	return datagramWriter{b: append(dst, sender, 0), start: len(dst), limit: limit}
}

// fits reports whether n more bytes fit.
func (w *datagramWriter) fits(n int) bool { return len(w.b)-w.start+n <= w.limit }

func (w *datagramWriter) add(wire []byte) {
	w.b = append(w.b, wire...)
	w.count++
}

func (w *datagramWriter) addMessage(m *Message) {
	w.b = m.append(w.b)
	w.count++
}

func (w *datagramWriter) addAck(a Ack) {
	w.b = append(w.b, byte(TypeAck), byte(a.Seq), byte(a.Seq>>8), byte(a.Flags))
	if a.Flags&AckFragment != 0 {
		w.b = append(w.b, a.FragIndex)
	}
	w.count++
}

// finish returns dst with the datagram.
func (w *datagramWriter) finish() []byte {
	w.b[w.start+1] = byte(w.count)
	return w.b
}
