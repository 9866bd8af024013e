// Package showtest makes datagrams for tests of the example programs.
package showtest

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// Pack returns a deciphered datagram with messages.
func Pack(t testing.TB, peer objectid.PeerID, messages ...transport.Message) []byte {
	t.Helper()
	p := transport.Packet{PeerID: peer, Messages: messages}
	data, err := p.MarshalBinary()
	require.NoError(t, err)
	return data
}

// Enciphered returns the enciphered form of a datagram.
func Enciphered(data []byte) []byte {
	data = bytes.Clone(data)
	cipher.Encrypt(data)
	return data
}

// Chat returns the payload of a ChatMessage, recognisable by its text.
func Chat(text string) []byte {
	return append([]byte{0x2C, 2, 0, 0, 0, byte(len(text)), byte(len(text) >> 8)}, text...)
}

// HexLines returns hex text, a line per datagram.
func HexLines(datagrams ...[]byte) string {
	var b strings.Builder
	for _, d := range datagrams {
		fmt.Fprintf(&b, "%x\n", d)
	}
	return b.String()
}
