package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/lab/sim/simulation"
	"github.com/bcwire/bcwire/examples/watch/internal/timeline"
	"github.com/bcwire/bcwire/transport/recording"
)

// account is what a program tells of a match, in the order of time.
type account struct{ Roster, Chat, Kills []string }

// teller returns what a program tells of the recording in a file.
type teller func(t *testing.T, dump, file string) account

// TestAgreement compares what the programs tell of each recording with a list. The lists in
// testdata/agreement were written by hand from the deciphered bytes, which a program that shares no code
// with this project printed.
func TestAgreement(t *testing.T) {
	t.Parallel()
	dump := buildDump(t)
	for name, file := range map[string]string{
		"battle":  battle,
		"match":   "../../testdata/match.jsonl",
		"cheater": "../../testdata/cheater.jsonl",
		"rejoins": "../../testdata/rejoins.jsonl",
		"openbc":  "../../testdata/openbc/blocks.jsonl",
	} {
		want := written(t, filepath.Join("testdata", "agreement", name+".txt"))
		for program, told := range map[string]teller{"dump": toldByDump, "watch": toldByWatch, "Parquet": toldByParquet} {
			t.Run(name+" "+program, func(t *testing.T) { require.Equal(t, want, told(t, dump, file)) })
		}
		t.Run(name+" report", func(t *testing.T) { requireFigures(t, dump, file) })
	}
}

// TestReportsAreCounted compares the reports of recordings of servers, and of each link alone, with a count. Among
// them is a match with more than 256 clients, most of them forged, one in which damage is done by a player who has
// left, and one in which a player who timed out gets a score after a restart.
func TestReportsAreCounted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dump := buildDump(t)
	files := []string{battle, sampleFile, "../../testdata/rejoins.jsonl"}
	seeds := []uint64{2, 3, 58, 63}
	if testing.Short() { // the detector of races finds nothing more in the others
		seeds = seeds[:1]
	}
	for _, seed := range seeds {
		file := filepath.Join(dir, fmt.Sprint(seed, ".jsonl"))
		f, err := os.Create(file)
		require.NoError(t, err)
		simulation.Run(simulation.Plan{Seed: seed, Length: 30 * time.Second}, f)
		require.NoError(t, f.Close())
		files = append(files, file)
	}
	for _, file := range files {
		requireFigures(t, dump, file)
		requireCauses(t, dump, file)
		links := map[int64][]byte{}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for d, err := range recording.Read(bytes.NewReader(text)) {
			require.NoError(t, err)
			links[d.Client], err = recording.Append(links[d.Client], d)
			require.NoError(t, err)
		}
		for client, text := range links {
			link := filepath.Join(dir, fmt.Sprint("link", client, ".jsonl"))
			require.NoError(t, os.WriteFile(link, text, 0o600))
			if len(text) > 100_000 && client%4 == 0 || !strings.HasPrefix(file, dir) && len(dumped(t, dump, "-events", link)) > 0 {
				requireFigures(t, dump, link)
			}
		}
	}
}

// buildDump builds the program dump and returns its file.
func buildDump(t *testing.T) string {
	t.Helper()
	dump := filepath.Join(t.TempDir(), "dump")
	out, err := exec.Command("go", "build", "-o", dump, "../dump").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return dump
}

// written reads a list.
func written(t *testing.T, name string) (a account) {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	lists := map[string]*[]string{"roster": &a.Roster, "chat": &a.Chat, "kills": &a.Kills}
	var list *[]string
	for line := range strings.Lines(string(text)) {
		switch line = strings.TrimSpace(line); {
		case strings.HasPrefix(line, "#"):
		case lists[line] != nil:
			list = lists[line]
		default:
			*list = append(*list, line)
		}
	}
	return a
}

// people is a roster in the making.
type people []*person

type person struct {
	peer int
	name string
	left bool
}

// find returns the last person with a peer ID, or nil.
func (p people) find(peer int) *person {
	for _, x := range slices.Backward(p) {
		if x.peer == peer {
			return x
		}
	}
	return nil
}

func (p people) lines() (lines []string) {
	for _, x := range p {
		line := fmt.Sprint(x.peer, " ", x.name)
		if x.left {
			line += " left"
		}
		lines = append(lines, line)
	}
	return lines
}

// dumped returns the output of dump.
func dumped(t *testing.T, dump string, args ...string) []byte {
	t.Helper()
	out, err := exec.Command(dump, args...).Output()
	require.NoError(t, err)
	return out
}

// event is an event of dump, as JSON or in a table.
type event struct {
	Time   float64 `json:"time" parquet:"time"`
	Event  string  `json:"event" parquet:"event"`
	Player string  `json:"player" parquet:"player,optional"`
	Peer   int32   `json:"peer" parquet:"peer,optional"`
	Text   string  `json:"text" parquet:"text,optional"`
	Victim string  `json:"victim" parquet:"victim,optional"`
	Killer string  `json:"killer" parquet:"killer,optional"`
}

// told returns what events tell.
func told(events []event) (a account) {
	var roster people
	for _, e := range events {
		switch e.Event {
		case "join":
			roster = append(roster, &person{peer: int(e.Peer), name: e.Player})
		case "rename":
			roster.find(int(e.Peer)).name = e.Player
		case "leave":
			roster.find(int(e.Peer)).left = true
		case "chat", "teamchat":
			a.Chat = append(a.Chat, fmt.Sprintf("%.3f %s: %s", e.Time, e.Player, e.Text))
		case "kill":
			a.Kills = append(a.Kills, fmt.Sprintf("%.3f %s destroys %s", e.Time, e.Killer, e.Victim))
		case "explode":
			a.Kills = append(a.Kills, fmt.Sprintf("%.3f %s explodes", e.Time, e.Victim))
		}
	}
	a.Roster = roster.lines()
	return a
}

func toldByDump(t *testing.T, dump, file string) account {
	var events []event
	lines := json.NewDecoder(bytes.NewReader(dumped(t, dump, "-events", "-json", file)))
	for lines.More() {
		var e event
		require.NoError(t, lines.Decode(&e))
		events = append(events, e)
	}
	return told(events)
}

// toldByWatch reads the roster from the changes of the players on the last link, and the rest from the events.
func toldByWatch(t *testing.T, _, file string) (a account) {
	o, err := parseOptions([]string{file}, os.Stderr)
	require.NoError(t, err)
	store := timeline.New(timeline.Options{Dir: t.TempDir()})
	defer store.Close()
	in, err := o.openFile(t.Context(), nil, store)
	require.NoError(t, err)
	require.True(t, store.Load(t.Context(), in, nil))
	info := store.Info()
	require.Empty(t, info.Problem)
	link := info.Links[len(info.Links)-1].Link
	var roster people
	for from := info.Start; from <= info.End; from += timeline.MaxWindow {
		w, err := store.Window(link, from, from+timeline.MaxWindow, false)
		require.NoError(t, err)
		for _, c := range w.Changes {
			if c.Kind != "player" {
				continue
			}
			p := roster.find(int(c.Player.Peer))
			if p == nil || p.left && c.Player.Here {
				p = &person{peer: int(c.Player.Peer)}
				roster = append(roster, p)
			}
			p.name, p.left = c.Player.Name, !c.Player.Here
		}
	}
	a.Roster = roster.lines()
	events, _, err := store.Events(link, 0, 1000)
	require.NoError(t, err)
	for _, e := range events {
		switch e.Kind {
		case "chat", "teamchat":
			a.Chat = append(a.Chat, fmt.Sprintf("%.3f %s: %s", e.Time, e.Player, e.Text))
		case "kill":
			a.Kills = append(a.Kills, fmt.Sprintf("%.3f %s destroys %s", e.Time, e.Player, e.OtherPlayer))
		case "death":
			a.Kills = append(a.Kills, fmt.Sprintf("%.3f %s explodes", e.Time, e.Player))
		}
	}
	return a
}

func toldByParquet(t *testing.T, dump, file string) account {
	table := filepath.Join(t.TempDir(), "match.parquet")
	dumped(t, dump, "-parquet", table, file)
	events, err := parquet.ReadFile[event](strings.TrimSuffix(table, "parquet") + "events.parquet")
	require.NoError(t, err)
	return told(events)
}
