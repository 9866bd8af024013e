package figures

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/capture"
	"github.com/bcwire/bcwire/transport/recording"
)

var update = flag.Bool("update", false, "write the answers")

// answersFile has the answers for the recordings of the tests: by recordings and heading, with the cells of a row
// joined.
const answersFile = "../../dump/testdata/answers.json"

// TestAnswers checks that the pinned answers are those of this package.
func TestAnswers(t *testing.T) {
	const dir = "../../../testdata/"
	read := func(file string) string {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return string(text)
	}
	add := func(all *Recordings, files ...string) {
		for _, file := range files {
			require.NoError(t, all.Add(strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), read(file)))
		}
	}
	glob := func(pattern string) []string {
		files, err := filepath.Glob(dir + pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files)
		return files
	}
	want := map[string]map[string][][]string{}
	joined := func(answer [][]string) []string {
		rows := []string{}
		for _, row := range answer {
			rows = append(rows, strings.Join(row, " | "))
		}
		return rows
	}
	pin := func(name string, r *Recordings) {
		want[name] = map[string][][]string{}
		for heading, answers := range r.Answers() {
			for _, answer := range answers {
				want[name][heading] = append(want[name][heading], joined(answer))
			}
		}
	}

	for name, text := range map[string]string{
		"battle": read(dir + "battle.jsonl"), "match": read(dir + "match.jsonl"), "rejoins": read(dir + "rejoins.jsonl"),
		"bad network": damaged(read(dir + "battle.jsonl")),
	} {
		var one Recordings
		require.NoError(t, one.Add(name, text))
		pin(name, &one)
	}
	var testdata, cluster, league Recordings
	add(&testdata, glob("*.jsonl")...)
	pin("testdata", &testdata)
	add(&cluster, slices.Concat(glob("*.jsonl"), glob("openbc/*.jsonl"), []string{severalServers(t)})...)
	pin("cluster", &cluster)

	add(&league, dir+"battle.jsonl", dir+"fight.jsonl", dir+"match.jsonl")
	faster := regexp.MustCompile(`"t":[\d.]+`).ReplaceAllStringFunc(read(dir+"battle.jsonl"), func(field string) string {
		seconds, err := strconv.ParseFloat(field[len(`"t":`):], 64)
		require.NoError(t, err)
		return fmt.Sprintf(`"t":%.6f`, seconds/20)
	})
	require.NoError(t, league.Add("rapid", faster))
	want["league"] = map[string][][]string{}
	for heading, answer := range league.League() {
		require.NotEmpty(t, answer, heading)
		want["league"][heading] = [][]string{joined(answer)}
	}

	if *update {
		text, err := json.MarshalIndent(want, "", " ")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(answersFile, append(text, '\n'), 0o644))
	}
	var pinned map[string]map[string][][]string
	require.NoError(t, json.Unmarshal([]byte(read(answersFile)), &pinned))
	require.Equal(t, want, pinned)
}

// damaged returns a recording of a bad network: some datagrams are missing, and some arrive twice.
func damaged(recording string) string {
	var b strings.Builder
	i := 0
	for line := range strings.Lines(recording) {
		i++
		if i%23 > 0 {
			b.WriteString(line)
		}
		if i%17 == 0 {
			b.WriteString(line)
		}
	}
	return b.String()
}

// severalServers writes a capture of three servers at the same time, two of them on one address. Clients with the
// same addresses play on one of them later: their peer IDs and numbers are used again.
func severalServers(t *testing.T) string {
	t.Helper()
	type packet struct {
		at       time.Duration
		src, dst netip.AddrPort
		data     []byte
	}
	var packets []packet
	for _, on := range []struct {
		recording, server, clients string
		begin                      time.Duration
	}{
		{"rejoins", "192.0.2.1:22101", "198.51.100.1", 0},
		{"battle", "192.0.2.2:22101", "198.51.100.2", 5 * time.Second},
		{"match", "192.0.2.2:22102", "198.51.100.3", 10 * time.Second},
		{"match", "192.0.2.2:22101", "198.51.100.1", time.Minute},
	} {
		f, err := os.Open("../../../testdata/" + on.recording + ".jsonl")
		require.NoError(t, err)
		defer f.Close()
		for d, err := range recording.Read(f) {
			require.NoError(t, err)
			src, dst := netip.AddrPortFrom(netip.MustParseAddr(on.clients), uint16(50_000+d.Client)), netip.MustParseAddrPort(on.server)
			if d.Direction == recording.ToClient {
				src, dst = dst, src
			}
			packets = append(packets, packet{on.begin + d.Time(), src, dst, bytes.Clone(d.Data)})
		}
	}
	slices.SortStableFunc(packets, func(a, b packet) int { return cmp.Compare(a.at, b.at) })
	f, err := os.Create(filepath.Join(t.TempDir(), "servers.pcapng"))
	require.NoError(t, err)
	w, err := capture.NewWriter(f)
	require.NoError(t, err)
	for _, p := range packets {
		require.NoError(t, w.Datagram(time.Unix(1, 0).Add(p.at), p.src, p.dst, p.data, 0))
	}
	require.NoError(t, w.Flush())
	require.NoError(t, f.Close())
	return f.Name()
}
