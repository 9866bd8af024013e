package opcode

//go:generate go run genclone.go

// Clone returns a copy of m that shares no memory with m or its payload. It also copies fields
// that are not on the wire. Clone of a nil message returns nil.
//
// For types of mods, Clone calls their method Clone() Message if they have it. Without this method,
// it encodes and decodes a message from [Wrap], so fields that are not on the wire become zero. If
// that fails, and for any other implementation of [Message], Clone returns an [*Unknown] with the
// payload. Its Data is nil if m cannot be encoded.
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

// unknownOf returns an [*Unknown] with the payload of m. Data is nil if m does not encode.
func unknownOf(m Message) *Unknown {
	c := &Unknown{Op: m.Opcode()}
	if payload, err := m.MarshalBinary(); err == nil && len(payload) > 1 {
		c.Data = payload[1:]
	}
	return c
}
