package transport_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// Forms that the stock game does not send have a description.
func TestDialect(t *testing.T) {
	for wire, want := range map[string]string{
		"0308010000007f00": "length of one byte",
		"0602":             "length of one byte, a Disconnect",
		"0002":             "length of one byte, a keepalive",
		"0014800000000000000043006100640079000000": "not high priority",
		"050a40020a0a0aef0000":                     "not reliable",
		"01050080":                                 "flags 0x80",
		"0105008202":                               "flags 0x80",
		"01050002":                                 "",
		"0105000102":                               "",
		"02":                                       "",
		"020300":                                   "",
		"3207c005002a20":                           "",
	} {
		var p transport.Packet
		require.NoError(t, p.UnmarshalBinary(append([]byte{2, 1}, testdata.Bytes(wire)...)), wire)
		require.Equal(t, want, p.Messages[0].Dialect(), wire)
	}
}
