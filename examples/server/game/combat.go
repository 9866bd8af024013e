package game

import (
	"slices"
	"time"

	"github.com/bcwire/bcwire/examples/combat/model"
	"github.com/bcwire/bcwire/examples/internal/damagelog"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
)

const (
	teamTime     = 2 * time.Second  // after its creation, in which the team of a ship may change
	noteInterval = 10 * time.Second // between two lines of the log about improbable messages
	maxFleet     = 32               // ships of a player whose shots may still be in flight
	scoreDivisor = 10               // points of damage for a point of the score, as in the scripts of the missions
)

// combat is what the server computes for all players. The zero value computes nothing.
type combat struct {
	world   *model.World // nil without combat
	unnoted int          // improbable messages since the last line of the log
	noteAt  time.Duration
}

// arm begins the combat of a round, if the match has one.
func (m *Match) arm() {
	if m.options.Combat {
		m.world = &model.World{Strict: m.options.Strict}
	}
}

// damage is what a player has done to the ship of another player.
type damage struct {
	by     *player
	points float64
}

// fights reports whether the server computes the combat of the ship of a player. Between two rounds there is
// no combat.
func (m *Match) fights(p *player) bool {
	return m.world != nil && !m.ended && p.ship != nil && m.world.Ship(p.ship.ID) != nil
}

// enlist adds the new ship of a player to the combat. Without physics, the ship can neither damage ships nor
// be damaged.
func (m *Match) enlist(p *player) {
	if m.world == nil {
		return
	}
	p.damage, p.fleet = nil, append(p.fleet[max(0, len(p.fleet)-maxFleet+1):], p.ship.ID)
	m.world.Remove(p.ship.ID) // an earlier ship with the ID that explodes
	if err := m.world.Add(p.ship.ID, p.ship.Class, p.ship.SetName, model.MotionOf(&p.ship.Motion)); err != nil {
		m.log.Info("ship without combat", "player", p, "error", err)
	}
}

// moved passes the motion and the power settings that the owner of a ship reports to the combat. The motion
// before is restored if the model refuses the new one.
func (m *Match) moved(p *player, before stateupdate.Motion, msg *opcode.StateUpdate) (reason string, err error) {
	if !m.fights(p) {
		return "", nil
	}
	_ = m.world.Apply(msg) // power settings are never refused
	motion := model.MotionOf(&p.ship.Motion)
	motion.Relative = msg.Flags&opcode.StatePosition == 0
	if err = m.world.Report(p.ship.ID, p.ship.SetName, motion, false); err != nil {
		p.ship.Motion = before
		m.note(p, err)
		return improbable, err
	}
	return "", nil
}

// improbable is the reason for which a message is dropped that the combat refuses.
const improbable = "improbable"

// apply applies a message of a player about its ship to the combat. A message without effect is relayed,
// unless the server is strict.
func (m *Match) apply(p *player, msg opcode.Message) (reason string, err error) {
	if !m.fights(p) {
		return "", nil
	}
	if err = m.world.Apply(msg); err != nil {
		m.note(p, err)
		if m.world.Strict {
			return improbable, err
		}
	}
	return "", nil
}

// note counts what a client of the game would hardly do, and logs it from time to time.
func (m *Match) note(p *player, err error) {
	m.options.Noted()
	m.unnoted++
	if now := m.GameTime(); now >= m.noteAt {
		m.log.Warn("improbable", "player", p, "error", err, "times", m.unnoted)
		m.unnoted, m.noteAt = 0, now+noteInterval
	}
}

// fight computes the combat until now, and tells the players about it.
func (m *Match) fight() {
	if m.world == nil || m.ended {
		return
	}
	now := time.Duration(float64(float32(m.GameTime().Seconds())) * float64(time.Second)) // as the times of the players, which are float32
	for _, e := range m.world.Advance(now) {
		victim := m.owner(e.Ship)
		if victim == nil { // the ship has exploded
			continue
		}
		shooter := m.shooter(e.By)
		switch e.Kind {
		case model.Hit:
			if shooter != nil && shooter != victim && e.Weapon.Subsystem != nil {
				victim.suffer(shooter, e.Absorbed+e.Passed)
			}
			m.options.Hit(hitOf(victim, shooter, &e))
		case model.Damaged, model.Repaired, model.RepairFailed:
			m.reportRepair(victim.ship, e)
		case model.Exploding:
			if e.Weapon.Subsystem == nil || shooter == victim { // as in the game, nobody gets the kill in a collision
				shooter = nil
			}
			m.destroy(victim, shooter, e.By)
		case model.Noted:
			m.note(victim, e.Err)
		}
	}
}

// hitOf returns the line of the log of damage for a hit. The shooter may be nil.
func hitOf(victim, shooter *player, e *model.Event) damagelog.Hit {
	h := damagelog.Hit{
		Peer: objectid.NoPeer, Target: victim.Name, TargetPeer: victim.PeerID, Weapon: damagelog.Collision, Absorbed: e.Absorbed, Passed: e.Passed,
	}
	if shooter != nil {
		h.Player, h.Peer = shooter.Name, shooter.PeerID
	}
	if e.Weapon.Subsystem != nil {
		h.Weapon = e.Weapon.String()
	}
	return h
}

// shooter returns the player with a ship, which may have exploded meanwhile, or nil.
func (m *Match) shooter(ship objectid.ID) *player {
	for _, p := range m.players() {
		if slices.Contains(p.fleet, ship) {
			return p
		}
	}
	return nil
}

// suffer counts damage by another player, for the score. It forgets that of players who have left, since they get no
// points.
func (p *player) suffer(by *player, points float64) {
	if by.isFriend(p) {
		points = -points // as the scripts of the team missions
	}
	i := slices.IndexFunc(p.damage, func(d damage) bool { return d.by == by })
	if i < 0 {
		p.damage = slices.DeleteFunc(p.damage, func(d damage) bool { return d.by.Session.Ended() })
		i, p.damage = len(p.damage), append(p.damage, damage{by: by})
	}
	p.damage[i].points += points
}

// isFriend reports whether the ships of two players are of one team. A ship keeps its team: a player could
// otherwise change sides while another one fires.
func (p *player) isFriend(other *player) bool {
	return p.side != opcode.TeamNone && p.side == other.side
}

// Side returns the team for which the last ship of a member counts.
func (m *Match) Side(member *join.Member) opcode.Team {
	if p, ok := member.Value.(*player); ok {
		return p.side
	}
	return opcode.TeamNone
}

// reportRepair tells the players that a part of a ship enters its repair list, or leaves it.
func (m *Match) reportRepair(s *stateupdate.Ship, e model.Event) {
	workshop := s.FirstOf(stateupdate.KindRepair)
	part, ok := s.Class.PartID(s.ID, e.Part.Index, e.Part.Child)
	if !ok || workshop == nil || workshop.Subsystem.IDOffset == 0 {
		return
	}
	repair := s.ID + objectid.ID(workshop.Subsystem.IDOffset)
	switch e.Kind {
	case model.Damaged:
		m.Broadcast(opcode.NewDamaged(part, repair))
	case model.Repaired:
		m.Broadcast(opcode.NewRepaired(s.ID, part, repair))
	case model.RepairFailed:
		m.Broadcast(opcode.NewRepairFailed(s.ID, part, repair))
	}
}

// refresh takes the conditions of all ships from the combat.
func (m *Match) refresh() {
	if m.world == nil {
		return
	}
	for _, p := range m.players() {
		if m.fights(p) {
			m.world.Ship(p.ship.ID).Status(p.ship)
		}
	}
}
