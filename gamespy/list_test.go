package gamespy_test

import (
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stream"
)

// The bytes of client and master in the capture.
const (
	captured = `\gamename\bcommander\gamever\1.6\location\0\validate\hMwdTNWS\final\\queryid\1.1\`
	requests = `\list\cmp\gamename\bcommander\final\`
)

func TestCapturedListConversation(t *testing.T) {
	require.Equal(t, text(t, "master-list-1-challenge"), greeting)
	require.Equal(t, text(t, "master-list-2-login"), captured)
	require.Equal(t, text(t, "master-list-3-request"), requests)
}

// Any list arrives in any segments. Whole does not report a part as
// complete.
func TestListConversation(t *testing.T) { rapid.Check(t, propertyListConversation) }

func FuzzListConversationProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyListConversation)) }

func propertyListConversation(t *rapid.T) {
	var client gamespy.ListClient
	server := gamespy.ListServer{Challenge: "LRPOPQ"}
	require.Equal(t, greeting, string(server.Greeting()))

	sent := segments(t, server.Greeting(), client.Receive)
	require.Equal(t, captured+requests, sent)
	require.False(t, client.Whole())

	list := rapid.SliceOfN(drawnServer(), 1, 50).Draw(t, "list")
	var wire []byte
	segments(t, []byte(sent), func(b []byte) ([]byte, error) {
		got, err := server.Receive(b, list)
		if wire == nil {
			wire = got
		}
		return nil, err
	})
	_, err := receiveList(wire[:rapid.IntRange(0, len(wire)-1).Draw(t, "cut")])
	require.Error(t, err)
	require.Empty(t, segments(t, wire, client.Receive))
	require.True(t, client.Whole())
	got, err := client.Servers()
	require.NoError(t, err)
	require.Equal(t, list, got)
}

func drawnServer() *rapid.Generator[netip.AddrPort] {
	return rapid.Custom(func(t *rapid.T) netip.AddrPort {
		b := rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "address")
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b)), rapid.Uint16().Draw(t, "port"))
	})
}

// segments passes bytes in segments and returns the responses.
func segments(t *rapid.T, b []byte, receive func([]byte) ([]byte, error)) string {
	var back strings.Builder
	for len(b) > 0 {
		n := rapid.IntRange(1, len(b)).Draw(t, "segment")
		out, err := receive(b[:n])
		require.NoError(t, err)
		back.Write(out)
		b = b[n:]
	}
	out, err := receive(nil)
	require.NoError(t, err)
	require.Empty(t, out)
	return back.String()
}

// receiveList returns the servers in a list that a master sends.
func receiveList(list []byte) ([]netip.AddrPort, error) {
	var client gamespy.ListClient
	for _, b := range [][]byte{[]byte(greeting), list} {
		if _, err := client.Receive(b); err != nil {
			return nil, err
		}
	}
	return client.Servers()
}

// sendList returns the list that a master sends in a form.
func sendList(form string, servers []netip.AddrPort) ([]byte, error) {
	master := gamespy.ListServer{Challenge: "LRPOPQ"}
	return master.Receive([]byte(captured+strings.Replace(requests, "cmp", form, 1)), servers)
}

func TestChallenges(t *testing.T) {
	for _, c := range []struct {
		greeting string
		asked    bool
		err      error
	}{
		{`\basic\\secure\LRPOPQ`, true, nil},
		{`\secure\LRPOPQRS`, true, nil},
		{`\secure\ABC\`, true, nil},
		{`\secure\ABC\final\`, true, nil},
		{`\secure\ABC`, false, nil}, // more bytes may follow
		{`\basic\`, false, nil},
		{`\secure\\final\`, true, gamespy.ErrChallenge},
		{`\secure\` + strings.Repeat("x", 129), true, gamespy.ErrChallenge},
		{`\secure\LRPOPQ\enctype\1`, true, gamespy.ErrChallenge},
		{`\enctype\0\secure\LRPOPQ`, true, nil},
		{"HTTP/1.1 400 Bad Request", false, stream.ErrInvalid},
		{strings.Repeat(`\x`, 500), false, nil},
		{strings.Repeat(`\x`, 600), false, stream.ErrLimit},
	} {
		t.Run(c.greeting[:min(20, len(c.greeting))], func(t *testing.T) {
			var client gamespy.ListClient
			sent, err := client.Receive([]byte(c.greeting))
			require.ErrorIs(t, err, c.err)
			require.Equal(t, c.asked && c.err == nil, len(sent) > 0)
			_, err = client.Servers()
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, "the master closes")
		})
	}
	require.NotEqual(t, new(gamespy.ListServer).Greeting(), new(gamespy.ListServer).Greeting())
}

func TestClientLimit(t *testing.T) {
	var client gamespy.ListClient
	_, err := client.Receive([]byte(`\basic\\secure\LRPOPQ`))
	require.NoError(t, err)
	_, err = client.Receive(make([]byte, gamespy.MaxText))
	require.NoError(t, err)
	_, err = client.Receive([]byte("x"))
	require.ErrorIs(t, err, stream.ErrLimit)
}

// Half a list may end with the end mark, but at a different offset.
func TestWhole(t *testing.T) {
	for list, want := range map[string]bool{
		"":                    false,
		`\final\`:             true,
		`123456\final\`:       true,
		`12345\final\`:        false,
		`123456\final`:        false,
		`123456\final\123456`: false,
	} {
		var client gamespy.ListClient
		_, err := client.Receive([]byte(`\basic\\secure\LRPOPQ`))
		require.NoError(t, err)
		_, err = client.Receive([]byte(list))
		require.NoError(t, err)
		require.Equal(t, want, client.Whole(), list)
	}
}

func TestLogins(t *testing.T) {
	const list = `\list\cmp\gamename\bcommander\final\`
	for _, c := range []struct {
		login string
		err   error
	}{
		{`\validate\hMwdTNWS\final\\queryid\1.1\`, nil},
		{`\validate\hMwdTNWS\final\\queryid\1.1`, nil},
		{`\validate\hMwdTNWS\final\`, nil},
		{`\validate\hMwdTNWT\final\\queryid\1.1\`, gamespy.ErrChallenge},
		{`\gamename\bcommander\final\`, gamespy.ErrChallenge},
		{`\gamename\final\enctype\\validate\hMwdTNWS\final\`, nil},
		{`\validate\hMwdTNWS\enctype\1\final\`, gamespy.ErrChallenge},
		{"GET / HTTP/1.1\r\n", stream.ErrInvalid},
	} {
		server := gamespy.ListServer{Challenge: "LRPOPQ"}
		got, err := server.Receive([]byte(c.login+list), nil)
		require.ErrorIs(t, err, c.err, c.login)
		require.Equal(t, c.err == nil, got != nil, c.login)
	}
	server := gamespy.ListServer{Challenge: "LRPOPQ"}
	got, err := server.Receive([]byte(`\validate\hMwdTNWS\final\\final\`), nil)
	require.NoError(t, err)
	require.Equal(t, `\final\`, string(got), "a request without a form")
	server = gamespy.ListServer{Challenge: "LRPOPQ"}
	_, err = server.Receive([]byte(list), nil)
	require.ErrorIs(t, err, gamespy.ErrChallenge, "no login")
	for _, challenge := range []string{"", strings.Repeat("x", 129)} {
		server := gamespy.ListServer{Challenge: challenge}
		_, err := server.Receive([]byte(`\validate\x\final\`), nil)
		require.ErrorIs(t, err, gamespy.ErrChallenge)
	}
}

func TestServerLimit(t *testing.T) {
	server := gamespy.ListServer{Challenge: "LRPOPQ"}
	for i := range 1025 {
		r, err := server.Receive([]byte(`\`), nil)
		require.Nil(t, r)
		require.Equal(t, i == 1024, err != nil)
	}
	_, err := server.Receive([]byte("x"), nil)
	require.EqualError(t, err, "gamespy: client's request at offset 1024: limit reached: 1025 bytes, at most 1024")
}

func servers(texts ...string) (list []netip.AddrPort) {
	for _, s := range texts {
		list = append(list, netip.MustParseAddrPort(s))
	}
	return list
}

// A truncated list gives the entries before the error.
func TestTruncatedLists(t *testing.T) {
	for list, came := range map[string]int{
		"123456123456": 2, `123456\fin`: 1, `123456123\final\`: 1, "12345": 0,
	} {
		got, err := receiveList([]byte(list))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.Len(t, got, came, list)
	}
	_, err := receiveList([]byte("123456"))
	require.EqualError(t, err, "gamespy: end of list at offset 6: unexpected EOF")
	_, err = receiveList([]byte("12345"))
	require.EqualError(t, err, "gamespy: entry 0 at offset 0: unexpected EOF")
}

// A text in place of the list has no addresses. An error is an error, also in place of the challenge.
func TestTextsInPlaceOfLists(t *testing.T) {
	for _, text := range []string{`\error\No such game\final\`, `\error\No such game`, `\error\123456789012\final\`, `\error\bad\final\`, `\error\\final\`} {
		got, err := receiveList([]byte(text))
		require.ErrorIs(t, err, gamespy.ErrRefused)
		require.Contains(t, err.Error(), strings.TrimSuffix(strings.TrimPrefix(text, `\error\`), `\final\`))
		require.Empty(t, got)
		var client gamespy.ListClient
		_, err = client.Receive([]byte(text))
		require.NoError(t, err)
		_, err = client.Servers()
		require.ErrorIs(t, err, gamespy.ErrRefused)
	}
	_, err := receiveList([]byte(`\error\` + strings.Repeat("x", 10_000)))
	require.Less(t, len(err.Error()), 300)
	for _, text := range []string{`\ip\1.2.3.4:5\final\`, `\ip\1.2.3.4:5555\final\`, `\basic\\secure\LRPOPQRS`, `\errmsg\no such game\final\`, `\zone\no such game\final\`} {
		got, err := receiveList([]byte(text))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, text)
		require.Empty(t, got)
	}
	for _, list := range [][]netip.AddrPort{
		servers("92.105.112.92:12590"), servers("92.101.114.114:28530"), servers("92.101.114.114:28530", "93.1.2.3:22101"),
		servers("92.105.112.92:12590", "97.98.99.100:25700"),                     // \ip\, but no longer than two entries
		servers("92.73.80.92:12590", "97.98.99.100:25700", "97.98.99.100:25700"), // \IP\
		servers("92.97.92.49:12590", "97.98.99.100:25700", "97.98.99.100:25700"), // \a\
	} {
		wire, err := sendList("cmp", list)
		require.NoError(t, err)
		got, err := receiveList(wire)
		require.NoError(t, err)
		require.Equal(t, list, got)
	}
}

// An address may contain the bytes of text, even of the end.
func TestAddressesWithBackslashes(t *testing.T) {
	want := servers("92.92.92.92:23644", "92.102.105.110:24940", "108.92.1.2:92")
	wire, err := sendList("cmp", want)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(wire), `\\\\\\`+`\final`+`l\`))
	got, err := receiveList(wire)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestLongestCompactList(t *testing.T) {
	list := make([]netip.AddrPort, 10921)
	for i := range list {
		list[i] = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), uint16(i))
	}
	wire, err := sendList("cmp", list)
	require.NoError(t, err)
	got, err := receiveList(wire)
	require.NoError(t, err)
	require.Equal(t, list, got)

	wire, err = sendList("CMP", append(list, list[0]))
	require.ErrorIs(t, err, stream.ErrLimit)
	require.EqualError(t, err, "gamespy: list: limit reached: 65539 bytes, at most 65536")
	require.Nil(t, wire)
}

func TestListRefuses(t *testing.T) {
	for _, list := range [][]netip.AddrPort{
		servers("1.2.3.4:5", "[2001:db8::1]:5"),
		append(servers("1.2.3.4:5"), netip.AddrPort{}),
	} {
		wire, err := sendList("cmp", list)
		require.EqualError(t, err, fmt.Sprintf("gamespy: entry 1: invalid: %v is not IPv4", list[1]))
		require.Nil(t, wire)
	}
	for _, list := range [][]netip.AddrPort{{{}}, servers(`[fe80::1%\final\]:5`)} {
		wire, err := sendList("", list)
		require.ErrorIs(t, err, stream.ErrInvalid)
		require.EqualError(t, err, fmt.Sprintf("gamespy: entry 0: invalid: address %v", list[0]))
		require.Nil(t, wire)
	}
	wire, err := sendList("cmp", servers("[::ffff:1.2.3.4]:5"))
	require.NoError(t, err)
	require.Equal(t, "\x01\x02\x03\x04\x00\x05"+`\final\`, string(wire))
}

func TestTextLists(t *testing.T) {
	for want, list := range map[string][]netip.AddrPort{
		`\final\`:              nil,
		`\ip\1.2.3.4:5\final\`: servers("1.2.3.4:5"),
		`\ip\1.2.3.4:0\final\`: servers("1.2.3.4:0"),
		`\ip\1.2.3.4:5\ip\[2001:db8::1]:1\final\`: servers("1.2.3.4:5", "[2001:db8::1]:1"),
	} {
		for _, form := range []string{"", "text"} {
			got, err := sendList(form, list)
			require.NoError(t, err)
			require.Equal(t, want, string(got))
		}
	}
}

// A text list has at most 64 KiB, with its end.
func TestLongestTextList(t *testing.T) {
	short := slices.Repeat(servers("1.2.3.4:5"), 5039)
	for last, want := range map[string]int{"111.222.33.44:5555": 65536, "111.222.33.44:55555": 65537} {
		list, err := sendList("", append(short, servers(last)...))
		if want > gamespy.MaxText {
			require.ErrorIs(t, err, stream.ErrLimit)
			require.EqualError(t, err, "gamespy: list: limit reached: 65537 bytes, at most 65536")
			continue
		}
		require.NoError(t, err)
		require.Len(t, list, want)
	}
}
