package match

import (
	"cmp"
	"hash/maphash"
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// onClient handles what a client sends on the game channel. It is a claim; see act. The host ignores a client who is
// not in the game.
func (l *Link) onClient(x *message) {
	p := l.sender(x.peer)
	if p == nil {
		return
	}
	if p.state == guest {
		l.appear(p, x.game)
	}
	if p.state != inGame {
		return
	}
	switch g := x.game.(type) {
	case *opcode.ObjectCreateTeam:
		l.claimShip(p, g)
	case *opcode.TeamMessage:
		l.claimTeam(p, g)
	case opcode.Shot:
		l.claimShot(p, g)
	case *opcode.CollisionEffect:
		l.claimCollision(p, g)
	case *opcode.HostMessage:
		l.claimScuttle(p)
	case *opcode.ChatMessage:
		l.claimLine(p, Chat, g)
	case *opcode.TeamChatMessage:
		l.claimLine(p, TeamChat, (*opcode.ChatMessage)(g))
	}
}

// claimTeam handles the choice of a team by a client, which is its own whatever peer ID it writes.
func (l *Link) claimTeam(p *Player, g *opcode.TeamMessage) {
	l.claim(p, others, choiceKey(g), func(x *act) { x.choose(g.Team) })
}

// onChoice handles the choice of a team that the host passes on.
func (l *Link) onChoice(g *opcode.TeamMessage) {
	if p := l.holder(g.PlayerID, ""); p != nil {
		l.hear(p, others, choiceKey(g), func(x *act) { x.choose(g.Team) })
	}
}

// onTeam handles the team that the host tells a newcomer of. A choice that the channel has not told yet is later.
func (l *Link) onTeam(g *opcode.ScoreInit) {
	p := l.holder(g.PlayerID, "")
	if p == nil {
		return
	}
	a, at := &p.acts[others], l.view.game.of(p).acts[others].at
	if !slices.ContainsFunc(a.list[max(at-a.base, 0):], func(x act) bool { return x.team != nil && x.state == told }) {
		p.Team = g.Team
	}
}

func (x *act) choose(team opcode.Team) { x.team = &team }

func choiceKey(g *opcode.TeamMessage) uint64 { return keyOf(g.Opcode(), uint32(g.Team)) }

// onHost handles what the host sends on the game channel.
func (l *Link) onHost(x *message) {
	s := l.server
	switch g := x.game.(type) {
	case *opcode.Settings:
		l.onSettings(g)
	case *opcode.MissionInit:
		l.onMission()
	case *opcode.EndGame:
		l.onEnd(g)
	case *opcode.RestartGame:
		l.onRestart()
	case *opcode.DeletePlayerUI:
		if peer, ok := g.Joined(); ok && peer.Valid() {
			l.onJoin(peer)
		} else if peer, ok := g.Left(); ok && peer.Valid() {
			l.view.gone = l.onLeave(&l.view.game, peer, "")
		}
	case *opcode.DeletePlayerAnim:
		l.onLeaveByName(g)
	case *opcode.BootPlayer:
		s.leave(l.Player, kicked)
	case *opcode.Score:
		l.onScore(g.PlayerID, func(score) score { return score{g.Kills, g.Deaths, g.Score} })
	case *opcode.ScoreInit:
		l.onScore(g.PlayerID, func(score) score { return score{g.Kills, g.Deaths, g.Score} })
		l.onTeam(g)
	case *opcode.ScoreChange:
		l.onScores(g)
	case *opcode.TeamMessage:
		l.onChoice(g)
	case *opcode.ObjectCreateTeam:
		l.onCreation(g)
	case *opcode.ObjectCreate:
		l.onObject(g)
	case *opcode.DestroyObject:
		l.onDestruction(g.ObjectID)
	case *opcode.EnterSet:
		l.onSystem(g.ObjectID, clip(g.SetName()))
	case *opcode.PythonEvent:
		l.onDeath(g)
	case *opcode.CollisionEffect:
		l.onCollision(g)
	case opcode.Shot:
		l.onShot(g)
	case *opcode.ChatMessage:
		l.onChat(Chat, g)
	case *opcode.TeamChatMessage:
		l.onChat(TeamChat, (*opcode.ChatMessage)(g))
	}
}

// sharedTime is the longest time between two transmissions of a message to several clients on a link that they share.
const sharedTime = time.Second

// repeated reports whether a message of the host on a shared link was seen on it, as a message to another client.
func (l *Link) repeated(x *message) bool {
	if !l.shared() {
		return false
	}
	if l.repeats == nil {
		l.repeats = &repeats{seed: maphash.MakeSeed()}
	}
	return l.repeats.seen(x.payload, l.server.now())
}

// repeats recognizes the last messages.
type repeats struct {
	seed maphash.Seed
	next int
	last [64]struct {
		hash uint64
		at   time.Duration
	}
}

func (r *repeats) seen(payload []byte, now time.Duration) bool {
	hash := maphash.Bytes(r.seed, payload)
	for i := range r.last {
		if x := &r.last[i]; x.hash == hash && now-x.at <= sharedTime {
			return true
		}
	}
	r.last[r.next].hash, r.last[r.next].at = hash, now
	r.next = (r.next + 1) % len(r.last)
	return false
}

// appear handles a message of a client who is not in the game as far as it was observed. If the beginning of
// the connection was observed, only a NewPlayerInGame after the Settings counts.
func (l *Link) appear(p *Player, m opcode.Message) {
	observed := l.begun && l.FromHost.Datagrams > 0
	if _, ok := m.(*opcode.NewPlayerInGame); ok {
		if l.settings || !observed || l.shared() {
			l.server.enter(p)
		}
		return
	}
	if observed {
		return
	}
	switch m.(type) {
	case *opcode.StateUpdate, *opcode.ObjectCreateTeam, opcode.Shot, *opcode.ChatMessage, *opcode.TeamChatMessage, *opcode.CollisionEffect:
		l.server.enter(p)
	}
}

// arrive handles Settings of the host as soon as they arrive. They show that the host has accepted the client.
func (l *Link) arrive() {
	switch {
	case l.shared():
		return
	case l.again == asking: // the reply of the host was not observed
		l.begin(asked)
	case l.again == answered:
		l.begin(offered)
		l.assign(l.offer)
	case l.state == offered:
		l.assign(l.offer)
	}
	l.settings = true
}

// onSettings handles the Settings of the host.
func (l *Link) onSettings(g *opcode.Settings) {
	if l.shared() {
		return
	}
	l.server.clock(l, g.GameTime)
	if l.Player == nil || l.Player.state.over() {
		return
	}
	if g.PlayerSlot.Valid() {
		l.Player.Slot = g.PlayerSlot
	}
	if name := clip(g.NewName.String()); g.Renamed && !g.Opaque && name != "" {
		if seat := l.view.system.at(l.self); seat.player == l.Player {
			l.announceName(seat, name)
		}
	}
}

// onJoin handles the announcement that a player is in the game.
func (l *Link) onJoin(peer objectid.PeerID) {
	s := l.server
	if peer == l.self && l.Player != nil {
		l.view.begun, l.entered = true, s.now()
		s.enter(l.Player)
		s.unseen()
	}
	seat := l.view.game.at(peer)
	p := seat.player
	if p == nil || p.state == absent || p.state.over() && seat.joined {
		q := l.find(&l.view.game, peer, l.byJoin)
		if q == nil && p == nil {
			q = s.begin(peer)
		}
		if q != nil {
			p, seat = q, l.suppose(q)
		}
	}
	if seat.joined = true; seat.unsure() { // a name or a leave shows whose join it was
		return
	}
	if p.joined == 0 {
		p.joined, p.alone = s.now(), false
	}
	s.enter(p)
}

// onLeaveByName handles the announcement that the player with a name has left. It comes after the announcement with
// the peer ID. Without one, it counts if the name is unique.
func (l *Link) onLeaveByName(g *opcode.DeletePlayerAnim) {
	if g.Form == opcode.NameRaw {
		return
	}
	name, gone := clip(g.Name.String()), l.view.gone
	if l.view.gone = nil; gone != nil && gone.called(name) {
		return
	}
	var found *seat
	for i, x := range l.view.game {
		if x == nil || x.player == nil {
			x = l.view.system[i]
		}
		if x != nil && x.player != nil && x.player.state == inGame && x.player.Name == name && x.player.began <= l.server.m.seen {
			if found != nil {
				return
			}
			found = x
		}
	}
	if found == nil {
		return
	}
	p := found.player
	found.rise()
	l.server.leave(p, "")
}

// onMission handles a MissionInit, with which the next round begins if the last one has ended.
func (l *Link) onMission() {
	if l.view.ended {
		l.nextRound()
	}
}

// nextRound begins the next round on the link, and reports whether the link is the first to show it.
func (l *Link) nextRound() (first bool) {
	s := l.server
	l.view.advance(l.view.round + 1)
	if l.view.round <= s.round {
		return false
	}
	before := s.round
	s.next()
	for _, other := range s.links {
		if other != l && other.view.round == before && l.joinedAfter(other) {
			other.view.advance(s.round)
		}
	}
	return true
}

// joinedAfter reports whether the client of another link is not in the game yet, as far as the link has announced it.
// The host does not tell such a client of what it announces now.
func (l *Link) joinedAfter(other *Link) bool {
	p := other.Player
	switch {
	case !other.begun && !other.settings: // it was there before the capture
		return false
	case p == nil:
		return true
	}
	return l.view.game.player(p.PeerID) != p && (p.joined == 0 || p.joined > l.entered)
}

// onEnd handles the end of a round.
func (l *Link) onEnd(g *opcode.EndGame) {
	s := l.server
	if l.view.ended {
		return
	}
	l.view.ended = true
	if l.view.round == s.round && !s.ended {
		s.ended = true
		if e := s.event(End, nil, s.m.at); e != nil {
			e.Text = g.Reason.String()
		}
	}
}

// onRestart handles the beginning of the next round.
func (l *Link) onRestart() {
	if l.nextRound() {
		l.server.event(Restart, nil, l.server.m.at)
	}
}

// onScores handles the scores after a death.
func (l *Link) onScores(g *opcode.ScoreChange) {
	l.onScore(g.KillerID, func(x score) score { return score{g.KillerKills, x.deaths, g.KillerScore} })
	l.onScore(g.VictimID, func(x score) score { return score{x.kills, g.VictimDeaths, x.points} })
	for _, d := range g.Damagers {
		if d.ID != g.KillerID {
			l.onScore(d.ID, func(x score) score { return score{x.kills, x.deaths, d.Score} })
		}
	}
}

// onScore handles a change of the score of a player. The host also sends the scores of players who have left.
func (l *Link) onScore(peer objectid.PeerID, change func(score) score) {
	s := l.server
	if !peer.Valid() || l.view.round != s.round {
		return
	}
	p := l.holder(peer, "")
	if p == nil {
		if slices.ContainsFunc(s.roster, func(p *Player) bool { return p.PeerID == peer }) {
			return // the player has left, or nobody knows which one it is
		}
		p = s.begin(peer)
	}
	fits := func(p *Player) bool { return p.scores.find(change(score{p.Kills, p.Deaths, p.Score}), 0) > 0 }
	if !fits(p) {
		p = cmp.Or(s.returned(p, fits), p)
	}
	seat := l.view.game.at(peer)
	if seat.player != p {
		seat = l.suppose(p)
	}
	x := seat.score
	if !seat.valued && (!l.begun || !l.view.begun || len(p.scores.list) == 0) {
		x = score{p.Kills, p.Deaths, p.Score}
	}
	x = change(x)
	seat.score, seat.valued = x, true
	if !announce(l, &p.scores, &seat.scored, x, func(other *Link) int { return other.view.game.of(p).scored }) || x == (score{p.Kills, p.Deaths, p.Score}) {
		return
	}
	p.Kills, p.Deaths, p.Score = x.kills, x.deaths, x.points
	if p.state.entered() {
		if e := s.event(Score, p, s.m.at); e != nil {
			e.Kills, e.Deaths, e.Score = x.kills, x.deaths, x.points
		}
	}
}

// objectOf returns the object that a message is about, or None.
func objectOf(m opcode.Message) objectid.ID {
	switch m := m.(type) {
	case *opcode.StateUpdate: // a retransmission
		return m.ObjectID
	case *opcode.ObjectCreateTeam:
		return m.ObjectID
	case *opcode.ObjectCreate:
		return m.ObjectID
	case *opcode.DestroyObject:
		return m.ObjectID
	case *opcode.ObjectNotFound:
		return m.ObjectID
	case *opcode.RequestObject:
		return m.ObjectID
	case *opcode.EnterSet:
		return m.ObjectID
	case *opcode.Explosion:
		return m.ObjectID
	case *opcode.PythonEvent:
		if subsystem, _, ok := m.Damaged(); ok {
			return subsystem
		}
		if _, subsystem, _, ok := m.Repaired(); ok {
			return subsystem
		}
		if _, subsystem, _, ok := m.RepairFailed(); ok {
			return subsystem
		}
		return m.Dest
	case opcode.Shot:
		if weapon, _, ok := m.Fired(); ok {
			return weapon
		}
	case opcode.EventMessage:
		return m.Envelope().Dest
	}
	return objectid.None
}
