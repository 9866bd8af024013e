package timeline

import (
	"bytes"
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

const (
	battle = "../../../../testdata/battle.jsonl"
	sample = "../../../dump/sample.jsonl"
)

// datagrams reads the datagrams of a file.
func datagrams(t testing.TB, name string) (all []*show.Datagram) {
	t.Helper()
	in, err := new(capture.Opener).Open(t.Context(), name)
	require.NoError(t, err)
	defer in.Close()
	for d, err := range in.Datagrams() {
		require.NoError(t, err)
		all = append(all, copyOf(d))
	}
	return all
}

// copyOf returns a copy of a datagram, because decoding deciphers it.
func copyOf(d *show.Datagram) *show.Datagram {
	own := *d
	own.Data = bytes.Clone(d.Data)
	return &own
}

// again returns the datagrams of a match that begins at a later time, with other connections.
func again(t testing.TB, all []*show.Datagram, round int, begin float64) (later []*show.Datagram) {
	t.Helper()
	for _, d := range all {
		own := copyOf(d)
		own.Time += begin
		own.Data = reconnected(t, own.Data, uint32(round))
		later = append(later, own)
	}
	return later
}

// reconnected changes the ID of the connection in a Connect.
func reconnected(t testing.TB, data []byte, n uint32) []byte {
	t.Helper()
	var p transport.Packet
	plain := bytes.Clone(data)
	cipher.Decrypt(plain)
	if p.UnmarshalBinary(plain) != nil || len(p.Messages) != 1 || p.Messages[0].Type != transport.TypeConnect || p.PeerID != objectid.NoPeer {
		return data
	}
	body, err := p.Messages[0].Decode()
	require.NoError(t, err)
	request := body.(*transport.ConnectRequest)
	request.ConnID += n
	p.Messages[0] = transport.NewMessage(0, request)
	plain, err = p.MarshalBinary()
	require.NoError(t, err)
	cipher.Encrypt(plain)
	return plain
}

// sharedBattle is the battle, for tests that only read it.
var sharedBattle struct {
	once  sync.Once
	store *Store
}

// shared returns the battle with the default options. Tests must not change it.
func shared(t testing.TB) *Store {
	t.Helper()
	sharedBattle.once.Do(func() {
		s := New(Options{})
		for _, d := range datagrams(t, battle) {
			require.NoError(t, s.Add(d))
		}
		s.Finish()
		sharedBattle.store = s
	})
	require.NotNil(t, sharedBattle.store)
	return sharedBattle.store
}

func TestMain(m *testing.M) {
	status := m.Run()
	if sharedBattle.store != nil {
		sharedBattle.store.Close()
	}
	os.Exit(status)
}

// open returns a store of its own temporary directory.
func open(t testing.TB, o Options) *Store {
	t.Helper()
	o.Dir = t.TempDir()
	s := New(o)
	t.Cleanup(s.Close)
	return s
}

// load returns a store with datagrams.
func load(t testing.TB, o Options, all []*show.Datagram) *Store {
	t.Helper()
	s := open(t, o)
	for _, d := range all {
		require.NoError(t, s.Add(copyOf(d)))
	}
	s.Finish()
	return s
}

// replica is the world as a page keeps it: a snapshot to which changes are applied.
type replica struct {
	ships   map[string]*Ship
	players map[objectid.PeerID]*Player
}

func newReplica(s *Snapshot) *replica {
	r := &replica{map[string]*Ship{}, map[objectid.PeerID]*Player{}}
	for _, ship := range s.Ships {
		r.ships[ship.ID] = ship
	}
	for _, p := range s.Players {
		r.players[p.Peer] = p
	}
	return r
}

func (r *replica) apply(changes []Change) {
	for _, c := range changes {
		switch c.Kind {
		case "reset":
			clear(r.ships)
		case "create":
			r.ships[c.Ship.ID] = c.Ship
		case "remove":
			delete(r.ships, *c.ID)
		case "dying":
			r.ships[*c.ID].Life = "dying"
		case "motion":
			r.move(c)
		case "state":
			for _, s := range c.State {
				r.ships[*c.ID].State[s.Index] = s
			}
		case "player":
			r.player(c.Player)
		}
	}
}

// player changes a player. The ships have the name and the team of the player, unless another one now has
// the peer ID.
func (r *replica) player(p *Player) {
	old := r.players[p.Peer]
	r.players[p.Peer] = p
	if old != nil && !old.Here && p.Here {
		return
	}
	for _, s := range r.ships {
		if s.Peer != nil && *s.Peer == p.Peer && (old == nil || s.Name == old.Name) {
			s.Name, s.Team = cmp.Or(p.Name, s.Name), p.Team
		}
	}
}

func (r *replica) move(c Change) {
	s := r.ships[*c.ID]
	s.Time = c.Time
	s.Position, s.Forward, s.Up = cmp.Or(c.Position, s.Position), cmp.Or(c.Forward, s.Forward), cmp.Or(c.Up, s.Up)
	s.Speed, s.Cloaked = cmp.Or(c.Speed, s.Speed), cmp.Or(c.Cloaked, s.Cloaked)
}

// snapshot returns the state in the order of a Snapshot.
func (r *replica) snapshot() *Snapshot {
	s := &Snapshot{Players: []*Player{}, Ships: []*Ship{}}
	for _, peer := range slices.Sorted(maps.Keys(r.players)) {
		s.Players = append(s.Players, r.players[peer])
	}
	for _, ship := range r.ships {
		s.Ships = append(s.Ships, ship)
	}
	slices.SortFunc(s.Ships, func(a, b *Ship) int { return strings.Compare(a.ID, b.ID) })
	return s
}

// jsonOf returns a value as JSON.
func jsonOf(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return string(b)
}

// messages returns rows after all messages were searched.
func messages(t testing.TB, s *Store, q Query) *Rows {
	t.Helper()
	for {
		rows, err := s.Messages(q)
		require.NoError(t, err)
		if rows.Done {
			return rows
		}
	}
}

// window returns a window that must exist.
func window(t testing.TB, s *Store, link int, from, to float64) *Window {
	t.Helper()
	w, err := s.Window(link, from, to, true)
	require.NoError(t, err)
	return w
}

// notUnderRace skips a test under the race detector, which takes long with it and finds nothing: the
// test uses one goroutine.
func notUnderRace(t *testing.T) {
	if testdata.UnderRace {
		t.Skip("one goroutine")
	}
}
