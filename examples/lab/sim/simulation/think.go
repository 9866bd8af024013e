package simulation

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
)

// newPeer returns the n-th of those who want to play. They come within half a minute.
func (s *simulation) newPeer(n int, seed uint64) *peer {
	p := &peer{s: s, n: n, name: "Player " + string(rune('A'+n)), rng: rand.New(rand.NewPCG(seed, 1)), weather: fine}
	p.starts = s.Now.Add(time.Duration(p.rng.IntN(30_000)) * time.Millisecond)
	if p.rng.IntN(2) == 0 || s.on(Files) {
		p.files = checksum.Vanilla()
	}
	if x := p.rng.IntN(4); x == 0 && s.on(Stock) {
		p.dialect = StockGame
	} else if x == 1 && s.on(OpenBC) {
		p.dialect = LikeOpenBC
	}
	return p
}

// think lets somebody start a process, and a player act. It is called every round.
func (p *peer) think() {
	now := p.s.Now
	switch {
	case p.process == nil:
		if !now.Before(p.starts) {
			p.start()
		}
		return
	case p.paused():
		return
	case p.process.ended || p.process.leaving:
		p.finish()
		return
	case p.inGame() && !p.s.quiet:
		p.act()
	}
}

// finish removes a process that has ended, when it has said so.
func (p *peer) finish() {
	if !p.session.Flushed() {
		return
	}
	p.connection.checkEnd()
	if p.starts.Before(p.s.Now) {
		p.starts = p.s.Now.Add(time.Second + time.Duration(p.rng.IntN(3000))*time.Millisecond)
	}
	p.stop()
}

// act lets a player act.
func (p *peer) act() {
	s, now := p.s, p.s.Now
	if s.on(Chat) && !now.Before(p.talks) {
		p.talks = now.Add(2*time.Second + time.Duration(s.faults[Chat].Float64()*20*float64(time.Second)))
		p.say(s.faults[Chat].IntN(10) == 0)
	}
	if p.n%2 == 0 && s.due(Lies, 20*time.Second) {
		p.lie()
	}
	if s.due(Teams, time.Minute) {
		team := opcode.Team(s.faults[Teams].IntN(2))
		_ = p.player.Send(&opcode.TeamMessage{PlayerID: p.ID(), Team: team})
		_ = p.player.Send(&opcode.TeamChatMessage{SenderID: p.ID(), Text: stream.Text("to my team")})
	}
	if !s.on(Fight) || now.Before(p.acts) {
		return
	}
	rng := s.faults[Fight].Rand
	p.acts = now.Add(time.Duration(1000+rng.IntN(20_000)) * time.Millisecond)
	switch rng.IntN(8) {
	case 0:
		_ = p.player.Send(&opcode.HostMessage{})
	case 1, 2, 3:
		p.ram(1)
	default:
		p.ram(0.1)
	}
}

// ram reports a collision with the nearest ship, which costs a part of the hull. The other player reports
// it, too.
func (p *peer) ram(part float32) {
	var other *peer
	least := math.Inf(1)
	for _, q := range p.s.peers {
		if q != p && q.inGame() && !q.paused() {
			if d := siege.Distance(p.Ship(), q.Ship()); d < least {
				other, least = q, d
			}
		}
	}
	if other != nil {
		other.collide(p, 0.05)
		p.collide(other, part)
	}
}

func (p *peer) collide(other *peer, part float32) {
	hull := p.Ship().FirstOf(stateupdate.KindHull)
	if hull == nil {
		return
	}
	contacts := []compress.Contact{compress.EncodeContact(0, 1, 0, 1)}
	effect, err := opcode.NewCollisionEffect(p.Ship().ID, other.Ship().ID, contacts, part*hull.Subsystem.MaxCondition)
	if err != nil {
		p.s.fail("a collision: %v", err)
	}
	_ = p.player.Send(effect) // the link may refuse it
}
