package simulation

import "github.com/bcwire/bcwire/transport"

// inOpenBC changes the Acks of a datagram into the form of OpenBC, which has another bit.
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
	}
}
