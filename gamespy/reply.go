package gamespy

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/bcwire/bcwire/stream"
)

// Limits of a reply.
const (
	maxPart  = 1349 // bytes of text in a datagram before its queryid
	maxParts = 48   // datagrams, which together stay below maxText
)

// usualReply is large enough for the reply of a server with a few players.
const usualReply = 512

const (
	finalText   = `\final\`
	queryidText = `\queryid\`
)

// reply returns the datagrams that answer a query: the sections in types, and then the pairs in
// more. Without sections and pairs, it returns no datagrams. It does not split pairs.
//
// The error wraps stream.ErrLimit if a pair is longer than maxPart, for more than maxParts datagrams or
// for more than maxPairs pairs, or stream.ErrInvalid for the key final or queryid.
func (s *ServerInfo) reply(types queryTypes, number uint32, more Pairs) ([][]byte, error) {
	w := replyWriter{number: number}
	if types&(status|packets) != 0 {
		types |= sections
	}
	if types&sections == 0 && len(more) == 0 {
		return nil, nil
	}
	fields := s.fields()
	for t := basic; t <= players; t <<= 1 {
		switch types & t {
		case basic:
			s.write(&w, fields[:basicEnd])
		case info:
			s.write(&w, fields[basicEnd:infoEnd])
		case rules:
			s.write(&w, fields[infoEnd:])
			w.addAll(s.Extra)
		case players:
			for i, name := range s.Players {
				w.pair("player_"+strconv.Itoa(i), name)
			}
		}
		if types&packets != 0 {
			w.flush()
		}
	}
	w.addAll(more)
	return w.finish()
}

// replyWriter distributes pairs over datagrams.
type replyWriter struct {
	number    uint32
	text      []byte // of the current datagram
	next      []byte // the pair to add
	pairs     int
	datagrams [][]byte
	err       error
}

func (w *replyWriter) fail(item string, index int, err error) {
	if w.err == nil {
		w.err = &locatedError{item, index, -1, err}
	}
}

func (w *replyWriter) addAll(pairs Pairs) {
	for _, p := range pairs {
		w.pair(p.Key, p.Value)
	}
}

func (w *replyWriter) pair(key, value string) {
	w.next = appendClean(append(w.next[:0], '\\'), key)
	reserved := bytes.EqualFold(w.next[1:], []byte("final")) || bytes.EqualFold(w.next[1:], []byte("queryid"))
	w.next = appendClean(append(w.next, '\\'), value)
	switch size := len(w.next); {
	case size > maxPart:
		w.fail("pair", w.pairs, tooMany(size, "bytes", maxPart))
	case w.pairs == maxPairs:
		w.fail("pair", w.pairs, tooMany(maxPairs+1, "pairs", maxPairs))
	case reserved:
		w.fail("pair", w.pairs, fmt.Errorf("%w: key final or queryid is reserved", stream.ErrInvalid))
	case len(w.text)+size > maxPart:
		w.flush()
	}
	w.pairs++
	if w.text == nil {
		w.text = make([]byte, 0, usualReply)
	}
	if w.err == nil {
		w.text = append(w.text, w.next...)
	}
}

// flush ends the current datagram, which is not empty.
func (w *replyWriter) flush() {
	switch part := len(w.datagrams) + 1; {
	case w.err != nil:
	case part > maxParts:
		w.fail("datagram", maxParts, tooMany(part, "datagrams", maxParts))
	default:
		w.datagrams = append(w.datagrams, fmt.Appendf(w.text, `%s%d.%d`, queryidText, w.number, part))
		w.text = nil
	}
}

func (w *replyWriter) finish() ([][]byte, error) {
	if len(w.text)+len(finalText) > maxPart {
		w.flush()
	}
	w.text = append(w.text, finalText...)
	w.flush()
	if w.err != nil {
		return nil, w.err
	}
	return w.datagrams, nil
}
