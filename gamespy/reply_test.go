package gamespy_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stream"
)

// answerTo returns the answer of a new Responder.
func answerTo(query string, info *gamespy.ServerInfo) ([][]byte, error) {
	var r gamespy.Responder
	return r.Answer(start, source, []byte(query), info)
}

// replyOf returns a reply with only these pairs.
func replyOf(pairs gamespy.Pairs) ([][]byte, error) {
	info := gamespy.Pairs(nil).ServerInfo() // all fields are missing
	info.Extra = pairs
	return answerTo(`\rules\`, &info)
}

// sized returns a pair of n bytes.
func sized(n int) gamespy.Pair {
	return gamespy.Pair{Key: "k", Value: strings.Repeat("v", n-len(`\k\`))}
}

func TestPartsAreFull(t *testing.T) {
	const final = len(`\final\`)
	for _, c := range []struct {
		name  string
		pairs gamespy.Pairs
		sizes []int // sizes of the texts without queryid
	}{
		{"fits with final", gamespy.Pairs{sized(1000), sized(gamespy.MaxPart - 1000 - final)}, []int{1349}},
		{"final does not fit", gamespy.Pairs{sized(1000), sized(gamespy.MaxPart - 1000 - final + 1)}, []int{1343, final}},
		{"one pair fills it", gamespy.Pairs{sized(gamespy.MaxPart)}, []int{1349, final}},
		{"cut between pairs", gamespy.Pairs{sized(1000), sized(350)}, []int{1000, 350 + final}},
	} {
		t.Run(c.name, func(t *testing.T) {
			datagrams, err := replyOf(c.pairs)
			require.NoError(t, err)
			require.Len(t, datagrams, len(c.sizes))
			for i, d := range datagrams {
				text, ok := bytes.CutSuffix(d, fmt.Appendf(nil, `\queryid\1.%d`, i+1))
				require.True(t, ok)
				require.Len(t, text, c.sizes[i])
				require.Equal(t, i == len(datagrams)-1, bytes.HasSuffix(text, []byte(`\final\`)))
			}
			require.Equal(t, c.pairs, joined(t, datagrams).Pairs)
		})
	}
	_, err := replyOf(gamespy.Pairs{sized(gamespy.MaxPart + 1)})
	require.ErrorIs(t, err, stream.ErrLimit)
}

func TestReplyLimits(t *testing.T) {
	parts := func(n int) (pairs gamespy.Pairs) {
		for range n {
			pairs = append(pairs, sized(gamespy.MaxPart))
		}
		return pairs
	}
	datagrams, err := replyOf(parts(gamespy.MaxParts - 1))
	require.NoError(t, err)
	require.Len(t, datagrams, gamespy.MaxParts)
	require.Len(t, joined(t, datagrams).Pairs, gamespy.MaxParts-1)
	_, err = replyOf(parts(gamespy.MaxParts))
	require.ErrorIs(t, err, stream.ErrLimit)
	require.EqualError(t, err, "gamespy: datagram 48: limit reached: 49 datagrams, at most 48")
	_, err = replyOf(parts(1000))
	require.ErrorIs(t, err, stream.ErrLimit)

	info := gamespy.ServerInfo{Players: make([]string, gamespy.MaxPairs)}
	datagrams, err = answerTo(`\players\`, &info)
	require.NoError(t, err)
	require.Len(t, joined(t, datagrams).Pairs, gamespy.MaxPairs)
	info.Players = append(info.Players, "")
	_, err = answerTo(`\players\`, &info)
	require.ErrorIs(t, err, stream.ErrLimit)
	require.EqualError(t, err, "gamespy: pair 512: limit reached: 513 pairs, at most 512")
}
