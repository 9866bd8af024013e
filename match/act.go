package match

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// audience is to whom the host passes on what a client does.
type audience int

const (
	everybody audience = iota // chat, with the sender
	others                    // shots, ships and choices of a team
	team                      // team chat, with the sender
	audiences
)

// act is something that a player does: a line of chat, a shot, the creation of a ship, the choice of a team. What a
// client says is a claim until the host passes it on.
type act struct {
	key   uint64
	at    time.Duration // of the clock, when it was seen first
	heard time.Duration // of the clock, when a host was seen to pass it on
	state actState
	event *Event       // nil without events, and after it is told
	ship  *ship        // that the act creates
	name  string       // of its player, as the client says, until the claim lapses
	own   objectid.ID  // the ship whose slot the player has, likewise
	shot  *cause       // nil for others, and after it is told
	team  *opcode.Team // that the act chooses
}

// actState is the state of an act.
type actState uint8

const (
	pending actState = iota // the client says it
	told                    // the host has passed it on, or cannot be seen
	refused                 // the host has not passed it on
)

// acts are the acts of a player in the order of the host, and pending claims after them. Each channel of the host
// that tells them has a place in them. The channel passes over an act that the host does not tell its client.
type acts struct {
	base    int // index of the first act
	list    []act
	claimed int // place of the client's own channel: after the last act that the client has said
}

const (
	maxActs   = 512              // of a player, for each audience
	maxClaims = 64               // pending
	claimTime = 45 * time.Second // for which a host may wait to pass on a claim
	patience  = 15 * time.Second // for which a host has spoken when it has not passed on a claim
)

// since returns the place after the last act that the host has passed on before a time. If no such act is left, it is 0.
func (a *acts) since(t time.Duration) int {
	for i := len(a.list); i > 0; i-- {
		if x := &a.list[i-1]; x.state == told && x.heard < t {
			return a.base + i
		}
	}
	return 0
}

func (a *acts) get(place int) *act { return &a.list[place-a.base] }

func (a *acts) end() int { return a.base + len(a.list) }

// find returns the place of the first act with a key from a place on, or -1. A refused one counts if there is no other.
func (a *acts) find(key uint64, from int) (found int) {
	found = -1
	for i := max(from, a.base); i < a.end(); i++ {
		switch x := a.get(i); {
		case x.key != key:
		case x.state != refused:
			return i
		case found < 0:
			found = i
		}
	}
	return found
}

// claim follows an act of a player that the client says, and returns it. If it is new, fill says what it is.
func (l *Link) claim(p *Player, to audience, key uint64, fill func(*act)) *act {
	s, a := l.server, &p.acts[to]
	if i := a.find(key, a.claimed); i >= 0 { // the capture has missed the first transmission
		a.claimed = i + 1
		return a.get(i)
	}
	s.drop(p, to)
	a.list = append(a.list, act{key: key, at: s.now()})
	a.claimed = a.end()
	x := a.get(a.end() - 1)
	fill(x)
	if !s.observed(p, to, x.at, 0) {
		s.tell(p, x)
	} else if !slices.Contains(s.m.claimants, p) {
		s.m.claimants = append(s.m.claimants, p)
	}
	return x
}

// drop makes room for an act.
func (s *server) drop(p *Player, to audience) {
	a := &p.acts[to]
	claims := 0
	for i := len(a.list) - 1; i >= 0; i-- {
		if x := &a.list[i]; x.state == pending {
			if claims++; claims >= maxClaims {
				s.lapse(p, to, x, 0)
			}
		}
	}
	if len(a.list) == maxActs {
		if x := &a.list[0]; x.state == pending {
			s.lapse(p, to, x, 0)
		}
		a.list = slices.Delete(a.list, 0, 1)
		a.base++
	}
}

// hear follows an act of a player that the host tells a client. It returns the act, or nil if the channel cannot tell it
// any more. If it is new, fill says what it is.
func (l *Link) hear(p *Player, to audience, key uint64, fill func(*act)) *act {
	s, a := l.server, &p.acts[to]
	seat := l.sit(&l.view.game, p)
	place := &seat.acts[to]
	i := a.find(key, place.at)
	if i < 0 {
		did := func(next *Player) bool {
			b := &next.acts[to]
			i := b.find(key, 0)
			return i >= 0 && b.get(i).state != refused
		}
		if next := s.returned(p, did); next != nil {
			return l.hear(next, to, key, fill)
		}
	}
	if i < 0 {
		if place.at < a.base { // what was told here may be forgotten
			return nil
		}
		i = l.insert(p, to, key, place)
		fill(a.get(i))
	}
	from, x := place.at, a.get(i)
	place.at, place.sure = i+1, true
	s.overtake(p, to, from, i)
	late := x.ship != nil && x.ship.round < l.view.round // the client or another link was behind a restart
	if late {
		x.ship.round = l.view.round
	}
	switch {
	case x.state != told:
		s.tell(p, x)
	case late && !x.ship.dead:
		s.launch(p, x)
	}
	return x
}

// insert adds an act at the place of a channel, and returns its place.
func (l *Link) insert(p *Player, to audience, key uint64, place *place) int {
	s, a := l.server, &p.acts[to]
	s.drop(p, to)
	i := max(place.at, a.base)
	if !place.sure {
		i = max(a.since(s.now()+1), a.base)
	}
	a.list = slices.Insert(a.list, i-a.base, act{key: key, at: s.now()})
	if a.claimed > i {
		a.claimed++
	}
	for _, other := range s.links {
		if y := other.view.game.at(p.PeerID); y.player == p && &y.acts[to] != place && y.acts[to].at > i {
			y.acts[to].at++
		}
	}
	return i
}

// overtake refuses the pending claims from a place up to another one that no channel can tell any more.
func (s *server) overtake(p *Player, to audience, from, until int) {
	a := &p.acts[to]
	for i := max(from, a.base); i < until; i++ {
		if x := a.get(i); x.state == pending && s.passed(p, to, i, x.at) {
			s.refuse(p, x)
		}
	}
}

// audience iterates over the links on which the host tells of what a player does at a time, if it does. Only a link
// without a gap since then shows whether it does. A link that has ended counts if the host has spoken on it for long
// enough.
func (s *server) audience(p *Player, to audience, at time.Duration) iter.Seq[*Link] {
	return func(yield func(*Link) bool) {
		for _, l := range s.links {
			own := l.Player == p && !l.shared()
			switch {
			case !l.view.begun || l.FromHost.Datagrams == 0 || l.over() && l.hostHeard-at < patience:
			case l.entered > at, l.from[gameChannel].whole > at, own && to == others:
			case to == team && !own && (l.Player == nil || l.Player.Team != p.Team):
			default:
				if !yield(l) {
					return
				}
			}
		}
	}
}

// observed reports whether a link of the audience is observed, on which the host has spoken until a time.
func (s *server) observed(p *Player, to audience, at, until time.Duration) bool {
	for l := range s.audience(p, to, at) {
		if l.hostHeard >= until {
			return true
		}
	}
	return false
}

// passed reports whether all channels of the audience have passed over an act.
func (s *server) passed(p *Player, to audience, place int, at time.Duration) bool {
	some := false
	for l := range s.audience(p, to, at) {
		seat := l.view.game.at(p.PeerID)
		if seat.player == p && seat.acts[to].at <= place || seat.player != p && seat.last < p.number {
			return false
		}
		some = true
	}
	return some
}

// overtaken reports whether a channel of the audience has passed over an act.
func (s *server) overtaken(p *Player, to audience, place int, at time.Duration) bool {
	for l := range s.audience(p, to, at) {
		if seat := l.view.game.at(p.PeerID); seat.player == p && seat.acts[to].at > place || seat.player != p && seat.last >= p.number {
			return true
		}
	}
	return false
}

// lapse decides a claim: it is refused if the host has spoken for a time without passing it on.
func (s *server) lapse(p *Player, to audience, x *act, spoken time.Duration) {
	if s.observed(p, to, x.at, x.at+spoken) {
		s.refuse(p, x)
		return
	}
	s.believe(p, x)
}

// believe reports a claim that no link confirms. Nothing shows that the player has the name and the slot in it.
func (s *server) believe(p *Player, x *act) {
	x.name, x.own = "", objectid.None
	s.tell(p, x)
}

func (s *server) refuse(p *Player, x *act) {
	x.state = refused
	p.Refused++
}

// tell reports an act.
func (s *server) tell(p *Player, x *act) {
	if x.state == refused {
		p.Refused--
	}
	x.state, x.heard = told, s.now()
	if x.team != nil {
		p.Team = *x.team
	}
	if x.ship != nil {
		s.launch(p, x)
	}
	if x.shot != nil {
		x.shot.land()
		x.shot = nil
	}
	if x.event != nil {
		if p.Name != "" && x.event.Player == labelOf(p.PeerID) {
			x.event.Player = p.Name
		}
		s.report(p, x.event)
		x.event = nil
	}
}

// lapses decides the claims that have waited for long.
func (m *Match) lapses() {
	m.claimants = slices.DeleteFunc(m.claimants, func(p *Player) bool { return !p.server.lapses(p, m.clock.now-claimTime, patience) })
}

// lapses decides the claims of a player until a time, and those that no observed link can show any more. It
// reports whether others still wait.
func (s *server) lapses(p *Player, until, spoken time.Duration) (waits bool) {
	for to := range audiences {
		for i := range p.acts[to].list {
			switch x := &p.acts[to].list[i]; {
			case x.state != pending:
			case x.at <= until || !s.observed(p, to, x.at, 0):
				s.lapse(p, to, x, spoken)
			default:
				waits = true
			}
		}
	}
	return waits
}

// settle decides all claims at the end of the input. The last ones are events, unless something later of their sender
// has overtaken them.
func (m *Match) settle() {
	for _, p := range m.claimants {
		p.server.lapses(p, m.clock.now-patience, patience)
	}
	type claim struct {
		p *Player
		x *act
	}
	var all []claim
	for _, p := range m.claimants {
		for to := range audiences {
			a := &p.acts[to]
			for i := range a.list {
				switch x := &a.list[i]; {
				case x.state != pending:
				case p.server.overtaken(p, to, a.base+i, x.at):
					p.server.refuse(p, x)
				default:
					all = append(all, claim{p, x})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b claim) int { return cmp.Compare(a.x.at, b.x.at) })
	for _, c := range all {
		c.p.server.believe(c.p, c.x)
	}
	m.claimants = nil
}

// history is what the host has announced of one state, such as a name, in its order. Each channel has a place in it,
// 0 before the first announcement.
type history[T comparable] struct {
	base int
	list []announcement[T]
}

type announcement[T comparable] struct {
	x  T
	at time.Duration // of the clock
}

const maxHistory = 64

func (h *history[T]) end() int { return h.base + len(h.list) }

// since returns the place of the last announcement before a time, or 0.
func (h *history[T]) since(t time.Duration) int {
	for i := len(h.list); i > 0; i-- {
		if h.list[i-1].at < t {
			return h.base + i
		}
	}
	return 0
}

// find returns the first place from another one on with an announcement, or 0.
func (h *history[T]) find(x T, from int) int {
	for i := max(from, h.base+1); i <= h.end(); i++ {
		if h.list[i-1-h.base].x == x {
			return i
		}
	}
	return 0
}

func (h *history[T]) add(x T, at time.Duration) {
	if len(h.list) == maxHistory {
		h.list = slices.Delete(h.list, 0, 1)
		h.base++
	}
	h.list = append(h.list, announcement[T]{x, at})
}

// announce follows an announcement of a channel with a place in a history, and reports whether it is new. It is not if
// another channel has made it, nor if another channel, whose place of returns, is further. The first announcement of a
// channel is new if no channel has made it, and none is forgotten. To a client that has connected later, the host first
// announces the state of then.
func announce[T comparable](l *Link, h *history[T], place *int, x T, of func(other *Link) int) bool {
	i := h.find(x, *place)
	if *place == 0 {
		i = cmp.Or(h.find(x, h.since(l.earliest(&l.view.system))), i)
	}
	if i > 0 {
		*place = i
		return false
	}
	first := *place == 0 && h.base == 0
	if !first && *place < h.end() && slices.ContainsFunc(l.server.links, func(other *Link) bool {
		return !other.over() && of(other) >= h.end()
	}) {
		return false
	}
	h.add(x, l.server.now())
	*place = h.end()
	return true
}

// keyOf returns a key of an act: an opcode and what it is about.
func keyOf(op opcode.Code, numbers ...uint32) uint64 {
	hash := uint64(fnvBasis)
	hash = (hash ^ uint64(op)) * fnvPrime
	for _, n := range numbers {
		hash = (hash ^ uint64(n)) * fnvPrime
		hash ^= hash >> 29
	}
	return hash
}

// textKey adds a text to a key.
func textKey(key uint64, text string) uint64 {
	for i := range len(text) {
		key = (key ^ uint64(text[i])) * fnvPrime
	}
	return key
}

// The FNV-1a hash.
const fnvBasis, fnvPrime = 0xCBF29CE484222325, 0x100000001B3
