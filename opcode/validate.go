package opcode

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
)

// ErrInvalid is what [Validate] reports: a message that the layout can carry and that
// makes no sense.
var ErrInvalid = errors.New("invalid")

// Validate says whether a message makes sense. Decoding and encoding do not ask, because
// what a peer has sent is passed on as it is: a program that acts on a message may. What
// it finds wraps [ErrInvalid] and names the field; a message that does not encode gives
// the error of encoding.
//
// It finds numbers that are infinite or none, events of a class that their opcode does
// not have, and values out of their documented range.
func Validate(m Message) error {
	for f, err := range stream.Describe(uint8(m.Opcode()), m) {
		if err != nil {
			return err
		}
		if !finite(f.Value) {
			return invalid(m.Opcode(), f.Path, "not a finite number")
		}
	}
	if v, ok := m.(interface{ validate(Code) error }); ok {
		return v.validate(m.Opcode())
	}
	return nil
}

func finite(v any) bool {
	switch v := v.(type) {
	case float32:
		return !math.IsNaN(float64(v)) && !math.IsInf(float64(v), 0)
	case []float32:
		return !slices.ContainsFunc(v, func(x float32) bool { return !finite(x) })
	}
	return true
}

func invalid(op Code, field, reason string) error {
	return fmt.Errorf("opcode: %w %v.%s: %s", ErrInvalid, op, field, reason)
}

// require returns an error if something does not hold that a field must keep to.
func require(holds bool, op Code, field, reason string) error {
	if holds {
		return nil
	}
	return invalid(op, field, reason)
}

func (m *MissionInit) validate(op Code) error {
	return errors.Join(
		require(m.PlayerLimit >= 2 && m.PlayerLimit <= 8, op, "PlayerLimit", "not 2 to 8"),
		require(m.TimeLimit == NoLimit || m.TimeLimit >= 5 && m.TimeLimit <= 45, op, "TimeLimit", "not 5 to 45"),
		require(m.FragLimit == NoLimit || m.FragLimit >= 1 && m.FragLimit <= 10, op, "FragLimit", "not 1 to 10"),
	)
}

func (m *StateUpdate) validate(op Code) error {
	const subsystems, places = StateSubsystems | StatePower, StatePosition | StateDelta
	return errors.Join(
		require(m.Flags&subsystems != subsystems, op, "Flags", "subsystems and power"),
		require(m.Flags&places != places, op, "Flags", "position and delta"),
	)
}

func (m *ObjectCreate) validate(op Code) error { return m.Object.validate(op, m.OwnerSlot) }

func (m *ObjectCreateTeam) validate(op Code) error { return m.Object.validate(op, m.OwnerSlot) }

// validate says whether the object may be in the slot. Its ID tells another slot only if
// it is of a player.
func (m *Object) validate(op Code, owner int8) error {
	slot, ok := m.ObjectID.Slot()
	return errors.Join(
		require(owner >= 0 && owner < objectid.Slots, op, "OwnerSlot", "no such slot"),
		require(!ok || int8(slot) == owner, op, "ObjectID", "of another slot"),
		require(m.VelocityMagnitude >= 0, op, "VelocityMagnitude", "negative"),
	)
}

func (m *Event) validate(op Code) error {
	if class := classOf(op); class != 0 && class != m.Class {
		return invalid(op, "Class", "not that of the opcode")
	}
	most := int32(math.MaxInt32)
	switch {
	case m.Class == ClassBoolEvent:
		most = 1
	case op == OpSetPhaserLevel:
		most = int32(PhaserHigh)
	case op == OpTorpedoTypeChange:
		most = 3
	}
	return errors.Join(
		require(m.Value <= most, op, "Value", "out of range"),
		require(m.Class != ClassObjectExplodingEvent || m.Lifetime >= 0, op, "Lifetime", "negative"),
	)
}

func (m *ChatMessage) validate(op Code) error {
	return require(len(m.Text) <= MaxChat, op, "Text", "longer than the game sends")
}

func (m *TeamChatMessage) validate(op Code) error { return (*ChatMessage)(m).validate(op) }

// MaxChat is the length of the longest Text of a [ChatMessage] that the game sends: its
// scripts write at most 256 bytes.
const MaxChat = 249

func (m *EndGame) validate(op Code) error {
	return require(m.Reason >= EndOver && m.Reason <= EndEnterpriseDead, op, "Reason", "no such reason")
}

func (m *ScoreInit) validate(op Code) error { return m.Team.validate(op) }

func (m *TeamScore) validate(op Code) error { return m.Team.validate(op) }

func (m *TeamMessage) validate(op Code) error { return m.Team.validate(op) }

func (v Team) validate(op Code) error {
	return require(v <= TeamTwo || v == TeamNone, op, "Team", "no such team")
}
