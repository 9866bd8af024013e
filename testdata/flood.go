package testdata

import "encoding/binary"

// Flood describes the datagrams of a hostile peer, deciphered.
type Flood struct {
	Name      string
	Peer      byte // peer ID of the first datagram
	Peers     int  // number of peer IDs that take turns; 0 means 1
	BothSides bool // every other datagram is from the host
	Messages  int  // of a datagram
	Templates []Template
}

// Template describes messages that take turns with the messages of other templates. The sequence
// number begins with Seq and grows by Step with each message, or after Every messages.
type Template struct {
	Kind                    MessageKind
	Seq, Step, Every        int
	Index, IndexStep, Total int // of a fragment; Total is also the peer ID, type or flags in other messages
	Body                    int // length
}

// MessageKind is the form of the messages of a [Template].
type MessageKind int

// The forms of messages.
const (
	ReliableData MessageKind = iota
	UnreliableData
	FragmentData
	Acknowledgement
	ConnectRequest
	ShortMessage
	NameChange
	OtherDisconnect
	DoNothing
	UnknownType
	BadLength
	BadBody
	LowPriority
)

// FloodDatagram is a datagram of a [Flood].
type FloodDatagram struct {
	FromHost bool
	Data     []byte
}

// Datagrams returns datagrams of about size bytes in total.
func (f *Flood) Datagrams(size int) (all []FloodDatagram) {
	for n, i := 0, 0; size > 0; n++ {
		d := []byte{f.Peer + byte(n%max(1, f.Peers)), byte(f.Messages)}
		for range f.Messages {
			d = f.Templates[i%len(f.Templates)].append(d, i/len(f.Templates))
			i++
		}
		all = append(all, FloodDatagram{f.BothSides && n%2 == 1, d})
		size -= OnTheWire(d)
	}
	return all
}

// OnTheWire returns the length of a datagram. Ethernet pads shorter ones to 18 bytes.
func OnTheWire(datagram []byte) int { return max(18, len(datagram)) }

// append appends the i-th message.
func (x *Template) append(d []byte, i int) []byte {
	le := binary.LittleEndian
	seq := uint16(x.Seq + i/max(1, x.Every)*x.Step)
	index := byte(x.Index + i*x.IndexStep)
	flagged := func(typ byte, flags uint16, body ...byte) []byte {
		if flags&0x8000 != 0 {
			body = append([]byte{byte(seq), byte(seq >> 8)}, body...)
		}
		body = append(body, make([]byte, x.Body)...)
		d = le.AppendUint16(append(d, typ), uint16(3+len(body))|flags)
		return append(d, body...)
	}
	switch x.Kind {
	case ReliableData:
		return flagged(0x32, 0x8000)
	case UnreliableData:
		return flagged(0x32, 0)
	case FragmentData:
		if index == 0 {
			return flagged(0x32, 0xA000, 0, byte(x.Total))
		}
		return flagged(0x32, 0xA000, index)
	case Acknowledgement:
		d = append(le.AppendUint16(append(d, 1), seq), byte(x.Total)&0x83)
		if x.Total&1 != 0 {
			d = append(d, index)
		}
		return d
	case ConnectRequest:
		d = append(d, 3, 15, 0xC0, 0, 0, 10, 0, 0, 1)
		return append(le.AppendUint16(d, seq), 0, 0, 0, 0)
	case ShortMessage:
		return append(d, byte(x.Total)%8, 2)
	case NameChange:
		return flagged(0, 0xC000, 2, 0, 0, 0, 0, 0, 0)
	case OtherDisconnect:
		return flagged(5, 0xC000, byte(x.Total), 0, 0, 0, 0)
	case DoNothing:
		return append(d, 2)
	case UnknownType:
		return append(d, 0xEE)
	case BadLength:
		return append(d, 0x32, 3, 0x80)
	case BadBody:
		return flagged(4, 0xC000, 4)
	}
	return flagged(4, 0x8000, 4, 2)
}

// Floods returns floods that were the most expensive for some state of the code.
func Floods() []Flood {
	full := func(name string, templates ...Template) Flood {
		return Flood{Name: name, Peer: 2, Messages: 255, Templates: templates}
	}
	all := []Flood{
		full("unreliable", Template{Kind: UnreliableData}),
		full("unreliable, one byte each", Template{Kind: UnreliableData, Body: 1}),
		full("reliable in order", Template{Seq: 1, Step: 1}),
		full("reliable, the same number", Template{Seq: 1}),
		full("reliable, descending", Template{Seq: 1, Step: -1}),
		full("reliable, in the window, descending", Template{Seq: 256, Step: -1}),
		full("reliable, gaps", Template{Seq: 2, Step: 2}, Template{Seq: 500, Step: -2}),
		full("reliable, 64 apart", Template{Step: 64}),
		full("reliable, 1000 apart", Template{Step: 1000}),
		full("reliable, 4096 apart", Template{Step: 4096}),
		full("reliable, 8191 apart", Template{Step: 8191}),
		full("reliable, 16383 apart", Template{Step: 16383}),
		full("reliable, 32704 apart", Template{Step: 32704}),
		full("reliable, 32767 apart", Template{Step: 32767}),
		full("system, 32767 apart", Template{Kind: BadBody, Step: 32767}),
		full("fragments, descending", Template{Kind: FragmentData, Seq: 1, Step: 1, Every: 254, Index: 254, IndexStep: -1, Total: 255}),
		full("fragments of 16 payloads", Template{Kind: FragmentData, Seq: 1, Step: 1, Index: 254, IndexStep: -1}),
		full("fragments, a new payload each", Template{Kind: FragmentData, Seq: 1, Step: 1, Index: 1}),
		full("fragments that are complete", Template{Kind: FragmentData, Seq: 1, Step: 1, Total: 1}),
		full("fragments that contradict each other", Template{Kind: FragmentData, Seq: 1, Step: 1, Total: 2}, Template{Kind: FragmentData, Seq: 1, Step: 1, Total: 3}),
		full("partial payloads, then others", Template{Kind: FragmentData, Seq: 1000, Step: 1, Index: 1}, Template{Kind: UnreliableData}, Template{Kind: UnreliableData}, Template{Kind: UnreliableData}),
		full("Acks of nothing", Template{Kind: Acknowledgement, Seq: 30000, Step: 97}),
		full("Acks of fragments", Template{Kind: Acknowledgement, Step: 1, IndexStep: 1, Total: 1}),
		full("short messages", Template{Kind: ShortMessage, Total: 4}),
		full("names", Template{Kind: NameChange, Seq: 1, Step: 1}),
		full("Disconnects of others", Template{Kind: OtherDisconnect, Seq: 1, Step: 1, Total: 9}),
		full("keepalives", Template{Kind: DoNothing}),
		full("bad lengths", Template{Kind: BadLength}),
		full("bad bodies", Template{Kind: BadBody, Seq: 1, Step: 1}),
		full("low priority", Template{Kind: LowPriority}),
	}
	connects := []Template{{Kind: ConnectRequest, Seq: 1, Step: 1}, {Seq: 1, Step: 1}, {Kind: ShortMessage, Total: 3}, {Seq: 2, Step: 1}}
	senders := func(name string, messages int, templates ...Template) Flood {
		return Flood{Name: name, Peer: 2, Peers: 21, BothSides: true, Messages: messages, Templates: templates}
	}
	return append(all,
		Flood{Name: "Connects", Peer: 0xFF, Messages: 255, Templates: connects[:1]},
		Flood{Name: "Connects of both forms", Peer: 0xFF, Messages: 255, Templates: connects},
		Flood{Name: "unknown type", Peer: 2, Messages: 1, Templates: []Template{{Kind: UnknownType}}},
		Flood{Name: "one reliable message a datagram", Peer: 2, Messages: 1, Templates: []Template{{Seq: 1, Step: 1}}},
		Flood{Name: "three reliable messages a datagram", Peer: 2, Messages: 3, Templates: []Template{{Seq: 1, Step: -2}}},
		senders("senders that take turns", 1, Template{Step: 1}),
		senders("fragments of senders that take turns", 16, Template{Kind: FragmentData, Step: 1, Index: 1}),
		senders("payloads of senders that take turns", 16,
			Template{Kind: FragmentData, Seq: 2, Step: 41291, Total: 1, Body: 1}, Template{Kind: FragmentData, Seq: 1, Step: -2, Index: 1},
			Template{Kind: FragmentData, Step: 256, Index: 254, IndexStep: -6}),
		senders("bad bodies of senders that take turns", 16, Template{Kind: BadBody, Step: 31164}),
		senders("Acks of senders that take turns", 255, Template{Kind: Acknowledgement, Step: 1}),
	)
}
