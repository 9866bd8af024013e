package gamespy_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
)

func TestValidateLengths(t *testing.T) {
	for n := range gamespy.MaxChallenge + 3 {
		got, err := gamespy.Validate(gamespy.SecretKey, strings.Repeat("x", n))
		if n == 0 || n > gamespy.MaxChallenge {
			require.ErrorIs(t, err, gamespy.ErrChallenge, "%d bytes", n)
			require.EqualError(t, err, fmt.Sprintf("gamespy: invalid challenge length: %d bytes, must be 1 to 128", n))
			require.Empty(t, got)
			continue
		}
		require.NoError(t, err)
		require.Len(t, got, (n+2)/3*4)
		require.NotContains(t, got, "=")
		_, err = base64.StdEncoding.DecodeString(got)
		require.NoError(t, err)
	}
	_, err := gamespy.Validate("", "LRPOPQ")
	require.ErrorIs(t, err, gamespy.ErrKey)
	long := strings.Repeat("k", 256)
	a, err := gamespy.Validate(long, "LRPOPQ")
	require.NoError(t, err)
	b, err := gamespy.Validate(long+"more", "LRPOPQ")
	require.NoError(t, err)
	require.Equal(t, a, b)
}

func TestVerify(t *testing.T) {
	for reply, want := range map[string]error{
		`\validate\hMwdTNWS\final\\queryid\1.1`:                   nil,
		`\gamename\bcommander\validate\hMwdTNWS\enctype\0\final\`: nil,
		`\validate\hMwdTNWS\enctype\`:                             nil,
		`\validate\hMwdTNWT\final\\queryid\1.1`:                   gamespy.ErrValidate,
		`\validate\\final\`:                                       gamespy.ErrValidate,
		`\final\`:                                                 gamespy.ErrValidate,
		`\validate\hMwdTNWS\enctype\1\final\`:                     gamespy.ErrEnctype,
		`\enctype\2\validate\hMwdTNWS\final\`:                     gamespy.ErrEnctype,
	} {
		m, err := gamespy.Parse([]byte(reply))
		require.NoError(t, err)
		require.ErrorIs(t, m.Pairs.Verify(gamespy.SecretKey, "LRPOPQ"), want, reply)
		require.ErrorIs(t, m.Pairs.Verify(gamespy.SecretKey, ""), gamespy.ErrChallenge)
	}
	err := gamespy.Pairs{{Key: "enctype", Value: "2"}}.Verify(gamespy.SecretKey, "LRPOPQ")
	require.EqualError(t, err, `gamespy: enctype is not supported: "2", must be 0 or empty`)
}

func TestNewChallenge(t *testing.T) {
	require.Equal(t, "AAAAAA", gamespy.NewChallenge(0))
	require.Equal(t, "BAAAAA", gamespy.NewChallenge(26*26*26*26*26*26+1))
	seen := map[string]bool{}
	for i := range uint32(1000) {
		c := gamespy.NewChallenge(i * 0x9E3779B1)
		require.Regexp(t, `^[A-Z]{6}$`, c)
		seen[c] = true
	}
	require.Greater(t, len(seen), 990)
}
