package gamespy

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bcwire/bcwire/stream"
)

// Limits of a message and of a reassembled reply.
const (
	maxText  = 64 << 10 // bytes
	maxPairs = 512
)

// isText reports whether a datagram is GameSpy text.
func isText(datagram []byte) bool { return len(datagram) > 0 && datagram[0] == '\\' }

// A Message is a GameSpy text, without escaping: \key\value\key\value.
type Message struct {
	Pairs  Pairs
	Ending Ending
}

// A Pair is a key and its value. Neither may contain a backslash, or a character that is not in
// Windows-1252.
type Pair struct{ Key, Value string }

// Pairs are the pairs of a message in wire order. Keys may occur more than once.
type Pairs []Pair

// Ending is the end of a message after its last pair.
type Ending uint8

const (
	Plain    Ending = iota // `\key\value`
	Trailing               // `\key\value\`, as in the login of the game
	NoValue                // `\key`, a last key without a value
)

// Parse parses a text without aliasing it. It returns an error wrapping [stream.ErrInvalid], or [stream.ErrLimit]
// for more than 64 KiB or 512 pairs. If there are too many pairs, the message has the first 512.
func Parse(text []byte) (m Message, err error) {
	switch {
	case !isText(text):
		return m, errNotText
	case len(text) > maxText:
		return m, alone("text", maxText, tooMany(len(text), "bytes", maxText))
	}
	whole := stream.Text(text[1:]).String()
	pairs := (strings.Count(strings.TrimSuffix(whole, `\`), `\`) + 2) / 2
	m.Pairs = make(Pairs, 0, min(pairs, maxPairs))
	for rest, more := whole, true; more; {
		start := len(whole) - len(rest)
		var key, value string
		key, rest, more = strings.Cut(rest, `\`)
		switch {
		case !more && key == "":
			m.Ending = Trailing
			return m, nil
		case len(m.Pairs) == maxPairs:
			offset := 1 + utf8.RuneCountInString(whole[:start])
			return m, &locatedError{"pair", maxPairs, offset, tooMany(pairs, "pairs", maxPairs)}
		case !more:
			m.Ending = NoValue
		default:
			value, rest, more = strings.Cut(rest, `\`)
		}
		m.Pairs = append(m.Pairs, Pair{key, value})
	}
	return m, nil
}

// AppendBinary appends the message to dst; a parsed message gives the same bytes. On error
// it returns dst unchanged. The error wraps [stream.ErrInvalid], also for an empty message, or [stream.ErrLimit].
func (m *Message) AppendBinary(dst []byte) ([]byte, error) {
	n := len(dst)
	if len(m.Pairs) > maxPairs {
		return dst, &locatedError{"pair", maxPairs, -1, tooMany(len(m.Pairs), "pairs", maxPairs)}
	}
	var err error
	for i, p := range m.Pairs {
		for _, s := range [...]string{p.Key, p.Value} {
			if dst, err = appendText(append(dst, '\\'), s); err != nil {
				return dst[:n], &locatedError{"pair", i, -1, err}
			}
		}
	}
	last := len(m.Pairs) - 1
	switch {
	case m.Ending == Plain:
	case m.Ending == Trailing:
		dst = append(dst, '\\')
	case m.Ending == NoValue && last >= 0 && m.Pairs[last].Key != "" && m.Pairs[last].Value == "":
		dst = dst[:len(dst)-1]
	default:
		return dst[:n], alone("ending", -1, fmt.Errorf("%w: it does not fit the last pair", stream.ErrInvalid))
	}
	switch size := len(dst) - n; {
	case size == 0:
		return dst, errNotText
	case size > maxText:
		return dst[:n], alone("text", -1, tooMany(size, "bytes", maxText))
	}
	return dst, nil
}

// appendText appends a key or a value in Windows-1252.
func appendText(dst []byte, s string) ([]byte, error) {
	for i, r := range s {
		switch {
		case r == '\\':
			return dst, fmt.Errorf("%w: backslash at offset %d", stream.ErrInvalid, i)
		case r < utf8.RuneSelf:
			dst = append(dst, byte(r))
		default:
			t, err := stream.NewText(string(r))
			if err != nil {
				return dst, fmt.Errorf("%w: %q at offset %d is not in Windows-1252", stream.ErrInvalid, r, i)
			}
			dst = append(dst, t...)
		}
	}
	return dst, nil
}

// appendClean appends a key or a value in Windows-1252, without backslashes and characters below
// 0x20. It replaces characters that are not in Windows-1252 by question marks.
func appendClean(dst []byte, s string) []byte {
	return append(dst, stream.Lossy(strings.Map(func(r rune) rune {
		if r == '\\' || r < ' ' {
			return -1
		}
		return r
	}, s))...)
}

// wire returns a received text as on the wire: one byte a character.
func wire(s string) string { return string(stream.Lossy(s)) }

// Get returns the value of the first pair with the key, ignoring the case of letters.
func (p Pairs) Get(key string) (value string, ok bool) {
	i := p.index(key)
	if i < 0 {
		return "", false
	}
	return p[i].Value, true
}

// index returns the index of the first pair with the key, or -1.
func (p Pairs) index(key string) int {
	return slices.IndexFunc(p, func(pair Pair) bool { return strings.EqualFold(pair.Key, key) })
}
