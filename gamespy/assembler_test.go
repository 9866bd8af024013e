package gamespy_test

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

var (
	start  = time.Unix(1_000_000_000, 0)
	source = netip.MustParseAddrPort("192.0.2.1:22101")
	other  = netip.MustParseAddrPort("192.0.2.1:22102")
)

// add adds datagrams of one source and returns the replies that they complete.
func add(t *testing.T, a *gamespy.Assembler, datagrams ...string) (replies []gamespy.Reply) {
	t.Helper()
	for _, d := range datagrams {
		r, complete, err := a.Add(start, source, []byte(d))
		require.NoError(t, err, d)
		if complete {
			replies = append(replies, r)
		}
	}
	return replies
}

const (
	part1 = `\hostname\Three\queryid\4.1`
	part2 = `\player_0\Ann\queryid\4.2`
	part3 = `\player_1\final\final\\queryid\4.3`
)

var three = gamespy.Pairs{{"hostname", "Three"}, {"player_0", "Ann"}, {"player_1", "final"}}

func TestThreeParts(t *testing.T) {
	for _, order := range [][]string{
		{part1, part2, part3},
		{part3, part1, part2},
		{part2, part3, part1},
		{part3, part3, part2, part2, part3, part1},
	} {
		var a gamespy.Assembler
		replies := add(t, &a, order...)
		require.Equal(t, []gamespy.Reply{{From: source, Pairs: three}}, replies)
		n, bytes := a.Pending()
		require.Zero(t, n+bytes)
	}
}

// A part that arrives again after its reply is complete does not give a second reply.
func TestDuplicateAfterCompleteReply(t *testing.T) {
	var a gamespy.Assembler
	require.Len(t, add(t, &a, part1, part2, part3), 1)
	require.Empty(t, add(t, &a, part1, part2, part3, part2))
	n, _ := a.Pending()
	require.Zero(t, n)
	require.Empty(t, a.Expire(start.Add(time.Hour)))
}

// A server may use a number again after MaxAge.
func TestNumberReusedAfterMaxAge(t *testing.T) {
	for age, want := range map[time.Duration]bool{3 * time.Second: false, 3*time.Second + 1: true} {
		var a gamespy.Assembler
		require.Len(t, add(t, &a, part1, part2, part3), 1)
		var last bool
		for _, d := range []string{part3, part2, part1} {
			_, complete, err := a.Add(start.Add(age), source, []byte(d))
			require.NoError(t, err)
			last = complete
		}
		require.Equal(t, want, last, age)
	}
}

// MaxAge is the age of incomplete replies, and of completed replies that are remembered.
func TestMaxAge(t *testing.T) {
	for _, maxAge := range []time.Duration{time.Second, 7 * time.Second} {
		a := gamespy.Assembler{MaxAge: maxAge}
		require.Empty(t, add(t, &a, part1))
		require.Empty(t, a.Expire(start.Add(maxAge)))
		require.Len(t, a.Expire(start.Add(maxAge+1)), 1)
		require.Len(t, add(t, &a, part1, part2, part3), 1)
		for want, age := range []time.Duration{maxAge, maxAge + 1} { // the number can be used again
			_, _, err := a.Add(start.Add(age), source, []byte(part1))
			require.NoError(t, err)
			require.Len(t, a.Flush(), want, "%v", age)
		}
	}
}

// A duplicate of a single-datagram reply returns the reply again.
func TestDuplicateSingleDatagram(t *testing.T) {
	var a gamespy.Assembler
	single := `\x\y\final\\queryid\2.1`
	require.Len(t, add(t, &a, single, single), 2)
	require.Empty(t, a.Flush())
}

// The number of remembered replies is limited. The oldest is forgotten first.
func TestRememberedReplies(t *testing.T) {
	var a gamespy.Assembler
	whole := func(number int) []string {
		return []string{fmt.Sprintf(`\x\y\queryid\%d.1`, number), fmt.Sprintf(`\x\y\final\\queryid\%d.2`, number)}
	}
	for number := range 1025 {
		require.Len(t, add(t, &a, whole(number)...), 1)
	}
	require.Empty(t, add(t, &a, whole(1)...))
	require.Empty(t, add(t, &a, whole(1024)...))
	require.Len(t, add(t, &a, whole(0)...), 1)
}

func TestLostParts(t *testing.T) {
	for _, c := range []struct {
		name string
		came []string
		want gamespy.Pairs
	}{
		{"first", []string{part3, part2}, three[1:]},
		{"second", []string{part3, part1}, gamespy.Pairs{three[0], three[2]}},
		{"last", []string{part2, part1}, three[:2]},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a gamespy.Assembler
			require.Empty(t, add(t, &a, c.came...))
			require.Empty(t, a.Expire(start.Add(3*time.Second)))
			replies := a.Expire(start.Add(3*time.Second + 1))
			require.Equal(t, []gamespy.Reply{{From: source, Pairs: c.want, Incomplete: true}}, replies)
			require.Empty(t, a.Flush())
		})
	}
}

// Parts with different queryids or sources belong to different replies.
func TestPartsAreNotMixed(t *testing.T) {
	var a gamespy.Assembler
	require.Empty(t, add(t, &a, part1, `\player_0\Bob\queryid\5.2`, part3))
	_, complete, err := a.Add(start, other, []byte(part2))
	require.NoError(t, err)
	require.False(t, complete)
	replies := a.Flush()
	require.Len(t, replies, 3)
	for _, r := range replies {
		require.True(t, r.Incomplete)
	}
	require.Equal(t, gamespy.Pairs{three[0], three[2]}, replies[0].Pairs)
	require.Equal(t, gamespy.Pairs{{"player_0", "Bob"}}, replies[1].Pairs)
	require.Equal(t, other, replies[2].From)
}

func TestFrameForms(t *testing.T) {
	x := gamespy.Pairs{{"x", "y"}}
	for _, c := range []struct {
		name, text string
		pairs      gamespy.Pairs
		incomplete bool
	}{
		{"of the game", `\x\y\final\\queryid\2.1`, x, false},
		{"with a backslash", `\x\y\final\\queryid\2.1\`, x, false},
		{"final last", `\x\y\queryid\2.1\final\`, x, false},
		{"without queryid", `\x\y\final\`, x, false},
		{"nothing but final", `\final\\queryid\7.1`, nil, false},
		{"nothing but final, last", `\queryid\7.1\final\`, nil, false},
		{"neither", `\x\y`, x, true},
		{"part 0", `\x\y\queryid\2.0`, gamespy.Pairs{{"x", "y"}, {"queryid", "2.0"}}, true},
		{"part 49", `\x\y\queryid\2.49`, gamespy.Pairs{{"x", "y"}, {"queryid", "2.49"}}, true},
		{"no part", `\x\y\final\\queryid\2`, gamespy.Pairs{{"x", "y"}, {"final", ""}, {"queryid", "2"}}, true},
		{"no number", `\x\y\queryid\.1`, gamespy.Pairs{{"x", "y"}, {"queryid", ".1"}}, true},
		{"negative", `\x\y\queryid\-2.1`, gamespy.Pairs{{"x", "y"}, {"queryid", "-2.1"}}, true},
		{"huge", `\x\y\queryid\4294967296.1`, gamespy.Pairs{{"x", "y"}, {"queryid", "4294967296.1"}}, true},
		{"a queryid that is not last", `\queryid\2.1\x\y\final\`, gamespy.Pairs{{"queryid", "2.1"}, {"x", "y"}}, false},
		{"a player called queryid", `\player_0\queryid\player_1\2.1\final\\queryid\3.1`, gamespy.Pairs{{"player_0", "queryid"}, {"player_1", "2.1"}}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a gamespy.Assembler
			want := gamespy.Reply{From: source, Pairs: c.pairs, Incomplete: c.incomplete}
			require.Equal(t, []gamespy.Reply{want}, add(t, &a, c.text))
		})
	}
}

// A player called final does not end a reply.
func TestPlayerCalledFinal(t *testing.T) {
	var a gamespy.Assembler
	require.Empty(t, add(t, &a, `\player_0\final\queryid\1.1`))
	replies := add(t, &a, `\player_1\x\final\\queryid\1.2`)
	require.Equal(t, gamespy.Pairs{{"player_0", "final"}, {"player_1", "x"}}, replies[0].Pairs)
	require.False(t, replies[0].Incomplete)
}

// Some servers split a reply inside a pair, at a backslash.
func TestCutInsidePair(t *testing.T) {
	var a gamespy.Assembler
	replies := add(t, &a, `\a\1\hostname\queryid\1.1`, `\Name\b\2\final\\queryid\1.2`)
	require.Equal(t, gamespy.Pairs{{"a", "1"}, {"hostname", "Name"}, {"b", "2"}}, replies[0].Pairs)
}

func TestAssemblerLimits(t *testing.T) {
	from := func(i int) netip.AddrPort { return netip.AddrPortFrom(source.Addr(), uint16(i)) }
	fill := func(a *gamespy.Assembler, n int, datagram string) {
		for i := range n {
			_, complete, err := a.Add(start, from(i), []byte(datagram))
			require.NoError(t, err)
			require.False(t, complete)
		}
	}
	t.Run("replies", func(t *testing.T) {
		var a gamespy.Assembler
		fill(&a, 1025, part1)
		_, complete, err := a.Add(start, from(2000), []byte(`\x\y\final\\queryid\1.1`))
		require.NoError(t, err)
		require.True(t, complete, "a single datagram needs no room")
		left := a.Flush()
		require.Len(t, left, 1024)
		require.Equal(t, from(1), left[0].From, "the oldest is discarded")
	})
	t.Run("replies of a source", func(t *testing.T) {
		var a gamespy.Assembler
		fill(&a, 1, part1)
		for i := range 9 {
			require.Empty(t, add(t, &a, fmt.Sprintf(`\x\%d\queryid\%d.1`, i, i)))
		}
		left := a.Flush()
		require.Len(t, left, 1+8)
		require.Equal(t, from(0), left[0].From, "another source loses nothing")
		require.Equal(t, gamespy.Pairs{{"x", "1"}}, left[1].Pairs)
	})
	t.Run("bytes", func(t *testing.T) {
		var a gamespy.Assembler
		text := `\k\` + strings.Repeat("v", 1<<15-3)
		fill(&a, 33, text+`\queryid\1.1`)
		_, bytes := a.Pending()
		require.Equal(t, 1<<20, bytes)
		require.Equal(t, from(1), a.Flush()[0].From)
	})
	t.Run("bytes of a source", func(t *testing.T) {
		var a gamespy.Assembler
		fill(&a, 1, part1)
		big := `\k\` + strings.Repeat("v", 30_000)
		require.Empty(t, add(t, &a, big+`\queryid\1.1`, big+`\queryid\2.1`, big+`\queryid\3.1`, big+`\queryid\2.2`))
		left := a.Flush()
		require.Len(t, left, 2)
		require.Equal(t, from(0), left[0].From)
		require.Len(t, left[1].Pairs, 2, "of reply 2")
	})
	t.Run("exactly the bytes of a source and of a reply", func(t *testing.T) {
		for more := range 2 {
			first := `\k\` + strings.Repeat("v", 30_000)
			rest := `\k\` + strings.Repeat("v", gamespy.MaxText-len(first)-len(`\k\`)+more)
			var two gamespy.Assembler
			require.Empty(t, add(t, &two, first+`\queryid\1.1`, rest+`\queryid\2.1`))
			require.Len(t, two.Flush(), 2-more)
			var one gamespy.Assembler
			require.Empty(t, add(t, &one, first+`\queryid\1.1`))
			r, complete, err := one.Add(start, source, []byte(rest+`\final\\queryid\1.2`))
			require.Equal(t, more == 0, complete && !r.Incomplete && err == nil)
			require.Equal(t, more == 1, errors.Is(err, stream.ErrLimit))
		}
	})
	t.Run("bytes of a reply", func(t *testing.T) {
		var a gamespy.Assembler
		big := `\k\` + strings.Repeat("v", 30_000)
		require.Empty(t, add(t, &a, big+`\queryid\1.1`, big+`\queryid\1.2`))
		_, _, err := a.Add(start, source, []byte(big+`\queryid\1.3`))
		require.ErrorIs(t, err, stream.ErrLimit)
		require.EqualError(t, err, "gamespy: part 3: limit reached: 90009 bytes, at most 65536")
		n, bytes := a.Pending()
		require.Equal(t, []int{1, 2 * len(big)}, []int{n, bytes})
	})
	t.Run("pairs of a part", func(t *testing.T) {
		var a gamespy.Assembler
		r := add(t, &a, strings.Repeat(`\k\v`, 600)+`\final\\queryid\1.1`)[0]
		require.True(t, r.Incomplete)
		require.Len(t, r.Pairs, gamespy.MaxPairs)
	})
	t.Run("pairs of parts", func(t *testing.T) {
		var a gamespy.Assembler
		many := strings.Repeat(`\k\v`, 300)
		require.Empty(t, add(t, &a, many+`\queryid\1.1`, many+`\queryid\1.3`))
		r := a.Flush()[0]
		require.Len(t, r.Pairs, gamespy.MaxPairs)
	})
}

// Hostile servers, which send parts of replies without end, do not hide a server whose reply has
// several datagrams, and do not take more memory than the limits.
func TestHostileServersHideNobody(t *testing.T) {
	long := `\k\` + strings.Repeat("v", 60_000)
	for name, attack := range map[string]struct {
		sources int
		text    string
	}{"two long": {2, long}, "a thousand short": {1000, `\x\y`}, "fifteen long": {15, long}, "a thousand as long": {1000, `\k\` + strings.Repeat("v", 1000)}} {
		t.Run(name, func(t *testing.T) {
			var a gamespy.Assembler
			now, number := start, 0
			flood := func(n int) {
				for range n {
					number++
					from := netip.AddrPortFrom(netip.MustParseAddr("198.51.100.1"), uint16(1+number%attack.sources))
					_, _, _ = a.Add(now, from, fmt.Appendf(nil, `%s\queryid\%d.1`, attack.text, number))
				}
			}
			flood(testdata.Either(5000, 1500))
			whole := 0
			for i, part := range []string{part1, part2, part3} {
				_, complete, err := a.Add(now, source, []byte(part))
				require.NoError(t, err, i)
				if complete {
					whole++
				}
				flood(10) // the parts of a reply arrive one after the other
			}
			require.Equal(t, 1, whole)
			n, bytes := a.Pending()
			require.LessOrEqual(t, n, 1024)
			require.LessOrEqual(t, bytes, 1<<20)
		})
	}
}

func notFrame(p gamespy.Pair) bool { return p.Key != "final" && p.Key != "queryid" }

// With any order, loss and duplication, a reply is complete exactly if all its parts
// arrived. It then equals the sent reply, and is returned once if it has several parts.
func TestAnyOrder(t *testing.T) { rapid.Check(t, propertyAnyOrder) }

func FuzzAnyOrderProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyAnyOrder)) }

func propertyAnyOrder(t *rapid.T) {
	pairs := rapid.SliceOfN(pair().Filter(notFrame), 1, 200).Draw(t, "pairs")
	datagrams, err := replyOf(pairs)
	require.NoError(t, err)
	order := rapid.SliceOfN(rapid.IntRange(0, len(datagrams)-1), 0, 3*len(datagrams)).Draw(t, "order")
	var a gamespy.Assembler
	came, whole := map[int]bool{}, false
	for _, i := range order {
		came[i] = true
		r, complete, err := a.Add(start, source, datagrams[i])
		require.NoError(t, err)
		require.Equal(t, len(came) == len(datagrams) && (!whole || len(datagrams) == 1), complete)
		if complete {
			require.Equal(t, gamespy.Reply{From: source, Pairs: pairs}, r)
			whole = true
		}
	}
	if whole {
		require.Empty(t, a.Flush())
	}
	for _, r := range a.Flush() {
		require.True(t, r.Incomplete)
		require.Less(t, len(r.Pairs), len(pairs))
	}
}
