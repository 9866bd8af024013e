package gamespy_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/gamespy"
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
		require.Equal(t, []gamespy.Reply{{From: source, Number: 4, Pairs: three}}, replies)
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

// A duplicate of a single-datagram reply returns the reply again.
func TestDuplicateSingleDatagram(t *testing.T) {
	var a gamespy.Assembler
	single := `\x\y\final\\queryid\2.1`
	require.Len(t, add(t, &a, single, single), 2)
	require.Empty(t, a.Flush())
}

// The number of remembered replies is limited. The oldest is forgotten first.
func TestRememberedReplies(t *testing.T) {
	a := gamespy.Assembler{MaxReplies: 2}
	whole := func(number int) []string {
		return []string{fmt.Sprintf(`\x\y\queryid\%d.1`, number), fmt.Sprintf(`\x\y\final\\queryid\%d.2`, number)}
	}
	for number := range 3 {
		require.Len(t, add(t, &a, whole(number)...), 1)
	}
	require.Empty(t, add(t, &a, whole(1)...))
	require.Empty(t, add(t, &a, whole(2)...))
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
			require.Equal(t, []gamespy.Reply{{From: source, Number: 4, Pairs: c.want, Incomplete: true}}, replies)
			require.Empty(t, a.Flush())
		})
	}
}

// Parts with different queryids or sources belong to different replies.
func TestPartsAreNotMixed(t *testing.T) {
	var a gamespy.Assembler
	require.Empty(t, add(t, &a, part1, strings.Replace(part2, "4.2", "5.2", 1), part3))
	_, complete, err := a.Add(start, other, []byte(part2))
	require.NoError(t, err)
	require.False(t, complete)
	replies := a.Flush()
	require.Len(t, replies, 3)
	for _, r := range replies {
		require.True(t, r.Incomplete)
	}
	require.Equal(t, gamespy.Pairs{three[0], three[2]}, replies[0].Pairs)
	require.Equal(t, uint32(5), replies[1].Number)
	require.Equal(t, other, replies[2].From)
}

func TestFrameForms(t *testing.T) {
	x := gamespy.Pairs{{"x", "y"}}
	for _, c := range []struct {
		name, text string
		pairs      gamespy.Pairs
		number     uint32
		incomplete bool
	}{
		{"of the game", `\x\y\final\\queryid\2.1`, x, 2, false},
		{"with a backslash", `\x\y\final\\queryid\2.1\`, x, 2, false},
		{"final last", `\x\y\queryid\2.1\final\`, x, 2, false},
		{"without queryid", `\x\y\final\`, x, 0, false},
		{"nothing but final", `\final\\queryid\7.1`, nil, 7, false},
		{"neither", `\x\y`, x, 0, true},
		{"part 0", `\x\y\queryid\2.0`, gamespy.Pairs{{"x", "y"}, {"queryid", "2.0"}}, 0, true},
		{"part 49", `\x\y\queryid\2.49`, gamespy.Pairs{{"x", "y"}, {"queryid", "2.49"}}, 0, true},
		{"no part", `\x\y\final\\queryid\2`, gamespy.Pairs{{"x", "y"}, {"final", ""}, {"queryid", "2"}}, 0, true},
		{"no number", `\x\y\queryid\.1`, gamespy.Pairs{{"x", "y"}, {"queryid", ".1"}}, 0, true},
		{"negative", `\x\y\queryid\-2.1`, gamespy.Pairs{{"x", "y"}, {"queryid", "-2.1"}}, 0, true},
		{"huge", `\x\y\queryid\4294967296.1`, gamespy.Pairs{{"x", "y"}, {"queryid", "4294967296.1"}}, 0, true},
		{"a queryid that is not last", `\queryid\2.1\x\y\final\`, gamespy.Pairs{{"queryid", "2.1"}, {"x", "y"}}, 0, false},
		{"a player called queryid", `\player_0\queryid\player_1\2.1\final\\queryid\3.1`, gamespy.Pairs{{"player_0", "queryid"}, {"player_1", "2.1"}}, 3, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var a gamespy.Assembler
			want := gamespy.Reply{From: source, Number: c.number, Pairs: c.pairs, Incomplete: c.incomplete}
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
	fill := func(a *gamespy.Assembler, n int, datagram string) (err error) {
		for i := range n {
			if _, _, err = a.Add(start, from(i), []byte(datagram)); err != nil {
				return err
			}
		}
		return nil
	}
	t.Run("replies", func(t *testing.T) {
		var a gamespy.Assembler
		require.NoError(t, fill(&a, 1024, part1))
		_, _, err := a.Add(start, from(2000), []byte(part1))
		require.ErrorIs(t, err, gamespy.ErrLimit)
		require.EqualError(t, err, "gamespy: part 1: limit reached: 1025 incomplete replies, at most 1024")
		_, complete, err := a.Add(start, from(2000), []byte(`\x\y\final\\queryid\1.1`))
		require.NoError(t, err)
		require.True(t, complete, "a single datagram needs no room")
		require.Len(t, a.Flush(), 1024)
	})
	t.Run("replies of a source", func(t *testing.T) {
		var a gamespy.Assembler
		for i := range 9 {
			_, _, err := a.Add(start, source, fmt.Appendf(nil, `\x\y\queryid\%d.1`, i))
			if i < 8 {
				require.NoError(t, err)
				continue
			}
			require.EqualError(t, err, "gamespy: part 1: limit reached: 9 incomplete replies from one source, at most 8")
		}
	})
	t.Run("bytes", func(t *testing.T) {
		a := gamespy.Assembler{MaxBytes: 3 * len(`\hostname\Three`)}
		require.NoError(t, fill(&a, 3, part1))
		require.EqualError(t, fill(&a, 4, part1), "gamespy: part 1: limit reached: 60 bytes of incomplete replies, at most 45")
		a.Flush()
		require.NoError(t, fill(&a, 3, part1), "the memory is free again")
	})
	t.Run("bytes of a reply", func(t *testing.T) {
		var a gamespy.Assembler
		big := `\k\` + strings.Repeat("v", 30_000)
		require.Empty(t, add(t, &a, big+`\queryid\1.1`, big+`\queryid\1.2`))
		_, _, err := a.Add(start, source, []byte(big+`\queryid\1.3`))
		require.ErrorIs(t, err, gamespy.ErrLimit)
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

// A reply takes the same time, however many replies are incomplete or have been completed.
func TestAssemblerTime(t *testing.T) {
	whole := func(others int) func() {
		var a gamespy.Assembler
		port := 0
		receive := func(datagrams ...string) (complete bool) {
			port++
			for _, d := range datagrams {
				a.Expire(start)
				_, complete, _ = a.Add(start, netip.AddrPortFrom(source.Addr(), uint16(port)), []byte(d))
			}
			return complete
		}
		pass := func() {
			if !receive(`\x\y\queryid\1.1`, `\x\y\final\\queryid\1.2`) {
				t.Fatal("not complete")
			}
		}
		for range others {
			receive(`\x\y\queryid\2.1`)
		}
		a.MaxReplies = max(1, others+1)
		for range others {
			pass()
		}
		return pass
	}
	ratio := testdata.Ratio(whole(1000), whole(0))
	t.Logf("%.1f times", ratio)
	require.Less(t, ratio, 3.0)
}

func notFrame(p gamespy.Pair) bool { return p.Key != "final" && p.Key != "queryid" }

// With any order, loss and duplication, a reply is complete exactly if all its parts
// arrived. It then equals the sent reply, and is returned once if it has several parts.
func TestAnyOrder(t *testing.T) { rapid.Check(t, propertyAnyOrder) }

func FuzzAnyOrderProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyAnyOrder)) }

func propertyAnyOrder(t *rapid.T) {
	pairs := rapid.SliceOfN(pair().Filter(notFrame), 1, 200).Draw(t, "pairs")
	var info gamespy.ServerInfo
	datagrams, err := info.Reply(gamespy.Echo, rapid.Uint32().Draw(t, "number"), pairs...)
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
			require.Equal(t, gamespy.Reply{From: source, Number: r.Number, Pairs: pairs}, r)
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
