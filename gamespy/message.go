package gamespy

import "strings"

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
