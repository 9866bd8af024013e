package match

import (
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// game follows a payload that the tracker has applied.
func (l *Link) game(step *Step, counts bool) {
	l.subject(step)
	if !counts {
		return
	}
	s := l.server
	if !step.FromHost && step.Sender != nil && !step.Sender.InGame {
		l.sign(step)
	}
	s.removed(step)
	switch g := step.Game.(type) {
	case *opcode.ObjectCreateTeam, *opcode.ObjectCreate:
		if step.Change.Created {
			l.created(step)
		}
	case *opcode.Settings:
		l.admitted(step, g)
	case *opcode.MissionInit:
		if step.FromHost && s.ended && s.first(keyOf(aboutMission), l, true) {
			s.next()
		}
	case *opcode.DeletePlayerUI:
		l.announced(step, g)
	case *opcode.DeletePlayerAnim:
		l.goneByName(step, g)
	case *opcode.BootPlayer:
		if p := l.Player; step.FromHost && p != nil {
			s.end(p, kicked)
		}
	case *opcode.Score:
		s.scored(step, g.PlayerID, g.Kills, g.Deaths, g.Score)
	case *opcode.ScoreInit:
		if p := s.present(g.PlayerID); step.FromHost && p != nil {
			p.Team = g.Team
		}
		s.scored(step, g.PlayerID, g.Kills, g.Deaths, g.Score)
	case *opcode.TeamMessage:
		l.joinsTeam(step, g)
	case *opcode.ScoreChange:
		s.scoreChanged(step, g)
	case *opcode.EnterSet:
		s.entered(step, g)
	case *opcode.PythonEvent:
		s.pythonEvent(step, g)
	case *opcode.CollisionEffect:
		s.collided(step, g)
	case opcode.Shot:
		s.fired(step, g)
	case *opcode.ChatMessage:
		s.spoken(step, g, Chat)
	case *opcode.TeamChatMessage:
		s.spoken(step, (*opcode.ChatMessage)(g), TeamChat)
	case *opcode.EndGame:
		if step.FromHost && s.first(keyOf(aboutEnd, int64(g.Reason)), l, true) {
			s.ended = true
			if s.m.Events {
				s.event(End, nil).Text = g.Reason.String()
			}
		}
	case *opcode.RestartGame:
		if step.FromHost && s.restarts(l) {
			s.next()
			if s.m.Events {
				s.event(Restart, nil)
			}
		}
	}
}

// restarts reports whether a restart is seen for the first time. Between two rounds, a host lets a Connect wait
// until the restart, of which it does not tell the client.
func (s *server) restarts(l *Link) bool {
	return s.firstSince(max(l.replied, l.joined), keyOf(aboutRestart), l)
}

// firstSince reports whether an event that the host announces is seen for the first time, if the host announces
// only events since a time on the link.
func (s *server) firstSince(since time.Duration, key uint64, l *Link) bool {
	began := l.since
	defer func() { l.since = began }()
	l.since = max(began, since)
	return s.first(key, l, true)
}

// behind reports whether other links have shown a restart that the host has not announced on a link yet.
func (s *server) behind(l *Link) bool {
	if l.shared() {
		return false
	}
	began := l.since
	defer func() { l.since = began }()
	l.since = max(began, l.replied, l.joined) + 1 // a client that connects at the restart is not told
	return s.once.find(keyOf(aboutRestart), 0, l, true, s.now(), window) >= 0
}

// sign follows a message of a client who is not in the game as far as it was observed. If the beginning of
// the connection was observed, only a NewPlayerInGame after the Settings counts.
func (l *Link) sign(step *Step) {
	p := step.Sender
	if p.left {
		return
	}
	if _, ok := step.Game.(*opcode.NewPlayerInGame); ok {
		if l.settings || !p.seen || l.FromHost.Datagrams == 0 || l.shared() {
			l.server.enter(p)
		}
		return
	}
	if p.seen && l.FromHost.Datagrams > 0 {
		return
	}
	switch step.Game.(type) {
	case *opcode.StateUpdate, *opcode.ObjectCreateTeam, opcode.Shot, *opcode.ChatMessage, *opcode.TeamChatMessage, *opcode.CollisionEffect:
		l.server.enter(p)
	}
}

// admitted follows the Settings of the host.
func (l *Link) admitted(step *Step, g *opcode.Settings) {
	if step.FromHost && l.trial { // the reply of the host was not observed
		l.connect()
		l.settings = true
	}
	if !step.FromHost || l.shared() || l.Player == nil || l.Player.left {
		return
	}
	l.settings = true
	l.server.seat(l.Player, g.PlayerSlot)
	if g.Renamed && !g.Opaque {
		l.server.rename(l.Player, g.NewName.String(), l, true)
	}
}

// announced follows the announcement that a player has joined or left.
func (l *Link) announced(step *Step, g *opcode.DeletePlayerUI) {
	s := l.server
	if !step.FromHost {
		return
	}
	if peer, ok := g.Left(); ok {
		s.gone(keyOf(aboutLeaveGame, int64(peer)), s.player(peer), l, "")
		return
	}
	peer, ok := g.Joined()
	if !ok || !peer.Valid() {
		return
	}
	if peer == l.self {
		l.joined = s.now()
	}
	p := s.player(peer)
	if p != nil && p.left && s.toldLeave(peer, l) {
		return
	}
	key := keyOf(aboutJoin, int64(peer))
	again := s.once.match(key, 0, l, true, s.now(), window)
	if p == nil || p.left {
		if again && p != nil {
			return // it is late
		}
		p = s.begin(peer)
	}
	if !p.InGame {
		s.enter(p)
		s.once.match(key, 0, l, true, s.now(), window) // this link has told
	}
	if p == l.Player {
		s.absent(l)
	}
}

// absent ends the doubt about the players whom the host has not named before a client is in the game.
func (s *server) absent(l *Link) {
	for _, p := range slices.Clone(s.roster) {
		if p.doubtful && !p.left {
			s.leave(p, left)
		}
	}
}

// goneByName follows the announcement that the player with a name has left. It counts if nothing else
// has announced it and the name is unique.
func (l *Link) goneByName(step *Step, g *opcode.DeletePlayerAnim) {
	s := l.server
	if !step.FromHost || g.Form == opcode.NameRaw {
		return
	}
	name := clip(g.Name.String())
	var found *Player
	n := 0
	for _, p := range s.roster {
		if p.InGame && p.Name == name {
			found, n = p, n+1
		}
	}
	if n != 1 {
		found = nil
	}
	s.gone(textKey(keyOf(aboutLeaveName), name), found, l, "")
}

// joinsTeam follows a TeamMessage, in which a client can write any player.
func (l *Link) joinsTeam(step *Step, g *opcode.TeamMessage) {
	p := step.Sender
	if step.FromHost {
		p = l.server.present(g.PlayerID)
		step.Sender = p
	}
	if p != nil {
		p.Team = g.Team
	}
}

// scored follows the score of a player. The host also sends it for players who have left.
func (s *server) scored(step *Step, peer objectid.PeerID, kills, deaths, points int32) {
	if !step.FromHost || !peer.Valid() || !s.first(keyOf(aboutScore, int64(peer), int64(kills), int64(deaths), int64(points)), step.Link, true) {
		return
	}
	if p, since := s.player(peer), step.Link.since; p != nil && p.scored >= since && s.now()-since < window && (kills < p.Kills || deaths < p.Deaths) {
		return // other links have overtaken what a newcomer learns
	}
	s.setScore(peer, score{kills, deaths, points})
}

// scoreChanged follows the scores after a death.
func (s *server) scoreChanged(step *Step, g *opcode.ScoreChange) {
	if !step.FromHost {
		return
	}
	key := keyOf(aboutScore, int64(g.KillerID), int64(g.KillerKills), int64(g.KillerScore), int64(g.VictimID), int64(g.VictimDeaths), -1)
	for _, d := range g.Damagers {
		key ^= keyOf(aboutScore, int64(d.ID), int64(d.Score), -2)
	}
	if !s.first(key, step.Link, true) {
		return
	}
	if g.KillerID.Valid() {
		if x := s.scoreOf(g.KillerID); !s.ofEarlier(g.KillerID, step.Link, x.kills, g.KillerKills) {
			s.setScore(g.KillerID, score{g.KillerKills, x.deaths, g.KillerScore})
		}
	}
	if g.VictimID.Valid() {
		if x := s.scoreOf(g.VictimID); !s.ofEarlier(g.VictimID, step.Link, x.deaths, g.VictimDeaths) {
			x.deaths = g.VictimDeaths
			s.setScore(g.VictimID, x)
		}
	}
	for _, d := range g.Damagers {
		if d.ID.Valid() && d.ID != g.KillerID {
			x := s.scoreOf(d.ID)
			x.points = d.Score
			s.setScore(d.ID, x)
		}
	}
}

// ofEarlier reports whether the next count of a peer is the count of an earlier player with the peer ID: it does not
// continue the last one, and the link has not announced on the game channel yet that the earlier player has left.
func (s *server) ofEarlier(peer objectid.PeerID, l *Link, last, next int32) bool {
	p := s.player(peer)
	return p != nil && !p.left && next != last+1 && s.toldLeave(peer, l)
}

func (s *server) scoreOf(peer objectid.PeerID) score {
	if p := s.player(peer); p != nil {
		return score{p.Kills, p.Deaths, p.Score}
	}
	return s.scores[peer]
}

// setScore sets the score of a player, and reports it if it has changed.
func (s *server) setScore(peer objectid.PeerID, x score) {
	p := s.player(peer)
	if p == nil {
		s.scores[peer] = x
		return
	}
	if x == (score{p.Kills, p.Deaths, p.Score}) {
		return
	}
	p.Kills, p.Deaths, p.Score, p.scored = x.kills, x.deaths, x.points, s.now()
	if s.m.Events && p.entered {
		e := s.event(Score, p)
		e.Kills, e.Deaths, e.Score = x.kills, x.deaths, x.points
	}
}

// subject finds the ship and the part that a message concerns, and the sender of a message that the host
// relays.
func (l *Link) subject(step *Step) {
	id := objectOf(step.Game)
	step.Object = id
	if step.Change.Ship != nil && step.Change.Ship.ID == id {
		step.Ship = step.Change.Ship
	} else if id != objectid.None {
		if step.Ship = l.tracker.Ship(id); step.Ship == nil {
			step.Ship, step.Part, _ = l.tracker.Part(id)
		}
	}
	if step.FromHost {
		l.relayed(step, id)
	}
}

// relayed finds the sender of a message of the host: the owner of the object if clients send such
// messages, or else the player on the host.
func (l *Link) relayed(step *Step, id objectid.ID) {
	s := l.server
	switch g := step.Game.(type) {
	case *opcode.StateUpdate:
		step.Sender = s.owner(id)
	case *opcode.ObjectCreateTeam:
		step.Sender = s.creator(g)
	case *opcode.NewPlayerInGame, *opcode.ChatMessage, *opcode.TeamChatMessage, *opcode.TeamMessage: // found later
	case opcode.Shot, opcode.EventMessage:
		if i := step.Game.Opcode().Info(); i.Direction == opcode.DirUp || i.Direction == opcode.DirBoth {
			step.Sender = s.owner(id)
			break
		}
		step.Sender = s.present(objectid.Host)
	default:
		step.Sender = s.present(objectid.Host)
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
