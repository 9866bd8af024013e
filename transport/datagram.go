package transport

import (
	"io"
	"iter"
)

// Mode says which forms of messages are read.
type Mode uint8

const (
	// Tolerant reads what peers are known to send: the stock forms and those of OpenBC.
	Tolerant Mode = iota
	// Strict reports what is not framed as in the stock game, the Short messages, with
	// [ErrDialect].
	Strict
)

// IsGameSpy says whether a datagram is GameSpy text, which shares the port with the
// game and is never enciphered. Ask before deciphering.
func IsGameSpy(datagram []byte) bool {
	return len(datagram) > 0 && datagram[0] == '\\'
}

// Messages iterates over the messages of a deciphered datagram, in the [Tolerant] mode:
//
//	for m, err := range transport.Messages(datagram) {
//		if err != nil {
//			log.Print(err)
//			continue
//		}
//		...
//	}
//
// A message that is wrong comes with an [*Error] and with what could be read of it; the
// messages before it have come already, and those after it follow if its length is known.
// Nothing is allocated but errors. Bytes after the last message are ignored.
func Messages(datagram []byte) iter.Seq2[Message, error] {
	return Tolerant.Messages(datagram)
}

// Messages is [Messages] in the given mode.
func (mode Mode) Messages(datagram []byte) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		mode.each(datagram, yield)
	}
}

// each passes the messages to yield and returns the offset after the last one.
func (mode Mode) each(datagram []byte, yield func(Message, error) bool) int {
	switch {
	case IsGameSpy(datagram):
		yield(Message{}, ErrGameSpy)
		return 0
	case len(datagram) < 2:
		yield(Message{}, &Error{Offset: len(datagram), Err: io.ErrUnexpectedEOF, missing: true})
		return 0
	}
	off := 2
	for i := range int(datagram[1]) {
		var m Message
		n, err := mode.parse(&m, datagram[off:])
		if err != nil {
			err = &Error{Index: i, Offset: off, Len: n, Type: m.Type, Err: err, missing: off == len(datagram)}
		}
		off += n
		if !yield(m, err) || n == 0 {
			break
		}
	}
	return off
}
