package siege

import (
	"math/rand/v2"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stateupdate"
)

// Victim is an honest player, such as a [Robot].
type Victim interface {
	Client
	ID() objectid.PeerID
	Ship() *stateupdate.Ship
}

// victim returns a random honest player, or nil if there is none.
func (s *siege) victim(rng *rand.Rand) Victim {
	switch {
	case len(s.victims) > 0:
		return s.victims[rng.IntN(len(s.victims))]
	case len(s.players) > 0:
		return s.players[rng.IntN(len(s.players))]
	}
	return nil
}

// honest returns the number of honest players.
func (s *siege) honest() int { return max(len(s.players), len(s.victims)) }

// Attack is a mix of attackers, which change all the time, on the server of a World. Each kind is as in
// [Hours].
type Attack struct {
	s *siege
	m *mix
}

// NewAttack returns an Attack with some of the kinds of attackers. The server's datagrams to addresses that
// no client has belong to it: pass them to Hear.
func NewAttack(w *World, rng *rand.Rand, forges bool) *Attack {
	all := attacks()
	if !forges {
		all = append(all[:forgingKind:forgingKind], all[forgingKind+1:]...)
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	m := &mix{rng: rng, kinds: all[:1+rng.IntN(len(all))], used: map[int]int{}}
	return &Attack{s: &siege{World: w, attacker: m}, m: m}
}

// forgingKind is the kind of attackers that forge the addresses of players.
const forgingKind = 7

// Step lets the attackers act. Call it every [Step].
func (a *Attack) Step(victims []Victim) {
	a.s.victims = victims
	a.s.step()
}

// Hear takes a datagram for an address of the attackers.
func (a *Attack) Hear(to netip.AddrPort, datagram []byte) { _, _ = a.s.transmit(datagram, to) }

// Stop ends the attack.
func (a *Attack) Stop() {
	a.m.stop()
	a.m.until = time.Time{}
	a.s.replies = nil
}
