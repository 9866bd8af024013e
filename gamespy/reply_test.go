package gamespy_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
)

// sized returns a pair of n bytes.
func sized(n int) gamespy.Pair {
	return gamespy.Pair{Key: "k", Value: gamespy.Text(strings.Repeat("v", n-len(`\k\`)))}
}

func TestPartsAreFull(t *testing.T) {
	var info gamespy.ServerInfo
	const final = len(`\final\`)
	for _, c := range []struct {
		name  string
		pairs []gamespy.Pair
		sizes []int // sizes of the texts without queryid
	}{
		{"fits with final", []gamespy.Pair{sized(1000), sized(gamespy.MaxPart - 1000 - final)}, []int{1349}},
		{"final does not fit", []gamespy.Pair{sized(1000), sized(gamespy.MaxPart - 1000 - final + 1)}, []int{1343, final}},
		{"one pair fills it", []gamespy.Pair{sized(gamespy.MaxPart)}, []int{1349, final}},
		{"cut between pairs", []gamespy.Pair{sized(1000), sized(350)}, []int{1000, 350 + final}},
	} {
		t.Run(c.name, func(t *testing.T) {
			datagrams, err := info.Reply(gamespy.Echo, 12, c.pairs...)
			require.NoError(t, err)
			require.Len(t, datagrams, len(c.sizes))
			for i, d := range datagrams {
				text, ok := bytes.CutSuffix(d, fmt.Appendf(nil, `\queryid\12.%d`, i+1))
				require.True(t, ok)
				require.Len(t, text, c.sizes[i])
				require.Equal(t, i == len(datagrams)-1, bytes.HasSuffix(text, []byte(`\final\`)))
			}
			require.Equal(t, gamespy.Pairs(c.pairs), joined(t, datagrams).Pairs)
		})
	}
	_, err := info.Reply(gamespy.Echo, 1, sized(gamespy.MaxPart+1))
	require.ErrorIs(t, err, gamespy.ErrTooLong)
}

func TestReplyLimits(t *testing.T) {
	var info gamespy.ServerInfo
	parts := func(n int) (pairs []gamespy.Pair) {
		for range n {
			pairs = append(pairs, sized(gamespy.MaxPart))
		}
		return pairs
	}
	datagrams, err := info.Reply(gamespy.Echo, 1, parts(gamespy.MaxParts-1)...)
	require.NoError(t, err)
	require.Len(t, datagrams, gamespy.MaxParts)
	require.Len(t, joined(t, datagrams).Pairs, gamespy.MaxParts-1)
	_, err = info.Reply(gamespy.Echo, 1, parts(gamespy.MaxParts)...)
	require.ErrorIs(t, err, gamespy.ErrLimit)
	require.EqualError(t, err, "gamespy: datagram 48: limit reached: 49 datagrams, at most 48")
	_, err = info.Reply(gamespy.Echo, 1, parts(1000)...)
	require.ErrorIs(t, err, gamespy.ErrLimit)

	info.Players = make([]gamespy.Text, gamespy.MaxPairs)
	datagrams, err = info.Reply(gamespy.Players, 1)
	require.NoError(t, err)
	require.Len(t, joined(t, datagrams).Pairs, gamespy.MaxPairs)
	info.Players = append(info.Players, "")
	_, err = info.Reply(gamespy.Players, 1)
	require.ErrorIs(t, err, gamespy.ErrLimit)
	require.EqualError(t, err, "gamespy: pair 512: limit reached: 513 pairs, at most 512")
}
