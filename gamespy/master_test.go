package gamespy_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stream"
)

// field is a Master in virtual time, and servers that answer it.
type field struct {
	t   require.TestingT
	m   gamespy.Master
	now time.Time
}

func newField(t require.TestingT) *field { return &field{t: t, now: start} }

const heartbeat = `\heartbeat\22101\gamename\bcommander`

// beat sends a heartbeat from an address, and returns the answer of a server to the challenge, and its address.
func (f *field) beat(from netip.AddrPort) (answer string, server netip.AddrPort) {
	text := fmt.Sprintf(`\heartbeat\%d\gamename\bcommander`, from.Port())
	challenge, server, err := f.m.Receive(f.now, from, []byte(text))
	require.NoError(f.t, err)
	require.Equal(f.t, gamespy.KindQuery, gamespy.Classify(challenge))
	require.Less(f.t, len(challenge), len(text))
	return f.validation(challenge), server
}

// validation returns the answer of a server to a challenge.
func (f *field) validation(challenge []byte) string {
	info := gamespy.NewServerInfo("")
	datagrams, err := new(gamespy.Responder).Answer(f.now, source, challenge, &info)
	require.NoError(f.t, err)
	require.Len(f.t, datagrams, 1)
	return string(datagrams[0])
}

// send sends a datagram that gets no challenge.
func (f *field) send(from netip.AddrPort, text string) error {
	challenge, _, err := f.m.Receive(f.now, from, []byte(text))
	require.Nil(f.t, challenge)
	return err
}

// join sends a heartbeat and answers the challenge.
func (f *field) join(server netip.AddrPort) error {
	answer, to := f.beat(server)
	require.Equal(f.t, server, to)
	return f.send(server, answer)
}

// lists reports whether the Master lists a server.
func (f *field) lists(server netip.AddrPort) bool {
	return slices.Contains(f.m.Servers(f.now), server)
}

// server returns port p of the IPv4 address 10.x.x.x with the number n.
func server(n, p int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(n >> 16), byte(n >> 8), byte(n)}), uint16(p))
}

// The bytes of a server and a Master.
func TestMaster(t *testing.T) {
	var m gamespy.Master
	challenge, to, err := m.Receive(start, source, []byte(heartbeat))
	require.NoError(t, err)
	require.Equal(t, source, to)
	require.Regexp(t, `^\\secure\\[A-Z]{6}$`, string(challenge))
	answer, err := gamespy.Validate(gamespy.SecretKey, strings.TrimPrefix(string(challenge), `\secure\`))
	require.NoError(t, err)
	require.Empty(t, m.Servers(start))

	_, _, err = m.Receive(start, source, []byte(`\validate\`+answer+`\final\\queryid\1.1`))
	require.NoError(t, err)
	require.Equal(t, []netip.AddrPort{source}, m.Servers(start))
}

// The challenge goes to the query port, whatever the source port. Port 0 means the default.
func TestQueryPortIsProven(t *testing.T) {
	for text, port := range map[string]uint16{
		`\heartbeat\0\gamename\bcommander`:                         gamespy.DefaultPort,
		`\heartbeat\4711\gamename\bcommander`:                      4711,
		`\HEARTBEAT\65535\GameName\BCommander\statechanged\1\`:     65535,
		`\heartbeat\22102\gamename\bcommander\statechanged\2`:      22102, // the exit of a Beacon
		`\heartbeat\22103\gamename\bcommander\final\`:              22103, // the exit of OpenBC
		`\heartbeat\022104\gamename\bcommander\gamename\something`: 22104,
	} {
		f := newField(t)
		from := server(1, 40_000)
		challenge, to, err := f.m.Receive(f.now, from, []byte(text))
		require.NoError(t, err, text)
		require.Equal(t, server(1, int(port)), to, text)
		require.ErrorIs(t, f.send(from, f.validation(challenge)), gamespy.ErrChallenge)
		require.NoError(t, f.send(to, f.validation(challenge)))
		require.Equal(t, []netip.AddrPort{to}, f.m.Servers(f.now))
	}
}

// A server is listed for 30 minutes after its last proof. A heartbeat without a proof changes nothing.
func TestMasterForgets(t *testing.T) {
	f := newField(t)
	a, b, c := server(1, 1), server(2, 2), server(3, 3)
	require.NoError(t, f.join(a))
	f.now = f.now.Add(15 * time.Minute)
	require.NoError(t, f.join(b))
	require.NoError(t, f.join(c))
	f.now = f.now.Add(15*time.Minute - 1)
	f.beat(a)
	require.Equal(t, []netip.AddrPort{a, b, c}, f.m.Servers(f.now))
	f.now = f.now.Add(1)
	require.Equal(t, []netip.AddrPort{b, c}, f.m.Servers(f.now))
	require.NoError(t, f.join(b))
	f.now = f.now.Add(15 * time.Minute)
	require.Equal(t, []netip.AddrPort{b}, f.m.Servers(f.now))
	f.now = f.now.Add(15*time.Minute - 1)
	require.Equal(t, []netip.AddrPort{b}, f.m.Servers(f.now))
	f.now = f.now.Add(1)
	require.Empty(t, f.m.Servers(f.now))
	servers, networks := f.m.Records()
	require.Zero(t, servers+networks)
}

// The Beacon of a server keeps it listed, also with the times of the game and when 10 % of the datagrams are lost.
func TestBeaconKeepsServerListed(t *testing.T) {
	for _, stock := range []bool{false, true} {
		f := newField(t)
		beacon, responder, info := gamespy.Beacon{Stock: stock}, gamespy.Responder{}, gamespy.NewServerInfo("X")
		master, a, lost := server(2, gamespy.MasterPort), server(1, gamespy.DefaultPort), rand.New(rand.NewPCG(1, 2))
		arrives := func() bool { return lost.IntN(10) > 0 }
		for range 12 * 3600 {
			f.now = f.now.Add(time.Second)
			if b := beacon.Due(f.now, &info); b != nil && arrives() {
				challenge, _, err := f.m.Receive(f.now, a, b)
				require.NoError(t, err)
				answers, err := responder.Answer(f.now, master, challenge, &info)
				require.NoError(t, err)
				beacon.Queried()
				if reached, back := arrives(), arrives(); reached && back {
					require.NoError(t, f.send(a, string(answers[0])))
				}
			}
			if f.now.Sub(start) > 15*time.Minute {
				require.True(t, f.lists(a), "%v", f.now.Sub(start))
			}
		}
	}
}

// Whoever cannot receive what is sent to an address can neither list it nor leave a record, and the address gets less
// than was sent in its name. A server beside the flood is listed at once.
func TestForgedHeartbeats(t *testing.T) {
	f := newField(t)
	in, out := 0, 0
	for i := range 100_000 { // 10,000 a second
		f.now = f.now.Add(100 * time.Microsecond)
		forged := server(i, gamespy.DefaultPort)
		challenge, to, err := f.m.Receive(f.now, forged, []byte(heartbeat))
		require.NoError(t, err)
		require.Equal(t, forged, to)
		in, out = in+len(heartbeat), out+len(challenge)
		if i == 50_000 {
			require.NoError(t, f.join(source))
		}
	}
	require.Less(t, 2*out, in)
	servers, networks := f.m.Records()
	require.Equal(t, []int{1, 1}, []int{servers, networks})
	require.True(t, f.lists(source))
	require.Less(t, testing.AllocsPerRun(100, func() { f.m.Receive(f.now, source, []byte(heartbeat)) }), 20.0)
}

// An attacker sends heartbeats and exits in the name of a listed server. The server answers as many challenges as a
// Responder allows, and remains listed.
func TestForgedHeartbeatsOfListedServer(t *testing.T) {
	f := newField(t)
	responder, info := gamespy.Responder{}, gamespy.NewServerInfo("X")
	master, a := server(2, gamespy.MasterPort), server(1, gamespy.DefaultPort)
	require.NoError(t, f.join(a))
	for i := range 25 * 2400 { // 25 a second for 40 minutes
		f.now = f.now.Add(40 * time.Millisecond)
		challenge, _, err := f.m.Receive(f.now, a, []byte(heartbeat+`\statechanged\2`))
		require.NoError(t, err)
		answers, err := responder.Answer(f.now, master, challenge, &info)
		if err == nil {
			require.NoError(t, f.send(a, string(answers[0])))
		}
		if i%1000 == 0 {
			require.True(t, f.lists(a))
		}
	}
}

// An answer proves one address, for 15 to 30 s, to one Master.
func TestReplayedValidations(t *testing.T) {
	for offset := range 15 {
		f := newField(t)
		f.m.Servers(f.now) // the times of challenges begin here
		f.now = f.now.Add(time.Duration(offset) * time.Second)
		a := server(1, gamespy.DefaultPort)
		answer, _ := f.beat(a)
		for _, other := range []netip.AddrPort{server(2, gamespy.DefaultPort), server(1, gamespy.DefaultPort+1)} {
			require.ErrorIs(t, f.send(other, answer), gamespy.ErrChallenge)
		}
		again := newField(t)
		again.now = f.now
		require.ErrorIs(t, again.send(a, answer), gamespy.ErrChallenge, "a Master that has started again")

		begin, last := f.now, time.Duration(0)
		for f.now.Sub(begin) < time.Minute {
			if err := f.send(a, answer); err == nil {
				last = f.now.Sub(begin)
			} else {
				require.ErrorIs(t, err, gamespy.ErrChallenge)
			}
			f.now = f.now.Add(100 * time.Millisecond)
		}
		require.InDelta(t, 22.5, last.Seconds(), 7.5)
		f.now = begin.Add(last + 30*time.Minute)
		require.Empty(t, f.m.Servers(f.now), "replays do not keep a server")
	}
}

// Nobody can compute the challenge of an address from those of others.
func TestChallengesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for i := range 1000 {
		f := newField(t)
		for _, a := range []netip.AddrPort{server(1, 1), server(1, 2), server(1+i, 3)} {
			answer, _ := f.beat(a)
			seen[answer] = true
		}
	}
	require.Greater(t, len(seen), 2990)
}

// 10,000 proven addresses fill the list. Servers that were listed before stay, and others get in when the
// attackers expire. Each form of a list has room for the servers.
func TestTenThousandAddresses(t *testing.T) {
	f := newField(t)
	early, late := server(1<<20, 22101), server(1<<20+1, 22101)
	require.NoError(t, f.join(early))
	for range 3 {
		listed := 0
		for i := range 10_000 {
			if err := f.join(server(i, 1024)); err == nil {
				listed++
			} else {
				require.ErrorIs(t, err, stream.ErrLimit)
				require.EqualError(t, err, "gamespy: validation: limit reached: 2049 servers, at most 2048")
			}
		}
		require.Equal(t, 2047, listed)
		require.ErrorIs(t, f.join(late), stream.ErrLimit)
		f.now = f.now.Add(time.Minute)
		require.NoError(t, f.join(early))
		servers, networks := f.m.Records()
		require.Equal(t, []int{2048, 2048}, []int{servers, networks})
	}
	for _, form := range []string{"cmp", ""} {
		_, err := sendList(form, f.m.Servers(f.now))
		require.NoError(t, err)
	}
	f.now = f.now.Add(29 * time.Minute)
	require.NoError(t, f.join(late))
	require.Equal(t, []netip.AddrPort{early, late}, f.m.Servers(f.now))
}

// An address has room for 16 servers. Those that are listed stay.
func TestServersOfOneAddress(t *testing.T) {
	f := newField(t)
	listed := 0
	for port := 1; port <= 5000; port++ {
		if err := f.join(server(1, port)); err == nil {
			listed++
		} else {
			require.EqualError(t, err, "gamespy: validation: limit reached: 17 servers of an address, at most 16")
		}
	}
	require.Equal(t, 16, listed)
	require.NoError(t, f.join(server(1, 16)))
	require.NoError(t, f.join(server(2, 1)), "another address")
	f.now = f.now.Add(30 * time.Minute)
	require.NoError(t, f.join(server(1, 5000)))
	require.Equal(t, []netip.AddrPort{server(1, 5000)}, f.m.Servers(f.now))

	for port := 1; port <= 100; port++ { // programs of several players, or tests
		require.NoError(t, f.join(netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(port))))
	}
}

// 128 addresses can fill the list. A newcomer then replaces the oldest server of the address with the most, and never
// the only server of an address.
func TestFullListIsShared(t *testing.T) {
	f := newField(t)
	lone := server(500, 1)
	require.NoError(t, f.join(lone)) // its proof remains the oldest
	for port := 16; port > 0; port-- {
		for i := range 128 {
			f.now = f.now.Add(time.Millisecond)
			if servers, _ := f.m.Records(); servers < 2048 {
				require.NoError(t, f.join(server(i, port)))
			}
		}
	}
	require.NoError(t, f.join(server(0, 16))) // its proof is no longer the oldest
	for i := range 126 {
		require.NoError(t, f.join(server(1000+i, 1)))
		require.False(t, f.lists(server(1+i, 16)))
		require.True(t, f.lists(server(2+i, 16)))
	}
	require.True(t, f.lists(server(0, 15)))
	require.NoError(t, f.join(server(1126, 1)))
	require.False(t, f.lists(server(0, 15)), "the oldest of the last address with 16")
	for i := range 5000 {
		_ = f.join(server(2000+i, 1))
	}
	servers, networks := f.m.Records()
	require.Equal(t, []int{2048, 2048}, []int{servers, networks})
	require.True(t, f.lists(lone) && f.lists(server(0, 16)))
	for i := range 126 {
		require.True(t, f.lists(server(1+i, 1)) && f.lists(server(1000+i, 1)), "the latest of each address")
	}
	require.ErrorIs(t, f.join(server(9000, 1)), stream.ErrLimit)
	require.ErrorIs(t, f.join(server(1, 2)), stream.ErrLimit, "a second server of an address")
}

// A compact list cannot hold IPv6 addresses, so whoever has a whole IPv6 network can list nothing. An
// IPv4 address that is mapped into IPv6, as a socket for both shows it, is an IPv4 address.
func TestMasterIgnoresIPv6(t *testing.T) {
	f := newField(t)
	for i := range 1000 {
		from := netip.AddrPortFrom(netip.AddrFrom16([16]byte{0x20, 1, 0xD, 0xB8, 14: byte(i >> 8), 15: byte(i)}), 22101)
		for _, text := range []string{heartbeat, `\validate\zfmiAycI\final\`} {
			require.ErrorIs(t, f.send(from, text), stream.ErrInvalid)
		}
	}
	servers, networks := f.m.Records()
	require.Zero(t, servers+networks)

	mapped := netip.MustParseAddrPort("[::ffff:192.0.2.1]:22101")
	challenge, to, err := f.m.Receive(f.now, mapped, []byte(heartbeat))
	require.NoError(t, err)
	require.Equal(t, source, to)
	require.NoError(t, f.send(mapped, f.validation(challenge)))
	require.Equal(t, []netip.AddrPort{source}, f.m.Servers(f.now))
}

// A Master ignores the texts that concern servers and browsers.
func TestMasterIgnoresOtherTexts(t *testing.T) {
	f := newField(t)
	for _, text := range []string{`\status\`, `\secure\ABCDEF`, part1, part3, `\`, `\x\heartbeat\22101\gamename\bcommander`} {
		require.NoError(t, f.send(source, text))
	}
	require.Empty(t, f.m.Servers(f.now))
}

var hostileToMasters = []hostile{
	row("empty input", nil, stream.ErrInvalid, nowhere),
	row("datagram of the game", lines("\x01\xD7\x32"), stream.ErrInvalid, nowhere),
	row("heartbeat without a port", lines(`\heartbeat`), stream.ErrInvalid, nowhere),
	row("heartbeat with a text as port", lines(`\heartbeat\x\gamename\bcommander`), stream.ErrInvalid, nowhere),
	row("heartbeat with port 65536", lines(`\heartbeat\65536\gamename\bcommander`), stream.ErrInvalid, nowhere),
	row("heartbeat with port -1", lines(`\heartbeat\-1\gamename\bcommander`), stream.ErrInvalid, nowhere),
	row("heartbeat of another game", lines(`\heartbeat\1\gamename\unreal`), stream.ErrInvalid, nowhere),
	row("heartbeat of no game", lines(`\heartbeat\1`), stream.ErrInvalid, nowhere),
	row("heartbeat of 1 KiB", lines(heartbeat+`\`+strings.Repeat("x", 1024-len(heartbeat)-1)), nil, nowhere),
	row("heartbeat of 1 KiB and a byte", lines(heartbeat+`\`+strings.Repeat("x", 1024-len(heartbeat))), stream.ErrLimit, 1024),
	row("heartbeat of 64 KiB", lines(heartbeat+strings.Repeat(`\`, 65000)), stream.ErrLimit, 1024),
	row("heartbeat with a port of 1,000 digits", lines(`\heartbeat\`+strings.Repeat("9", 1000)), stream.ErrInvalid, nowhere),
	row("wrong answer", lines(heartbeat, `\validate\zfmiAyc\final\`), gamespy.ErrChallenge, nowhere),
	row("empty answer", lines(heartbeat, `\validate\\final\`), gamespy.ErrChallenge, nowhere),
	row("answer without a heartbeat", lines(`\validate\zfmiAyc\final\\queryid\1.1`), gamespy.ErrChallenge, nowhere),
	row("another enctype", lines(`\enctype\2\validate\zfmiAyc\final\`), gamespy.ErrChallenge, nowhere),
	row("answer of 64 KiB", lines(`\final\\validate\`+strings.Repeat("x", 65000)), stream.ErrLimit, 1024),
	row("as many answers as fit", lines(strings.Repeat(`\validate\x`, 90)+`\final\`), gamespy.ErrChallenge, nowhere),
}

// master passes datagrams of one source to a Master. The error is that for the last one.
func master(in []byte) (err error) {
	var m gamespy.Master
	for d := range bytes.SplitSeq(in, []byte("\n")) {
		var challenge []byte
		if challenge, _, err = m.Receive(start, source, d); len(challenge) >= len(d) && len(d) > 0 {
			return errHarm
		}
	}
	if servers, networks := m.Records(); servers+networks > 0 {
		return errHarm
	}
	return err
}

// FuzzMaster passes datagrams of one source to a Master. It checks that a challenge is shorter than its heartbeat, and
// that nothing lists a server that has not answered.
func FuzzMaster(f *testing.F) {
	seed(f)
	for _, row := range hostileToMasters {
		f.Add(row.In)
	}
	f.Fuzz(func(t *testing.T, in []byte) { require.NotErrorIs(t, master(in), errHarm) })
}

// A Master lists the servers that have proven themselves within 30 minutes, while there is room.
func TestMasterProperty(t *testing.T) { rapid.Check(t, propertyMaster) }

func FuzzMasterProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyMaster)) }

func propertyMaster(t *rapid.T) {
	f := newField(t)
	type answer struct {
		text string
		at   time.Time
	}
	answers, proofs := map[netip.AddrPort]answer{}, map[netip.AddrPort]time.Time{}
	for range rapid.IntRange(1, 100).Draw(t, "steps") {
		a := server(rapid.IntRange(1, 3).Draw(t, "address"), rapid.IntRange(1, 5).Draw(t, "port"))
		switch rapid.IntRange(0, 3).Draw(t, "act") {
		case 0:
			text, _ := f.beat(a)
			answers[a] = answer{text, f.now}
		case 1:
			f.now = f.now.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 7, 14, 15, 16, 20, 600, 1770, 1799}).Draw(t, "seconds")) * time.Second)
		default:
			got := answers[server(rapid.IntRange(1, 3).Draw(t, "other address"), int(a.Port()))]
			right := got.text != "" && got == answers[a] && f.now.Sub(got.at) <= 15*time.Second
			err := f.send(a, got.text+`\validate\x\final\`) // the first answer counts
			if right {
				require.NoError(t, err)
			}
			if err == nil {
				require.Equal(t, answers[a].text, got.text)
				proofs[a] = f.now
			}
		}
		var want []netip.AddrPort
		for a, at := range proofs {
			if f.now.Sub(at) < 30*time.Minute {
				want = append(want, a)
			}
		}
		slices.SortFunc(want, netip.AddrPort.Compare)
		require.Equal(t, want, f.m.Servers(f.now))
	}
}
