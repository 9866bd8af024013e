package gamespy_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
)

func TestQueries(t *testing.T) {
	for _, c := range []struct {
		text  string
		query gamespy.Query
		again string // the encoded query, if it differs
	}{
		{`\status\`, gamespy.Query{Types: gamespy.Status}, ""},
		{`\basic\`, gamespy.Query{Types: gamespy.Basic}, ""},
		{`\basic\\info\\rules\\players\`, gamespy.Query{Types: gamespy.Basic | gamespy.Info | gamespy.Rules | gamespy.Players}, ""},
		{`\packets\`, gamespy.Query{Types: gamespy.Packets}, ""},
		{`\echo\hello`, gamespy.Query{Types: gamespy.Echo, Echo: "hello"}, ""},
		{`\secure\ABCDEF`, gamespy.Query{Types: gamespy.Secure, Challenge: "ABCDEF"}, ""},
		{`\basic\\secure\LRPOPQ`, gamespy.Query{Types: gamespy.Basic | gamespy.Secure, Challenge: "LRPOPQ"}, ""},
		{`\STATUS\x\queryid\9.1\`, gamespy.Query{Types: gamespy.Status}, `\status\`},
		{`\secure\A\basic\\secure\B`, gamespy.Query{Types: gamespy.Basic | gamespy.Secure, Challenge: "A"}, `\basic\\secure\A`},
		{`\status`, gamespy.Query{Types: gamespy.Status}, `\status\`},
	} {
		t.Run(c.text, func(t *testing.T) {
			q, err := gamespy.ParseQuery([]byte(c.text))
			require.NoError(t, err)
			require.Equal(t, c.query, q)
			wire, err := q.AppendBinary([]byte("before"))
			require.NoError(t, err)
			if c.again == "" {
				c.again = c.text
			}
			require.Equal(t, "before"+c.again, string(wire))
		})
	}
}

func TestNoQueries(t *testing.T) {
	for _, text := range []string{
		`\`, `\unknown\`, `\hostname\status`, `\heartbeat\0\gamename\bcommander`,
		`\echo\x\final\\queryid\1.1`, `\status\\final\`,
	} {
		q, err := gamespy.ParseQuery([]byte(text))
		require.NoError(t, err)
		require.Zero(t, q, text)
	}
	_, err := gamespy.ParseQuery(nil)
	require.ErrorIs(t, err, gamespy.ErrNotText)
}

func TestMaxQuery(t *testing.T) {
	q := gamespy.Query{Types: gamespy.Echo, Echo: gamespy.Text(strings.Repeat("x", gamespy.MaxQuery-len(`\echo\`)))}
	wire, err := q.MarshalBinary()
	require.NoError(t, err)
	require.Len(t, wire, gamespy.MaxQuery)
	again, err := gamespy.ParseQuery(wire)
	require.NoError(t, err)
	require.Equal(t, q, again)

	_, err = gamespy.ParseQuery(append(wire, 'x'))
	require.ErrorIs(t, err, gamespy.ErrTooLong)
	require.EqualError(t, err, "gamespy: query at offset 254: too long: 255 bytes, at most 254")
	for _, more := range []int{1, gamespy.MaxText, 10 * gamespy.MaxText} {
		long := gamespy.Query{Types: gamespy.Echo, Echo: q.Echo + gamespy.Text(strings.Repeat("x", more))}
		wire, err = long.AppendBinary([]byte("before"))
		require.ErrorIs(t, err, gamespy.ErrTooLong)
		require.EqualError(t, err, fmt.Sprintf("gamespy: query: too long: %d bytes, at most 254", 254+more))
		require.Equal(t, "before", string(wire))
	}
}

func TestQueryRefuses(t *testing.T) {
	_, err := gamespy.Query{}.MarshalBinary()
	require.ErrorIs(t, err, gamespy.ErrNotText)
	_, err = gamespy.Query{Types: gamespy.Secure, Challenge: `A\B`}.MarshalBinary()
	require.ErrorIs(t, err, gamespy.ErrBackslash)
}

func TestQueryTypes(t *testing.T) {
	require.Equal(t, "", gamespy.QueryTypes(0).String())
	require.Equal(t, "basic|info|rules|players|status|packets|echo|secure", gamespy.QueryTypes(0xFF).String())
}
