package stateupdate

import (
	"fmt"

	"github.com/bcwire/bcwire/opcode"
)

// Status is the state of one subsystem: what a block of a StateUpdate or a create blob
// says of it, or what a [Ship] remembers. The zero value, which an iteration gives beside
// an error, is of no subsystem.
//
//	block           size  field
//	any             1     Condition
//	                n     Children
//	powered               HasPower, packed
//	                1     Power, percent, if HasPower
//	reactor         1+1   MainBattery, BackupBattery
//	shield          6     Facings
//
//	create blob     size  field
//	any             1     Condition
//	                n     Children
//	powered         1     Power, percent, signed: negative is switched off
//	reactor         1+1   MainBattery, BackupBattery
//	shield          6     Facings
//	weapon                Flag, packed
//	phaser          1     Mode, a [opcode.PhaserLevel]
//	torpedo         1     Mode, the index of the type that is loaded
//	tractor         1     Mode, a [opcode.TractorMode]
//	cloak                 Cloaked, packed, if HasCloak
//
// Evidence: observed, but for the last line, which is inferred: no blob of a ship with a
// cloaking device has been published.
type Status struct {
	Subsystem *Subsystem // what it is
	Index     uint8      // where it stands in the class's list

	Condition     Level
	Parts         Levels // of Subsystem.Children, or by ShieldFace of a shield generator
	HasPower      bool   // the block has Power: it is not for the owner of the ship
	Power         Power
	MainBattery   Level
	BackupBattery Level

	// Create blobs only:
	Off      bool // switched off, whatever Power is
	Flag     bool // of unknown meaning, false in all captures
	Mode     uint8
	HasCloak bool // the blob has Cloaked
	Cloaked  bool
}

// Points returns what is left of the subsystem's condition in the game's points, 0 if its
// capacity is unknown.
func (s *Status) Points() float32 {
	if s.Subsystem == nil {
		return 0
	}
	return s.Condition.Of(s.Subsystem.MaxCondition)
}

// PartPoints returns what is left of the i-th part in the game's points, 0 if there is no such
// part or its capacity is unknown.
func (s *Status) PartPoints(i int) float32 {
	switch {
	case s.Subsystem == nil || i < 0 || i >= min(len(s.Parts), s.Subsystem.levels()):
		return 0
	case s.Subsystem.Kind == KindShield:
		return s.Parts.At(i).Of(s.Subsystem.Facings[i])
	}
	return s.Parts.At(i).Of(s.Subsystem.Children[i].MaxCondition)
}

// Facing returns what is left of a face of a shield generator, 0 of what has none.
func (s *Status) Facing(face ShieldFace) Level {
	if s.Subsystem == nil || s.Subsystem.Kind != KindShield || int(face) >= len(s.Parts) {
		return 0
	}
	return s.Parts.At(int(face))
}

// BatteryPoints returns what is left of a reactor's batteries.
func (s *Status) BatteryPoints() (main, backup float32) {
	if s.Subsystem == nil {
		return 0, 0
	}
	return s.MainBattery.Of(s.Subsystem.MainBattery), s.BackupBattery.Of(s.Subsystem.BackupBattery)
}

// String returns "Shield Generator 100% power 100% facings 100/100/98/100/100/100%".
func (s *Status) String() string {
	if s.Subsystem == nil {
		return "no subsystem"
	}
	kind := s.Subsystem.Kind
	b := fmt.Appendf(nil, "%s %v", s.Subsystem.Name, s.Condition)
	if kind.Powered() && s.HasPower {
		b = fmt.Appendf(b, " power %v", s.Power)
	}
	if s.Off {
		b = append(b, " off"...)
	}
	switch {
	case kind == KindReactor:
		b = fmt.Appendf(b, " main %v backup %v", s.MainBattery, s.BackupBattery)
	case kind == KindShield:
		b = fmt.Appendf(b, " facings %v", s.Parts)
	case len(s.Parts) > 0:
		b = fmt.Appendf(b, " children %v", s.Parts)
	}
	b = append(b, s.mode()...)
	if s.Flag {
		b = append(b, " flag"...)
	}
	if s.Cloaked {
		b = append(b, " cloaked"...)
	}
	return string(b)
}

// mode returns what the mode of a weapon means. A block has none.
func (s *Status) mode() string {
	switch {
	case s.Subsystem.Kind == KindPhaser && s.Mode != 0:
		return fmt.Sprintf(" level %v", opcode.PhaserLevel(s.Mode))
	case s.Subsystem.Kind == KindTractor && s.Mode != 0:
		return fmt.Sprintf(" mode %v", opcode.TractorMode(s.Mode))
	case s.Subsystem.Kind == KindTorpedo && s.Mode != 0:
		return fmt.Sprintf(" type %d", s.Mode)
	}
	return ""
}
