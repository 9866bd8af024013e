package opcode

//go:generate go run genclone.go

// Clone returns a copy of m that shares no memory with m or with a payload. The fields that
// are not on the wire are copied, too. Clone of a nil message returns nil.
//
// A type of a mod can have a method Clone() Message, which Clone calls. Without that method, the
// copy of a message of [Wrap] is decoded from the payload of m, so that fields that are not on
// the wire are zero. The copy of any other message, and of one that does not encode, is an
// [*Unknown] with the payload of m. Its Data is nil if m does not encode.
func Clone(m Message) Message {
	if m == nil {
		return nil
	}
	if c := clone(m); c != nil {
		return c
	}
	if c, ok := m.(interface{ Clone() Message }); ok {
		return c.Clone()
	}
	return unknownOf(m)
}

// unknownOf returns an [*Unknown] with the payload of a message, without Data if it does not
// encode.
func unknownOf(m Message) *Unknown {
	c := &Unknown{Op: m.Opcode()}
	if payload, err := m.MarshalBinary(); err == nil && len(payload) > 1 {
		c.Data = payload[1:]
	}
	return c
}
