package stateupdate

import (
	"bytes"
	"slices"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Ship is the full picture of a ship at a moment: what a [Tracker] has learned of it, or
// what an [Encoder] tells others. Vectors and levels are the codes of the wire, so that a
// picture that is passed on does not lose precision.
type Ship struct {
	ID          objectid.ID
	Species     opcode.Species
	Class       *Class // nil if the species has no known class, or the create blob does not fit it
	OwnerSlot   int8
	NetPlayerID int8 // the peer ID of the player, 0 if nobody plays it
	PlayerName  string
	SetName     string // the star system

	GameTime float32 // of the newest motion, seconds on its sender's clock
	Motion
	HasHash bool // the owner has sent Hash
	Hash    opcode.Hash16

	Subsystems []Status // one for each of Class.Subsystems, in their order
	Blob       []byte   // of a ship without a Class: the create blob

	memory memory
}

// Motion is where a ship is and how it moves.
type Motion struct {
	Position [3]float32       // game units
	Forward  compress.Vector3 // where the nose points
	Up       compress.Vector3 // where the roof points
	Speed    compress.Float16 // game units per second; negative is backwards
	Cloaked  bool             // the cloaking device is on, whatever the [Status] of the device says
}

// Velocity returns the velocity in game units per second: a ship flies where its nose
// points, or backwards.
func (m *Motion) Velocity() (x, y, z float32) {
	nose, ok := unit(components(m.Forward))
	if !ok {
		return 0, 0, 0
	}
	speed := float64(m.Speed.Float32())
	return float32(nose[0] * speed), float32(nose[1] * speed), float32(nose[2] * speed)
}

// wire returns the velocity as object creation has it.
func (m *Motion) wire() (dir compress.Vector3, magnitude float32) {
	switch speed := m.Speed.Float32(); {
	case speed > 0:
		return m.Forward, speed
	case speed < 0:
		return compress.Vector3{X: -m.Forward.X, Y: -m.Forward.Y, Z: -m.Forward.Z}, -speed
	}
	return compress.Vector3{}, 0
}

// NewShip returns a new ship at the origin, unharmed, with full batteries and power. A
// class may be nil.
func NewShip(id objectid.ID, class *Class) *Ship {
	s := &Ship{ID: id, OwnerSlot: -1, Motion: Motion{Forward: compress.Vector3{Y: 127}, Up: compress.Vector3{Z: 127}}}
	if slot, ok := id.Slot(); ok {
		s.OwnerSlot = int8(slot)
	}
	s.setClass(class)
	return s
}

// setClass gives the ship unharmed subsystems.
func (s *Ship) setClass(class *Class) {
	s.Class = class
	if class == nil {
		return
	}
	s.Species = class.Species
	s.Subsystems = make([]Status, len(class.Subsystems))
	levels := make(Levels, class.levels())
	for i := range levels {
		levels[i] = byte(Full)
	}
	for i := range s.Subsystems {
		levels = s.Subsystems[i].reset(i, &class.Subsystems[i], levels)
	}
}

// levels returns how many children and facings there are.
func (c *Class) levels() (n int) {
	for i := range c.Subsystems {
		n += c.Subsystems[i].levels()
	}
	return n
}

func (s *Subsystem) levels() int {
	if s.Kind == KindShield {
		return facings
	}
	return len(s.Children)
}

// reset makes the status that of a whole subsystem, with memory from the beginning of
// levels. It returns the rest.
func (s *Status) reset(i int, sub *Subsystem, levels Levels) Levels {
	n := sub.levels()
	*s = Status{Index: uint8(i), Subsystem: sub, Condition: Full, HasCloak: sub.Kind == KindCloak, Parts: levels[:n:n]}
	if sub.Kind == KindReactor {
		s.MainBattery, s.BackupBattery = Full, Full
	}
	if sub.Kind.Powered() {
		s.HasPower, s.Power = true, FullPower
	}
	s.Off = sub.Kind == KindCloak
	if sub.Kind == KindPhaser || sub.Kind == KindTractor {
		s.Mode = 1 // medium, or tow
	}
	return levels[n:]
}

// Subsystem returns the state of the subsystem of a name, as [Class.Find] finds it, or nil. A
// ship that [NewShip] has not made may have a Class without Subsystems: then it is nil, too.
func (s *Ship) Subsystem(name string) *Status {
	if s.Class == nil {
		return nil
	}
	if i := s.Class.Find(name); i >= 0 && i < len(s.Subsystems) {
		return &s.Subsystems[i]
	}
	return nil
}

// Clone returns a copy that shares nothing with the ship but its Class: a snapshot of a
// [Tracker]'s picture.
func (s *Ship) Clone() *Ship {
	clone := *s
	clone.Blob = bytes.Clone(s.Blob)
	clone.Subsystems = slices.Clone(s.Subsystems)
	for i := range clone.Subsystems {
		clone.Subsystems[i].Parts = bytes.Clone(s.Subsystems[i].Parts)
	}
	clone.memory = memory{}
	return &clone
}
