package main

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"html"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/examples/lab/sim/simulation"
	"github.com/bcwire/bcwire/examples/watch/internal/league"
	"github.com/bcwire/bcwire/examples/watch/internal/report"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// A league has as many players as the matches had persons, who crash and join again; an alias is one of them. What is
// published has no passwords and addresses. A second run reads what is new only.
func TestLeague(t *testing.T) {
	t.Parallel()
	dir, site := t.TempDir(), t.TempDir()
	persons := 0
	for _, seed := range []uint64{4, 8} { // with rejoins and without attackers in the game
		f, err := os.Create(filepath.Join(dir, string(rune('a'+seed))+".jsonl"))
		require.NoError(t, err)
		r := simulation.Run(simulation.Plan{Seed: seed, Length: time.Minute}, f)
		require.NoError(t, f.Close())
		persons = max(persons, r.Plan.Players) // whose names begin with Player A
	}
	secret, err := transport.NewUTF16Z("Geheim7")
	require.NoError(t, err)
	var lines []byte
	address := [4]byte{192, 168, 3, 4}
	for peer, bodies := range map[objectid.PeerID][]transport.Body{
		objectid.NoPeer: {&transport.ConnectRequest{LocalIP: address, ConnID: 9, Password: secret}},
		2:               {&transport.NameChange{PeerID: 2, IP: address, Name: secret}, &transport.Disconnect{PeerID: 2, IP: address}},
	} {
		p := transport.Packet{PeerID: peer}
		for i, b := range bodies {
			p.Messages = append(p.Messages, transport.NewMessage(uint16(i), b))
		}
		data, err := p.AppendBinary(nil)
		require.NoError(t, err)
		for _, cut := range []int{0, 1} { // as in a capture with a short snapshot length
			own := bytes.Clone(data[:len(data)-cut])
			cipher.Encrypt(own)
			lines, err = recording.Append(lines, recording.Datagram{Direction: recording.ToServer, Client: 77, Data: own})
			require.NoError(t, err)
		}
	}
	fought, err := os.ReadFile(battle)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "battle.jsonl"), append(lines, fought...), 0o600))

	reads := 0
	var classes stateupdate.Catalogue
	write := func() {
		reads = 0
		l := league.Options{
			Dir: dir, Site: site, Classes: classes, Aliases: map[string]string{"Ben": "Player A"}, Complain: func(err error) { t.Error(err) },
			Report: func(title, _ string, reports []*report.Report) ([]byte, error) {
				reads++
				return (&reportPage{Title: title, Reports: reports}).render()
			},
		}
		require.NoError(t, l.Write(t.Context()))
	}
	write()
	require.Equal(t, 3, reads)
	pages, err := os.ReadDir(filepath.Join(site, "players"))
	require.NoError(t, err)
	require.Len(t, pages, persons+3, "Ann, Cid and Dee, too, but not Ben")

	index, err := os.ReadFile(filepath.Join(site, "index.html"))
	require.NoError(t, err)
	require.Equal(t, min(8, persons+3), bytes.Count(index, []byte("<path class=\"report-line own-")))
	require.Equal(t, 1, bytes.Count(index, []byte("<rect ")), "all matches are of today")
	packed, err := os.Open(filepath.Join(site, "watch", "battle.jsonl.jsonl.gz"))
	require.NoError(t, err)
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	require.NoError(t, err)
	n := 0
	for d, err := range recording.Read(unpacked) {
		require.NoError(t, err)
		if cipher.Decrypt(d.Data); d.Client == 77 {
			if d.Data[0] != 2 { // the name of a player is no secret
				require.NotContains(t, string(d.Data), "G\x00e\x00h")
			}
			require.NotContains(t, string(d.Data), string(address[:]))
		}
		n++
	}
	require.Equal(t, 4+bytes.Count(fought, []byte("\n")), n)

	for _, table := range []string{"matches", "players", "kills", "hits", "losses"} {
		text, err := os.ReadFile(filepath.Join(site, "tables", table+".csv"))
		require.NoError(t, err)
		lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text), "\uFEFF"))).ReadAll()
		require.NoError(t, err)
		f, err := os.Open(filepath.Join(site, "tables", table+".parquet"))
		require.NoError(t, err)
		info, err := f.Stat()
		require.NoError(t, err)
		p, err := parquet.OpenFile(f, info.Size())
		require.NoError(t, err)
		require.Positive(t, p.NumRows(), table)
		require.EqualValues(t, len(lines)-1, p.NumRows(), table)
		require.NoError(t, f.Close())
	}

	rejoins, err := os.ReadFile("../../testdata/rejoins.jsonl")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "again.jsonl"), rejoins, 0o600))
	write()
	require.Equal(t, 1, reads)
	refit := *stateupdate.Stock().Named("Galor")
	refit.Name = "Galor Refit"
	classes = stateupdate.Catalogue{&refit}
	for _, all := range []int{4, 0} {
		write()
		require.Equal(t, all, reads, "other classes")
	}
	for _, args := range [][]string{{"-league", dir}, {"-o", site}, {"-league", dir, "-o", site, battle}, {"-league", dir, "-o", site, "-passwords"}} {
		require.Equal(t, terminal.ExitUsage, run(t.Context(), args, nil, io.Discard, io.Discard), args)
	}
}

// leagueOf writes the site of a folder of recordings, and returns what it complains about, but for copies of a match.
func leagueOf(t *testing.T, l league.Options) (complaints []string) {
	t.Helper()
	complaints, _ = leagueWithCopies(t, l)
	return complaints
}

// leagueWithCopies also returns the complaints about copies.
func leagueWithCopies(t *testing.T, l league.Options) (complaints, copies []string) {
	t.Helper()
	l.Complain = func(err error) {
		if text := err.Error(); strings.Contains(text, "counts twice") {
			copies = append(copies, text)
		} else {
			complaints = append(complaints, text)
		}
	}
	l.Report = func(title, recording string, reports []*report.Report) ([]byte, error) {
		return (&reportPage{Title: title, Recording: recording, Reports: reports}).render()
	}
	require.NoError(t, l.Write(t.Context()))
	return complaints, copies
}

// The links of a league lead to its files, and each recording is published, whatever the names are.
func TestNamesOfLeague(t *testing.T) {
	t.Parallel()
	dir, site := t.TempDir(), t.TempDir()
	fought, err := os.ReadFile(battle)
	require.NoError(t, err)
	names := []string{"a.jsonl", "a.pcap", "a.jsonl.gz", "a", "a.CAP", "a.pcap7", "#1 & 2 of 100%25.jsonl", "Größe <i>.jsonl"}
	if runtime.GOOS != "windows" {
		names = append(names, "match-20:00?.jsonl")
	}
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), fought, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".hidden"), fought, 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "site"), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(site, "watch"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(site, "watch", "index.html"), nil, 0o600))
	require.Zero(t, run(t.Context(), []string{"-league", dir, "-o", site}, nil, io.Discard, io.Discard))

	links := regexp.MustCompile(`href="([^"]*)"`)
	published := map[string]bool{}
	for _, page := range []string{"index.html", "players/*.html", "matches/*.html"} {
		files, err := filepath.Glob(filepath.Join(site, page))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, m := range links.FindAllStringSubmatch(string(text), -1) {
				from := &url.URL{Scheme: "file", Path: filepath.ToSlash(file)}
				to, err := from.Parse(html.UnescapeString(m[1]))
				require.NoError(t, err)
				if to.Scheme == "data" {
					continue
				}
				require.FileExists(t, filepath.FromSlash(to.Path), m[1])
				if recorded := to.Query().Get("file"); recorded != "" { // an address, which the page resolves
					at, err := to.Parse(recorded)
					require.NoError(t, err)
					require.FileExists(t, filepath.FromSlash(at.Path), m[1])
					published[at.Path] = true
				}
			}
		}
	}
	require.Len(t, published, len(names))
}

// A league tells of each recording that it could not read, or only in part, and why, in each run.
func TestComplaintsOfLeague(t *testing.T) {
	t.Parallel()
	dir, site := t.TempDir(), t.TempDir()
	fought, err := os.ReadFile(battle)
	require.NoError(t, err)
	name := func(file string) string { return filepath.Join(dir, file) }
	header := append([]byte("\xd4\xc3\xb2\xa1\x02\x00\x04\x00"), make([]byte, 16)...)
	header[20] = 220 // USB
	for file, content := range map[string][]byte{
		"cut.jsonl": fought[:len(fought)-10], "lobby.jsonl": fought[:100+bytes.IndexByte(fought, '\n')], "usb.pcap": append(header, make([]byte, 16)...), "notes": []byte("the final"), "whole.jsonl": fought,
	} {
		require.NoError(t, os.WriteFile(name(file), content, 0o600))
	}
	missing := os.Symlink(name("nowhere"), name("link.jsonl")) == nil
	for range 2 {
		complaints := leagueOf(t, league.Options{Dir: dir, Site: site})
		require.Contains(t, complaints, name("usb.pcap")+": no datagrams; "+name("usb.pcap")+": 1 packet of link type 220 (USB) not read; the first is number 1")
		all := strings.Join(complaints, "\n")
		require.Contains(t, all, name("cut.jsonl")+":5705: ")
		require.Contains(t, all, name("lobby.jsonl")+":2: ")
		require.Contains(t, all, name("notes")+":1: ")
		require.Equal(t, missing, strings.Contains(all, name("link.jsonl")+": "))
		require.NotContains(t, all, name("whole.jsonl"))
	}
	require.NoError(t, os.WriteFile(name("lobby.jsonl"), fought[:1+bytes.IndexByte(fought, '\n')], 0o600))
	require.Contains(t, leagueOf(t, league.Options{Dir: dir, Site: site}), name("lobby.jsonl")+": no match with a player")
}

// Nothing is left on the site of a recording that is no longer in the folder, or no longer has a match.
func TestRemovedFromLeague(t *testing.T) {
	t.Parallel()
	dir, site := t.TempDir(), t.TempDir()
	fought, err := os.ReadFile(battle)
	require.NoError(t, err)
	short := fought[:1+bytes.LastIndexByte(fought[:20_000], '\n')] // Dee has not joined yet
	for file, content := range map[string][]byte{"long.jsonl": fought, "short.jsonl": short, "empty.jsonl": fought} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), content, 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(site, "matches"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(site, "matches-2.html"), fought, 0o600))
	require.Empty(t, leagueOf(t, league.Options{Dir: dir, Site: site}))
	require.NoError(t, os.Remove(filepath.Join(dir, "long.jsonl")))
	require.NoError(t, os.Truncate(filepath.Join(dir, "empty.jsonl"), 0))
	require.Len(t, leagueOf(t, league.Options{Dir: dir, Site: site}), 1)

	var left []string
	require.NoError(t, filepath.WalkDir(site, func(path string, _ os.DirEntry, err error) error {
		path, _ = filepath.Rel(site, path)
		left = append(left, filepath.ToSlash(path))
		return err
	}))
	for _, file := range []string{"cache/short.jsonl.json", "matches/short.jsonl.html", "watch/short.jsonl.jsonl.gz"} {
		require.Contains(t, left, file)
	}
	for _, file := range left {
		require.NotRegexp(t, "long|(matches|watch)/empty|players/Dee|matches-2", file)
	}
}

// A match has the date of its beginning. The times of a recording may begin anywhere; without dates, it ends when the
// file was written. Captures may begin before the match.
func TestDatesOfLeague(t *testing.T) {
	t.Parallel()
	dir, site := t.TempDir(), t.TempDir()
	begin := time.Date(2026, 3, 4, 20, 0, 0, 0, time.UTC)
	var first, later, captured bytes.Buffer
	w := capture.NewWriter(&captured)
	require.NoError(t, w.Write(&capture.Datagram{At: begin.Add(-time.Hour), Client: "7", Dir: recording.ToServer, Data: []byte("other")}))
	fought, err := os.ReadFile(battle)
	require.NoError(t, err)
	number := 0
	var last time.Duration
	for d, err := range recording.Read(bytes.NewReader(fought)) {
		require.NoError(t, err)
		number++
		last = d.Time()
		c := capture.Recorded(number, d)
		c.At = begin.Add(last)
		require.NoError(t, w.Write(c))
		for _, out := range []*bytes.Buffer{&first, &later} {
			line, err := recording.Append(nil, d)
			require.NoError(t, err)
			out.Write(line)
			d.Seconds += 1.7e9
		}
	}
	require.NoError(t, w.Flush())
	unit, seconds := []byte{9, 0, 1, 0, 9}, []byte{9, 0, 1, 0, 0} // nanoseconds that pass for seconds
	wrong := bytes.NewBuffer(bytes.Replace(captured.Bytes(), unit, seconds, 1))
	for file, content := range map[string]*bytes.Buffer{"first.jsonl": &first, "later.jsonl": &later, "captured.pcapng": &captured, "wrong.pcapng": wrong} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), content.Bytes(), 0o600))
		require.NoError(t, os.Chtimes(filepath.Join(dir, file), begin.Add(last), begin.Add(last)))
	}
	require.Empty(t, leagueOf(t, league.Options{Dir: dir, Site: site}))
	table, err := os.ReadFile(filepath.Join(site, "tables", "matches.csv"))
	require.NoError(t, err)
	require.Equal(t, 3, strings.Count(string(table), ",2026-03-04T20:00:00Z,"), string(table))
	require.Contains(t, string(table), "\nwrong.pcapng,0,")
}

// Players whose names a recording does not have are not one person.
func TestNamelessOfLeague(t *testing.T) {
	t.Parallel()
	dir, site := t.TempDir(), t.TempDir()
	fought, err := os.ReadFile(battle)
	require.NoError(t, err)
	_, middle, _ := bytes.Cut(fought[len(fought)/3:], []byte("\n")) // Cid leaves, and nothing names him before
	for _, file := range []string{"1", "2"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), middle, 0o600))
	}
	require.Empty(t, leagueOf(t, league.Options{Dir: dir, Site: site}))
	pages, err := filepath.Glob(filepath.Join(site, "players", "peer*"))
	require.NoError(t, err)
	require.Empty(t, pages)
	table, err := os.ReadFile(filepath.Join(site, "tables", "players.csv"))
	require.NoError(t, err)
	ratings := regexp.MustCompile(`(?m),peer 4,.*,(\d+)[^,]*$`).FindAllSubmatch(table, -1)
	require.Len(t, ratings, 2, string(table))
	first, err := strconv.ParseFloat(string(ratings[0][1]), 64)
	require.NoError(t, err)
	second, err := strconv.ParseFloat(string(ratings[1][1]), 64)
	require.NoError(t, err)
	require.Greater(t, second, 0.9*first, "the deviation is that of a first match")
}

// A file of aliases has comments and empty places, but no name of two persons and no line without a person.
func TestAliases(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "aliases")
	for text, want := range map[string]map[string]string{
		"\uFEFF# ours\r\n\r\n Ann : Annie ,Captain A,\r\nBen:\r\nAnn: Annie": {"Annie": "Ann", "Captain A": "Ann"},
		"Ann: Annie\nBen: Annie": nil,
		"Ann":                    nil,
		": Annie":                nil,
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		var o options
		err := o.readAliases(file)
		require.Equal(t, want == nil, err != nil, text)
		if want != nil {
			require.Equal(t, want, o.aliases)
		}
	}
}

// A league tells that two players have recorded the same match, though one of them has left before the end, and the
// other one has another clock. Other matches of the same players are not the same.
func TestCopiesInLeague(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var sides [2]bytes.Buffer // of Player A and Player B
	var other bytes.Buffer
	for seed, out := range map[uint64]*bytes.Buffer{4: nil, 8: &other} {
		var whole bytes.Buffer
		r := simulation.Run(simulation.Plan{Seed: seed, Length: time.Minute}, &whole)
		if out != nil {
			*out = whole
			continue
		}
		for d, err := range recording.Read(&whole) {
			require.NoError(t, err)
			if side := d.Client - 1; side == 0 || side == 1 && d.Seconds < 0.9*r.Seconds {
				d.Seconds += 1000 * float64(side)
				line, err := recording.Append(nil, d)
				require.NoError(t, err)
				sides[side].Write(line)
			}
		}
	}
	for file, content := range map[string]*bytes.Buffer{"a.jsonl": &sides[0], "b.jsonl": &sides[1], "other.jsonl": &other} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), content.Bytes(), 0o600))
	}
	_, copies := leagueWithCopies(t, league.Options{Dir: dir, Site: t.TempDir()})
	require.Equal(t, []string{"a.jsonl and b.jsonl have the same match, which counts twice: remove one of them"}, copies)
}
