package gamespy

import "strings"

// Limits of a message, and of a reply put together from its parts.
const (
	MaxText  = 64 << 10 // bytes
	MaxPairs = 512
)

// IsGameSpy says whether a datagram is GameSpy text, which shares the port with the game
// and is never enciphered. Ask before deciphering.
func IsGameSpy(datagram []byte) bool {
	return len(datagram) > 0 && datagram[0] == '\\'
}

// Message is a text of GameSpy, pairs of which nothing is escaped:
//
//	\key\value\key\value
//
// Evidence: observed.
type Message struct {
	Pairs  Pairs
	Ending Ending
}

// Ending tells how a message ends after its last value.
type Ending uint8

// The endings.
const (
	Plain    Ending = iota
	Trailing        // with a backslash more, as the login of the game
	NoValue         // the last key, which is not empty, has no backslash after it and no value
)

// Parse returns the message that a text holds. The message does not alias the text.
func Parse(text []byte) (Message, error) {
	var m Message
	err := m.UnmarshalBinary(text)
	return m, err
}

// UnmarshalBinary reads a message, into the memory of m.Pairs if that suffices; the texts
// do not alias the input. It fails with [ErrNotText], and with [ErrLimit] for more than
// [MaxText] bytes or [MaxPairs] pairs; the first pairs are there in the latter case.
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

// AppendBinary appends the message to dst, byte for byte as it was read. On an error it
// returns dst as it was. It refuses what would be read differently: an empty message with
// [ErrNotText], [ErrBackslash], [ErrEnding] and [ErrLimit].
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

// MarshalBinary returns the message.
func (m *Message) MarshalBinary() ([]byte, error) { return m.AppendBinary(nil) }

func appendPair(dst []byte, key, value Text) []byte {
	dst = append(dst, '\\')
	dst = append(dst, key...)
	dst = append(dst, '\\')
	return append(dst, value...)
}
