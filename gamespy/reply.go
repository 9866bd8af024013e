package gamespy

import "strconv"

// Limits of a reply.
const (
	MaxPart  = 1349 // bytes of text in a datagram before its queryid
	MaxParts = 48   // datagrams, which together stay below MaxText
)

// usualReply is large enough for the reply of a server with a few players.
const usualReply = 512

const (
	finalText   = `\final\`
	queryidText = `\queryid\`
)

// Reply returns the datagrams that answer a query: the sections in types, and then the pairs in
// more. It ignores Echo and Secure; pass their pairs in more. Without sections and pairs, it
// returns no datagrams. Reply applies [Text.Clean] to all texts, and does not split pairs.
//
// The error wraps [ErrTooLong] if a pair is longer than [MaxPart], [ErrLimit] for more than
// [MaxParts] datagrams or [MaxPairs] pairs, or [ErrReserved] for the key final or queryid.
func (s *ServerInfo) Reply(types QueryTypes, number uint32, more ...Pair) ([][]byte, error) {
	w := replyWriter{number: number}
	if types&(Status|Packets) != 0 {
		types |= sections
	}
	if types&sections == 0 && len(more) == 0 {
		return nil, nil
	}
	for t := Basic; t <= Players; t <<= 1 {
		s.section(&w, types&t)
		if types&Packets != 0 {
			w.flush()
		}
	}
	for _, p := range more {
		w.pair(p.Key, p.Value)
	}
	return w.finish()
}

func (s *ServerInfo) section(w *replyWriter, t QueryTypes) {
	switch t {
	case Basic:
		s.write(w, basicFields)
	case Info:
		s.write(w, infoFields)
	case Rules:
		s.write(w, rulesFields)
		s.writeExtra(w)
	case Players:
		s.writePlayers(w)
	}
}

// replyWriter distributes pairs over datagrams.
type replyWriter struct {
	number    uint32
	text      []byte
	pairs     int
	datagrams [][]byte
	err       error
}

func (w *replyWriter) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

func (w *replyWriter) pair(key, value Text) {
	key, value = key.Clean(), value.Clean()
	switch size := len(key) + len(value) + 2; {
	case size > MaxPart:
		w.fail(&Error{"pair", w.pairs, -1, tooMany(ErrTooLong, size, "bytes", MaxPart)})
	case w.pairs == MaxPairs:
		w.fail(&Error{"pair", w.pairs, -1, tooMany(ErrLimit, MaxPairs+1, "pairs", MaxPairs)})
	case key.is("final") || key.is("queryid"):
		w.fail(&Error{"pair", w.pairs, -1, ErrReserved})
	case len(w.text)+size > MaxPart:
		w.flush()
	}
	w.pairs++
	if w.text == nil {
		w.text = make([]byte, 0, usualReply)
	}
	if w.err == nil {
		w.text = appendPair(w.text, key, value)
	}
}

// flush ends the current datagram unless it is empty.
func (w *replyWriter) flush() {
	if len(w.text) == 0 || w.err != nil {
		return
	}
	if len(w.datagrams) == MaxParts {
		w.fail(&Error{"datagram", MaxParts, -1, tooMany(ErrLimit, MaxParts+1, "datagrams", MaxParts)})
		return
	}
	part := len(w.datagrams) + 1
	datagram := append(w.text, queryidText...)
	datagram = strconv.AppendUint(datagram, uint64(w.number), 10)
	datagram = append(datagram, '.')
	datagram = strconv.AppendInt(datagram, int64(part), 10)
	w.datagrams = append(w.datagrams, datagram)
	w.text = nil
}

func (w *replyWriter) finish() ([][]byte, error) {
	if len(w.text)+len(finalText) > MaxPart {
		w.flush()
	}
	w.text = append(w.text, finalText...)
	w.flush()
	if w.err != nil {
		return nil, w.err
	}
	return w.datagrams, nil
}
