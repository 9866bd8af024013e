package main

import (
	"slices"
	"time"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

const (
	killPoints  = 1000
	explosion   = 9.5 // seconds for which a ship explodes in the game
	maxFinished = 64  // scores of players who have left
)

// score is the score of a player. A player who comes back under the same name gets it again.
type score struct{ kills, deaths, points int32 }

func (s *score) message(id objectid.PeerID) *opcode.Score {
	return &opcode.Score{PlayerID: id, Kills: s.kills, Deaths: s.deaths, Score: s.points}
}

// destroy destroys the ship of a player, after a last update of the wreck. The killer may be nil.
func (m *match) destroy(victim, killer *player) {
	if victim.ship == nil || m.ended {
		return
	}
	victim.score.deaths++
	ship, by, player, won := victim.ship.ID, objectid.None, objectid.NoPeer, score{}
	if killer != nil {
		killer.score.kills++
		killer.score.points += killPoints
		by, player, won = killer.ship.ID, killer.id(), killer.score
	}
	m.log.Info("destroyed", "player", victim, "killer", killer)
	for i := range victim.ship.Subsystems {
		victim.ship.Subsystems[i].Condition = 0
		clear(victim.ship.Subsystems[i].Parts)
	}
	_ = m.updates.AddShip(victim.ship) // again, so that its last update begins with the first subsystem
	m.sendUpdates(m.updates.ShipUpdates(m.gameTime(), ship))
	m.removeShip(victim)
	exploding, _ := opcode.NewObjectExploding(ship, by, player, explosion) // the values are valid
	m.send(exploding, m.players(nil)...)
	m.send(opcode.NewScoreChange(victim.id(), victim.score.deaths, player, won.kills, won.points), m.players(nil)...)
	if killer != nil && m.fragLimit > 0 && int(killer.score.kills) >= m.fragLimit {
		reason := opcode.EndFragLimit // as the scripts of mission 5; missions 4 and above 5 are not known
		if slices.Contains([]string{"Mission1", "Mission2", "Mission3"}, m.missionName()) {
			reason = opcode.EndScoreLimit
		}
		m.end(reason)
	}
}

// endTime returns the end of the round by its time limit.
func (m *match) endTime() time.Time { return m.started.Add(time.Duration(m.timeLimit) * time.Minute) }

// checkRound ends a round at its time limit, and begins the next one.
func (m *match) checkRound() {
	switch {
	case m.ended && !m.now.Before(m.restart):
		m.begin()
	case !m.ended && m.timeLimit > 0 && !m.now.Before(m.endTime()):
		m.end(opcode.EndTimeUp)
	}
}

// end ends the round. The players stay and can chat.
func (m *match) end(reason opcode.EndReason) {
	if m.ended {
		return
	}
	m.log.Info("end", "reason", reason)
	m.ended, m.reason, m.restart = true, reason, m.now.Add(m.pause)
	m.send(&opcode.EndGame{Reason: reason}, m.players(nil)...)
}

// begin begins the next round, without ships and scores.
func (m *match) begin() {
	m.log.Info("restart")
	m.ended, m.started = false, m.now
	clear(m.finished)
	for _, p := range m.players(nil) {
		m.removeShip(p)
		p.score = score{}
	}
	m.send(&opcode.RestartGame{}, m.players(nil)...)
}
