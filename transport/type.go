package transport

import "strconv"

// Type is the first byte of a transport message.
type Type uint8

// The types, with the engine's names for them. Those below TypeData form the system
// channel, TypeData the game channel; each has its own sequence numbers.
const (
	TypeNameChange Type = 0x00 // NAME_CHANGE
	TypeAck        Type = 0x01 // ACKNOWLEDGE
	TypeDoNothing  Type = 0x02 // DO_NOTHING, the keepalive
	TypeConnect    Type = 0x03 // CONNECT, request and reply
	TypeBoot       Type = 0x04 // BOOT_PLAYER
	TypeDisconnect Type = 0x05 // DISCONNECT
	TypeData       Type = 0x32 // STANDARD, a game payload or a piece of one
)

// String returns the name, "Data", or the number of an unknown type, "0x06".
func (t Type) String() string {
	switch t {
	case TypeNameChange:
		return "NameChange"
	case TypeAck:
		return "Ack"
	case TypeDoNothing:
		return "DoNothing"
	case TypeConnect:
		return "Connect"
	case TypeBoot:
		return "Boot"
	case TypeDisconnect:
		return "Disconnect"
	case TypeData:
		return "Data"
	}
	return "0x" + strconv.FormatUint(0x100|uint64(t), 16)[1:]
}

// Peer IDs with a meaning of their own. Clients have 2 to 126, in the order of joining.
const (
	Host   int8 = 1
	NoPeer int8 = -1 // a client that has not been given one
)
