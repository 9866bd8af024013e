package report

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// read returns the builder of a recording.
func read(t testing.TB, name string) *Builder {
	t.Helper()
	f, err := os.Open("../../../../testdata/" + name)
	require.NoError(t, err)
	defer f.Close()
	b, n := &Builder{}, 0
	for step, err := range match.Read(f, &match.Match{Events: true}) {
		require.NoError(t, err)
		b.Add(step, n)
		n++
	}
	return b
}

// In a capture from the middle of a match, the weapons of ships of unknown classes are one, with the damage that they do.
func TestWeaponsOfUnknownShips(t *testing.T) {
	all := testdata.Battle(t)
	b, m := &Builder{}, &match.Match{Events: true}
	for _, d := range all {
		if d.Seconds < 10 {
			continue
		}
		data := bytes.Clone(d.Data)
		cipher.Decrypt(data)
		for step := range m.Receive(match.Datagram{Time: d.Time(), Client: d.ClientName(), FromHost: d.Direction == recording.ToClient, Data: data}) {
			b.Add(step, 0)
		}
	}
	shots := 0
	for _, h := range b.Report(0).Hits {
		require.NotContains(t, h.Weapon, "0x")
		if h.Weapon == "" {
			require.Equal(t, h.Shots > 0 && h.Points > 0, h.Hits > 0)
			shots += h.Shots
		}
	}
	require.Greater(t, shots, 20)
}

// script adds steps that a test writes.
type script struct {
	Builder
	link match.Link
}

// at adds a step at a time in seconds.
func (s *script) at(seconds float64, step match.Step) {
	s.link.Ships = new(stateupdate.Tracker)
	step.Time, step.Link, step.Message = time.Duration(seconds*float64(time.Second)), &s.link, new(transport.Observation)
	for i := range step.Events {
		step.Events[i].Time, step.Events[i].Match = step.Time, s.link.Match
	}
	s.Add(&step, 0)
}

func player(n int, name string) *match.Player {
	return &match.Player{PeerID: objectid.PeerID(n + 2), Slot: objectid.Slot(n % objectid.Slots), Name: name, InGame: true, Team: opcode.TeamNone}
}

// joins adds a player.
func (s *script) joins(p *match.Player) {
	s.at(0, match.Step{Events: []match.Event{{Kind: match.Join, Player: p.Name, Peer: p.PeerID, Slot: p.Slot}}})
}

// moves adds a motion of the ship of a player.
func (s *script) moves(seconds float64, p *match.Player, set string, x, y, z float32) {
	ship := stateupdate.NewShip(objectid.ID(0x3FFFFFFF+0x40000*int(p.PeerID-2)), stateupdate.Stock().Named("akira"))
	ship.SetName, ship.Position = set, [3]float32{x, y, z}
	s.at(seconds, match.Step{Sender: p, Game: new(opcode.StateUpdate), Object: ship.ID, Change: stateupdate.Change{Ship: ship}})
}

// kills adds a death. The killer may be nil.
func (s *script) kills(seconds float64, killer, victim *match.Player) {
	e := match.Event{Kind: match.Explode, Player: victim.Name, Victim: victim.Name, Peer: victim.PeerID, Slot: victim.Slot, Class: "Akira"}
	if killer != nil {
		e.Kind, e.Killer, e.Weapon = match.Kill, killer.Name, "Phasers"
	}
	s.at(seconds, match.Step{Events: []match.Event{e}})
}

// A player who joins again continues a line. A restart begins another report.
func TestRejoinsAndRestarts(t *testing.T) {
	t.Parallel()
	battle := read(t, "battle.jsonl")
	require.Len(t, battle.Summaries(), 1)
	require.Equal(t, []int{4, 3}, []int{battle.Summaries()[0].Players, battle.Summaries()[0].Deaths})
	cid := battle.Report(0).Scores[0]
	require.Equal(t, []any{"Cid", objectid.PeerID(6), []string{"Bird of Prey", "Vor'cha"}, 1, 1}, []any{cid.Name, cid.Peer, cid.Ships, cid.Kills, cid.Deaths})

	two := read(t, "rejoins.jsonl")
	all := two.Summaries()
	require.Len(t, all, 2)
	require.LessOrEqual(t, all[0].End, all[1].Start)
	require.Equal(t, []int{1, 1}, []int{all[0].Deaths, all[1].Deaths})
	require.Equal(t, "Ann", two.Report(0).List[0].By)
	require.Empty(t, two.Report(1).List[0].By)
	require.Nil(t, two.Report(2))
}

func TestEmptyMatch(t *testing.T) {
	t.Parallel()
	var s script
	require.Empty(t, s.Summaries())
	s.link.Match = -1
	s.at(1, match.Step{})
	require.Empty(t, s.Summaries(), "no match has begun")
	s.link.Match = 0
	s.at(2, match.Step{})
	r := s.Report(0)
	require.Equal(t, Summary{0, 2, 2, 0, 0}, r.Summary)
	for _, text := range []string{"0:02.0 to 0:02.0, 0 players, 0 deaths.", "Nobody has died.", "No ship has moved."} {
		require.Contains(t, r.HTML(true), text)
	}
	ann := player(0, "Ann")
	s.joins(ann)
	s.moves(3, ann, "Multi1", 1, 2, 3)
	s.moves(7, ann, "Multi1", 5, 2, 3)
	r = s.Report(0)
	require.Equal(t, 4.0, r.Scores[0].Alive, "since the first motion")
	require.Equal(t, "M24 280L876 280", r.Maps[0].Tracks[0].Path)
	require.Empty(t, r.Highlights)
}

// The end of a match ends the lives, and nothing moves after it.
func TestEnd(t *testing.T) {
	t.Parallel()
	var s script
	ann := player(0, "Ann")
	s.joins(ann)
	s.moves(1, ann, "Multi1", 0, 0, 0)
	s.at(5, match.Step{Events: []match.Event{{Kind: match.End, Text: "the time is up"}}})
	s.moves(9, ann, "Multi1", 9, 0, 0)
	r := s.Report(0)
	require.Equal(t, []any{5.0, "the time is up", 4.0, 1}, []any{r.End, r.Reason, r.Scores[0].Alive, len(r.rows[0].samples)})
}

func TestHighlights(t *testing.T) {
	t.Parallel()
	var s script
	ann, ben, cid := player(0, "Ann"), player(1, "Ben"), player(2, "Cid")
	for _, p := range []*match.Player{ann, ben, cid} {
		s.joins(p)
	}
	s.kills(5, nil, cid)
	s.kills(10, ann, ben)
	s.kills(35, ann, cid) // 25 s later
	s.kills(70, ben, ann) // revenge at the limit
	s.kills(101, cid, ben)
	s.kills(110, cid, ann)
	s.kills(115, cid, ben)
	s.kills(150, cid, nobody)
	s.kills(190, cid, ben)
	s.kills(251, ann, cid) // Cid has killed Ann 141 s ago
	var got []string
	for _, h := range s.Report(0).Highlights {
		got = append(got, fmt.Sprintf("%g %s: %s %s, %d", h.Time, h.Kind, h.Name, h.Text, h.Kill))
	}
	require.Equal(t, []string{
		"10 first kill: Ann makes the first kill, 1",
		"10 several kills: Ann makes 2 kills in 25 s, 1",
		"70 revenge: Ben takes revenge 60 s after dying, 3",
		"101 several kills: Cid makes 3 kills in 14 s, 4",
		"115 series: Cid has 3 kills without a death, 6",
		"190 series: Cid has 5 kills without a death, 8",
	}, got)
	var next []int
	for _, k := range s.Report(0).List {
		next = append(next, k.Next)
	}
	require.Equal(t, []int{-1, 2, 9, -1, 5, 6, 7, 8, -1, -1}, next)
}

var nobody = player(40, "Dee")

// A damaged ship that wins, and the damage of ten seconds.
func TestCloseFightAndDamage(t *testing.T) {
	t.Parallel()
	var s script
	ann, ben := player(0, "Ann"), player(1, "Ben")
	s.joins(ann)
	s.joins(ben)
	class := stateupdate.Stock().Named("galaxy")
	ship := stateupdate.NewShip(0x3FFFFFFF, class)
	hull := ship.FirstOf(stateupdate.KindHull)
	hit := func(at float64, part string, from, to int) {
		hull.Condition = stateupdate.Level(to * 255 / 100)
		s.at(at, match.Step{Sender: ann, Game: new(opcode.StateUpdate), Object: ship.ID, Change: stateupdate.Change{Ship: ship}, Events: []match.Event{
			{Kind: match.Damage, Player: "Ann", Peer: ann.PeerID, Slot: ann.Slot, Ship: ship.ID, Class: class.Name, Part: part, From: from, To: to},
		}})
	}
	hit(1, "Shield Generator / front", 100, 50)
	hit(30, "Hull", 100, 60)
	hit(39, "Hull", 60, 20)
	hit(41, "Hull", 20, 10)
	hit(42, "Sensor Array", 100, 0)
	s.kills(43, ann, ben)
	r := s.Report(0)
	points := float64(hull.Subsystem.MaxCondition)
	require.InDelta(t, 0.9*points, r.Scores[0].HullLost, 1)
	require.InDelta(t, 0.5*float64(ship.FirstOf(stateupdate.KindShield).Subsystem.Facings[0]), r.Scores[0].ShieldsLost, 1)
	require.Equal(t, []string{"heaviest damage", "first kill", "close fight"}, []string{r.Highlights[0].Kind, r.Highlights[1].Kind, r.Highlights[2].Kind})
	require.Equal(t, fmt.Sprintf("loses %s points of shields and hull in 10 s", Whole(0.8*points)), r.Highlights[0].Text)
	require.Contains(t, r.Highlights[2].Text, "wins with a hull of 0 %")
}

// Positions and speeds that are not finite, or far away, do not reach the pictures.
func TestHostilePlaces(t *testing.T) {
	t.Parallel()
	var s script
	ann := player(0, "Ann")
	s.joins(ann)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for i, at := range [][3]float32{{0, 0, 0}, {nan, 0, 0}, {0, inf, 0}, {0, 0, 1e30}, {50_001, 0, 0}, {10, 10, 0}} {
		s.moves(float64(i), ann, "Multi1", at[0], at[1], at[2])
	}
	for i := range 2 * maxSets {
		s.moves(10+float64(i), ann, fmt.Sprint("set", i), 1, 1, 1)
	}
	r := s.Report(0)
	require.Len(t, r.Maps, maxSets)
	require.Equal(t, "M194 536h.1M706 24h.1", r.Maps[0].Tracks[0].Path)
	require.NotRegexp(t, "NaN|Inf|%!", r.HTML(true))
	require.Equal(t, 7+2*maxSets, strings.Count(r.CSV("samples"), "\n"))
	require.True(t, math.IsNaN(finite(math.Inf(-1))))
}

// The HTML of both forms is well-formed, and the texts of a match are only texts in it.
func TestHTMLHasNamesAsTexts(t *testing.T) {
	t.Parallel()
	names := []string{`</bdi><script>alert(1)</script>`, `"><svg onload=alert(1)>`, `' onmouseover='x`, "&amp;", "<!--"}
	var s script
	for i, name := range names {
		p := player(i, name)
		s.joins(p)
		s.moves(float64(i), p, name, 1, 2, 3)
		s.kills(float64(i), p, p)
	}
	for _, forPage := range []bool{false, true} {
		found := map[string]int{}
		d := xml.NewDecoder(strings.NewReader("<div>" + s.Report(0).HTML(forPage) + "</div>"))
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			start, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			for _, a := range start.Attr {
				require.NotRegexp(t, "^on", a.Name.Local)
			}
			require.NotEqual(t, "script", start.Name.Local)
			if start.Name.Local == "bdi" {
				var text string
				require.NoError(t, d.DecodeElement(&text, &start))
				found[text]++
			}
		}
		require.Len(t, found, len(names))
		for _, name := range names {
			require.Greater(t, found[name], 5, "in the scoreboard, the kills, a map with its legend, and the plots")
		}
	}
}

// A table has no formulas, whatever separates the cells.
func TestTablesWithoutFormulas(t *testing.T) {
	t.Parallel()
	names := []string{"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "a;=cmd()", "a,@b", "a\t-b", "＝1", " =1", "\"=1", "x\n=1", "a|+1", strings.Repeat("=", 300), "Ann - Ben"}
	var s script
	for i, name := range names {
		s.joins(player(i, name))
		s.kills(float64(i), player(i, name), player(i, name))
	}
	r := s.Report(0)
	require.Len(t, r.Scores, len(names))
	for _, table := range Tables {
		text := r.CSV(table.Name)
		require.NotEmpty(t, text)
		lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\uFEFF"))).ReadAll()
		require.NoError(t, err, table.Name)
		for _, line := range lines[1:] {
			require.Len(t, line, len(lines[0]))
			for _, c := range line {
				for part := range strings.FieldsFuncSeq(c, func(r rune) bool { return strings.ContainsRune(";,|\t", r) }) {
					require.NotContains(t, "=+-@＝＋－＠", string([]rune(strings.TrimSpace(part) + " ")[:1]), "%s: %q", table.Name, c)
				}
			}
		}
	}
	require.Empty(t, r.CSV("other"))
	require.Equal(t, "-3", cell(int32(-3)), "a number stays a number")
}

// Each limit is kept, and the samples still cover all of the match.
func TestLimits(t *testing.T) {
	t.Parallel()
	var s script
	players := make([]*match.Player, maxPlayers+3)
	for i := range players {
		players[i] = player(i, fmt.Sprint("Player ", i, strings.Repeat("x", 100)))
		s.joins(players[i])
	}
	for now := range 2 * 3600 {
		s.moves(float64(now)/2, players[0], "Multi1", float32(now), 0, 0)
	}
	for i := range maxKills + 1 {
		s.kills(3600+40*float64(i), players[0], players[1])
	}
	r := s.Report(0)
	require.Equal(t, []string{"64 connections", "1,000 deaths"}, r.Omitted)
	require.Equal(t, []int{maxPlayers, maxKills, maxHighlights}, []int{len(r.Scores), len(r.List), len(r.Highlights)})
	samples := r.rows[0].samples
	require.LessOrEqual(t, len(samples), maxSamples)
	require.Greater(t, len(samples), maxSamples/2)
	require.Zero(t, samples[0].at)
	require.Greater(t, samples[len(samples)-1].at, 3580.0)
	for i := range samples[1:] {
		require.False(t, samples[i+1].begins, "one life")
	}
	require.LessOrEqual(t, len(r.Scores[0].Name), maxText+len("…"))
	for i := range 2 * maxMatches {
		s.link.Match = i
		s.at(4000, match.Step{})
	}
	require.Len(t, s.Summaries(), maxMatches)
	require.Equal(t, maxMatches, s.Dropped)
}

// A player has the colour of the team, or else of the slot, or else of the peer ID.
func TestColours(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		peer objectid.PeerID
		slot objectid.Slot
		team opcode.Team
		want int
	}{{5, 3, 1, 1}, {5, 3, opcode.TeamNone, 3}, {5, objectid.NoSlot, opcode.TeamNone, 3}, {objectid.Host, objectid.NoSlot, opcode.TeamNone, -1}, {127, objectid.NoSlot, 200, 13}} {
		require.Equal(t, c.want, colourOf(&match.Player{PeerID: c.peer, Slot: c.slot, Team: c.team}), "%+v", c)
	}
}

// After a crash, datagrams of the first connection still arrive while the second one is in use. For longer, two
// connections are two players.
func TestConnectionsOfAPerson(t *testing.T) {
	for seconds, players := range map[float64]int{-5: 1, overlap: 1, overlap + 1: 2} {
		first, second := row{fullName: "Ann", spans: []span{{0, 100}}}, row{fullName: "Ann (2)", spans: []span{{100 - seconds, 300}}}
		first.Name, second.Name = first.fullName, second.fullName
		second.Told.Score = 7
		c := collector{rows: []*row{&first, &second}}
		all, person := c.persons(nil)
		require.Len(t, all, players, seconds)
		require.Equal(t, []int{0, players - 1}, person)
		require.EqualValues(t, 7, all[players-1].Told.Score)
		require.Equal(t, players == 1, all[0].Connections != nil)
	}
}

// The number of a death covers no other one and no cross: it stands right of its cross, or else left of it, or nowhere.
func TestNumbersOnMap(t *testing.T) {
	t.Parallel()
	at := func(x, y float64) Death { return Death{X: x, Y: y} }
	m := Map{Deaths: []Death{at(100, 100), at(300, 100), at(300, 100), at(300, 100), at(130, 100), at(500, 100), at(500, 140)}}
	for i := range m.Deaths {
		m.Deaths[i].Kill = i
	}
	m.number()
	var sides []float64
	for _, d := range m.Deaths {
		sides = append(sides, d.Side)
	}
	require.Equal(t, []float64{-1, 1, -1, 0, 1, 1, 1}, sides)
}
