package transport

import "strconv"

// Framing is the word of flags and length in the header of a message. Fragment is a flag
// of Data only; it is a bit of the length in others.
type Framing struct {
	Length       int // of the whole message, type included
	Reliable     bool
	HighPriority bool
	Fragment     bool
}

const (
	flagReliable     = 1 << 15
	flagHighPriority = 1 << 14
	flagFragment     = 1 << 13

	notShort = (flagReliable | flagHighPriority) >> 8 // in byte 2

	maxDataLength   = flagFragment - 1
	maxSystemLength = flagHighPriority - 1
)

func framingOf(t Type, word uint16) Framing {
	f := Framing{
		Length:       int(word & maxSystemLength),
		Reliable:     word&flagReliable != 0,
		HighPriority: word&flagHighPriority != 0,
	}
	if t == TypeData {
		f.Length = int(word & maxDataLength)
		f.Fragment = word&flagFragment != 0
	}
	return f
}

func (m *Message) framing() Framing { return Framing{m.Len(), m.Reliable, m.HighPriority, m.Fragment} }

func (f Framing) word() uint16 {
	word := uint16(f.Length)
	if f.Reliable {
		word |= flagReliable
	}
	if f.HighPriority {
		word |= flagHighPriority
	}
	if f.Fragment {
		word |= flagFragment
	}
	return word
}

// String returns "length 412, reliable, fragment".
func (f Framing) String() string {
	text := "length " + strconv.Itoa(f.Length)
	if f.Reliable {
		text += ", reliable"
	}
	if f.HighPriority {
		text += ", high priority"
	}
	if f.Fragment {
		text += ", fragment"
	}
	return text
}
