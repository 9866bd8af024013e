package capture

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport/recording"
)

// opposite returns the opposite direction.
func opposite(d recording.Direction) recording.Direction {
	if d == recording.ToClient {
		return recording.ToServer
	}
	return recording.ToClient
}

// labelled returns the recording of a file with other directions, as JSON lines or hex text.
func labelled(t *testing.T, file string, hex bool, label func(i int, d recording.Direction) recording.Direction) []byte {
	t.Helper()
	var b []byte
	i := 0
	for d, err := range recording.Read(bytes.NewReader(readFile(t, file))) {
		require.NoError(t, err)
		d.Direction = label(i, d.Direction)
		i++
		if hex {
			b = fmt.Appendf(b, "%s %x\n", d.Direction, d.Data)
			continue
		}
		b, err = recording.Append(b, d)
		require.NoError(t, err)
	}
	return b
}

// Whatever directions a recording has, the peer IDs show the right ones.
func TestDirections(t *testing.T) {
	// The last file has several clients and matches, and sample.jsonl has GameSpy text.
	for _, file := range []string{"../../testdata/match.jsonl", "../../testdata/sample.jsonl", recorded} {
		keep := func(_ int, d recording.Direction) recording.Direction { return d }
		want := map[bool]input{false: readAll(labelled(t, file, false, keep)), true: readAll(labelled(t, file, true, keep))}
		require.Empty(t, want[false].notes)
		all := len(want[false].datagrams)
		for name, label := range map[string]func(i int, d recording.Direction) recording.Direction{
			"exchanged":  func(_ int, d recording.Direction) recording.Direction { return opposite(d) },
			"missing":    func(int, recording.Direction) recording.Direction { return "" },
			"always c2s": func(int, recording.Direction) recording.Direction { return recording.ToServer },
			"always s2c": func(int, recording.Direction) recording.Direction { return recording.ToClient },
			"every third": func(i int, d recording.Direction) recording.Direction {
				return map[bool]recording.Direction{true: opposite(d), false: d}[i%3 == 2]
			},
			"every tenth": func(i int, d recording.Direction) recording.Direction {
				return map[bool]recording.Direction{true: opposite(d), false: d}[i%10 == 9]
			},
			"the second half": func(i int, d recording.Direction) recording.Direction {
				return map[bool]recording.Direction{true: opposite(d), false: d}[i >= all/2]
			},
			"some are missing": func(i int, d recording.Direction) recording.Direction {
				return map[bool]recording.Direction{true: "", false: opposite(d)}[i%2 == 0]
			},
		} {
			for _, hex := range []bool{false, true} {
				in := readAll(labelled(t, file, hex, label))
				require.NoError(t, in.err)
				wrong := 0
				for i, d := range in.datagrams {
					if d.Dir != want[hex].datagrams[i].Dir {
						wrong++
					}
				}
				require.Zero(t, wrong, "%s %s", file, name)
				require.Equal(t, name == "missing", in.notes == nil, name)
			}
		}
	}
}

// A client can send with the peer ID of the host. Where the other directions are right, the recording is right about it.
func TestForgedPeerID(t *testing.T) {
	lines := bytes.SplitAfter(readFile(t, "../../testdata/match.jsonl"), []byte("\n"))
	forged := []byte(`{"t":1,"dir":"c2s","client":1,"hex":"0101"}` + "\n")
	for _, at := range []int{0, 1, 100, len(lines) - 1} {
		in := readAll(bytes.Join(slices.Insert(slices.Clone(lines), at, forged), nil))
		require.NoError(t, in.err)
		require.Equal(t, recording.ToServer, in.datagrams[at].Dir, at)
		require.Equal(t, []string{fmt.Sprintf("1 datagram to the server with the peer ID of the host: the direction of the input is kept; the first is number %d", at+1)}, in.notes)
		for i, d := range in.datagrams {
			require.Equal(t, i+1, d.Number)
		}
	}
	// Alone, nothing speaks for the recording.
	require.Equal(t, recording.ToClient, readAll(forged).datagrams[0].Dir)
	// Malformed lines and later errors keep their place.
	in := readAll(slices.Concat(lines[0], lines[1], forged, []byte("zz\n"), lines[2]))
	require.ErrorContains(t, in.err, "recording: line 4: ")
	require.Len(t, in.datagrams, 4)
}

// GameSpy text has no peer ID. Its keys show the direction, or else the other datagrams do.
func TestDirectionsOfGameSpy(t *testing.T) {
	lines := readFile(t, "../../testdata/match.jsonl")
	exchanged := labelled(t, "../../testdata/match.jsonl", false, func(_ int, d recording.Direction) recording.Direction { return opposite(d) })
	for _, c := range []struct {
		before []byte
		text   string
		dir    recording.Direction
		want   recording.Direction
	}{
		{nil, `\status\`, "s2c", "c2s"},
		{nil, `\status\`, "c2s", "c2s"},
		{nil, `\Info\`, "", "c2s"},
		{nil, `\gamename\bcommander\final\\queryid\1.1`, "c2s", "s2c"},
		{nil, `\gamename\bcommander\queryid\1.1`, "c2s", "s2c"},
		{nil, `\echo\x\final\\queryid\1.1`, "c2s", "s2c"},
		{nil, `\other\`, "s2c", "s2c"},
		{lines, `\other\`, "s2c", "s2c"},
		{exchanged, `\other\`, "s2c", "c2s"},
		{exchanged, `\other\`, "c2s", "s2c"},
		{exchanged, `\status\`, "s2c", "c2s"},
		{nil, `\`, "c2s", "c2s"},
	} {
		line, err := recording.Append(slices.Clone(c.before), recording.Datagram{Direction: c.dir, Client: 1, Data: []byte(c.text)})
		require.NoError(t, err)
		in := readAll(line)
		require.NoError(t, in.err)
		require.Equal(t, c.want, in.datagrams[len(in.datagrams)-1].Dir, c.text)
	}
}

// A text that is not a recording is one error, unless it is short.
func TestForeignText(t *testing.T) {
	letter := []byte(strings.Repeat("Dear Sir or Madam,\n", 1000))
	in := readAll(letter)
	require.ErrorIs(t, in.err, ErrFormat)
	require.EqualError(t, in.err, "capture: "+ErrFormat.Error()+`; line 1: column 4: "r" is not a hex digit`)
	in = readAll(letter[:100])
	require.ErrorIs(t, in.err, ErrFormat)
	in = readAll([]byte("Dear\nSir\n"))
	require.ErrorContains(t, in.err, "recording: line 1: ")
	require.ErrorContains(t, in.err, "recording: line 2: ")
	in = readAll(slices.Concat(letter[:19*18], []byte("ff01\n"), letter[:19*30]))
	require.Len(t, in.datagrams, 1)
	require.ErrorContains(t, in.err, "recording: line 49: ", "after a datagram, all lines are read")
}
