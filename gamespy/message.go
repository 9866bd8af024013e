package gamespy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bcwire/bcwire/stream"
)

// Limits of a message and of a reassembled reply.
const (
	MaxText  = 64 << 10 // bytes
	MaxPairs = 512
)

// IsGameSpy reports whether a datagram is GameSpy text. Call it before deciphering, because GameSpy
// text is not enciphered.
func IsGameSpy(datagram []byte) bool {
	return len(datagram) > 0 && datagram[0] == '\\'
}

// A Message is a GameSpy text, without escaping: \key\value\key\value.
type Message struct {
	Pairs  Pairs
	Ending Ending
}

// Ending is the end of a message after its last pair.
type Ending uint8

const (
	Plain    Ending = iota // `\key\value`
	Trailing               // `\key\value\`, as in the login of the game
	NoValue                // `\key`, a last key without a value
)

// Parse parses a text. It returns the errors of [Message.UnmarshalBinary].
func Parse(text []byte) (Message, error) {
	var m Message
	err := m.UnmarshalBinary(text)
	return m, err
}

// UnmarshalBinary parses a text without aliasing it, and reuses the memory of m.Pairs. It
// returns [ErrNotText], or an error wrapping [ErrLimit] for more than [MaxText] bytes or
// [MaxPairs] pairs. If there are too many pairs, m has the first MaxPairs.
func (m *Message) UnmarshalBinary(text []byte) error {
	*m = Message{Pairs: m.Pairs[:0]}
	switch {
	case !IsGameSpy(text):
		return ErrNotText
	case len(text) > MaxText:
		return alone("text", MaxText, tooMany(ErrLimit, len(text), "bytes", MaxText))
	}
	rest := string(text[1:])
	pairs := (strings.Count(strings.TrimSuffix(rest, `\`), `\`) + 2) / 2
	if n := min(pairs, MaxPairs); n > cap(m.Pairs) {
		m.Pairs = make(Pairs, 0, n)
	}
	for more := true; more; {
		offset := len(text) - len(rest)
		var key, value string
		key, rest, more = strings.Cut(rest, `\`)
		switch {
		case !more && key == "":
			m.Ending = Trailing
			return nil
		case len(m.Pairs) == MaxPairs:
			return &Error{"pair", MaxPairs, offset, tooMany(ErrLimit, pairs, "pairs", MaxPairs)}
		case !more:
			m.Ending = NoValue
		default:
			value, rest, more = strings.Cut(rest, `\`)
		}
		m.Pairs = append(m.Pairs, Pair{Text(key), Text(value)})
	}
	return nil
}

// AppendBinary appends the message to dst; a parsed message gives the same bytes. On error
// it returns dst unchanged. The error is [ErrNotText] for an empty message, or wraps
// [ErrBackslash], [ErrEnding] or [ErrLimit].
func (m *Message) AppendBinary(dst []byte) ([]byte, error) {
	n := len(dst)
	for i, p := range m.Pairs {
		switch {
		case i == MaxPairs:
			return dst[:n], &Error{"pair", i, -1, tooMany(ErrLimit, len(m.Pairs), "pairs", MaxPairs)}
		case strings.Contains(string(p.Key), `\`), strings.Contains(string(p.Value), `\`):
			return dst[:n], &Error{"pair", i, -1, ErrBackslash}
		}
		dst = appendPair(dst, p.Key, p.Value)
	}
	switch m.Ending {
	case Plain:
	case Trailing:
		dst = append(dst, '\\')
	case NoValue:
		if i := len(m.Pairs) - 1; i < 0 || m.Pairs[i].Key == "" || m.Pairs[i].Value != "" {
			return dst[:n], alone("ending", -1, ErrEnding)
		}
		dst = dst[:len(dst)-1]
	default:
		return dst[:n], alone("ending", -1, ErrEnding)
	}
	switch size := len(dst) - n; {
	case size == 0:
		return dst, ErrNotText
	case size > MaxText:
		return dst[:n], alone("text", -1, tooMany(ErrLimit, size, "bytes", MaxText))
	}
	return dst, nil
}

// MarshalBinary returns the encoded message.
func (m *Message) MarshalBinary() ([]byte, error) { return m.AppendBinary(nil) }

func appendPair(dst []byte, key, value Text) []byte {
	dst = append(dst, '\\')
	dst = append(dst, key...)
	dst = append(dst, '\\')
	return append(dst, value...)
}

// A Pair is a key and its value. Neither may contain a backslash.
type Pair struct{ Key, Value Text }

// Pairs are the pairs of a message in wire order. Keys may occur more than once.
type Pairs []Pair

// Get returns the value of the first pair with the key, ignoring the case of ASCII letters.
func (p Pairs) Get(key string) (value Text, ok bool) {
	i := slices.IndexFunc(p, func(pair Pair) bool { return pair.Key.is(key) })
	if i < 0 {
		return "", false
	}
	return p[i].Value, true
}

// offset returns the offset of the first value with the key, or the length of the text.
func (p Pairs) offset(key string) (n int) {
	for _, pair := range p {
		n += len(`\\`) + len(pair.Key)
		if pair.Key.is(key) {
			break
		}
		n += len(pair.Value)
	}
	return n
}

// Text is a text on the wire: one byte a character in Windows-1252. Use [NewText] to
// convert a string, or Text(stream.Lossy(s)) to replace other characters by question marks.
// The Go conversion Text(s) is correct only for ASCII.
type Text string

// String returns the text in UTF-8; [NewText] reverses it. It keeps control characters. The five
// bytes that Windows-1252 leaves undefined become the control characters with the same number.
// Print received text with %q, or replace characters that [unicode.IsPrint] rejects.
func (t Text) String() string {
	for i := range len(t) {
		if t[i] >= 0x80 {
			return stream.Text(t).String()
		}
	}
	return string(t)
}

// NewText converts a string. The error wraps [ErrText] if a character is not in Windows-1252.
func NewText(s string) (Text, error) {
	t, err := stream.NewText(s)
	if err != nil {
		for i, r := range s {
			if _, err := stream.NewText(string(r)); err != nil {
				return "", fmt.Errorf("%w: %q at offset %d", ErrText, r, i)
			}
		}
	}
	return Text(t), nil
}

// Clean removes bytes below 0x20, and backslashes, which would begin a pair.
func (t Text) Clean() Text {
	if strings.IndexFunc(string(t), unclean) < 0 {
		return t
	}
	b := make([]byte, 0, len(t))
	for i := range len(t) {
		if !unclean(rune(t[i])) {
			b = append(b, t[i])
		}
	}
	return Text(b)
}

func unclean(r rune) bool { return r == '\\' || r < ' ' }

// is reports whether the text equals the key, ignoring the case of ASCII letters.
func (t Text) is(key string) bool {
	if len(t) != len(key) {
		return false
	}
	for i := range len(key) {
		if lower(t[i]) != lower(key[i]) {
			return false
		}
	}
	return true
}

func lower(b byte) byte {
	if b >= 'A' && b <= 'Z' {
		b += 'a' - 'A'
	}
	return b
}
