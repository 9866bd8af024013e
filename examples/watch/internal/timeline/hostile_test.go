package timeline

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/internal/terminal/terminaltest"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// fromHost returns a datagram of the host with a payload.
func fromHost(t testing.TB, client int, at float64, payload []byte) *show.Datagram {
	t.Helper()
	p := transport.Packet{PeerID: objectid.Host, Messages: []transport.Message{transport.NewUnreliable(payload)}}
	data, err := p.MarshalBinary()
	require.NoError(t, err)
	cipher.Encrypt(data)
	return &show.Datagram{Number: 1, Time: at, Dir: recording.ToClient, Client: strconv.Itoa(client), Data: data}
}

// noise is a payload that changes nothing.
var noise = []byte{0xFE}

// creation returns the creation of the n-th ship that belongs to no player.
func creation(t testing.TB, n int) []byte {
	t.Helper()
	ship := stateupdate.NewShip(objectid.ID(0x3FFFFFFF+200*n), stateupdate.Stock().Named("sovereign"))
	object, err := ship.Object()
	require.NoError(t, err)
	payload, err := opcode.Marshal(&opcode.ObjectCreate{OwnerSlot: -1, Object: object})
	require.NoError(t, err)
	return payload
}

// requireCheckpoints requires that exactly the links with datagrams have checkpoints.
func requireCheckpoints(t *testing.T, s *Store) {
	t.Helper()
	for _, l := range s.links {
		kept := 0
		for _, g := range s.segments {
			for i := range g.datagrams {
				if int(g.datagrams[i].link) == l.id {
					kept++
				}
			}
		}
		require.Equal(t, kept > 0, len(l.checkpoints) > 0)
	}
}

// Checkpoints have a limit, and each of them is used.
func TestCheckpointsAreThinned(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	s := load(t, Options{Every: 10, MaxCheckpoints: 16}, datagrams(t, battle))
	loose, _ := s.checkpoints()
	require.LessOrEqual(t, loose, 16)
	require.Greater(t, loose, 4)
	for _, l := range s.links {
		require.Empty(t, l.checkpoints[0].world.shown, "before the first datagram")
		require.True(t, l.checkpoints[0].pinned)
	}
	requireCheckpoints(t, s)
}

// Many clients do not make the distance of checkpoints overflow, after which each datagram would
// have one.
func TestCheckpointsOfManyClients(t *testing.T) {
	t.Parallel()
	for _, live := range []bool{false, true} {
		o := Options{segmentMessages: 300, Live: live, Every: 2, MaxCheckpoints: 16}
		if live {
			o.MaxMessages = 2000
		}
		s := open(t, o)
		for i := range 20 * maxLinks {
			require.NoError(t, s.Add(fromHost(t, i%maxLinks, float64(i)/100, noise)))
		}
		require.GreaterOrEqual(t, s.options.Every, 2)
		require.LessOrEqual(t, s.options.Every, maxEvery)
		loose, _ := s.checkpoints()
		require.LessOrEqual(t, loose, 16)
		requireCheckpoints(t, s)
	}
}

// The checkpoints of a link with many ships have a limit of bytes. If a live match cannot thin them
// out, it keeps fewer messages.
func TestCheckpointsOfManyShips(t *testing.T) {
	t.Parallel()
	const limit = 2 << 20
	for _, live := range []bool{false, true} {
		o := Options{Every: 64, MaxCheckpointBytes: limit, segmentMessages: 500, Live: live}
		if live {
			o.MaxMessages = 1_000_000
		}
		s := open(t, o)
		for n := range 128 {
			require.NoError(t, s.Add(fromHost(t, 1, float64(n)/100, creation(t, n))))
		}
		require.Len(t, s.links[flow{client: "1"}].world.shown, 128)
		for n := range 4000 {
			require.NoError(t, s.Add(fromHost(t, 1, 11+float64(n)/100, noise)))
		}
		least := s.links[flow{client: "1"}].size()
		_, bytes := s.checkpoints()
		require.LessOrEqual(t, bytes, limit+least, "and the first one of the newest segment")
		require.Equal(t, live, s.first() > 0)
		requireCheckpoints(t, s)
		end := s.Info().End
		require.Len(t, window(t, s, 1, end, end).Snapshot.Ships, 128)
	}
}

// Names show all their characters, so that no two players look the same and none turns the text
// beside it.
func TestInvisibleCharacters(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.game(2, s.ship(0, "akira"))
	s.join(2, "Ann")
	s.join(3, "Ann\u200b\u3164")
	s.join(4, terminaltest.Invisible)
	var names []string
	for _, p := range s.snapshot().Players {
		names = append(names, p.Name)
		terminaltest.RequirePlain(t, p.Name)
	}
	require.Contains(t, names, "Ann")
	require.Contains(t, names, `Ann\u200b\u3164`)
	require.Len(t, names, 3)
}

// In a live match, a player who has been silent makes room for another client. The messages of the
// silent client stay.
func TestNewClientsOfLiveMatch(t *testing.T) {
	t.Parallel()
	s := open(t, Options{Live: true})
	for i := range maxLinks {
		require.NoError(t, s.Add(fromHost(t, i, float64(i)/100, noise)))
	}
	for _, l := range s.links {
		l.played = true
	}
	require.NoError(t, s.Add(fromHost(t, maxLinks, silence-1, noise)))
	require.Len(t, s.links, maxLinks)
	require.Contains(t, s.Info().Problem, "datagrams of more than 256 clients")
	require.NoError(t, s.Add(fromHost(t, maxLinks, silence+1, noise)))
	require.Len(t, s.links, maxLinks)
	_, err := s.link(1)
	require.ErrorIs(t, err, ErrNotFound)
	_, err = s.link(maxLinks + 1)
	require.NoError(t, err)
	d, err := s.Message(0)
	require.NoError(t, err)
	require.Equal(t, "Unknown 0xFE", d.Row.Name)
	require.Equal(t, 1, d.Row.Link)
	requireCheckpoints(t, s)
}

// Jumps of the time to and fro do not add up to times that no request accepts, and recordings with
// the time since 1970 have all times.
func TestTimeJumps(t *testing.T) {
	t.Parallel()
	c := clock{}
	for i := range 100_000 {
		at := c.at(1e300 * float64(i%2))
		require.LessOrEqual(t, at, maxTotal)
	}
	c = clock{}
	require.Equal(t, 1.7e9, c.at(1.7e9))
	require.Equal(t, 1.7e9+0.5, c.at(1.7e9+0.5))
}

// A window has a limit of changes, because a recording may have all of them at one time.
func TestTooManyChanges(t *testing.T) {
	t.Parallel()
	notUnderRace(t)
	const limit = 1400
	s := open(t, Options{Live: true, weight: limit})
	ships := 0
	for weight := 0; weight <= limit; weight += 1 + len(stateupdate.Stock().Named("sovereign").Subsystems) {
		require.NoError(t, s.Add(fromHost(t, 1, 0, creation(t, ships))))
		ships++
	}
	_, err := s.Window(1, -1, 1, true)
	require.ErrorIs(t, err, ErrRange)
	require.ErrorContains(t, err, "too many changes")
	_, err = s.Window(1, -1, math.Inf(1), false)
	require.ErrorIs(t, err, ErrRange)
	require.Len(t, window(t, s, 1, 1, 1).Snapshot.Ships, ships)
}

// Ships beyond the limit of plots replace the oldest plots.
func TestManyPlots(t *testing.T) {
	t.Parallel()
	s := open(t, Options{})
	for n := range maxPlots + 10 {
		require.NoError(t, s.Add(fromHost(t, 1, float64(n), creation(t, n))))
	}
	require.Len(t, s.links[flow{client: "1"}].world.plots, maxPlots)
	for n, want := range map[int]int{0: 0, 9: 0, 10: 2, maxPlots + 9: 1} {
		points, err := s.Plot(1, key(objectid.ID(0x3FFFFFFF+200*n), float64(n)))
		require.NoError(t, err)
		require.Len(t, points, want)
	}
}

// Fragments of payloads that are never complete count for the size of a checkpoint.
func TestEndlessFragments(t *testing.T) {
	t.Parallel()
	const limit = 4 << 20
	s := open(t, Options{Every: 8, MaxCheckpointBytes: limit})
	for n := range 600 {
		fragments, err := transport.AppendFragments(nil, uint16(2000*(n%30)), make([]byte, 60_000))
		require.NoError(t, err)
		m := fragments[n/30]
		p := transport.Packet{PeerID: objectid.PeerID(2 + n%30), Messages: []transport.Message{m}}
		data, err := p.MarshalBinary()
		require.NoError(t, err)
		cipher.Encrypt(data)
		require.NoError(t, s.Add(&show.Datagram{Number: n, Time: float64(n) / 1000, Dir: recording.ToServer, Client: "1", Data: data}))
	}
	l := s.links[flow{client: "1"}]
	require.Greater(t, len(l.senders), maxSenders)
	payloads, _ := l.decoder.Pending()
	require.Greater(t, payloads, 1)
	require.Greater(t, l.size(), maxSenders*senderBytes+payloads*100)
	_, bytes := s.checkpoints()
	require.LessOrEqual(t, bytes, limit)
	requireCheckpoints(t, s)
}

// An event has at most maxText bytes of text, also if the name of its player is long.
func TestScoresOfLongNames(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.join(3, strings.Repeat("n", 3000))
	s.game(objectid.Host, &opcode.ScoreChange{KillerID: 3, KillerKills: 1, VictimID: 4})
	events, _, err := s.store.Events(1, 0, 10)
	require.NoError(t, err)
	require.Equal(t, "score", events[1].Kind)
	for _, e := range events {
		require.LessOrEqual(t, len(e.Text), maxText+len("…"))
	}
}

// flood is the datagrams of a match or of a hostile peer, deciphered.
type flood struct {
	name string
	all  []recording.Datagram
}

// floods returns a part of a match, and after it all floods.
func floods(t testing.TB) []flood {
	match := testdata.Battle(t)[:400]
	for _, d := range match {
		cipher.Decrypt(d.Data)
	}
	clients := make([]recording.Datagram, 600)
	for i := range clients {
		clients[i] = recording.Datagram{Direction: recording.ToServer, Client: int64(i), Data: []byte{2, 1, 0x32, 5, 0x80, 0, 0}}
	}
	list := []flood{{"match", match}, {"many clients", clients}}
	for _, f := range testdata.Floods() {
		var all []recording.Datagram
		for i, d := range f.Datagrams(8000) {
			direction := recording.ToServer
			if d.FromHost {
				direction = recording.ToClient
			}
			all = append(all, recording.Datagram{Seconds: float64(i) / 1000, Direction: direction, Client: 1, Data: d.Data})
		}
		list = append(list, flood{f.Name, all})
	}
	return list
}

// size returns the bytes on the wire.
func (f *flood) size() (n int) {
	for _, d := range f.all {
		n += testdata.OnTheWire(d.Data)
	}
	return n
}

// add adds the datagrams to a new store.
func (f *flood) add(t testing.TB, dir string) {
	s := New(Options{Plain: true, Dir: dir})
	defer s.Close()
	for i, d := range f.all {
		d.Data = slices.Clone(d.Data)
		require.NoError(t, s.Add(capture.Recorded(i+1, d)))
	}
}

// No flood makes a store allocate more than 50 times as much for each byte as a match does. It is the copies of
// states that could cost most; BenchmarkFloods measures the time.
func TestAllocationsOfFloods(t *testing.T) {
	notUnderRace(t)
	dir, match := t.TempDir(), 0.0
	for _, f := range floods(t) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f.add(t, dir)
		runtime.ReadMemStats(&after)
		perByte := float64(after.TotalAlloc-before.TotalAlloc) / float64(f.size())
		match = cmp.Or(match, perByte) // the first one
		require.LessOrEqual(t, perByte, 50*match, f.name)
	}
}

// BenchmarkFloods measures the flood that takes a store longest for each byte.
func BenchmarkFloods(b *testing.B) {
	dir := b.TempDir()
	var works []testdata.Work
	for _, f := range floods(b) {
		works = append(works, testdata.Work{Name: f.name, Bytes: f.size(), Run: func() { f.add(b, dir) }})
	}
	testdata.Worst(b, works...)
}
