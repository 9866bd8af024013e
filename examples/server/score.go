package main

import (
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// killPoints is what a kill is worth.
const killPoints = 1000

// score is what a player has achieved. It is kept by name for those who come back.
type score struct {
	name                  string
	kills, deaths, points int32
}

func (s *score) message(id objectid.PeerID) *opcode.Score {
	return &opcode.Score{PlayerID: int32(id), Kills: s.kills, Deaths: s.deaths, Score: s.points}
}

// explosion is how long a dying ship explodes, in seconds, as the game has it.
const explosion = 9.5

// died ends a ship, destroyed by another player or, if that is nil, by itself.
func (m *match) died(victim, killer *player) {
	if victim.ship == nil || m.ended {
		return
	}
	if killer == victim {
		killer = nil
	}
	change := &opcode.ScoreChange{VictimID: int32(victim.id())}
	victim.score.deaths++
	change.VictimDeaths = victim.score.deaths
	id, by := victim.ship.ID, objectid.None
	if killer != nil {
		killer.score.kills++
		killer.score.points += killPoints
		change.KillerID = int32(killer.id())
		change.KillerKills, change.KillerScore = killer.score.kills, killer.score.points
		if killer.ship != nil {
			by = killer.ship.ID
		}
	}
	m.log.Info("destroyed", "player", victim, "killer", killer)
	m.wreck(victim)
	exploding, _ := opcode.NewObjectExploding(id, by, change.Killer(), explosion) // which makes sense
	m.broadcast(m.everybody(nil), exploding)
	m.broadcast(m.everybody(nil), change)
	if killer != nil && m.fragLimit > 0 && int(killer.score.kills) >= m.fragLimit {
		m.end(m.limitReason())
	}
}

// limitReason returns the reason with which the scripts of the mission end a match at its
// frag limit. Missions 1 to 3 give that of the score limit, mission 5 that of the frag limit.
// Other missions are not known.
func (m *match) limitReason() opcode.EndReason {
	switch m.missionName() {
	case "Mission1", "Mission2", "Mission3":
		return opcode.EndScoreLimit
	}
	return opcode.EndFragLimit
}

// endTime returns when the time of the match is up.
func (m *match) endTime() time.Time { return m.started.Add(time.Duration(m.timeLimit) * time.Minute) }

func (m *match) checkLimits() {
	switch {
	case m.ended && !m.now.Before(m.restart):
		m.again()
	case !m.ended && m.timeLimit > 0 && !m.now.Before(m.endTime()):
		m.end(opcode.EndTimeUp)
	}
}

// end ends the round. The players stay, and can talk.
func (m *match) end(reason opcode.EndReason) {
	if m.ended {
		return
	}
	m.log.Info("end", "reason", reason)
	m.ended, m.reason, m.restart = true, reason, m.now.Add(m.pause)
	m.broadcast(m.everybody(nil), &opcode.EndGame{Reason: reason})
}

// again begins the next round: no ships, no scores.
func (m *match) again() {
	m.log.Info("restart")
	m.ended, m.started, m.finished = false, m.now, nil
	for _, p := range m.players {
		m.scrap(p)
		p.score = score{name: p.name}
	}
	m.broadcast(m.everybody(nil), &opcode.RestartGame{})
}

// none says whether there is nothing to keep.
func (s *score) none() bool { return s.kills == 0 && s.deaths == 0 && s.points == 0 }

// remember gives a player who comes back the score that it left with.
func (m *match) remember(p *player) {
	p.score.name = p.name
	for i, s := range m.finished {
		if s.name == p.name {
			p.score = s
			m.finished = append(m.finished[:i], m.finished[i+1:]...)
			return
		}
	}
}
