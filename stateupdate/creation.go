package stateupdate

import (
	"slices"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Creation returns the message that creates the ship for those who do not know it: an
// ObjectCreateTeam, or an ObjectCreate if nobody plays it.
func (s *Ship) Creation() (opcode.Message, error) {
	object, err := s.Object()
	switch {
	case err != nil:
		return nil, err
	case s.NetPlayerID == 0:
		return &opcode.ObjectCreate{OwnerSlot: s.OwnerSlot, Object: object}, nil
	}
	return &opcode.ObjectCreateTeam{OwnerSlot: s.OwnerSlot, NetPlayerID: s.NetPlayerID, Object: object}, nil
}

// Object returns the object of [Ship.Creation]. The error is [stream.ErrText] for a name
// that the game could not have, [ErrLimit] if the create blob was too long to be kept,
// or that of [Class.AppendBlob].
func (s *Ship) Object() (opcode.Object, error) {
	name, err := stream.NewText(s.PlayerName)
	if err != nil {
		return opcode.Object{}, err
	}
	set, err := stream.NewText(s.SetName)
	if err != nil {
		return opcode.Object{}, err
	}
	blob, err := s.createBlob()
	if err != nil {
		return opcode.Object{}, err
	}
	dir, magnitude := s.wire()
	return opcode.Object{
		ClassID:           opcode.ObjectShip,
		ObjectID:          s.ID,
		Species:           s.Species,
		Position:          s.Position,
		Orientation:       Orientation(s.Forward, s.Up),
		VelocityDir:       dir,
		VelocityMagnitude: magnitude,
		PlayerName:        name,
		SetName:           set,
		SubsystemsRaw:     blob,
	}, nil
}

// createBlob returns the create blob. Cloaked of the motion is what counts, and power is
// what the byte has room for.
func (s *Ship) createBlob() ([]byte, error) {
	switch {
	case s.Class == nil && s.memory.lost:
		return nil, s.fail("create blob", ErrLimit)
	case s.Class == nil:
		return s.Blob, nil
	}
	all := slices.Clone(s.Subsystems)
	for i := range all {
		all[i].Power = min(all[i].Power, MaxPower)
		if all[i].Subsystem != nil && all[i].Subsystem.Kind == KindCloak {
			all[i].Cloaked, all[i].Off = s.Cloaked, !s.Cloaked
		}
	}
	return s.Class.AppendBlob(nil, all)
}
