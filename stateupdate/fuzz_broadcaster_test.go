package stateupdate_test

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

// host is a broadcaster and its model: an encoder for each pair of a receiver and a ship. A
// program of bytes controls both.
type host struct {
	program     []byte
	broadcaster stateupdate.Broadcaster
	now         float32
	updates     int
	ships       []*stateupdate.Ship
	receivers   map[objectid.PeerID]*stateupdate.Receiver
	encoders    map[pair]*stateupdate.Encoder
}

type pair struct {
	peer objectid.PeerID
	ship objectid.ID
}

// sentUpdate is an update for a receiver.
type sentUpdate struct {
	peer    objectid.PeerID
	payload string
}

func newHost(program []byte) *host {
	return &host{
		program:   program,
		receivers: map[objectid.PeerID]*stateupdate.Receiver{}, encoders: map[pair]*stateupdate.Encoder{},
	}
}

func (h *host) next() (b byte) {
	if len(h.program) > 0 {
		b, h.program = h.program[0], h.program[1:]
	}
	return b
}

// step executes the next bytes of the program.
func (h *host) step(t *testing.T) {
	switch op, a := h.next()%8, h.next(); op {
	case 0:
		peer := objectid.PeerID(a % 8)
		if a > 200 {
			peer = objectid.PeerID(a)
		}
		h.receivers[peer] = h.broadcaster.AddReceiver(peer)
		h.forget(func(p pair) bool { return p.peer == peer })
	case 1:
		peer := objectid.PeerID(a % 8)
		h.broadcaster.RemoveReceiver(peer)
		delete(h.receivers, peer)
		h.forget(func(p pair) bool { return p.peer == peer })
	case 2:
		h.add(t, a)
	case 3:
		id := objectid.ID(a % 8)
		h.broadcaster.RemoveShip(id)
		h.ships = slices.DeleteFunc(h.ships, func(s *stateupdate.Ship) bool { return s.ID == id })
		h.forget(func(p pair) bool { return p.ship == id })
	case 4:
		h.change(a)
	case 5:
		if r := h.receivers[objectid.PeerID(a%8)]; r != nil {
			r.Modem, r.All = a&8 != 0, a&16 != 0
		}
	case 6:
		h.broadcaster.Dedicated, h.broadcaster.Modem, h.broadcaster.Players = a&1 != 0, a&2 != 0, int(a>>4)
	default:
		h.tick(t, float32(a)/50)
	}
}

// add adds a ship. Its ID may be in use.
func (h *host) add(t *testing.T, a byte) {
	s := stateupdate.NewShip(objectid.ID(a%8), stateupdate.Stock().Species(opcode.Species(h.next()%47)))
	s.PeerID, s.SetName = objectid.PeerID(h.next()%8), []string{"", "Multi1"}[a>>7]
	require.NoError(t, h.broadcaster.AddShip(s))
	h.forget(func(p pair) bool { return p.ship == s.ID })
	if i := slices.IndexFunc(h.ships, func(other *stateupdate.Ship) bool { return other.ID == s.ID }); i >= 0 {
		h.ships[i] = s
		return
	}
	h.ships = append(h.ships, s)
}

// change moves or damages a ship, or gives it a state that cannot be encoded.
func (h *host) change(a byte) {
	if len(h.ships) == 0 {
		return
	}
	s, what := h.ships[int(a)%len(h.ships)], h.next()
	s.Position[what%3] += float32(what)
	s.Forward.X, s.Cloaked = int8(what), what&1 != 0
	if n := len(s.Subsystems); n > 0 {
		s.Subsystems[int(what)%n].Condition = stateupdate.Level(what)
		if what == 0xFF {
			s.Subsystems[n-1].Power = 1<<16 - 1
			s.Subsystems = s.Subsystems[int(a)%2:]
		}
	}
}

func (h *host) forget(which func(pair) bool) {
	maps.DeleteFunc(h.encoders, func(p pair, _ *stateupdate.Encoder) bool { return which(p) })
}

// tick compares the updates of the broadcaster and the model.
func (h *host) tick(t *testing.T, after float32) {
	h.now += after
	want, failed := h.byHand(t)
	var got []sentUpdate
	updates, err := h.broadcaster.Advance(seconds(h.now))
	for _, u := range updates {
		got = append(got, sentUpdate{u.Receiver, string(u.Payload)})
	}
	h.updates += len(want)
	require.Equal(t, want, got)
	require.Equal(t, failed, err != nil)
}

// byHand returns the updates of the model.
func (h *host) byHand(t *testing.T) (all []sentUpdate, failed bool) {
	b := &h.broadcaster
	s := situation{"playing host", b.Modem, false, players(b.Dedicated, len(h.receivers), b.Players)}
	if b.Dedicated {
		s.sender = "dedicated host"
	}
	for _, ship := range h.ships {
		for _, peer := range slices.Sorted(maps.Keys(h.receivers)) {
			r, own := h.receivers[peer], h.shipOf(peer)
			e := h.encoders[pair{peer, ship.ID}]
			if e == nil {
				e = &stateupdate.Encoder{Receiver: cmp.Or(peer, objectid.NoPeer)}
				h.encoders[pair{peer, ship.ID}] = e
			}
			s.peerModem = r.Modem
			switch {
			case r.All:
				e.SetPace(0, false)
			case own == nil || own.SetName != ship.SetName:
				continue
			default:
				e.SetPace(time.Duration(math.Round(s.base(t)*1000))*time.Millisecond, s.omits())
			}
			payload, err := e.Append(nil, seconds(h.now), ship)
			failed = failed || err != nil
			if err == nil && len(payload) > 0 {
				all = append(all, sentUpdate{peer, string(payload)})
			}
		}
	}
	return all, failed
}

// shipOf returns the last ship that was added for a player.
func (h *host) shipOf(peer objectid.PeerID) (own *stateupdate.Ship) {
	for _, s := range h.ships {
		if s.PeerID == peer && peer.Valid() {
			own = s
		}
	}
	return own
}

func (h *host) run(t *testing.T) {
	for len(h.program) > 0 {
		h.step(t)
	}
}

// A broadcaster sends the same updates as separate encoders for each pair of a receiver and a
// ship.
func TestBroadcasterAgainstEncoders(t *testing.T) {
	updates := 0
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		program := make([]byte, 300)
		for i := range program {
			program[i] = byte(rng.Uint32())
		}
		h := newHost(program)
		h.run(t)
		updates += h.updates
	}
	require.Greater(t, updates, 5000)
}

func FuzzBroadcaster(f *testing.F) {
	f.Add([]byte{0, 2, 0, 3, 2, 1, 1, 2, 2, 2, 5, 3, 7, 50, 4, 0, 9, 7, 5, 4, 1, 0xFF, 7, 50, 3, 1, 7, 9})
	f.Add([]byte{2, 1, 6, 2, 0, 2, 0, 255, 5, 18, 7, 1, 7, 1, 6, 3, 7, 200, 0, 2, 7, 1, 2, 1, 6, 2, 7, 1, 1, 2, 7, 1})
	f.Add(bytes.Repeat([]byte{2, 130, 46, 3, 0, 3, 6, 0x2F, 4, 1, 200, 7, 30}, 6))
	f.Fuzz(func(t *testing.T, program []byte) {
		newHost(program[:min(len(program), 400)]).run(t)
	})
}
