package gamespy_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
)

func answer(t *testing.T, r *gamespy.Responder, query string) string {
	t.Helper()
	info := gamespy.NewServerInfo("My Game23")
	datagrams, err := r.Answer(start, source, []byte(query), &info)
	require.NoError(t, err)
	if datagrams == nil {
		return ""
	}
	return only(t, datagrams, err)
}

func TestAnswers(t *testing.T) {
	var r gamespy.Responder
	require.Equal(t, `\gamename\bcommander\gamever\60\location\1\final\\queryid\1.1`, answer(t, &r, `\basic\`))
	require.Equal(t, `\validate\zfmiAycI\final\\queryid\2.1`, answer(t, &r, `\secure\ABCDEF`))
	require.Equal(t, `\gamename\bcommander\gamever\60\location\1\validate\hMwdTNWS\final\\queryid\3.1`,
		answer(t, &r, `\basic\\secure\LRPOPQ`))
	require.Equal(t, `\echo\hello\final\\queryid\4.1`, answer(t, &r, `\echo\hello`))
	require.Equal(t, `\player_0\Dedicated Server\echo\e\validate\zfmiAycI\final\\queryid\5.1`,
		answer(t, &r, `\secure\ABCDEF\echo\e\players\\queryid\99.1`), "in the order of the types, with the server's number")
	r = gamespy.Responder{Key: "other"}
	require.NotContains(t, answer(t, &r, `\secure\ABCDEF`), "zfmiAycI")
}

// By default a query without known keys gets no answer. It increases the number, as in the
// game, but does not count for the Limiter. Replies do not increase the number.
func TestUnansweredQueries(t *testing.T) {
	var r gamespy.Responder
	for _, query := range []string{
		`\`, `\unknown\`, `\heartbeat\0\gamename\bcommander`, `\secure\`, `\secure`,
		`\secure\` + strings.Repeat("x", 129), `\status\\secure\` + strings.Repeat("x", 200),
	} {
		for range 20 {
			require.Empty(t, answer(t, &r, query))
		}
	}
	for range 20 {
		require.Empty(t, answer(t, &r, `\echo\x\final\\queryid\1.1`))
	}
	require.Contains(t, answer(t, &r, `\secure\`+strings.Repeat("x", 128)), `\queryid\141.1`)
	require.NotContains(t, answer(t, &r, `\basic\\secure\`), "validate")
}

// With AnswerAll every query gets an answer. Replies and long challenges get none.
func TestAnswerAll(t *testing.T) {
	r := gamespy.Responder{AnswerAll: true}
	require.Equal(t, `\final\\queryid\1.1`, answer(t, &r, `\unknown\`))
	require.Equal(t, text(t, "unknown-query-response"), answer(t, &r, `\`))
	require.Equal(t, `\final\\queryid\3.1`, answer(t, &r, `\secure\`))
	require.Equal(t, `\gamename\bcommander\gamever\60\location\1\final\\queryid\4.1`, answer(t, &r, `\basic\`))
	for _, silent := range []string{`\secure\` + strings.Repeat("x", 129), `\basic\\secure\` + strings.Repeat("x", 129)} {
		require.Empty(t, answer(t, &r, silent))
	}
	require.Empty(t, answer(t, &r, text(t, "unknown-query-response")), "a reply gets no answer")
	require.Equal(t, `\final\\queryid\7.1`, answer(t, &r, `\heartbeat\0\gamename\bcommander`))
	require.Contains(t, answer(t, &r, `\secure\`+strings.Repeat("x", 128)), `\final\\queryid\8.1`)
	info := gamespy.NewServerInfo("")
	for range 4 {
		require.NotEmpty(t, answer(t, &r, `\unknown\`))
	}
	_, err := r.Answer(start, source, []byte(`\unknown\`), &info)
	require.ErrorIs(t, err, gamespy.ErrRate, "the Limiter counts these answers")
}

func TestAnswerRefuses(t *testing.T) {
	var r gamespy.Responder
	info := gamespy.NewServerInfo("")
	for query, want := range map[string]error{
		"":             gamespy.ErrNotText,
		"\x01\xD7\x32": gamespy.ErrNotText,
		`\status\` + strings.Repeat("x", gamespy.MaxQuery): gamespy.ErrTooLong,
	} {
		datagrams, err := r.Answer(start, source, []byte(query), &info)
		require.ErrorIs(t, err, want)
		require.Empty(t, datagrams)
	}
	info.Extra = gamespy.Pairs{{"final", ""}}
	datagrams, err := r.Answer(start, source, []byte(`\status\`), &info)
	require.ErrorIs(t, err, gamespy.ErrReserved)
	require.Empty(t, datagrams)
	info.Extra = nil
	datagrams, err = r.Answer(start, source, []byte(`\status\`), &info)
	require.NoError(t, err)
	require.Contains(t, string(datagrams[0]), `\queryid\2.1`, "each query increases the number")
}

// Queries for a minute, from one source and from many others.
func TestAnswersAreLimited(t *testing.T) {
	var r gamespy.Responder
	info := gamespy.NewServerInfo("My Game23")
	bytes := map[netip.Addr]int{}
	total, short := 0, 0
	for tick := range 60_000 {
		now := start.Add(time.Duration(tick) * time.Millisecond)
		for _, from := range []netip.Addr{address(1), address(1000 + tick)} {
			datagrams, err := r.Answer(now, netip.AddrPortFrom(from, uint16(tick)), []byte(`\status\`), &info)
			if err != nil {
				require.ErrorIs(t, err, gamespy.ErrRate)
				if datagrams != nil { // the limit of all sources
					require.Equal(t, []string{`\final\`}, texts(datagrams))
					short++
				}
				continue
			}
			bytes[from] += len(datagrams[0])
			total += len(datagrams[0])
		}
	}
	require.LessOrEqual(t, bytes[address(1)], 130*280)
	require.LessOrEqual(t, total, 61*32<<10+300)
	require.Greater(t, total, 59*32<<10)
	require.Greater(t, short, 50_000)

	// The short answer is never longer than its query, and a reply gets none.
	now := start.Add(time.Minute)
	for _, query := range []string{`\`, `\x`, `\abcde`, `\final\`} {
		datagrams, _ := r.Answer(now, source, []byte(query), &info)
		require.Empty(t, datagrams, query)
	}
}

// texts returns datagrams as text.
func texts(datagrams [][]byte) (all []string) {
	for _, d := range datagrams {
		all = append(all, string(d))
	}
	return all
}

func TestRateLimitAllocatesNothing(t *testing.T) {
	var r gamespy.Responder
	info := gamespy.NewServerInfo("My Game23")
	query := []byte(`\status\`)
	for range 10 {
		_, err := r.Answer(start, source, query, &info)
		require.NoError(t, err)
	}
	require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = r.Answer(start, source, query, &info) }))
}

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
