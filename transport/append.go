package transport

// AppendBinary appends the message to dst. Fields that its header does not have are
// ignored. It refuses what would be read differently: with [ErrTooLong], [ErrBadFragment]
// for a fragment that is not reliable Data, [ErrBadLength] for the body of an Ack or a
// DoNothing, [ErrDialect] for a system message that has neither flag or for a Short one
// that seems to have them.
func (m *Message) AppendBinary(dst []byte) ([]byte, error) {
	if err := m.check(); err != nil {
		return dst, alone(m.Type, err)
	}
	return m.append(dst), nil
}

// append is AppendBinary for a message that is known to be right.
func (m *Message) append(dst []byte) []byte {
	dst = append(dst, byte(m.Type))
	switch {
	case m.Type == TypeAck:
		dst = le.AppendUint16(dst, m.Seq)
	case m.Type == TypeDoNothing:
	case m.Short:
		dst = append(dst, byte(m.Len()))
	default:
		dst = le.AppendUint16(dst, m.framing().word())
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
	case m.Short && n > 0xFF, m.Type == TypeData && n > maxDataLength, n > maxSystemLength:
		return ErrTooLong
	case m.Short && (!m.System() || len(m.Body) > 0 && m.Body[0]&notShort != 0),
		!m.Short && m.System() && !m.Reliable && !m.HighPriority && byte(n) >= 2:
		return ErrDialect
	}
	return nil
}
