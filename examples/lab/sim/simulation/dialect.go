package simulation

import (
	"encoding/binary"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// Dialect is the program that a player or the server has.
type Dialect uint8

// The dialects.
const (
	Ours       Dialect = iota
	StockGame          // with the timing of the game
	LikeOpenBC         // counts modulo 256, has the Acks of OpenBC, and acknowledges no system messages
	dialects
)

// String returns the name of the dialect.
func (d Dialect) String() string { return [...]string{"ours", "stock", "OpenBC"}[d] }

// options returns the options of the sessions of a dialect.
func (d Dialect) options() (o transport.Options) {
	if d == StockGame {
		o = transport.StockOptions()
		o.Tick = 33 * time.Millisecond
	}
	return o
}

// openBCSign is an Ack by which a session learns that its peer is OpenBC.
func openBCSign(peer objectid.PeerID) []byte {
	return []byte{byte(peer), 1, byte(transport.TypeAck), 0, 0, 0x80 | byte(transport.AckSystem)}
}

// inOpenBC changes the Acks of a datagram into the form of OpenBC, which has another bit, and the speakers of a host's
// lines of chat into slots.
func inOpenBC(datagram []byte) {
	const flags = 3 // offset in an Ack
	off := 2
	for m, err := range transport.Messages(datagram) {
		if err != nil {
			break
		}
		if m.Type == transport.TypeAck {
			datagram[off+flags] |= 0x80
		}
		off += m.Len()
		if datagram[0] == byte(objectid.Host) && m.Type == transport.TypeData && !m.Fragment {
			writeSlot(datagram[off-len(m.Body) : off])
		}
	}
}

// writeSlot writes the slot of the speaker into a line of chat of the host, as OpenBC's server does.
func writeSlot(payload []byte) {
	if len(payload) < 5 || opcode.Code(payload[0]) != opcode.OpChatMessage && opcode.Code(payload[0]) != opcode.OpTeamChatMessage {
		return
	}
	// The line of the host itself, with the peer ID 1, gets the number -1.
	binary.LittleEndian.PutUint32(payload[1:], uint32(payload[1])-uint32(objectid.Slot(0).PeerID()))
}
