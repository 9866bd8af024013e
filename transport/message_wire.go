package transport

import (
	"io"
	"math"
)

// parse reads the message at the beginning of b into m, which must be zero. It returns the length
// of the message, or 0 if the length is unknown. With an error, m has the fields that could be
// read.
//
// m is a pointer because returning a Message takes longer than reading it.
func (mode Mode) parse(m *Message, b []byte) (n int, err error) {
	if len(b) >= 5 && Type(b[0]) == TypeData {
		// Fast path for whole payloads, nearly all of the traffic.
		word := le.Uint16(b[1:])
		n := int(word & maxDataLength)
		if n >= 5 && n <= len(b) && word&flagFragment == 0 {
			m.Type = TypeData
			m.HighPriority = word&flagHighPriority != 0
			if word&flagReliable == 0 {
				m.Body = b[3:n:n]
				return n, nil
			}
			m.Reliable = true
			m.Seq = le.Uint16(b[3:])
			m.Body = b[5:n:n]
			return n, nil
		}
	}
	return mode.parseAny(m, b)
}

// parseAny is parse without the fast path.
func (mode Mode) parseAny(m *Message, b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, io.ErrUnexpectedEOF
	}
	m.Type = Type(b[0])
	switch m.Type {
	case TypeAck:
		return m.parseAck(b)
	case TypeDoNothing:
		n = doNothingLen(b[1:])
		m.Body = b[1:n:n]
		return n, nil
	}
	if n = shortLen(b); n > 0 && m.System() {
		m.Short, m.Body = true, b[2:n:n]
		if mode == Strict {
			err = ErrDialect
		}
		return n, err
	}
	if !m.known() {
		return 0, ErrUnknownType
	}
	return m.parseFlagged(b)
}

func (m *Message) parseAck(b []byte) (n int, err error) {
	if len(b) < 3 {
		return 0, io.ErrUnexpectedEOF
	}
	m.Seq = le.Uint16(b[1:])
	if len(b) < 4 || len(b) < ackLen(b[3]) {
		m.Body = b[3:len(b):len(b)]
		return 0, io.ErrUnexpectedEOF
	}
	n = ackLen(b[3])
	m.Body = b[3:n:n]
	return n, nil
}

// parseFlagged reads a message with flags and length.
func (m *Message) parseFlagged(b []byte) (n int, err error) {
	if len(b) < 3 {
		return 0, io.ErrUnexpectedEOF
	}
	word := le.Uint16(b[1:])
	n = lengthOf(m.Type, word)
	m.Reliable = word&flagReliable != 0
	m.HighPriority = word&flagHighPriority != 0
	m.Fragment = m.Type == TypeData && word&flagFragment != 0
	if n < 3 {
		return 0, ErrBadLength // the next message cannot be found
	}
	whole := b[:min(n, len(b))]
	header := 3
	if m.Reliable && len(whole) >= 5 {
		m.Seq = le.Uint16(whole[3:])
		header = 5
	}
	if m.Fragment && header < len(whole) && (header == 5 || !m.Reliable) {
		m.FragIndex = whole[header]
		if header++; m.FragIndex == 0 && header < len(whole) {
			m.FragTotal = whole[header]
			header++
		}
	}
	m.Body = whole[header:len(whole):len(whole)]
	switch {
	case n > len(b):
		return 0, io.ErrUnexpectedEOF
	case header < m.header():
		return n, ErrBadLength
	case m.Fragment && !m.Reliable:
		return n, ErrBadFragment
	}
	return n, nil
}

// doNothingLen returns the length of a DoNothing with the bytes b after its type. The game sends
// the type alone. The header of an unreliable message without a body is tolerated, too.
func doNothingLen(b []byte) int {
	if len(b) >= 2 && b[0] == 3 && b[1] == 0 {
		return 3
	}
	return 1
}

// shortLen returns the length of a system message in the short form, or 0. The stock game sets at
// least one of the flags in byte 2, which distinguishes the forms.
func shortLen(b []byte) int {
	if len(b) < 2 || b[1] < 2 || int(b[1]) > len(b) {
		return 0
	}
	if len(b) > 2 && b[2]&notShort != 0 {
		return 0
	}
	return int(b[1])
}

// AppendBinary appends the encoded message to dst. It ignores fields that the header of this
// message does not have. If the bytes would be read as another message, it returns dst unchanged.
// The error wraps [ErrUnknownType], [ErrTooLong], [ErrBadFragment], [ErrBadLength] or [ErrDialect].
func (m *Message) AppendBinary(dst []byte) ([]byte, error) {
	if err := m.check(); err != nil {
		return dst, messageError(m.Type, err)
	}
	return m.append(dst), nil
}

// append appends a valid message.
func (m *Message) append(dst []byte) []byte {
	dst = append(dst, byte(m.Type))
	switch {
	case m.Type == TypeAck:
		dst = le.AppendUint16(dst, m.Seq)
	case m.Type == TypeDoNothing:
	case m.Short:
		dst = append(dst, byte(m.Len()))
	default:
		dst = le.AppendUint16(dst, m.word())
		if m.Reliable {
			dst = le.AppendUint16(dst, m.Seq)
		}
		if m.Fragment {
			dst = append(dst, m.FragIndex)
			if m.FragIndex == 0 {
				dst = append(dst, m.FragTotal)
			}
		}
	}
	return append(dst, m.Body...)
}

// maxLen returns the largest length that fits the header.
func (m *Message) maxLen() int {
	switch {
	case m.Short:
		return math.MaxUint8
	case m.Type == TypeData:
		return maxDataLength
	}
	return maxSystemLength
}

// check returns an error if the message would be read differently.
func (m *Message) check() error {
	n := m.Len()
	switch {
	case m.Type == TypeAck:
		if len(m.Body) == 0 || n != ackLen(m.Body[0]) {
			return ErrBadLength
		}
	case m.Type == TypeDoNothing:
		if n != doNothingLen(m.Body) {
			return ErrBadLength
		}
	case !m.known() && !(m.Short && m.System()):
		return ErrUnknownType
	case m.Fragment && !(m.Reliable && m.Type == TypeData):
		return ErrBadFragment
	case n > m.maxLen():
		return &excess{ErrTooLong, "message of # bytes", n, m.maxLen()}
	case m.Short && (!m.System() || len(m.Body) > 0 && m.Body[0]&notShort != 0),
		!m.Short && m.System() && !m.Reliable && !m.HighPriority && byte(n) >= 2:
		return ErrDialect
	}
	return nil
}
