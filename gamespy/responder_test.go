package gamespy_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
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
}

// By default a query without known keys gets no answer. It increases the number, as in the
// game, but does not count for the rate limit. Replies do not increase the number.
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
	require.ErrorIs(t, err, stream.ErrLimit, "the rate limit counts these answers")
}

func TestAnswerRefuses(t *testing.T) {
	var r gamespy.Responder
	info := gamespy.NewServerInfo("")
	for query, want := range map[string]error{
		"":             stream.ErrInvalid,
		"\x01\xD7\x32": stream.ErrInvalid,
		`\status\` + strings.Repeat("x", gamespy.MaxQuery): stream.ErrLimit,
	} {
		datagrams, err := r.Answer(start, source, []byte(query), &info)
		require.ErrorIs(t, err, want)
		require.Empty(t, datagrams)
	}
	info.Extra = gamespy.Pairs{{"final", ""}}
	datagrams, err := r.Answer(start, source, []byte(`\status\`), &info)
	require.ErrorIs(t, err, stream.ErrInvalid)
	require.Empty(t, datagrams)
	info.Extra = nil
	datagrams, err = r.Answer(start, source, []byte(`\status\`), &info)
	require.NoError(t, err)
	require.Contains(t, string(datagrams[0]), `\queryid\2.1`, "each query increases the number")
}

// Queries for fifteen seconds, or a minute in the long form, from one source and from many others.
func TestAnswersAreLimited(t *testing.T) {
	var r gamespy.Responder
	info := gamespy.NewServerInfo("My Game23")
	bytes := map[netip.Addr]int{}
	total, short := 0, 0
	seconds := testdata.Either(60, 15)
	for tick := range 1000 * seconds {
		now := start.Add(time.Duration(tick) * time.Millisecond)
		for _, from := range []netip.Addr{address(1), address(1000 + tick)} {
			datagrams, err := r.Answer(now, netip.AddrPortFrom(from, uint16(tick)), []byte(`\status\`), &info)
			if err != nil {
				require.ErrorIs(t, err, stream.ErrLimit)
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
	require.LessOrEqual(t, bytes[address(1)], (2*seconds+10)*280)
	require.LessOrEqual(t, total, (seconds+1)*32<<10+300)
	require.Greater(t, total, (seconds-1)*32<<10)
	require.Greater(t, short, 800*seconds)

	// The short answer is never longer than its query, and a reply gets none.
	now := start.Add(time.Duration(seconds) * time.Second)
	for _, query := range []string{`\`, `\x`, `\abcde`, `\final\`} {
		datagrams, _ := r.Answer(now, source, []byte(query), &info)
		require.Empty(t, datagrams, query)
	}
	datagrams, _ := r.Answer(now, source, []byte(`\basic\`), &info)
	require.Equal(t, []string{`\final\`}, texts(datagrams))
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

// The keys of a query in any case, order and number, with other keys, and without a last value.
func TestQueries(t *testing.T) {
	const basic, validated = `\gamename\bcommander\gamever\60\location\1`, `\validate\zfmiAycI`
	for query, want := range map[string]string{
		`\BASIC\x\queryid\9.1\`:               basic,
		`\secure\ABCDEF\basic\\secure\LRPOPQ`: basic + validated,
		`\x\y\basic`:                          basic,
		`\echo\hello\echo\x`:                  `\echo\hello`,
		`\echo\`:                              `\echo\`,
	} {
		var r gamespy.Responder
		require.Equal(t, want+`\final\\queryid\1.1`, answer(t, &r, query), query)
	}
	for _, query := range []string{`\`, `\unknown\`, `\hostname\status`, `\status\\final\`} {
		var r gamespy.Responder
		require.Empty(t, answer(t, &r, query), query)
	}
}

func TestMaxQuery(t *testing.T) {
	query := `\echo\` + strings.Repeat("x", gamespy.MaxQuery-len(`\echo\`))
	var r gamespy.Responder
	require.Equal(t, query+`\final\\queryid\1.1`, answer(t, &r, query))
	_, err := answerTo(query+"x", &gamespy.ServerInfo{})
	require.ErrorIs(t, err, stream.ErrLimit)
	require.EqualError(t, err, "gamespy: query at offset 254: limit reached: 255 bytes, at most 254")
}

// A challenge is answered for its bytes, not for its characters.
func TestBinaryChallenge(t *testing.T) {
	for _, challenge := range []string{"\x80\xE9\x81\xFF\x00\n", strings.Repeat("\xFF", gamespy.MaxChallenge)} {
		want, err := gamespy.Validate(gamespy.SecretKey, challenge)
		require.NoError(t, err)
		var r gamespy.Responder
		require.Equal(t, `\validate\`+want+`\final\\queryid\1.1`, answer(t, &r, `\secure\`+challenge))
	}
}

// A Responder sends the characters of a text that Windows-1252 has, and question marks for the others.
func TestAnswerConvertsTexts(t *testing.T) {
	info := gamespy.ServerInfo{Players: []string{"Café 5 €", "жук", "a\xFF"}}
	datagrams, err := answerTo(`\players\`, &info)
	require.Equal(t, "\\player_0\\Caf\xE9 5 \x80\\player_1\\???\\player_2\\a?\\final\\\\queryid\\1.1", only(t, datagrams, err))
}

func address(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
}

// Whoever forges the address of a browser uses up its answers, and those of nobody else.
func TestForgedQueriesOfOneAddress(t *testing.T) {
	for perSecond, most := range map[int]int{1: 60, 10: 1, 100: 1} {
		var r gamespy.Responder
		info := gamespy.NewServerInfo("My Game23")
		victims, others := 0, 0
		for ms := range 60_000 {
			now := start.Add(time.Duration(ms) * time.Millisecond)
			asks := func(from netip.AddrPort) int {
				datagrams, _ := r.Answer(now, from, []byte(`\status\`), &info)
				return len(datagrams)
			}
			if ms%(1000/perSecond) == 0 {
				asks(source)
			}
			if ms%1009 == 37 {
				victims += asks(source)
				others += asks(netip.MustParseAddrPort("192.0.2.2:1"))
			}
		}
		require.LessOrEqual(t, victims, most)
		require.Equal(t, 60, others)
	}
}
