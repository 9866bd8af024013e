package main

import (
	"strings"
	"time"

	"github.com/bcwire/bcwire/opcode"
)

// settings are what a match is made of.
type settings struct {
	name            string // that browsers show
	mission         string // the script, "Multiplayer.Episode.Mission1.Mission1"
	system          opcode.System
	password        string
	maxPlayers      int
	timeLimit       int // minutes, 0 for none
	fragLimit       int // 0 for none
	collisionDamage bool
	hostModem       bool
	plainUpdates    bool          // of all ships to everybody, in every tick
	pause           time.Duration // between a match and the next
}

// missionName returns the last part of the mission's script, "Mission1".
func (s *settings) missionName() string { return s.mission[strings.LastIndex(s.mission, ".")+1:] }

// Limits of what the protocol can carry.
const (
	maxSlots      = 16 // ranges of object IDs
	maxTimeLimit  = 254
	maxFragLimit  = 254
	tick          = time.Second / 10
	maxNameLength = 32
)
