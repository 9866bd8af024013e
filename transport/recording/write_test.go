package recording

import (
	"encoding/json"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func address(port int) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, byte(port >> 16), 1}), uint16(port))
}

func TestWriter(t *testing.T) {
	began := time.Unix(1000, 0)
	var b strings.Builder
	w := NewWriter(&b, began)
	w.Datagram(began.Add(1500*time.Millisecond), ToServer, address(5), []byte{0xFF, 1, 3})
	w.Datagram(began.Add(2*time.Second), ToClient, address(6), nil)
	w.Datagram(began.Add(2*time.Second), ToClient, address(5), []byte(`\a\`))
	w.Numbered(began.Add(3*time.Second), ToServer, 7, []byte{2}, "dropped")
	require.Empty(t, b.String(), "buffered")
	require.NoError(t, w.Flush())
	require.Equal(t, `{"t":1.5,"dir":"c2s","client":1,"hex":"ff0103"}
{"t":2,"dir":"s2c","client":2,"hex":""}
{"t":2,"dir":"s2c","client":1,"hex":"5c615c"}
{"t":3,"dir":"c2s","client":7,"hex":"02","note":"dropped"}
`, b.String())
}

func TestNilWriter(t *testing.T) {
	var w *Writer
	w.Datagram(time.Time{}, ToServer, address(1), nil)
	w.Numbered(time.Time{}, ToServer, 1, nil, "")
	require.NoError(t, w.Flush())
}

// fullDisk takes some bytes and then fails once.
type fullDisk struct {
	strings.Builder
	fails []error
}

func (d *fullDisk) Write(p []byte) (int, error) {
	if len(d.fails) > 0 {
		err := d.fails[0]
		d.fails = d.fails[1:]
		return 0, err
	}
	return d.Builder.Write(p)
}

// TestNothingAfterAnError checks that no line follows a gap.
func TestNothingAfterAnError(t *testing.T) {
	full := errors.New("disk full")
	d := &fullDisk{fails: []error{full}}
	w := NewWriter(d, time.Time{})
	for range 2 {
		w.Datagram(time.Time{}, ToServer, address(1), make([]byte, 10000))
		require.ErrorIs(t, w.Flush(), full)
	}
	require.Empty(t, d.String())
}

func TestDirections(t *testing.T) {
	var l Line
	for _, text := range []string{`"c2s"`, `"s2c"`, `""`, `null`} {
		require.NoError(t, json.Unmarshal([]byte(`{"dir":`+text+`}`), &l))
	}
	require.ErrorContains(t, json.Unmarshal([]byte(`{"dir":"up"}`), &l), `direction "up" is neither c2s nor s2c`)
}

// TestNumbersAreBounded checks that a flood of addresses is forgotten, and that who is
// heard meanwhile keeps its number.
func TestNumbersAreBounded(t *testing.T) {
	var n numbers
	seen := map[int64]bool{n.of(address(0)): true}
	for port := 1; port <= 10*maxRecent; port++ {
		number := n.of(address(port))
		require.False(t, seen[number], "a number comes twice")
		seen[number] = true
		require.Equal(t, number, n.of(address(port)))
		require.Equal(t, int64(1), n.of(address(0)))
		require.LessOrEqual(t, len(n.recent)+len(n.earlier), 2*maxRecent)
	}
	require.NotEqual(t, int64(2), n.of(address(1)), "long silent")
}
