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
			return invalid(m, f.Path, "not a finite number")
		}
	}
	if v, ok := m.(interface{ validate(Message) error }); ok {
		return v.validate(m)
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

func invalid(m Message, field, reason string) error {
	return fmt.Errorf("opcode: %w %v.%s: %s", ErrInvalid, m.Opcode(), field, reason)
}

// require returns an error if something does not hold that a field must keep to.
func require(holds bool, m Message, field, reason string) error {
	if holds {
		return nil
	}
	return invalid(m, field, reason)
}

func (s *Settings) validate(m Message) error {
	return require(s.PlayerSlot < objectid.Slots, m, "PlayerSlot", "no such slot")
}

func (i *MissionInit) validate(m Message) error {
	return errors.Join(
		require(i.PlayerLimit >= 2 && i.PlayerLimit <= 8, m, "PlayerLimit", "not 2 to 8"),
		require(i.TimeLimit == NoLimit || i.TimeLimit >= 5 && i.TimeLimit <= 45, m, "TimeLimit", "not 5 to 45"),
		require(i.FragLimit == NoLimit || i.FragLimit >= 1 && i.FragLimit <= 10, m, "FragLimit", "not 1 to 10"),
	)
}

func (u *StateUpdate) validate(m Message) error {
	const subsystems, places = StateSubsystems | StatePower, StatePosition | StateDelta
	return errors.Join(
		require(u.Flags&subsystems != subsystems, m, "Flags", "subsystems and power"),
		require(u.Flags&places != places, m, "Flags", "position and delta"),
	)
}

func (o *ObjectCreate) validate(m Message) error { return o.Object.validate(m, o.OwnerSlot) }

func (o *ObjectCreateTeam) validate(m Message) error { return o.Object.validate(m, o.OwnerSlot) }

// validate says whether the object may be in the slot. Its ID tells another slot only if
// it is of a player.
func (o *Object) validate(m Message, owner int8) error {
	slot, ok := o.ObjectID.Slot()
	return errors.Join(
		require(owner >= 0 && owner < objectid.Slots, m, "OwnerSlot", "no such slot"),
		require(!ok || slot == int(owner), m, "ObjectID", "of another slot"),
		require(o.VelocityMagnitude >= 0, m, "VelocityMagnitude", "negative"),
	)
}

// classes are those of the events that have one class only.
var classes = [256]EventClass{
	OpStartFiring:        ClassStartFiringEvent,
	OpStopFiring:         ClassEvent,
	OpStopFiringAtTarget: ClassObjPtrEvent,
	OpSubsystemStatus:    ClassBoolEvent,
	OpAddToRepairList:    ClassEvent,
	OpPythonEvent2:       ClassObjPtrEvent,
	OpStartCloaking:      ClassEvent,
	OpStopCloaking:       ClassEvent,
	OpStartWarp:          ClassWarpEvent,
	OpRepairListPriority: ClassObjPtrEvent,
	OpSetPhaserLevel:     ClassCharEvent,
	OpCollisionEffect:    ClassCollisionEvent,
	OpDeletePlayerUI:     ClassPlayerEvent,
	OpTorpedoTypeChange:  ClassCharEvent,
}

func (e *Event) validate(m Message) error {
	if class := classes[m.Opcode()]; class != 0 && class != e.Class {
		return invalid(m, "Class", "not that of the opcode")
	}
	most := int32(math.MaxInt32)
	switch {
	case e.Class == ClassBoolEvent:
		most = 1
	case m.Opcode() == OpSetPhaserLevel:
		most = int32(PhaserHigh)
	case m.Opcode() == OpTorpedoTypeChange:
		most = 3
	}
	return errors.Join(
		require(e.Value <= most, m, "Value", "out of range"),
		require(e.Class != ClassObjectExplodingEvent || e.Lifetime >= 0, m, "Lifetime", "negative"),
	)
}

func (t *ChatMessage) validate(m Message) error {
	return require(len(t.Text) <= maxChat, m, "Text", "longer than the game sends")
}

func (t *TeamChatMessage) validate(m Message) error { return (*ChatMessage)(t).validate(m) }

// maxChat is the longest line of chat that the game sends: its scripts write at most 256
// bytes.
const maxChat = 249

func (e *EndGame) validate(m Message) error {
	return require(e.Reason >= EndOver && e.Reason <= EndEnterpriseDead, m, "Reason", "no such reason")
}

func (s *ScoreInit) validate(m Message) error { return s.Team.validate(m) }

func (s *TeamScore) validate(m Message) error { return s.Team.validate(m) }

func (s *TeamMessage) validate(m Message) error { return s.Team.validate(m) }

func (t Team) validate(m Message) error {
	return require(t <= TeamTwo || t == TeamNone, m, "Team", "no such team")
}
