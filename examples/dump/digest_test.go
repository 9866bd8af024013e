package main

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// digestFile has the SHA-256 of the output of each input in each form. A change of the rendering must not
// change them.
const digestFile = "testdata/digests.txt"

// digestFlags are the forms of the output. The lines of messages end at a width, so -v is a form of its own.
var digestFlags = []string{"-v=false", "-v", "-x", "-json", "-check", "-stats"}

// The output of all recordings and of all kinds of messages stays the same. The short form of the tests leaves out the
// long inputs.
func TestDigests(t *testing.T) {
	var got strings.Builder
	long := map[string]bool{}
	for _, in := range digestInputs(t) {
		if !testdata.Long() && !*update && len(in.text) > 150_000 {
			long[in.name] = true
			continue
		}
		for _, flag := range digestFlags {
			res := runDump(t, in.text, flag, "-plain="+fmt.Sprint(in.plain), "-")
			require.Empty(t, res.stderr, in.name)
			fmt.Fprintf(&got, "%x %s %s\n", sha256.Sum256([]byte(res.stdout)), in.name, flag)
		}
	}
	if *update {
		require.NoError(t, os.WriteFile(digestFile, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(digestFile)
	require.NoError(t, err)
	lines := slices.DeleteFunc(strings.Split(string(want), "\n"), func(line string) bool {
		fields := strings.Fields(line)
		return len(fields) > 1 && long[fields[1]]
	})
	require.Equal(t, lines, strings.Split(got.String(), "\n"), "go test ./dump -run Digests -update rewrites the file")
}

// digestInput is an input of text.
type digestInput struct {
	name, text string
	plain      bool
}

// digestInputs returns the recordings, all vectors, their prefixes and hostile datagrams.
func digestInputs(t *testing.T) (all []digestInput) {
	for _, name := range []string{"sample", "match", "battle", "rejoins", "cheater", "openbc/blocks"} {
		text, err := os.ReadFile(recordings + name + ".jsonl")
		require.NoError(t, err)
		all = append(all, digestInput{name: name, text: string(text)})
	}
	type vector struct {
		testdata.Vector
		Level, Hex string
	}
	var datagrams, prefixes [][]byte
	add := func(payload []byte) {
		datagrams = append(datagrams, pack(t, 1, transport.NewData(uint16(len(datagrams)), payload)), pack(t, 2, transport.NewUnreliable(payload)))
		for n := range min(len(payload), 200) {
			prefixes = append(prefixes, pack(t, 1, transport.NewUnreliable(payload[:n])))
		}
		prefixes = append(prefixes, pack(t, 1, transport.NewUnreliable(append(slices.Clone(payload), 0))))
	}
	for _, file := range []string{"payloads.json", "payloads-constructed.json"} {
		for _, v := range testdata.Load[vector](t, file) {
			add(testdata.Bytes(v.Hex))
		}
	}
	for _, v := range testdata.Load[vector](t, "transport.json") {
		text := v.Hex
		if v.Level == "message" {
			text = "0101" + text
		}
		datagrams = append(datagrams, testdata.Bytes(text))
	}
	all = append(all, digestInput{"vectors", hexLines(datagrams...), true}, digestInput{"prefixes", hexLines(prefixes...), true})
	for _, f := range slices.Concat(floods(t, 300), sortedFloods(gameFloods(t))) {
		var text []byte
		for _, d := range f.datagrams[:min(len(f.datagrams), 300)] {
			var err error
			text, err = recording.Append(text, d)
			require.NoError(t, err)
		}
		all = append(all, digestInput{strings.ReplaceAll(f.name, " ", "-"), string(text), true})
	}
	return all
}

// sortedFloods returns floods in the order of their names.
func sortedFloods(all []flood) []flood {
	return slices.SortedFunc(slices.Values(all), func(a, b flood) int { return cmp.Compare(a.name, b.name) })
}
