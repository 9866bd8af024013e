package league

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/damagelog"
	"github.com/bcwire/bcwire/examples/watch/internal/report"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// Options are the options of a league.
type Options struct {
	Dir, Site string
	Aliases   map[string]string // persons by the names that they use
	Classes   stateupdate.Catalogue
	Plain     bool // the datagrams of captures are not enciphered
	Port      uint16
	Private   bool // publishes addresses and passwords
	// Page writes the page of the program to a folder, or is nil.
	Page func(dir string) error
	// Report returns the page of the reports of a recording.
	Report func(title, recording string, reports []*report.Report) ([]byte, error)
	// Style are the styles of the pages.
	Style string
	// Complain prints what could not be read.
	Complain func(error)
}

// Match is a row of the table matches.
type Match struct {
	Recording string    `parquet:"recording,dict"`
	Match     int32     `parquet:"match"` // from 0
	Start     float64   `parquet:"start"` // in the recording
	Date      time.Time `parquet:"date"`
	Map       string    `parquet:"map,dict"`
	Seconds   float64   `parquet:"seconds"`
	Winner    string    `parquet:"winner,dict"`
	Deaths    int32     `parquet:"deaths"`
	Players   []Player  `parquet:"-"`
	Kills     []Kill    `parquet:"-"`
	Hits      []Hit     `parquet:"-"`
	Losses    []Loss    `parquet:"-"`
}

// Player is a row of the table players: a player in a match.
type Player struct {
	Recording   string  `parquet:"recording,dict"`
	Match       int32   `parquet:"match"`
	Name        string  `parquet:"player,dict"`
	Connections string  `parquet:"connections,dict"`
	Team        int32   `parquet:"team"` // -1 without one
	Ships       string  `parquet:"ships,dict"`
	Score       int32   `parquet:"score"`
	Kills       int32   `parquet:"kills"`
	Deaths      int32   `parquet:"deaths"`
	Shots       int32   `parquet:"shots"`
	Given       float64 `parquet:"damage_given"`
	ShieldsLost float64 `parquet:"shields_lost"`
	HullLost    float64 `parquet:"hull_lost"`
	Alive       float64 `parquet:"seconds_alive"`
	Ping        float64 `parquet:"ping_ms"` // 0 if unknown
	Won         bool    `parquet:"won"`
	Rating      float64 `parquet:"rating"` // after the match
	Deviation   float64 `parquet:"rating_deviation"`
	Nameless    bool    `parquet:"-"` // the recording does not have the name, so that the person is unknown
}

// Kill is a row of the table kills: a death.
type Kill struct {
	Recording string  `parquet:"recording,dict"`
	Match     int32   `parquet:"match"`
	Time      float64 `parquet:"time"`
	Killer    string  `parquet:"killer,dict"`
	Victim    string  `parquet:"victim,dict"`
	Weapon    string  `parquet:"weapon,dict"`
	Class     string  `parquet:"class,dict"`
	Reason    string  `parquet:"reason,dict"`
}

// Hit is a row of the table hits: what a player has done to another one with a weapon.
type Hit struct {
	Recording string  `parquet:"recording,dict"`
	Match     int32   `parquet:"match"`
	Player    string  `parquet:"player,dict"`
	Target    string  `parquet:"target,dict"`
	Weapon    string  `parquet:"weapon,dict"`
	Shots     int32   `parquet:"shots"`
	Hits      int32   `parquet:"hits"`
	Damage    float64 `parquet:"damage"`
}

// Loss is a row of the table losses: damage, and how its cause is known.
type Loss struct {
	Recording string  `parquet:"recording,dict"`
	Match     int32   `parquet:"match"`
	Time      float64 `parquet:"time"`
	Player    string  `parquet:"player,dict"`
	Part      string  `parquet:"part,dict"`
	From      int32   `parquet:"from"`
	To        int32   `parquet:"to"`
	Damage    float64 `parquet:"damage"`
	By        string  `parquet:"by,dict"`
	Weapon    string  `parquet:"weapon,dict"`
	Source    string  `parquet:"source,dict"`
}

// entry is what the cache has of a recording.
type entry struct {
	Stamp   string
	Matches []*Match
}

// version changes with what is derived from a recording.
const version = "4"

// errEmpty means that there is nothing to show.
var errEmpty = errors.New("no recording in the folder has a match")

// Write writes the site.
func (o *Options) Write(ctx context.Context) error {
	for _, dir := range []string{"cache", "matches", "players", "watch", "tables"} {
		if err := os.MkdirAll(filepath.Join(o.Site, dir), 0o755); err != nil {
			return err
		}
	}
	files, err := o.files()
	if err != nil {
		return err
	}
	entries, errs := make([]*entry, len(files)), make([]error, len(files))
	var group sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := range next {
				entries[i], errs[i] = o.entry(ctx, files[i])
			}
		})
	}
	for i := range files {
		next <- i
	}
	close(next)
	group.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	var all []*Match
	for i, e := range entries {
		if errs[i] != nil {
			o.Complain(errs[i])
		}
		if e != nil {
			all = append(all, e.Matches...)
		}
	}
	if len(all) == 0 {
		return errEmpty
	}
	slices.SortStableFunc(all, func(a, b *Match) int {
		return cmp.Or(a.Date.Compare(b.Date), cmp.Compare(a.Recording, b.Recording), cmp.Compare(a.Match, b.Match))
	})
	o.tellTwice(all)
	rate(all)
	if o.Page != nil {
		if _, err := os.Stat(filepath.Join(o.Site, "watch", "index.html")); errors.Is(err, fs.ErrNotExist) {
			if err := o.Page(filepath.Join(o.Site, "watch")); err != nil {
				o.Complain(fmt.Errorf("the links to recordings have no page: %w", err))
			}
		}
	}
	people := persons(all)
	return errors.Join(writeTables(filepath.Join(o.Site, "tables"), all), o.writePages(all, people), o.clean(files, people))
}

// tellTwice complains about recordings of the same match, perhaps by several players: it counts for each of them.
func (o *Options) tellTwice(all []*Match) {
	told := map[[2]string]bool{}
	for i, a := range all {
		for _, b := range all[:i] {
			pair := [2]string{min(a.Recording, b.Recording), max(a.Recording, b.Recording)}
			if a.Recording != b.Recording && !told[pair] && (a.shows(b) || b.shows(a)) {
				told[pair] = true
				o.Complain(fmt.Errorf("%s and %s have the same match, which counts twice: remove one of them", pair[0], pair[1]))
			}
		}
	}
}

// shows reports whether all deaths of another match, at least three, have happened in a match, too. The clocks of two
// recordings differ.
func (m *Match) shows(other *Match) bool {
	const fewest, apart = 3, 1.0 // deaths, seconds
	part := other.Kills
	if len(part) < fewest {
		return false
	}
	for all := m.Kills; len(all) >= len(part); all = all[1:] {
		same := 0
		for i, k := range part {
			x := all[i]
			if x.Victim != k.Victim || x.Killer != k.Killer || math.Abs(x.Time-all[0].Time-k.Time+part[0].Time) > apart {
				break
			}
			same++
		}
		if same == len(part) {
			return true
		}
	}
	return false
}

// files returns the files that may be recordings: a reader knows the formats by the content, not by the names. Hidden
// files and logs of damage are none.
func (o *Options) files() (all []string, err error) {
	names, err := os.ReadDir(o.Dir)
	for _, name := range names {
		file := filepath.Join(o.Dir, name.Name())
		if strings.HasPrefix(name.Name(), ".") || damagelog.Is(file) {
			continue
		}
		if info, err := os.Stat(file); err != nil || info.Mode().IsRegular() {
			all = append(all, file)
		}
	}
	return all, err
}

// entry returns what is derived from a recording, from the cache if that is new enough.
func (o *Options) entry(ctx context.Context, file string) (*entry, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, err
	}
	name := filepath.Base(file)
	classes, err := json.Marshal(o.Classes)
	if err != nil {
		return nil, err
	}
	aliases, _ := json.Marshal(o.Aliases) // sorted
	log := ""
	if info, err := os.Stat(damagelog.Name(file)); err == nil {
		log = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	}
	stamp := fmt.Sprint(version, info.Size(), info.ModTime().UnixNano(), log, o.Private, o.Plain, o.Port, string(aliases), crc32.ChecksumIEEE(classes))
	cache := filepath.Join(o.Site, "cache", name+".json")
	if text, err := os.ReadFile(cache); err == nil {
		var e entry
		if json.Unmarshal(text, &e) == nil && e.Stamp == stamp {
			return &e, nil
		}
	}
	e := &entry{Stamp: stamp}
	problem := o.read(ctx, file, info.ModTime(), e)
	if ctx.Err() != nil {
		return nil, nil
	}
	if problem != nil {
		e.Stamp = "" // to be read again, and complained about
	}
	text, err := json.Marshal(e)
	if err == nil {
		err = os.WriteFile(cache, text, 0o644)
	}
	return e, cmp.Or(problem, err)
}

// lastYear is the last one of dates. A capture with a wrong unit of time has others.
const lastYear = 9999

// read reads a recording, and writes its report and what is published of it. Recordings that are no captures have no
// dates: they end when the file was written last.
func (o *Options) read(ctx context.Context, file string, written time.Time, e *entry) (failed error) {
	in, err := (&capture.Opener{Port: o.Port, Plain: o.Plain}).Open(ctx, file)
	if err != nil {
		return err
	}
	defer in.Close()
	name := filepath.Base(file)
	out, err := os.Create(filepath.Join(o.Site, "watch", published(name)))
	if err != nil {
		return err
	}
	defer out.Close()
	packed, _ := gzip.NewWriterLevel(out, gzip.BestSpeed) // a level that exists
	follower := follower{match: match.Match{Events: true, Classes: o.Classes}, reports: report.Builder{Classes: o.Classes, Aliases: o.Aliases}, clients: map[string]int64{}}
	hits, problem := damagelog.Open(file)
	defer func() { failed = errors.Join(failed, hits.Close()) }()
	var line []byte
	var begin time.Time
	for d, err := range in.Datagrams() {
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			problem = cmp.Or(problem, err)
			continue
		}
		if at := d.Match().Time; d.At.IsZero() || d.At.Year() > lastYear {
			begin = written.Add(-at)
		} else if begin.IsZero() {
			begin = d.At.Add(-at)
		}
		for h := range hits.Until(d.Time, d.At) {
			follower.reports.Hit(h)
		}
		text := follower.follow(d, o)
		if text == nil {
			continue
		}
		if line, err = recording.Append(line[:0], *text); err == nil {
			_, err = packed.Write(line)
		}
		if err != nil {
			return err
		}
	}
	follower.reports.Settle(follower.match.Flush(), follower.datagrams) // the last shots
	for h := range hits.Rest() {
		follower.reports.Hit(h)
	}
	var reports []*report.Report
	for _, s := range follower.reports.Summaries() {
		if r := follower.reports.Report(s.Match); r.Players > 0 {
			reports = append(reports, r)
			e.Matches = append(e.Matches, matchOf(name, begin.UTC(), r))
		}
	}
	if len(reports) == 0 {
		problem = cmp.Or(problem, fmt.Errorf("%s: no match with a player", file))
		for _, note := range in.Notes() {
			problem = fmt.Errorf("%w; %s", problem, note)
		}
	}
	page, err := o.Report(name, published(name), reports)
	if err = cmp.Or(err, packed.Close(), out.Close()); err == nil && len(reports) > 0 {
		err = os.WriteFile(filepath.Join(o.Site, "matches", name+".html"), page, 0o644)
	} else {
		o.withdraw(name)
	}
	return cmp.Or(problem, err)
}

// withdraw removes what is published of a recording.
func (o *Options) withdraw(name string) {
	for _, file := range []string{filepath.Join("matches", name+".html"), filepath.Join("watch", published(name))} {
		_ = os.Remove(filepath.Join(o.Site, file)) // it may be gone
	}
}

// clean withdraws the recordings that the folder no longer has, and removes pages of players who are not of the site.
func (o *Options) clean(files []string, people []*Person) error {
	cached, err := os.ReadDir(filepath.Join(o.Site, "cache"))
	for _, x := range cached {
		name, ok := strings.CutSuffix(x.Name(), ".json")
		if ok && !slices.Contains(files, filepath.Join(o.Dir, name)) {
			o.withdraw(name)
			err = cmp.Or(err, os.Remove(filepath.Join(o.Site, "cache", x.Name())))
		}
	}
	pages, problem := os.ReadDir(filepath.Join(o.Site, "players"))
	for _, x := range pages {
		if filepath.Ext(x.Name()) == ".html" && !slices.ContainsFunc(people, func(p *Person) bool { return p.File == x.Name() }) {
			problem = cmp.Or(problem, os.Remove(filepath.Join(o.Site, "players", x.Name())))
		}
	}
	return cmp.Or(err, problem)
}

// published returns the name of what is published of a recording. Recordings may differ in their extensions only.
func published(name string) string { return name + ".jsonl.gz" }

// follower follows a recording.
type follower struct {
	match     match.Match
	reports   report.Builder
	clients   map[string]int64
	datagrams int
}

// follow follows a datagram and returns what is published of it, or nil.
func (f *follower) follow(d *capture.Datagram, o *Options) *recording.Datagram {
	text := transport.IsGameSpy(d.Data)
	if !text && !o.Plain {
		d.Decipher()
	}
	secret := false
	for step := range f.match.Receive(d.Match()) {
		f.reports.Add(step, f.datagrams)
		switch step.Message.Type {
		case transport.TypeData, transport.TypeAck, transport.TypeDoNothing:
		default:
			secret = true
		}
	}
	f.datagrams++
	client, ok := f.clients[d.Client]
	if !ok {
		client = int64(len(f.clients) + 1)
		if n, err := strconv.ParseInt(d.Client, 10, 64); err == nil {
			client = n
		}
		f.clients[d.Client] = client
	}
	if text && !o.Private {
		return nil
	}
	if secret && !o.Private {
		hide(d.Data)
	}
	if !text {
		cipher.Encrypt(d.Data)
	}
	return &recording.Datagram{Seconds: d.Time, Direction: d.Dir, Client: client, Data: d.Data}
}

// hide clears the addresses and passwords in a datagram, and what cannot be read.
func hide(datagram []byte) {
	for f := range transport.Dissect(datagram) {
		if f.Name == "LocalIP" || f.Name == "IP" || f.Name == "Password" || f.Err != nil {
			clear(f.Raw)
		}
	}
}

// matchOf returns the rows of a match.
func matchOf(name string, date time.Time, r *report.Report) *Match {
	n, names := int32(r.Match), r.Names()
	named := func(i int) string {
		if i < 0 {
			return ""
		}
		return names[i]
	}
	m := &Match{Recording: name, Match: n, Start: r.Start, Date: date.Add(time.Duration(r.Start * float64(time.Second))), Seconds: r.End - r.Start, Deaths: int32(r.Deaths)}
	if len(r.Maps) > 0 {
		m.Map = r.Maps[0].Set
	}
	for _, p := range r.Scores {
		m.Players = append(m.Players, Player{
			Recording: name, Match: n, Name: p.Name, Connections: strings.Join(p.Connections, ", "), Team: int32(p.Team), Ships: strings.Join(p.Ships, ", "),
			Score: p.Told.Score, Kills: int32(p.Kills), Deaths: int32(p.Deaths), Shots: int32(p.Shots), Given: p.Given, ShieldsLost: p.ShieldsLost, HullLost: p.HullLost, Alive: p.Alive, Ping: p.Ping,
			Nameless: p.Name == "peer "+p.Peer.String(),
		})
	}
	m.Winner = m.winner()
	for i, s := range m.sides() {
		m.Players[i].Won = m.Winner != "" && s.name == m.Winner
	}
	for _, k := range r.List {
		m.Kills = append(m.Kills, Kill{name, n, k.Time, k.By, k.Of, k.Weapon, k.Class, k.Reason})
	}
	for _, h := range r.Hits {
		m.Hits = append(m.Hits, Hit{name, n, named(h.By), named(h.Of), h.Weapon, int32(h.Shots), int32(h.Hits), h.Points})
	}
	for _, x := range r.Losses {
		m.Losses = append(m.Losses, Loss{name, n, x.Time, named(x.Of), x.Part, int32(x.From), int32(x.To), x.Points, named(x.By), x.Weapon, x.Source})
	}
	return m
}
