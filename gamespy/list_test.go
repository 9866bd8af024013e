package gamespy_test

import (
	"io"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/gamespy"
)

func servers(texts ...string) (list []netip.AddrPort) {
	for _, s := range texts {
		list = append(list, netip.MustParseAddrPort(s))
	}
	return list
}

func TestCompactListRefuses(t *testing.T) {
	for _, c := range []struct {
		name, list string
		came       int
		want       error
	}{
		{"empty", "", 0, io.ErrUnexpectedEOF},
		{"five bytes", "12345", 0, io.ErrUnexpectedEOF},
		{"five bytes and the end", `12345\final\`, 0, io.ErrUnexpectedEOF},
		{"no terminator", "123456123456", 2, io.ErrUnexpectedEOF},
		{"half a terminator", `123456\fin`, 1, io.ErrUnexpectedEOF},
		{"half an entry", `123456123\final\`, 1, io.ErrUnexpectedEOF},
		{"too long", strings.Repeat("123456", 10922) + `\final\`, 0, gamespy.ErrLimit},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := gamespy.ParseCompactList([]byte(c.list))
			require.ErrorIs(t, err, c.want)
			require.Len(t, list, c.came)
		})
	}
	_, err := gamespy.ParseCompactList([]byte("123456"))
	require.EqualError(t, err, "gamespy: end of list at offset 6: unexpected EOF")
}

// An address may have the bytes of text in it, even those of the end.
func TestAddressesWithBackslashes(t *testing.T) {
	want := servers("92.92.92.92:23644", "92.102.105.110:24940", "108.92.1.2:92")
	wire, err := gamespy.AppendCompactList(nil, want)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(wire), `\\\\\\`+`\final`+`l\`))
	got, err := gamespy.ParseCompactList(wire)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func TestLongestCompactList(t *testing.T) {
	list := make([]netip.AddrPort, 10921)
	for i := range list {
		list[i] = netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), uint16(i))
	}
	wire, err := gamespy.AppendCompactList(nil, list)
	require.NoError(t, err)
	got, err := gamespy.ParseCompactList(wire)
	require.NoError(t, err)
	require.Equal(t, list, got)

	wire, err = gamespy.AppendCompactList([]byte("before"), append(list, list[0]))
	require.ErrorIs(t, err, gamespy.ErrLimit)
	require.Equal(t, "before", string(wire))
}

func TestAppendListRefuses(t *testing.T) {
	for _, list := range [][]netip.AddrPort{
		servers("1.2.3.4:5", "[2001:db8::1]:5"),
		append(servers("1.2.3.4:5"), netip.AddrPort{}),
	} {
		wire, err := gamespy.AppendCompactList([]byte("before"), list)
		require.EqualError(t, err, "gamespy: entry 1: bad address")
		require.Equal(t, "before", string(wire))
	}
	for _, list := range [][]netip.AddrPort{{{}}, servers(`[fe80::1%\final\]:5`)} {
		wire, err := gamespy.AppendTextList([]byte("before"), list)
		require.ErrorIs(t, err, gamespy.ErrAddress)
		require.Equal(t, "before", string(wire))
	}
	wire, err := gamespy.AppendCompactList(nil, servers("[::ffff:1.2.3.4]:5"))
	require.NoError(t, err)
	require.Equal(t, "\x01\x02\x03\x04\x00\x05"+`\final\`, string(wire))
}

func TestTextLists(t *testing.T) {
	for text, want := range map[string][]netip.AddrPort{
		`\final\`:                                     nil,
		`\ip\1.2.3.4:5\final\`:                        servers("1.2.3.4:5"),
		`\ip\1.2.3.4:5\ip\5.6.7.8:22101\final\`:       servers("1.2.3.4:5", "5.6.7.8:22101"),
		`\IP\1.2.3.4:5\x\y\ip\[2001:db8::1]:1\final\`: servers("1.2.3.4:5", "[2001:db8::1]:1"),
	} {
		got, err := gamespy.ParseTextList([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
}

func TestTextListRefuses(t *testing.T) {
	for _, c := range []struct {
		name, list string
		came       int
		want       error
	}{
		{"empty", "", 0, gamespy.ErrNotText},
		{"compact", "\x01\x02\x03\x04\x05\x06" + `\final\`, 0, gamespy.ErrNotText},
		{"no terminator", `\ip\1.2.3.4:5`, 1, io.ErrUnexpectedEOF},
		{"half a terminator", `\ip\1.2.3.4:5\fin`, 1, io.ErrUnexpectedEOF},
		{"no port", `\ip\1.2.3.4:5\ip\1.2.3.4\final\`, 1, gamespy.ErrAddress},
		{"no value", `\ip\final\`, 0, gamespy.ErrAddress},
		{"a name", `\ip\example.org:5\final\`, 0, gamespy.ErrAddress},
		{"a zone", `\ip\[fe80::1%eth0]:5\final\`, 0, gamespy.ErrAddress},
		{"too long", strings.Repeat(`\ip\1.2.3.4:5`, 6000) + `\final\`, 0, gamespy.ErrLimit},
	} {
		t.Run(c.name, func(t *testing.T) {
			list, err := gamespy.ParseTextList([]byte(c.list))
			require.ErrorIs(t, err, c.want)
			require.Len(t, list, c.came)
		})
	}
	_, err := gamespy.ParseTextList([]byte(`\ip\1.2.3.4:5\ip\x\final\`))
	require.EqualError(t, err, "gamespy: entry 1 at offset 14: bad address")
}

func TestTextListIsLimited(t *testing.T) {
	list := make([]netip.AddrPort, 6000)
	for i := range list {
		list[i] = netip.MustParseAddrPort("1.2.3.4:5")
	}
	_, err := gamespy.AppendTextList(nil, list)
	require.ErrorIs(t, err, gamespy.ErrLimit)
}

func TestListsReadAgain(t *testing.T) {
	entry := rapid.Custom(func(t *rapid.T) netip.AddrPort {
		b := rapid.SliceOfN(rapid.Byte(), 4, 4).Draw(t, "address")
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b)), rapid.Uint16().Draw(t, "port"))
	})
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(entry, 1, 50).Draw(t, "list")
		wire, err := gamespy.AppendCompactList(nil, list)
		require.NoError(t, err)
		got, err := gamespy.ParseCompactList(wire)
		require.NoError(t, err)
		require.Equal(t, list, got)
		for i := range wire {
			_, err := gamespy.ParseCompactList(wire[:i])
			require.Error(t, err, "every prefix is cut")
		}
		wire, err = gamespy.AppendTextList(nil, list)
		require.NoError(t, err)
		got, err = gamespy.ParseTextList(wire)
		require.NoError(t, err)
		require.Equal(t, list, got)
	})
}

func TestScanPlan(t *testing.T) {
	plan := gamespy.ScanPlan(gamespy.Broadcast())
	require.Len(t, plan, 101)
	require.Equal(t, "255.255.255.255:22101", plan[0].String())
	require.Equal(t, "255.255.255.255:22201", plan[100].String())
	for i, a := range plan {
		require.Equal(t, uint16(0x5655+i), a.Port())
	}
}
