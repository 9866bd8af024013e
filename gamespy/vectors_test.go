package gamespy_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/testdata"
)

type vector struct {
	testdata.Vector
	Hex               testdata.Hex
	Text              string
	Pairs             gamespy.Pairs
	TrailingBackslash bool
	Servers           []netip.AddrPort
}

func TestVectors(t *testing.T) {
	vectors := testdata.Load[vector](t, "gamespy.json")
	require.Len(t, vectors, 11)
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			if len(v.Servers) > 0 {
				servers, err := receiveList(v.Hex)
				require.NoError(t, err)
				require.Equal(t, v.Servers, servers)
				wire, err := sendList("cmp", servers)
				require.NoError(t, err)
				require.Equal(t, []byte(v.Hex), wire)
				return
			}
			require.Equal(t, v.Text, string(v.Hex))
			m, err := gamespy.Parse(v.Hex)
			require.NoError(t, err)
			require.Equal(t, v.Pairs, m.Pairs)
			require.Equal(t, v.TrailingBackslash, m.Ending == gamespy.Trailing)
			require.NotEqual(t, gamespy.NoValue, m.Ending)
			wire, err := m.AppendBinary([]byte("before"))
			require.NoError(t, err)
			require.Equal(t, "before"+v.Text, string(wire))
		})
	}
}

// text returns the text of a vector.
func text(t testing.TB, name string) string {
	t.Helper()
	for _, v := range testdata.Load[vector](t, "gamespy.json") {
		if v.Name == name {
			return v.Text
		}
	}
	t.Fatalf("no vector %s", name)
	return ""
}

func TestValidateVectors(t *testing.T) {
	vectors := testdata.LoadGroup[struct {
		testdata.Vector
		Key, Challenge, CipherHex, Validate string
		Enctype                             int
		Hex                                 testdata.Hex
	}](t, "hashes.json", "gsmsalg")
	require.Len(t, vectors, 21)
	for _, v := range vectors {
		require.Zero(t, v.Enctype)
		require.Equal(t, v.Challenge, string(v.Hex))
		got, err := gamespy.Validate(v.Key, v.Challenge)
		require.NoError(t, err)
		require.Equal(t, v.Validate, got, v.Name)
		out, err := base64.StdEncoding.DecodeString(got)
		require.NoError(t, err)
		require.Equal(t, v.CipherHex, hex.EncodeToString(out), "padded with zeros")
	}
}
