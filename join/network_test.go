package join_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// schedule is a run of some clients against a Host over a bad network.
type schedule struct {
	*world
	rng     *rand.Rand
	guests  []*guest
	added   []*join.Member // players of the program
	mission int            // the number in the map of all players
}

func newSchedule(t testing.TB, seed uint64) *schedule {
	rng := rand.New(rand.NewPCG(seed, 7))
	o := join.HostOptions{Settings: opcode.Settings{Map: stream.Text("Mission 0")}, Reserved: rng.IntN(2)}
	o.Mission.PlayerLimit = uint8(o.Reserved + 1 + rng.IntN(5))
	if rng.IntN(3) == 0 {
		o.Password = "engage"
	}
	if rng.IntN(3) == 0 {
		o.Files = &checksum.Server{Manifest: checksum.Vanilla()}
	}
	if rng.IntN(2) == 0 {
		o.Hub.Rand = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	}
	w := newWorld(t, o)
	w.rng, w.step = rng, 50*time.Millisecond
	w.weather = weather{
		loss: 0.4 * rng.Float64() * rng.Float64(), repeat: 0.3 * rng.Float64(),
		delay: time.Duration(rng.IntN(200)) * time.Millisecond, jitter: time.Duration(rng.IntN(400)) * time.Millisecond,
	}
	return &schedule{world: w, rng: rng}
}

// arrive adds a guest, which may have the wrong password or files, or load the mission for a while.
func (s *schedule) arrive() {
	o := &s.hostOptions
	c := join.Options{Name: []string{"Ann", "ann", "Bob", "", "\u65e5\u672c", "A name of more than 32 characters, which is long"}[s.rng.IntN(6)]}
	if c.Password = o.Password; s.rng.IntN(6) == 0 {
		c.Password = "wrong"
	}
	if c.Manifest = checksum.Vanilla(); s.rng.IntN(6) == 0 {
		c.Manifest = nil
	}
	g := s.connect(c)
	g.load = time.Duration(1+s.rng.IntN(5000)) * time.Millisecond
	if s.rng.IntN(20) == 0 {
		g.load = time.Hour
	}
	s.guests = append(s.guests, g)
}

// settled reports whether all guests are in the game or have ended.
func (s *schedule) settled() bool {
	return !slices.ContainsFunc(s.guests, func(g *guest) bool {
		return g.stage() != join.StageEnded && g.stage() != join.StageInGame
	})
}

// requireAgreement checks that each guest is in the game on both sides or on neither, and that all know
// the same players.
func (s *schedule) requireAgreement(seed uint64) {
	players := map[objectid.PeerID]join.Player{}
	slots := map[objectid.Slot]bool{}
	for _, m := range s.host.Members() {
		players[m.PeerID] = m.Player
		require.False(s.t, slots[m.Slot], "seed %d: slot %v twice", seed, m.Slot)
		slots[m.Slot] = true
	}
	n := len(s.added)
	for _, g := range s.guests {
		state := g.State()
		m := s.member(g.id())
		if state.Stage == join.StageEnded {
			require.True(s.t, m == nil || m.Session.Addr() != g.addr, "seed %d: %v is in the game at the host alone: %v", seed, g.id(), state.Err)
			continue
		}
		n++
		require.Equal(s.t, join.StageInGame, state.Stage, "seed %d", seed)
		require.NotNil(s.t, m, "seed %d: %v is in the game at the client alone", seed, g.id())
		require.Equal(s.t, g.addr, m.Session.Addr(), "seed %d", seed)
		require.Equal(s.t, m.Slot, state.Self.Slot, "seed %d", seed)
		require.Equal(s.t, m.Name, state.Self.Name, "seed %d", seed)
		require.Equal(s.t, fmt.Sprint("Mission ", s.mission), state.Settings.Map.String(), "seed %d", seed)
		require.Len(s.t, state.Other, len(players)-1, "seed %d", seed)
		for _, p := range state.Other {
			require.Equal(s.t, players[p.PeerID].Name, p.Name, "seed %d", seed)
		}
	}
	require.Len(s.t, players, n, "seed %d", seed)
}

// Clients join, leave and fall silent over networks that lose, repeat and reorder datagrams, while the program adds
// players and changes the mission. Each client is in the game on both sides, with the last mission, or on neither.
func TestSchedules(t *testing.T) {
	const groups = 4
	seeds := uint64(testdata.Either(10_000, 160))
	for group := range uint64(groups) {
		t.Run(fmt.Sprint(group), func(t *testing.T) {
			t.Parallel()
			entered, refused := 0, 0
			for seed := group; seed < seeds; seed += groups {
				s := newSchedule(t, seed)
				s.play(seed)
				for _, g := range s.guests {
					if g.stage() == join.StageInGame {
						entered++
					} else {
						refused++
					}
				}
			}
			t.Log(entered, "in the game,", refused, "refused")
			require.Greater(t, entered, refused)
			require.Positive(t, refused)
		})
	}
}

// play runs a schedule to its end, and checks the result.
func (s *schedule) play(seed uint64) {
	for range 1 + s.rng.IntN(5) {
		s.arrive()
		s.run(time.Duration(s.rng.IntN(3000)) * time.Millisecond)
		switch g := s.guests[s.rng.IntN(len(s.guests))]; s.rng.IntN(15) {
		case 0:
			g.leave()
		case 1: // falls silent, and times out on both sides
			s.remove(g)
			s.guests = slices.DeleteFunc(s.guests, func(other *guest) bool { return other == g })
		case 2:
			if m := s.member(g.id()); m != nil {
				m.Session.Boot(transport.BootRemoved)
			}
		case 3:
			if m, err := s.host.AddPlayer("Ann"); err == nil {
				s.added = append(s.added, m)
			}
		case 4:
			if len(s.added) > 0 {
				s.added[0].Session.Close()
				s.added = s.added[1:]
			}
		case 5: // also while some load, and some leave
			s.mission++
			s.host.NextMission(opcode.Settings{Map: stream.Text(fmt.Sprint("Mission ", s.mission))}, s.hostOptions.Mission)
		}
		if len(s.guests) == 0 {
			s.arrive()
		}
	}
	for end := s.now.Add(4 * time.Minute); s.now.Before(end) && !s.settled(); {
		s.run(time.Second)
	}
	require.True(s.t, s.settled(), "seed %d", seed)
	s.weather = weather{delay: 20 * time.Millisecond}
	s.run(70 * time.Second) // the silent ones and the ended sessions are over
	s.requireAgreement(seed)
}

// Honest clients enter over every network that loses up to a third of the datagrams.
func TestJoinThroughLoss(t *testing.T) {
	for seed := range uint64(testdata.Either(1000, 60)) {
		w := newWorld(t, join.HostOptions{})
		w.rng, w.step = rand.New(rand.NewPCG(seed, 9)), 50*time.Millisecond
		w.weather = weather{loss: 0.33, repeat: 0.2, delay: 30 * time.Millisecond, jitter: 200 * time.Millisecond}
		all := []*guest{w.connect(join.Options{Name: "Ann"}), w.connect(join.Options{Name: "Ann", Manifest: checksum.Vanilla()})}
		w.until(2*time.Minute, func() bool { return all[0].stage() == join.StageInGame && all[1].stage() == join.StageInGame })
		w.weather = weather{}
		w.run(10 * time.Second)
		w.requireInGame(all...)
	}
}
