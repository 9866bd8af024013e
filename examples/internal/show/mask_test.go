package show

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
)

// A masked password is in no output, in no step, and not in the bytes of the datagram: of a Connect, of one that is cut,
// and of one among other messages.
func TestMaskedPasswords(t *testing.T) {
	const password = "Geheim7"
	request := func(password string) transport.Message {
		return transport.NewMessage(0, &transport.ConnectRequest{ConnID: 7, Password: systemText(t, password)})
	}
	encode := func(messages ...transport.Message) []byte {
		b, err := (&transport.Packet{PeerID: objectid.NoPeer, Messages: messages}).MarshalBinary()
		require.NoError(t, err)
		return b
	}
	whole := encode(request(password))
	for name, datagram := range map[string][]byte{
		"alone": whole, "with others": encode(transport.NewUnreliable([]byte{0x2C}), request(password), request(password)), "cut": whole[:len(whole)-4],
	} {
		for _, flag := range []string{"", "-v", "-x", "-json"} {
			show := func(mask bool) (string, []byte) {
				data := bytes.Clone(datagram)
				cipher.Encrypt(data)
				var steps strings.Builder
				d := Decoder{Mask: mask, Step: func(s *match.Step, r *Message) {
					if body, ok := r.Body.(*transport.ConnectRequest); ok {
						steps.WriteString(body.Password.String())
					}
					if body, ok := s.Message.Decoded.(*transport.ConnectRequest); ok {
						steps.WriteString(body.Password.String())
					}
				}}
				text := outputOf([]string{flag}).Append(nil, d.Decode(&Datagram{Number: 1, Data: data}))
				return string(text) + steps.String(), data
			}
			code := hex.EncodeToString([]byte("G\x00e\x00h\x00"))
			plain := func(text string) string { return strings.ReplaceAll(text, " ", "") }
			text, data := show(true)
			require.NotContains(t, text, password, name)
			require.NotContains(t, plain(text), code, name)
			require.False(t, bytes.Contains(data, []byte("G\x00e\x00")), name)
			if name != "cut" {
				require.Contains(t, text, "***", "%s %s", name, flag)
				open, _ := show(false)
				require.Contains(t, open, password, "%s %s", name, flag)
				require.NotContains(t, open, "***")
			}
		}
	}
	// Without a password there is nothing to hide.
	data := encode(request(""))
	text := NewJSON().Append(nil, (&Decoder{Mask: true, Plain: true}).Decode(&Datagram{Number: 1, Data: data}))
	require.Contains(t, string(text), `"Password":""`)
	require.Equal(t, encode(request("")), data)
}
