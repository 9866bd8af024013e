package siege

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// Victim is an honest player, such as a [Robot].
type Victim interface {
	Client
	ID() objectid.PeerID
	Ship() *stateupdate.Ship
}

// Attacker sends datagrams from addresses that it has, or that it forges.
type Attacker interface {
	// Act is called every [Step].
	Act(a *Attack)
	// Hear takes a datagram that was sent to an address of the attacker. A forged address
	// receives nothing: attackers that forge take no more from it than they could predict.
	Hear(a *Attack, at netip.AddrPort, datagram []byte)
}

// Attack is an attacker on the server of a World. The server's datagrams to addresses that no client has belong to
// the attacker: pass them to Hear.
type Attack struct {
	*World
	Attacker Attacker
	Ends     time.Time // of the attack

	FromAttacker int // bytes
	ToAttacker   int // bytes, to its addresses

	victims []Victim
	replies []packet // to the attacker
}

// Act lets the attacker act. Call it every [Step].
func (a *Attack) Act(victims []Victim) {
	a.victims = victims
	a.Attacker.Act(a)
	for len(a.replies) > 0 {
		p := a.replies[0]
		a.replies = a.replies[1:]
		if !transport.IsGameSpy(p.data) {
			cipher.Decrypt(p.data)
		}
		a.Attacker.Hear(a, p.to, p.data)
	}
}

// Hear takes a datagram for an address of the attacker.
func (a *Attack) Hear(to netip.AddrPort, datagram []byte) {
	a.ToAttacker += len(datagram)
	a.replies = append(a.replies, packet{to: to, data: slices.Clone(datagram)})
}

// finisher is an attacker with clients that must be removed.
type finisher interface{ finish() }

// Stop removes the clients of the attacker, and releases memory.
func (a *Attack) Stop() {
	if f, ok := a.Attacker.(finisher); ok {
		f.finish()
	}
	a.replies, a.queue = nil, slices.Clone(a.queue)
}

// victim returns a random honest player, or nil if there is none.
func (a *Attack) victim(rng *rand.Rand) Victim {
	if len(a.victims) == 0 {
		return nil
	}
	return a.victims[rng.IntN(len(a.victims))]
}

// send sends an encoded datagram from an address of the attacker, who is near: the server
// has it at once, and answers at once as on a socket.
func (a *Attack) send(from netip.AddrPort, datagram []byte) {
	a.FromAttacker += len(datagram)
	a.Receive(from, datagram)
	a.Poll()
}

// sendPacket sends messages from an address of the attacker.
func (a *Attack) sendPacket(from netip.AddrPort, p transport.Packet) {
	b, err := p.MarshalBinary()
	check(a.T, err)
	cipher.Encrypt(b)
	a.send(from, b)
}
