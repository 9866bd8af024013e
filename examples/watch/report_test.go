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
	"github.com/bcwire/bcwire/examples/internal/terminal"
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
	kills, deaths, shots     int
	scores                   map[string]int  // by name at the host
	names                    map[string]bool // at the host
	hull, lost, given, alive float64
	since                    map[string]float64 // of the ship of each connection
}

// hits are counted for a player, a target and a weapon.
type hits struct {
	shots, hits int
	damage      float64
	waits       map[string]bool // tubes whose last shot has not hit
}

// count is what is counted in a match.
type count struct {
	players map[string]*figures
	hits    map[string]*hits
	kills   []string
	losses  []string
}

func (c *count) of(name string) *figures {
	if name = personOf(name); c.players[name] == nil {
		c.players[name] = &figures{since: map[string]float64{}, scores: map[string]int{}, names: map[string]bool{}}
	}
	return c.players[name]
}

func (c *count) pair(by, of, weapon string) *hits {
	system, _, _ := strings.Cut(weapon, " / ")
	if strings.HasPrefix(weapon, "0x") { // of an unknown ship
		system = ""
	}
	key := personOf(by) + ">" + personOf(of) + ">" + system
	if c.hits[key] == nil {
		c.hits[key] = &hits{waits: map[string]bool{}}
	}
	return c.hits[key]
}

// personOf returns the name without the suffix of the host. In these recordings, no two players with one name play at
// once.
func personOf(name string) string { return regexp.MustCompile(` \(\d+\)$`).ReplaceAllString(name, "") }

// requireFigures compares all numbers of a report with a count of the events of dump.
func requireFigures(t *testing.T, dump, file string) {
	_, text, stderr := reported(t, file)
	require.Empty(t, stderr)
	all := countedEvents(t, dump, file)
	tables := map[string][][]map[string]string{}
	for _, table := range report.Tables {
		tables[table.Name] = tablesOf(t, text, table.Name)
	}
	require.Len(t, tables["players"], len(all))
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		return x
	}
	for i, c := range all {
		var kills, losses []string
		for _, k := range tables["kills"][i] {
			kills = append(kills, fmt.Sprintf("%.3f %s destroys %s%s", number(k["time"]), k["killer"], k["victim"], k["reason"]))
		}
		require.Equal(t, c.kills, kills)
		for _, x := range tables["losses"][i] {
			losses = append(losses, fmt.Sprintf("%.3f %s %s %s-%s by %s with %s: %s", number(x["time"]), x["player"], x["part"], x["from"], x["to"], x["by"], x["weapon"], x["source"]))
		}
		require.Equal(t, c.losses, losses)
		for _, x := range tables["hits"][i] {
			h := c.pair(x["player"], x["target"], x["weapon"])
			require.Equal(t, []any{h.shots, h.hits}, []any{int(number(x["shots"])), int(number(x["hits"]))}, x)
			require.InDelta(t, h.damage, number(x["damage"]), 0.01, x)
			*h = hits{}
		}
		for pair, h := range c.hits {
			require.Zero(t, h.shots+h.hits, pair)
			require.Zero(t, h.damage, pair)
		}
		for _, p := range tables["players"][i] {
			f := c.players[p["name"]]
			if f == nil {
				f = new(figures) // without an event in this match
			}
			require.Equal(t, []any{strconv.Itoa(f.kills), strconv.Itoa(f.deaths), strconv.Itoa(f.shots)}, []any{p["kills"], p["deaths"], p["shots"]}, p["name"])
			if len(f.scores) > 0 && len(f.scores) == len(f.names) { // a score from before the capture is no event
				score := 0
				for _, x := range f.scores {
					score += x
				}
				require.Equal(t, strconv.Itoa(score), p["score"], p["name"])
			}
			require.InDelta(t, f.hull, number(p["hull lost"]), 0.01, p["name"])
			require.InDelta(t, f.lost, number(p["hull lost"])+number(p["shields lost"]), 0.01, p["name"])
			require.InDelta(t, f.given, number(p["damage given"]), 0.01, p["name"])
			if len(all) == 1 && strings.HasPrefix(file, "..") { // dump does not print when the first of two matches ends, or when a late link shows the end of a ship
				require.InDelta(t, f.alive, number(p["seconds alive"]), 0.15, p["name"])
			}
			delete(c.players, p["name"])
		}
		require.Empty(t, c.players, "all players of the events are in the report")
	}
}

// fullEvent is an event with all that reports need.
type fullEvent struct {
	event
	Match, From, To, Score              int
	Class, Part, Weapon, Target, Reason string
}

// eventsOf returns the events of dump. A player whose name is not known yet has the next one of the peer ID.
func eventsOf(t *testing.T, dump, file string) (all []fullEvent) {
	lines := json.NewDecoder(bytes.NewReader(dumped(t, dump, "-events", "-json", file)))
	for lines.More() {
		var e fullEvent
		require.NoError(t, lines.Decode(&e))
		all = append(all, e)
	}
	names := map[string]string{}
	for i := len(all) - 1; i >= 0; i-- {
		e := &all[i]
		if i+1 < len(all) && all[i+1].Match != e.Match {
			clear(names)
		}
		peer := fmt.Sprint("peer ", e.Peer)
		if e.Player != peer && e.Event != "rename" {
			names[peer] = e.Player
		}
		for _, name := range []*string{&e.Player, &e.Victim, &e.Killer, &e.Target} {
			if later := names[*name]; later != "" {
				*name = later
			}
		}
	}
	return all
}

// countedEvents counts the events of dump for each match and player.
func countedEvents(t *testing.T, dump, file string) (all []*count) {
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	end := 0.0
	for d, err := range recording.Read(f) {
		require.NoError(t, err)
		end = d.Seconds
	}
	for _, e := range eventsOf(t, dump, file) {
		for len(all) <= e.Match {
			all = append(all, &count{players: map[string]*figures{}, hits: map[string]*hits{}})
		}
		c := all[e.Match]
		if e.Player == "" {
			if e.Event == "explode" {
				c.kills = append(c.kills, fmt.Sprintf("%.3f  destroys %s%s", e.Time, e.Class, e.Reason))
			}
			continue
		}
		if before := personOf(e.Text); e.Event == "rename" && before != personOf(e.Player) {
			c.players[personOf(e.Player)] = c.of(before)
			delete(c.players, before)
		}
		f := c.of(e.Player)
		f.names[e.Player] = true
		ends := func() {
			if since, ok := f.since[e.Player]; ok {
				f.alive += e.Time - since
				delete(f.since, e.Player)
			}
		}
		switch e.Event {
		case "kill":
			c.of(e.Killer).kills++
			f.deaths++
			c.kills = append(c.kills, fmt.Sprintf("%.3f %s destroys %s", e.Time, personOf(e.Killer), personOf(e.Player)))
			ends()
		case "explode":
			if ends(); e.Reason != match.Removed {
				f.deaths++
				c.kills = append(c.kills, fmt.Sprintf("%.3f  destroys %s%s", e.Time, personOf(e.Player), e.Reason))
			}
		case "leave":
			ends()
		case "ship":
			ends()
			f.since[e.Player] = e.Time
		case "score":
			f.scores[e.Player] = e.Score
		case "fire":
			if strings.HasPrefix(e.Weapon, "Tractor") {
				continue
			}
			if f.shots++; c.players[personOf(e.Target)] != nil {
				h := c.pair(e.Player, e.Target, e.Weapon)
				h.shots++
				h.waits[e.Weapon] = true
			}
		case "damage":
			points, hull := pointsOf(e.Class, e.Part, e.From-e.To)
			if points == 0 {
				continue
			}
			if f.lost += points; hull {
				f.hull += points
			}
			if e.Killer != "" {
				c.of(e.Killer).given += points
			}
			if e.Reason != "" {
				h := c.pair(e.Killer, e.Player, e.Weapon)
				if h.damage += points; h.waits[e.Weapon] && e.Reason != "collision" {
					h.waits[e.Weapon] = false
					h.hits++
				}
			}
			c.losses = append(c.losses, fmt.Sprintf("%.3f %s %s %d-%d by %s with %s: %s", e.Time, personOf(e.Player), e.Part, e.From, e.To, personOf(e.Killer), e.Weapon, e.Reason))
		}
	}
	for _, c := range all {
		for _, f := range c.players {
			for _, since := range f.since {
				f.alive += end - since
			}
		}
	}
	return all
}

// pointsOf returns the points of some per cent of the hull or of a face of the shields, else 0.
func pointsOf(class, part string, percent int) (points float64, hull bool) {
	for _, c := range stateupdate.Stock() {
		if c.Name != class {
			continue
		}
		ship := stateupdate.NewShip(1, c)
		if x := ship.FirstOf(stateupdate.KindHull); x.Subsystem.Name == part {
			return float64(x.Subsystem.MaxCondition) * float64(percent) / 100, true
		}
		if x := ship.FirstOf(stateupdate.KindShield); x != nil {
			for face, most := range x.Subsystem.Facings {
				if x.Subsystem.Name+" / "+stateupdate.ShieldFace(face).String() == part {
					return float64(most) * float64(percent) / 100, false
				}
			}
		}
	}
	return 0, false
}

// requireCauses checks that the causes of damage and of deaths are things that have happened shortly before.
func requireCauses(t *testing.T, dump, file string) {
	facts := eventsOf(t, dump, file)
	for _, e := range facts {
		before := func(seconds float64, fits func(x fullEvent) bool) bool {
			for _, x := range facts {
				if x.Time <= e.Time && e.Time-x.Time <= seconds+0.001 && fits(x) {
					return true
				}
			}
			return false
		}
		collides := func(x fullEvent) bool {
			return x.Event == "collide" && (x.Player == e.Player || x.Target == e.Player)
		}
		switch {
		case e.Reason == "shot":
			require.True(t, before(15, func(x fullEvent) bool {
				return x.Event == "fire" && x.Player == e.Killer && x.Target == e.Player && x.Weapon == e.Weapon
			}), "%+v", e)
		case e.Reason == "kill":
			require.True(t, before(1, func(x fullEvent) bool { return x.Event == "kill" && x.Player == e.Player && x.Killer == e.Killer }), "%+v", e)
		case e.Reason == "collision", strings.HasPrefix(e.Reason, "rammed by "):
			require.True(t, before(2, collides), "%+v", e) // a second before the death, and a second to the damage
		case e.Event == "explode" && e.Reason == "":
			require.False(t, before(1, collides), "%+v", e)
		}
	}
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
	require.Equal(t, terminal.ExitFailed, status)
	require.Empty(t, text)
	require.Contains(t, stderr, errNoReport.Error())
	recorded, err := os.ReadFile(battle)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, recorded[:len(recorded)-20], 0o600))
	var log bytes.Buffer
	require.Equal(t, terminal.ExitFailed, run(t.Context(), []string{"-report", file, file}, nil, io.Discard, &log))
	require.Contains(t, log.String(), "this is the recording")
	status, text, stderr = reported(t, file)
	require.Zero(t, status, "a truncated file has a report of what could be read")
	require.Contains(t, stderr, "unexpected end of JSON input")
	require.Contains(t, text, "unexpected end of JSON input")
}
