package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The report of the recorded battle has each event once, although all clients receive it.
func TestBattle(t *testing.T) {
	t.Parallel()
	file, err := os.Open("../../testdata/battle.jsonl")
	require.NoError(t, err)
	defer file.Close()
	var out bytes.Buffer
	require.True(t, report(file, &out))
	for _, want := range []string{
		`   9.7 s  "Ann": "hello"`,
		`  17.6 s  "Dee" kills "Cid", last shot Compressors`,
		`  20.2 s  "Cid" kills "Dee", last shot Torpedoes / Fwd Torpedo`,
		`  35.5 s  "Cid" leaves`,
		`  44.0 s  "Dee" explodes`,
		`  52.0 s  "Cid": "re"`,
	} {
		require.Equal(t, 1, strings.Count(out.String(), want+"\n"), "%s in:\n%s", want, &out)
	}
	require.Equal(t, 3, strings.Count(out.String(), " kills ")+strings.Count(out.String(), " explodes"))
}

// Malformed lines and datagrams are skipped; the rest is reported.
func TestMalformedRecordings(t *testing.T) {
	t.Parallel()
	battle, err := os.ReadFile("../../testdata/battle.jsonl")
	require.NoError(t, err)
	var whole, out bytes.Buffer
	report(bytes.NewReader(battle), &whole)

	lines := strings.SplitAfter(string(battle), "\n")
	garbage := []string{"{\"t\":1,\n", "nonsense\n", `{"t":-5,"dir":"s2c","client":1,"hex":"ff"}` + "\n", `{"hex":""}` + "\n", `{"t":1,"hex":"0105ffffffff"}` + "\n"}
	mixed := strings.Join(lines[:50], "") + strings.Join(garbage, "") + strings.Join(lines[50:], "")
	require.False(t, report(strings.NewReader(mixed), &out))
	require.Equal(t, whole.String(), out.String())

	out.Reset()
	report(strings.NewReader(string(battle[:len(battle)/2])), &out) // cut in the middle of a line
	require.True(t, strings.HasPrefix(whole.String(), out.String()))
	require.NotEmpty(t, out.String())
}
