package transport

// Ack acknowledges one message, or one fragment of one. It is not reliable itself and
// not cumulative.
//
//	offset  size  field
//	0       1     0x01
//	1       2     Seq
//	3       1     Flags
//	4       1     FragIndex, if Flags has AckFragment
//
// Unknown flags are to be ignored; OpenBC sets 0x80.
//
// Evidence: observed.
type Ack struct {
	Seq       uint16
	Flags     AckFlags
	FragIndex uint8
}

// AckFlags tell what an Ack acknowledges.
type AckFlags uint8

const (
	AckFragment AckFlags = 1 << 0 // one fragment, FragIndex
	AckSystem   AckFlags = 1 << 1 // a message of the system channel
)

// ackLen returns the length of an Ack with the given flags.
func ackLen(flags byte) int {
	if AckFlags(flags)&AckFragment != 0 {
		return 5
	}
	return 4
}

// AckOf returns the Ack for a reliable message.
func AckOf(m *Message) Ack {
	a := Ack{Seq: m.Seq}
	if m.System() {
		a.Flags |= AckSystem
	}
	if m.Fragment {
		a.Flags |= AckFragment
		a.FragIndex = m.FragIndex
	}
	return a
}

// Acknowledges says whether a is the Ack for a message.
func (a Ack) Acknowledges(m *Message) bool {
	want := AckOf(m)
	a.Flags &= AckFragment | AckSystem
	return m.Reliable && a == want
}

// Type returns TypeAck.
func (a Ack) Type() Type { return TypeAck }

// AppendBinary appends the flags, and the index of a fragment, to dst. It does not fail.
func (a Ack) AppendBinary(dst []byte) ([]byte, error) {
	dst = append(dst, byte(a.Flags))
	if a.Flags&AckFragment != 0 {
		dst = append(dst, a.FragIndex)
	}
	return dst, nil
}

func (a Ack) fields(d *dissection) {
	d.take("Flags", 1, a.Flags)
	if a.Flags&AckFragment != 0 {
		d.take("FragIndex", 1, a.FragIndex)
	}
}

// Ack returns the acknowledgement that a message of TypeAck is, and false if it is none.
func (m *Message) Ack() (Ack, bool) {
	b := m.Body
	if m.Type != TypeAck || len(b) == 0 || m.Len() != ackLen(b[0]) {
		return Ack{}, false
	}
	a := Ack{Seq: m.Seq, Flags: AckFlags(b[0])}
	if a.Flags&AckFragment != 0 {
		a.FragIndex = b[1]
	}
	return a, true
}
