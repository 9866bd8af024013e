package main

import (
	"errors"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// loadTimeout is how long a client may take to build the game.
const loadTimeout = 2 * time.Minute

// check goes on with the comparison of files.
func (m *match) check(p *player, msg opcode.Message) {
	reply, err := p.exchange.Receive(msg)
	var outOfTurn *checksum.ExchangeError
	switch {
	case errors.As(err, &outOfTurn):
		m.drop(p, msg.Opcode(), "out of turn", err)
	case err != nil:
		m.log.Warn("files", "player", p, "error", err)
	}
	if reply == nil {
		return
	}
	m.send(p, reply)
	switch p.exchange.State() {
	case checksum.StateAsking:
		p.deadline = m.now.Add(checksum.RoundTimeout)
	case checksum.StateSending:
		p.deadline = m.now.Add(checksum.TransferTimeout)
	case checksum.StateRejected:
		finding, _ := p.exchange.Rejection()
		m.log.Warn("files differ", "player", p, "finding", finding)
		p.stage, p.deadline = refused, m.now.Add(checksum.RejectionGrace)
	case checksum.StateComplete:
		m.send(p, &opcode.Settings{
			GameTime: m.gameTime(), CollisionDamage: m.collisionDamage, HostModem: m.hostModem,
			PlayerSlot: uint8(p.slot), Map: text(m.mission),
		})
		m.send(p, &opcode.GameInit{})
		p.stage, p.deadline = loading, m.now.Add(loadTimeout)
	}
}

// enter lets a player into the game, whose client is ready, and tells it what there is.
func (m *match) enter(p *player) {
	if p.name == "" { // its NameChange is late, or will never come
		m.call(p, "")
		p.standIn = true
	}
	p.stage = inGame
	m.remember(p)
	m.log.Info("joined", "player", p)
	m.send(p, m.missionInit())
	for _, other := range m.everybody(p) {
		m.send(p, other.score.message(other.id()))
	}
	for _, other := range m.everybody(p) {
		m.sendShip(p, other)
		m.sendTeam(p, other)
	}
	joined := opcode.NewPlayerJoined(uint8(p.id()))
	m.send(p, joined)
	m.broadcast(m.everybody(p), joined)
	if !p.score.none() { // it has come back
		m.broadcast(m.everybody(nil), p.score.message(p.id()))
	}
	if m.ended {
		m.send(p, &opcode.EndGame{Reason: m.reason})
	}
}

func (m *match) missionInit() *opcode.MissionInit {
	init := &opcode.MissionInit{
		PlayerLimit: uint8(m.maxPlayers), System: m.system, TimeLimit: opcode.NoLimit, FragLimit: opcode.NoLimit,
	}
	if m.timeLimit > 0 {
		init.TimeLimit = uint8(m.timeLimit)
		init.EndTime = int32(m.endTime().Sub(m.began).Seconds())
	}
	if m.fragLimit > 0 {
		init.FragLimit = uint8(m.fragLimit)
	}
	return init
}

// dismissLate dismisses players who have not come on in time.
func (m *match) dismissLate() {
	for _, p := range m.slots {
		if p == nil || p.stage == inGame || m.now.Before(p.deadline) {
			continue
		}
		m.log.Info("too late", "player", p)
		p.dismiss(transport.BootRemoved)
	}
}
