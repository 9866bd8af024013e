package game

import (
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

const (
	killPoints  = 1000 // of a kill without combat
	explosion   = 9.5  // seconds for which a ship explodes in the game
	maxFinished = 256  // scores of players who have left
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
	m.sendUpdates(m.updates.Restart(m.GameTime(), ship))
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

// result is the score with which a player has left.
type result struct {
	join.Player
	network netip.AddrPort // see join.Member.Network
	number  int            // in the order in which players have left
}

// keepScore keeps the score of a player who leaves, until the player comes back or the round ends. Beyond maxFinished
// scores, it forgets the oldest one of the network that has most of them.
func (m *Match) keepScore(p *player) {
	m.results++
	m.finished[p.Name] = result{p.Player, p.Network(), m.results}
	if len(m.finished) <= maxFinished {
		return
	}
	held, goes := map[netip.AddrPort]int{}, ""
	for _, r := range m.finished {
		held[r.network]++
	}
	for name, r := range m.finished {
		other, ok := m.finished[goes]
		more := held[r.network] - held[other.network]
		if !ok || more > 0 || more == 0 && r.number < other.number {
			goes = name
		}
	}
	delete(m.finished, goes)
}

// restore gives a player the score with which one of its name has left, and reports whether there was one.
func (m *Match) restore(p *player) bool {
	before, ok := m.finished[p.Name]
	if ok {
		p.Kills, p.Deaths, p.Points = p.Kills+before.Kills, p.Deaths+before.Deaths, p.Points+before.Points
		delete(m.finished, p.Name)
	}
	return ok
}

// restoreLate gives scores to players who were named after they had entered.
func (m *Match) restoreLate() {
	for _, p := range m.players() {
		if m.restore(p) {
			m.Broadcast(&opcode.Score{PlayerID: p.PeerID, Kills: p.Kills, Deaths: p.Deaths, Score: p.Points})
		}
	}
}

// checkRound ends a round at its time limit, and begins the next one.
func (m *Match) checkRound() {
	now, limit := m.GameTime(), time.Duration(m.limits.TimeLimit)*time.Minute
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
		m.ended, m.restart = true, m.GameTime()+m.options.Pause
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
