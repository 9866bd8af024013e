package timeline

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport/recording"
)

func TestInfo(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Title: "battle"})
	require.True(t, s.Info().Loading)
	all := datagrams(t, battle)
	for _, d := range all {
		require.NoError(t, s.Add(copyOf(d)))
	}
	s.Finish()
	info := s.Info()
	require.Equal(t, "battle", info.Title)
	require.False(t, info.Loading)
	require.Empty(t, info.Problem)
	require.Equal(t, len(all), info.Datagrams)
	require.Equal(t, all[0].Time, info.Start)
	require.Equal(t, all[len(all)-1].Time, info.End)
	require.Equal(t, "StateUpdate", info.Names[0].Name)
	require.Equal(t, 1, info.Link)
	var players []string
	for _, l := range info.Links {
		players = append(players, l.Player)
	}
	require.Equal(t, []string{"Ann", "Ben", "Cid", "Dee", "Cid"}, players)
}

// Rows, filters and positions agree with a search through all rows.
func TestMessages(t *testing.T) {
	t.Parallel()
	s := shared(t)
	total := s.Info().Messages
	var all []Row
	for from := 0; from < total; from += MaxRows {
		rows, err := s.Messages(Query{From: from, Count: MaxRows})
		require.NoError(t, err)
		require.Equal(t, total, rows.Total)
		all = append(all, rows.Rows...)
	}
	require.Len(t, all, total)
	for name, c := range map[string]struct {
		filter  Filter
		matches func(r *Row) bool
	}{
		"link":      {Filter{Link: 2}, func(r *Row) bool { return r.Link == 2 }},
		"direction": {Filter{Dir: "s2c"}, func(r *Row) bool { return r.Dir == "s2c" }},
		"names":     {Filter{Names: "ChatMessage,Score"}, func(r *Row) bool { return r.Name == "ChatMessage" || r.Name == "Score" }},
		"no name":   {Filter{Names: "Nonsense"}, func(*Row) bool { return false }},
		"marks":     {Filter{Marks: "fragment,error"}, func(r *Row) bool { return slices.Contains(r.Marks, "fragment") }},
		"text":      {Filter{Text: `TEXT="qapla'!"`}, func(r *Row) bool { return strings.Contains(r.Summary, "Qapla") }},
		"fields":    {Filter{Text: "speed=0"}, func(r *Row) bool { return strings.Contains(r.Summary, "Speed=0") }},
		"name text": {Filter{Text: "torpedof"}, func(r *Row) bool { return r.Name == "TorpedoFire" }},
	} {
		var want []int
		for i := range all {
			if c.matches(&all[i]) {
				want = append(want, all[i].Number)
			}
		}
		for range 2 { // the second answer is from the cache
			var got []int
			for from := 0; ; from += 50 {
				rows := messages(t, s, Query{Filter: c.filter, From: from, Count: 50})
				require.Equal(t, len(want), rows.Total, name)
				for _, r := range rows.Rows {
					got = append(got, r.Number)
				}
				if len(rows.Rows) < 50 {
					break
				}
			}
			require.Equal(t, want, got, name)
		}
		if name == "names" {
			at := all[want[3]].Time
			rows, err := s.Messages(Query{Filter: c.filter, At: &at, Count: 1})
			require.NoError(t, err)
			require.Equal(t, at, rows.Rows[0].Time)
			rows, err = s.Messages(Query{Filter: c.filter, Number: &want[3], Count: 5})
			require.NoError(t, err)
			require.Equal(t, []int{3, want[3]}, []int{rows.From, rows.Rows[0].Number})
			other := 1
			rows, err = s.Messages(Query{Filter: c.filter, Number: &other, Count: 5})
			require.NoError(t, err)
			require.Zero(t, rows.From)
			require.Empty(t, rows.Rows, "the message does not match")
		}
	}
	for _, f := range []Filter{{Dir: "up"}, {Marks: "error,odd"}} {
		_, err := s.Messages(Query{Filter: f})
		require.ErrorIs(t, err, ErrRange)
	}
	late := 1e9
	rows, err := s.Messages(Query{At: &late, Count: 5})
	require.NoError(t, err)
	require.Equal(t, total, rows.From)
	require.Empty(t, rows.Rows)
}

// A row names the player as at its time, whoever has the peer ID later.
func TestRowsNamePlayers(t *testing.T) {
	t.Parallel()
	s := load(t, Options{}, datagrams(t, "../../../../testdata/rejoins.jsonl"))
	var got []string
	rows, err := s.Messages(Query{Filter: Filter{Dir: "c2s", Names: "NameChange,NewPlayerInGame"}, Count: 100})
	require.NoError(t, err)
	for _, peer := range []int8{3, 4} {
		for _, r := range rows.Rows {
			if r.Subject != nil && *r.Subject == peer {
				got = append(got, fmt.Sprint(peer, " ", r.Player))
			}
		}
	}
	require.Equal(t, []string{
		"3 Obi", "3 Obi", "3 Cady2", "3 Cady2", "3 Obi", "3 Obi", "4 Cid", "4 Cid", "4 Ann", "4 Ann2", "4 Ann2", "4 Bob",
	}, got)
}

// A live match drops its oldest messages. Everything that is kept is shown as before.
func TestLimit(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	battle := datagrams(t, battle)
	battle = battle[:len(battle)/testdata.Either(1, 2)]
	last := battle[len(battle)-1].Time
	segment := testdata.Either(2500, 1250)
	s := open(t, Options{Live: true, MaxMessages: 5 * segment, segmentMessages: segment, Every: 1000})
	whole := open(t, Options{Live: true})
	for round := range 2 {
		for _, d := range again(t, battle, round, float64(round)*(last+1)) {
			require.NoError(t, s.Add(copyOf(d)))
			require.NoError(t, whole.Add(d))
		}
		if round == 0 {
			_, err := s.Messages(Query{Filter: Filter{Names: "ChatMessage"}})
			require.NoError(t, err)
		}
	}
	kept, all := s.Info(), whole.Info()
	require.Equal(t, all.Messages, kept.First+kept.Messages)
	require.Greater(t, kept.First, 0)
	require.LessOrEqual(t, kept.Messages, 5*segment)
	require.Greater(t, kept.Messages, 3*segment)
	require.Less(t, all.Start, kept.Start)
	_, err := s.Message(kept.First - 1)
	require.ErrorIs(t, err, ErrNotFound)
	for _, n := range []int{kept.First, kept.First + 1, kept.First + 2*segment, all.Messages - 1} {
		a, err := s.Message(n)
		require.NoError(t, err)
		b, err := whole.Message(n)
		require.NoError(t, err)
		require.Equal(t, a, b)
	}
	for _, at := range []float64{kept.Start + 5, (kept.Start + kept.End) / 2, kept.End} {
		for _, l := range kept.Links {
			require.Equal(t, jsonOf(t, window(t, whole, l.Link, at, at+1)), jsonOf(t, window(t, s, l.Link, at, at+1)))
		}
	}
	chat := Query{Filter: Filter{Names: "ChatMessage"}, Count: 1}
	a, err := s.Messages(chat)
	require.NoError(t, err)
	b, err := whole.Messages(chat)
	require.NoError(t, err)
	require.Less(t, a.Total, b.Total)
	require.GreaterOrEqual(t, a.Rows[0].Number, kept.First)
	events, total, err := s.Events(1, 0, 1)
	require.NoError(t, err)
	_, allEvents, err := whole.Events(1, 0, 1)
	require.NoError(t, err)
	require.Equal(t, allEvents, total)
	require.Greater(t, events[0].Number, 0)
	require.GreaterOrEqual(t, events[0].Message, kept.First)
}

// The limit of bytes also drops segments.
func TestLimitOfBytes(t *testing.T) {
	t.Parallel()
	const segment = 1 << 20
	s := open(t, Options{Live: true, MaxBytes: 3 * segment, segmentBytes: segment})
	for n := range 1000 {
		require.NoError(t, s.Add(&show.Datagram{Number: n, Time: float64(n), Client: "1", Dir: recording.ToServer, Data: make([]byte, 5_000)}))
	}
	info := s.Info()
	require.Greater(t, info.First, 0)
	size := int64(0)
	for _, g := range s.segments {
		size += g.size()
	}
	require.LessOrEqual(t, size, int64(3*segment))
}

// Times that go back a little stay, and after a jump back the match continues.
func TestTimeGoesBackwards(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	c := clock{}
	var got []float64
	for _, at := range []float64{-5, -4, -4.5, 10, 2, 3, math.NaN(), math.Inf(1), 1, math.Inf(-1), 1e300} {
		got = append(got, c.at(at))
	}
	require.Equal(t, []float64{-5, -4, -4, 10, 10, 11, 11, 1e12 + 11, 1e12 + 11}, got[:9])
	require.True(t, slices.IsSorted(got))

	all := datagrams(t, battle)
	s := load(t, Options{}, slices.Concat(all, again(t, all, 1, 0)))
	info := s.Info()
	require.InDelta(t, 2*all[len(all)-1].Time, info.End, 1)
	w := window(t, s, 1, all[len(all)-1].Time, all[len(all)-1].Time+3)
	kinds := map[string]bool{}
	for _, c := range w.Changes {
		kinds[c.Kind] = true
	}
	require.True(t, kinds["reset"] && kinds["create"], "the second match begins: %v", kinds)
	require.Equal(t, "Ann", w.Snapshot.Players[0].Name)
}

// Problems of the input are reported, and what can be decoded is shown.
func TestProblems(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	s.Finish()
	require.Contains(t, s.Info().Problem, "no datagrams of the game")

	s = open(t, Options{})
	for i, text := range []string{"one", "two", "three", "four", "<script>\x80"} {
		require.NoError(t, s.Add(&show.Datagram{Number: i, Client: "1", Dir: recording.ToServer, Data: []byte(text)}))
		s.Problem(errors.New(text))
	}
	s.Finish()
	require.Equal(t, "one; two; three", s.Info().Problem, "the first ones")
	require.Empty(t, s.Info().Links)
	require.Zero(t, s.Info().Link)
	rows, err := s.Messages(Query{Count: 10})
	require.NoError(t, err)
	require.Equal(t, 5, rows.Total)
	for n := range 5 {
		d, err := s.Message(n)
		require.NoError(t, err)
		require.Zero(t, d.Row.Link)
	}
	require.Len(t, s.Traffic().Links, 1)
}

// Programs that only query the server need no link. Of any number of clients, those who do not play make room for others.
func TestManyClients(t *testing.T) {
	t.Parallel()
	connect := datagrams(t, battle)[0].Data
	s := open(t, Options{})
	add := func(n int, text []byte) {
		player := netip.AddrPortFrom(netip.MustParseAddr("192.0.2.1"), uint16(1000+n))
		require.NoError(t, s.Add(&show.Datagram{Number: n, Src: player, Dst: netip.MustParseAddrPort("192.0.2.2:22101"), Data: slices.Clone(text)}))
	}
	for n := range 2000 {
		add(n, []byte(`\status\`))
		if n%4 == 0 {
			add(n, connect)
		}
		for _, l := range s.links {
			l.played = l.played || n == 0
		}
	}
	info := s.Info()
	require.Len(t, info.Links, maxLinks)
	require.Empty(t, info.Problem)
	require.Equal(t, "192.0.2.1:1000", info.Links[0].Client, "a player stays")
	require.Equal(t, "192.0.2.1:2996", info.Links[maxLinks-1].Client)
	require.Equal(t, 2500, info.Messages)
	d, err := s.Message(0)
	require.NoError(t, err)
	require.Equal(t, "GameSpy", d.Row.Type)
	require.Nil(t, d.Row.Peer)
	require.Equal(t, "192.0.2.1:1000", d.Row.Client)

	for _, l := range s.links {
		l.played = true
	}
	add(2000, connect)
	require.Equal(t, "datagrams of more than 256 clients are left out", s.Info().Problem)
	require.Len(t, s.links, maxLinks)
}

// fullDisk is a file that cannot grow.
type fullDisk struct{ file }

func (fullDisk) WriteAt([]byte, int64) (int, error) { return 0, syscall.ENOSPC }

// Without room for the temporary file, the page shows what was read before, and why the rest is
// missing.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	missing := New(Options{Dir: "/does/not/exist"})
	defer missing.Close()
	require.Error(t, missing.Add(datagrams(t, sample)[0]))
	require.Contains(t, missing.Info().Problem, "temporary file: ")

	s := open(t, Options{})
	all := datagrams(t, battle)
	var failed error
	added := 0
	for i, d := range all {
		if i == 1000 {
			s.segments[0].file = fullDisk{s.segments[0].file}
		}
		if failed = s.Add(copyOf(d)); failed != nil {
			break
		}
		added++
	}
	s.Finish()
	require.ErrorContains(t, failed, "no space left")
	require.Less(t, added, len(all))
	info := s.Info()
	require.Contains(t, info.Problem, "no space left on device: the rest of the match is missing")
	require.NotEmpty(t, window(t, s, 1, info.End-5, info.End).Changes)
	_, err := s.Message(info.First + info.Messages - 1)
	require.NoError(t, err)
	require.Error(t, s.Add(copyOf(all[0])))
}

// Readers do not disturb the loading, and get consistent results.
func TestReadersWhileLoading(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Every: 300})
	all := datagrams(t, battle)
	var readers sync.WaitGroup
	turns := make(chan struct{}, len(all))
	for i := range 4 {
		readers.Go(func() {
			for range turns {
				info := s.Info()
				if info.Link == 0 {
					continue
				}
				w, err := s.Window(info.Link, info.End-1, info.End, true)
				if err == nil {
					newReplica(w.Snapshot).apply(w.Changes)
				}
				_, _ = s.Message(info.Messages - 1)
				_, _ = s.Messages(Query{Filter: Filter{Link: 1 + i, Text: "e"}, Count: 10})
				s.Traffic()
				_, _, _ = s.Events(info.Link, 0, 100)
			}
		})
	}
	for i, d := range all {
		require.NoError(t, s.Add(copyOf(d)))
		if i%100 == 0 {
			turns <- struct{}{}
		}
	}
	s.Finish()
	close(turns)
	readers.Wait()
	require.Equal(t, len(all), s.Info().Datagrams)
}

// A match in memory has the same messages and worlds as one in temporary files, until the memory is full.
func TestMemory(t *testing.T) {
	t.Parallel()
	all := datagrams(t, battle)
	files, memory := shared(t), load(t, Options{Memory: 64 << 20, segmentMessages: 3000}, all)
	require.Empty(t, memory.Info().Problem)
	require.Equal(t, files.Info().Messages, memory.Info().Messages)
	for n := 0; n < files.Info().Messages; n += 997 {
		want, err := files.Message(n)
		require.NoError(t, err)
		got, err := memory.Message(n)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	require.Equal(t, jsonOf(t, window(t, files, 1, 20, 22)), jsonOf(t, window(t, memory, 1, 20, 22)))
	full := open(t, Options{Memory: 1, segmentMessages: 100})
	var failed error
	for i := 0; failed == nil && i < len(all); i++ {
		failed = full.Add(copyOf(all[i]))
	}
	require.ErrorIs(t, failed, errMemory)
	require.Contains(t, full.Info().Problem, "too large for the browser")
}

// The temporary files are gone after Close.
func TestCloseRemovesFiles(t *testing.T) {
	dir := t.TempDir()
	s := New(Options{Dir: dir})
	for _, d := range datagrams(t, battle) {
		require.NoError(t, s.Add(d))
	}
	s.Close()
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, files)
	require.Error(t, s.Add(datagrams(t, sample)[0]))
	require.NotNil(t, s.Info())
	_, err = s.Message(1)
	require.ErrorIs(t, err, ErrNotFound)
}

// A store tells why an input shows nothing, and what to do. In the browser, there are no flags.
func TestAdvice(t *testing.T) {
	t.Parallel()
	const plain, enciphered = "ff01030fc000007f000001010203040000", "ffd7336138b35b334d60f3d99a020e958b"
	for _, c := range []struct {
		options     Options
		input, want string
	}{
		{Options{}, plain, "the datagrams are not enciphered: start again with -plain"},
		{Options{Memory: 1 << 20}, plain, `the datagrams are not enciphered: tick the box "The recording is already deciphered", and open the file again`},
		{Options{Plain: true}, enciphered, "the datagrams are enciphered: start again without -plain"},
		{Options{Plain: true, Memory: 1 << 20}, enciphered, `the datagrams are enciphered: untick the box "The recording is already deciphered", and open the file again`},
		{Options{Memory: 1 << 20}, "00112233445566778899", "no datagrams of the game were found: is this a capture of a match?"},
		{Options{Memory: 1 << 20}, "\x89PNG\r\n\x1a\n\x00", "capture: " + capture.ErrFormat.Error()},
	} {
		s := open(t, c.options)
		require.True(t, s.Load(t.Context(), capture.NewReader(strings.NewReader(c.input)), nil))
		require.Equal(t, c.want, s.Info().Problem)
		rows, err := s.Messages(Query{Count: 10})
		require.NoError(t, err)
		for _, r := range rows.Rows {
			require.Equal(t, !s.inBrowser() && s.ciphered > 0, strings.Contains(r.Note, "-plain"), r.Note)
		}
	}
}

// What was not read of an input is a problem besides its errors.
func TestNotes(t *testing.T) {
	t.Parallel()
	const name = "../../../capture/testdata/ng_unk_iface_mid.pcapng"
	file, err := os.Open(name)
	require.NoError(t, err)
	defer file.Close()
	s := open(t, Options{})
	require.True(t, s.Load(t.Context(), capture.NewReader(file), nil))
	require.Equal(t, "30 packets of link type 258 (PKTAP) not read; the first is number 2", s.Info().Problem)
	require.Equal(t, 30, s.Info().Datagrams)
}

// A capture on the computer that forwards the port of a server is one match, and its other traffic is a note.
func TestForwardedPort(t *testing.T) {
	var b bytes.Buffer
	w := capture.NewWriter(&b)
	public, private := netip.MustParseAddrPort("198.51.100.7:22101"), netip.MustParseAddrPort("10.0.0.5:22101")
	for _, d := range datagrams(t, battle) {
		client := netip.AddrPortFrom(netip.MustParseAddr("203.0.113.9"), 50000+uint16(d.Client[0]))
		for _, server := range []netip.AddrPort{public, private} {
			if d.Src, d.Dst = client, server; d.Dir == recording.ToClient {
				d.Src, d.Dst = server, client
			}
			require.NoError(t, w.Write(d))
		}
	}
	require.NoError(t, w.Write(&capture.Datagram{At: time.Unix(100, 0), Src: netip.MustParseAddrPort("203.0.113.9:53000"), Dst: netip.MustParseAddrPort("192.0.2.53:53"), Data: []byte("\x12\x34\x01\x00\x00\x01")}))
	require.NoError(t, w.Flush())
	s := New(Options{Dir: t.TempDir()})
	defer s.Close()
	require.True(t, s.Load(t.Context(), capture.NewReader(&b), nil))
	want := loaded(t, battle)
	require.Len(t, s.Info().Links, len(want.Info().Links))
	require.Equal(t, want.Info().Messages, s.Info().Messages)
	require.Contains(t, s.Info().Problem, "1 datagram on 1 port is not the game's: 53")
	_, total, err := s.Events(1, 0, 1000)
	require.NoError(t, err)
	_, wantTotal, err := want.Events(1, 0, 1000)
	require.NoError(t, err)
	require.Equal(t, wantTotal, total)
}

func loaded(t *testing.T, file string) *Store {
	s := New(Options{Dir: t.TempDir()})
	t.Cleanup(s.Close)
	in, err := new(capture.Opener).Open(t.Context(), file)
	require.NoError(t, err)
	require.True(t, s.Load(t.Context(), in, nil))
	return s
}

// In a live match, an event that waits is shown without another datagram: nobody passes the line of chat on.
func TestTick(t *testing.T) {
	s := New(Options{Dir: t.TempDir(), Live: true})
	defer s.Close()
	for _, d := range datagrams(t, "../../../../testdata/cheater.jsonl") {
		require.NoError(t, s.Add(d))
	}
	chat := func() (lines []string) {
		for _, link := range s.Info().Links {
			events, _, err := s.Events(link.Link, 0, 1000)
			require.NoError(t, err)
			for _, e := range events {
				if e.Kind == "chat" && !slices.Contains(lines, e.Text) {
					lines = append(lines, e.Text)
				}
			}
		}
		return lines
	}
	require.Empty(t, chat())
	s.Tick(s.Info().End + 50)
	require.Equal(t, []string{"I give up"}, chat())
}
