package main

import (
	"bytes"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/watch/internal/report"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

const sampleFile = "../../testdata/fight.jsonl"

// reported runs -report and returns the file and what the program prints.
func reported(t *testing.T, args ...string) (status int, text, stderr string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "report.html")
	var log bytes.Buffer
	status = run(t.Context(), append([]string{"-report", out}, args...), nil, io.Discard, &log)
	b, err := os.ReadFile(out)
	if status == 0 {
		require.NoError(t, err)
	}
	return status, string(b), log.String()
}

// tablesOf returns the lines of a table of each match in a report, as maps from the names of columns.
func tablesOf(t *testing.T, text, table string) (matches [][]map[string]string) {
	t.Helper()
	for _, link := range regexp.MustCompile(`download="match-\d+-`+table+`\.csv" href="data:text/csv;charset=utf-8;base64,([^"]*)"`).FindAllStringSubmatch(text, -1) {
		data, err := base64.StdEncoding.DecodeString(html.UnescapeString(link[1]))
		require.NoError(t, err)
		lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(data), "\uFEFF"))).ReadAll()
		require.NoError(t, err)
		all := []map[string]string{}
		for _, line := range lines[1:] {
			cells := map[string]string{}
			for i, head := range lines[0] {
				cells[head] = line[i]
			}
			all = append(all, cells)
		}
		matches = append(matches, all)
	}
	return matches
}

// figures are counted from the output of dump -events.
type figures struct {
	kills, deaths, shots int
	score                string
	hull, alive          float64
	since                float64 // of the ship, or -1
}

// requireFigures compares a report with the list of kills, and with the events of dump.
func requireFigures(t *testing.T, want account, dump, file string) {
	_, text, stderr := reported(t, file)
	require.Empty(t, stderr)
	var kills []string
	for _, lines := range tablesOf(t, text, "kills") {
		for _, k := range lines {
			seconds, err := strconv.ParseFloat(k["time"], 64)
			require.NoError(t, err)
			line := fmt.Sprintf("%.3f %s destroys %s", seconds, k["killer"], k["victim"])
			if k["killer"] == "" {
				line = fmt.Sprintf("%.3f %s explodes", seconds, k["victim"])
			}
			kills = append(kills, line)
		}
	}
	require.Equal(t, want.Kills, kills)

	all := countedEvents(t, dump, file)
	matches := tablesOf(t, text, "players")
	require.Len(t, matches, len(all))
	for number, lines := range matches {
		for _, p := range lines {
			f := all[number][p["name"]]
			if f == nil {
				f = &figures{score: p["score"]} // without an event in this match
			}
			require.Equal(t, []any{strconv.Itoa(f.kills), strconv.Itoa(f.deaths), strconv.Itoa(f.shots)}, []any{p["kills"], p["deaths"], p["shots"]}, p["name"])
			if f.score != "" {
				require.Equal(t, f.score, p["score"], p["name"])
			}
			require.Equal(t, fmt.Sprint(math.Round(1000*f.hull)/1000), p["hull lost"], p["name"])
			if alive, err := strconv.ParseFloat(p["seconds alive"], 64); len(matches) == 1 { // dump does not print when the first of two matches ends
				require.NoError(t, err)
				require.InDelta(t, f.alive, alive, 0.15, p["name"])
			}
			delete(all[number], p["name"])
		}
		require.Empty(t, all[number], "all players of the events are in the report")
	}
}

// countedEvents counts the events of dump for each match and player.
func countedEvents(t *testing.T, dump, file string) (all []map[string]*figures) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	end := 0.0
	for d, err := range recording.Read(f) {
		require.NoError(t, err)
		end = d.Seconds
	}
	lines := json.NewDecoder(bytes.NewReader(dumped(t, dump, "-events", "-json", file)))
	for lines.More() {
		var e struct {
			event
			Match, From, To     int
			Score               int
			Class, Part, Weapon string
		}
		require.NoError(t, lines.Decode(&e))
		for len(all) <= e.Match {
			all = append(all, map[string]*figures{})
		}
		of := func(name string) *figures {
			if all[e.Match][name] == nil {
				all[e.Match][name] = &figures{since: -1}
			}
			return all[e.Match][name]
		}
		if e.Player == "" {
			continue
		}
		if e.Event == "rename" {
			all[e.Match][e.Player] = of(e.Text)
			delete(all[e.Match], e.Text)
		}
		f := of(e.Player)
		ends := func() {
			if f.since >= 0 {
				f.alive, f.since = f.alive+e.Time-f.since, -1
			}
		}
		switch e.Event {
		case "kill":
			of(e.Killer).kills++
			f.deaths++
			ends()
		case "explode":
			f.deaths++
			ends()
		case "leave":
			ends()
		case "ship":
			ends()
			f.since = e.Time
		case "score":
			f.score = strconv.Itoa(e.Score)
		case "fire":
			if !strings.HasPrefix(e.Weapon, "Tractor") {
				f.shots++
			}
		case "damage":
			for _, class := range stateupdate.Stock() {
				if class.Name == e.Class && e.Part == "Hull" {
					f.hull += float64(stateupdate.NewShip(1, class).FirstOf(stateupdate.KindHull).Subsystem.MaxCondition) * float64(e.From-e.To) / 100
				}
			}
		}
	}
	for _, players := range all {
		for _, f := range players {
			if f.since >= 0 {
				f.alive += end - f.since
			}
		}
	}
	return all
}

// The ping is what an Observer measures on the link of the player.
func TestReportedPing(t *testing.T) {
	t.Parallel()
	f, err := os.Open(battle)
	require.NoError(t, err)
	defer f.Close()
	var o transport.Observer
	var sum, count [2]float64
	for d, err := range recording.Read(f) {
		require.NoError(t, err)
		if d.Client != 1 {
			continue
		}
		cipher.Decrypt(d.Data)
		now := time.Unix(1, 0).Add(d.Time())
		side := 0
		if d.Direction == recording.ToClient {
			side = 1
		}
		for m, err := range o.Receive(now, side == 1, d.Data) {
			if trip, ok := m.Acked.RoundTrip(now); err == nil && ok && m.Type == transport.TypeAck && d.Seconds > 0.331586496 { // Ann joins
				sum[side] += 1000 * trip.Seconds()
				count[side]++
			}
		}
	}
	require.NotZero(t, count[0]*count[1])
	_, text, _ := reported(t, battle)
	for _, p := range tablesOf(t, text, "players")[0] {
		if p["name"] == "Ann" {
			ping, err := strconv.ParseFloat(p["ping ms"], 64)
			require.NoError(t, err)
			require.InEpsilon(t, sum[0]/count[0]+sum[1]/count[1], ping, 0.01)
			return
		}
	}
	t.Fatal("Ann is missing")
}

// A report is one file: no script, and no address but its own parts and tables.
func TestReportIsOneFile(t *testing.T) {
	t.Parallel()
	for _, file := range []string{battle, "../../testdata/rejoins.jsonl", ""} {
		args := []string{file}
		if file == "" {
			args = nil // the sample
		}
		status, text, stderr := reported(t, args...)
		require.Zero(t, status, stderr)
		require.NotRegexp(t, `(?i)<script|<link|<img|<iframe|@import|url\(|javascript:|ZgotmplZ|https?://`, text)
		anchors := 0
		for _, link := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(link[1], "data:text/csv;") {
				continue
			}
			id, ok := strings.CutPrefix(link[1], "#")
			require.True(t, ok, link[1])
			require.Contains(t, text, `id="`+id+`"`)
			anchors++
		}
		require.Positive(t, anchors)
		require.Len(t, tablesOf(t, text, "samples"), strings.Count(text, "<article"))
	}
}

// Names are texts in every part of the file.
func TestReportEscapesNames(t *testing.T) {
	t.Parallel()
	var b report.Builder
	for i, name := range []string{`</style><script>alert(1)</script>`, `"><svg onload=alert(1)>`, `' onmouseover='x`, `{{.Title}}`, `=HYPERLINK("http://x")`, "\u202eevil\x00\x1b[31m", "</bdi></td>"} {
		p := &match.Player{PeerID: objectid.PeerID(i + 2), Slot: objectid.Slot(i), Name: name, InGame: true, Team: opcode.TeamNone}
		ship := stateupdate.NewShip(0x3FFFFFFF+objectid.ID(0x40000*i), stateupdate.Stock().Named("akira"))
		ship.SetName = name
		link := &match.Link{Ships: new(stateupdate.Tracker)}
		b.Add(&match.Step{
			Datagram: match.Datagram{Time: time.Duration(i) * time.Second}, Link: link, Message: new(transport.Observation), Sender: p, Game: new(opcode.StateUpdate), Object: ship.ID, Change: stateupdate.Change{Ship: ship},
		}, i)
		b.Add(&match.Step{Datagram: match.Datagram{Time: time.Duration(i+1) * time.Second}, Link: link, Message: new(transport.Observation), Events: []match.Event{
			{Kind: match.Kill, Player: name, Victim: name, Killer: name, Weapon: name, Class: name, Peer: p.PeerID, Slot: p.Slot},
			{Kind: match.End, Text: name},
		}}, i)
	}
	p := reportPage{Title: `</title><script>x`, Problem: "<b>", Reports: []*report.Report{b.Report(0)}}
	text, err := p.render()
	require.NoError(t, err)
	require.NotRegexp(t, `(?i)<script|<svg [^>]*onload|<b>|onmouseover='|ZgotmplZ`, string(text))
	require.NotRegexp(t, "[\u202e\x00\x1b]", string(text))
	require.Equal(t, 1, strings.Count(string(text), "</style>"))
	require.Equal(t, strings.Count(string(text), "<bdi"), strings.Count(string(text), "</bdi>"))
	for _, p := range tablesOf(t, string(text), "players")[0] {
		require.NotContains(t, "=+-@", p["name"][:1])
	}
}

// maxReport is the largest size in bytes of the report of a match, with the largest number of everything.
const maxReport = 12 << 20

func TestLargestReport(t *testing.T) {
	t.Parallel()
	var b report.Builder
	link := &match.Link{Ships: new(stateupdate.Tracker)}
	add := func(seconds float64, step match.Step) {
		step.Time, step.Link, step.Message = time.Duration(seconds*float64(time.Second)), link, new(transport.Observation)
		for i := range step.Events {
			step.Events[i].Time = step.Time
		}
		b.Add(&step, 0)
	}
	class := stateupdate.Stock().Named("akira")
	for now := range 600 {
		for i := range 100 {
			p := &match.Player{PeerID: objectid.PeerID(i + 2), Slot: objectid.Slot(i % 16), Name: fmt.Sprint(i, strings.Repeat("<&>", 100)), InGame: true, Team: opcode.TeamNone, Score: int32(now * now)}
			ship := stateupdate.NewShip(0x3FFFFFFF+objectid.ID(0x40000*i), class)
			x := float64(now*97+i*31) / 7
			ship.SetName, ship.Position = "Multi1", [3]float32{float32(9000 * math.Sin(x)), float32(9000 * math.Cos(1.7*x)), float32(x)}
			ship.FirstOf(stateupdate.KindHull).Condition = stateupdate.Level(now)
			add(3600*float64(now)/600, match.Step{Sender: p, Game: new(opcode.StateUpdate), Object: ship.ID, Change: stateupdate.Change{Ship: ship}})
		}
	}
	for i := range 1001 {
		name := fmt.Sprint(i%64, strings.Repeat("<&>", 100))
		add(3600, match.Step{Events: []match.Event{{Kind: match.Kill, Player: name, Victim: name, Killer: name, Weapon: name, Class: name, Peer: objectid.PeerID(i%64 + 2), Slot: objectid.Slot(i % 16)}}})
	}
	p := reportPage{Title: strings.Repeat("<", 255), Reports: []*report.Report{b.Report(0)}}
	text, err := p.render()
	require.NoError(t, err)
	require.Len(t, p.Reports[0].Scores, 64)
	require.Len(t, p.Reports[0].List, 1000)
	require.Less(t, len(text), maxReport)
	require.Greater(t, len(text), maxReport/2, "the limit is not far away")
	t.Logf("%d bytes", len(text))
}

// Inputs without a match have no report, and a report does not replace its recording.
func TestNoReport(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "input.jsonl")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	status, text, stderr := reported(t, file)
	require.Equal(t, exitFailed, status)
	require.Empty(t, text)
	require.Contains(t, stderr, errNoReport.Error())
	recorded, err := os.ReadFile(battle)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, recorded[:len(recorded)-20], 0o600))
	var log bytes.Buffer
	require.Equal(t, exitFailed, run(t.Context(), []string{"-report", file, file}, nil, io.Discard, &log))
	require.Contains(t, log.String(), "this is the recording")
	status, text, stderr = reported(t, file)
	require.Zero(t, status, "a truncated file has a report of what could be read")
	require.Contains(t, stderr, "unexpected end of JSON input")
	require.Contains(t, text, "unexpected end of JSON input")
}
