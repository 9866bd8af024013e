package gamespy_test

import (
	"fmt"
	"io"
	"net/netip"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
)

func servers(texts ...string) (list []netip.AddrPort) {
	for _, s := range texts {
		list = append(list, netip.MustParseAddrPort(s))
	}
	return list
}

// A truncated list of either form gives the entries before the error.
func TestTruncatedLists(t *testing.T) {
	for list, came := range map[string]int{
		"123456123456": 2, `123456\fin`: 1, `123456123\final\`: 1, "12345": 0,
	} {
		got, err := gamespy.ParseCompactList([]byte(list))
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.Len(t, got, came, list)
	}
	for list, came := range map[string]int{
		`\ip\1.2.3.4:5`: 1, `\ip\1.2.3.4:5\fin`: 1, `\ip\1.2.3.4:5\ip\x\final\`: 1, `\ip\final\`: 0,
	} {
		got, err := gamespy.ParseTextList([]byte(list))
		require.Error(t, err)
		require.Len(t, got, came, list)
	}
	_, err := gamespy.ParseCompactList([]byte("123456"))
	require.EqualError(t, err, "gamespy: end of list at offset 6: unexpected EOF")
	_, err = gamespy.ParseTextList([]byte(`\ip\1.2.3.4:5\ip\x\final\`))
	require.EqualError(t, err, `gamespy: entry 1 at offset 14: invalid address: "x"`)
}

// An address may contain the bytes of text, even of the end.
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
	require.EqualError(t, err, "gamespy: list: limit reached: 65539 bytes, at most 65536")
	require.Equal(t, "before", string(wire))
}

func TestAppendListRefuses(t *testing.T) {
	for _, list := range [][]netip.AddrPort{
		servers("1.2.3.4:5", "[2001:db8::1]:5"),
		append(servers("1.2.3.4:5"), netip.AddrPort{}),
	} {
		wire, err := gamespy.AppendCompactList([]byte("before"), list)
		require.EqualError(t, err, fmt.Sprintf("gamespy: entry 1: invalid address: %v is not IPv4", list[1]))
		require.Equal(t, "before", string(wire))
	}
	for _, list := range [][]netip.AddrPort{{{}}, servers(`[fe80::1%\final\]:5`)} {
		wire, err := gamespy.AppendTextList([]byte("before"), list)
		require.ErrorIs(t, err, gamespy.ErrAddress)
		require.EqualError(t, err, fmt.Sprintf("gamespy: entry 0: invalid address: %v", list[0]))
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

func TestTextListIsLimited(t *testing.T) {
	list := make([]netip.AddrPort, 6000)
	for i := range list {
		list[i] = netip.MustParseAddrPort("1.2.3.4:5")
	}
	_, err := gamespy.AppendTextList(nil, list)
	require.ErrorIs(t, err, gamespy.ErrLimit)
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
