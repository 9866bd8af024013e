package game

import (
	"slices"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

const (
	killPoints  = 1000 // of a kill without combat
	explosion   = 9.5  // seconds for which a ship explodes in the game
	maxFinished = 64   // scores of players who have left
)

// destroy destroys the ship of a player, after a last update of the wreck. The killer may be nil. The
// ship by is that of the killer.
func (m *Match) destroy(victim, killer *player, by objectid.ID) {
	if victim.ship == nil || m.ended {
		return
	}
	victim.Deaths++
	ship, won := victim.ship.ID, join.Player{PeerID: objectid.NoPeer}
	damagers := m.score(victim, killer)
	if killer == nil {
		by = objectid.None
	} else {
		if !killer.isFriend(victim) {
			killer.Kills++
			if m.world == nil {
				killer.Points += killPoints
			}
		}
		won = killer.Player
	}
	m.log.Info("destroyed", "player", victim, "killer", killer)
	for i := range victim.ship.Subsystems {
		victim.ship.Subsystems[i].Condition = 0
		clear(victim.ship.Subsystems[i].Parts)
	}
	_ = m.updates.AddShip(victim.ship) // again, so that its last update begins with the first subsystem
	m.sendUpdates(m.updates.ShipUpdates(m.GameTime(), ship))
	m.removeShip(victim)
	exploding, _ := opcode.NewObjectExploding(ship, by, won.PeerID, explosion) // the values are valid
	m.Broadcast(exploding)
	change := opcode.NewScoreChange(victim.PeerID, victim.Deaths, won.PeerID, won.Kills, won.Points)
	change.Damagers = damagers
	m.Broadcast(change)
	if limit := m.limits.FragLimit; limit != 0 && won.Kills >= int32(limit) {
		reason := opcode.EndFragLimit // as the scripts of mission 5; missions 4 and above 5 are not known
		if slices.Contains([]string{"Mission1", "Mission2", "Mission3"}, m.missionName()) {
			reason = opcode.EndScoreLimit
		}
		m.End(reason)
	}
}

// score gives the players points for the damage to a ship that is destroyed. It returns the new
// scores, without that of the killer.
func (m *Match) score(victim, killer *player) (damagers []opcode.DamagerScore) {
	all := m.players()
	for _, d := range victim.damage {
		d.by.Points += int32(d.points / scoreDivisor)
		if d.by != killer && slices.Contains(all, d.by) { // the player has not left
			damagers = append(damagers, opcode.DamagerScore{ID: d.by.PeerID, Score: d.by.Points})
		}
	}
	return damagers
}

// checkRound ends a round at its time limit, and begins the next one.
func (m *Match) checkRound() {
	now, limit := m.GameTime(), float32(m.limits.TimeLimit)*60
	switch {
	case m.ended && now >= m.restart:
		m.Restart()
	case !m.ended && limit > 0 && now-m.started >= limit:
		m.End(opcode.EndTimeUp)
	}
}

// End ends the round. The players stay and can chat. The next round begins after the pause.
func (m *Match) End(reason opcode.EndReason) {
	if !m.ended {
		m.ended, m.restart = true, m.GameTime()+float32(m.options.Pause.Seconds())
		m.Host.End(reason)
	}
}

// Restart begins the next round, without ships and scores.
func (m *Match) Restart() {
	m.ended, m.started = false, m.GameTime()
	clear(m.finished)
	m.arm()
	for _, p := range m.players() {
		m.removeShip(p)
	}
	m.Host.Restart()
}
