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
			require.EqualError(t, err, fmt.Sprintf("gamespy: challenge: %d bytes, must be 1 to 128", n))
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
	require.ErrorIs(t, err, gamespy.ErrChallenge)
	long := strings.Repeat("k", 256)
	a, err := gamespy.Validate(long, "LRPOPQ")
	require.NoError(t, err)
	b, err := gamespy.Validate(long+"more", "LRPOPQ")
	require.NoError(t, err)
	require.Equal(t, a, b)
	challenge := strings.Repeat("x", gamespy.MaxChallenge)
	a, err = gamespy.Validate(long, challenge)
	require.NoError(t, err)
	b, err = gamespy.Validate(long[1:]+"c", challenge)
	require.NoError(t, err)
	require.NotEqual(t, a, b, "byte 256 is used")
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
