package opcode

//go:generate go run genclone.go

// Clone returns a copy of m that shares no memory with m or with a payload. The fields that
// are not on the wire are copied, too. Clone of a nil message returns nil.
//
// A type of a mod needs a method Clone() Message, which Clone calls. The copy of any other
// type is an [*Unknown] with the payload of m, without Data if m does not encode.
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
	c := &Unknown{Op: m.Opcode()}
	if payload, err := m.MarshalBinary(); err == nil && len(payload) > 1 {
		c.Data = payload[1:]
	}
	return c
}
