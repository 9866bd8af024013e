package relay

import (
	"bytes"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// examine reads a datagram of an unproven client, or of the server to it. It reports whether the
// client uses the peer ID that the server has assigned.
func (c *client) examine(dir Direction, datagram []byte, plain bool) (proof bool) {
	if len(datagram) < 2 || transport.IsGameSpy(datagram) {
		return false
	}
	if !plain {
		datagram = bytes.Clone(datagram)
		cipher.Decrypt(datagram)
	}
	if dir == ToServer {
		return c.peer.Valid() && objectid.PeerID(int8(datagram[0])) == c.peer
	}
	for m := range transport.Messages(datagram) {
		if m.Type != transport.TypeConnect {
			continue
		}
		if body, err := m.Decode(); err == nil {
			if reply, ok := body.(*transport.ConnectReply); ok {
				c.peer = reply.PeerID
			}
		}
	}
	return false
}
