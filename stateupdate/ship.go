package stateupdate

import (
	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Ship is the full picture of a ship at a moment: what a [Decoder] has learned of it, or
// what an [Encoder] tells others. Vectors and levels are the codes of the wire, so that a
// picture that is passed on does not lose precision.
type Ship struct {
	ID      objectid.ID
	Species opcode.Species
	Class   *Class // nil if the subsystems are not known
	Name    string // of the player
	Set     string // the star system

	GameTime float32 // of the newest update, seconds on the sender's clock
	Motion
	HasHash bool // the owner has sent Hash
	Hash    opcode.Hash16

	Systems []Status // one for each of Class.Subsystems, in their order
	Blob    []byte   // of a ship without a Class: the create blob

	memory memory
}

// Motion is where a ship is and how it moves.
type Motion struct {
	Position [3]float32       // game units
	Forward  compress.Vector3 // where the nose points
	Up       compress.Vector3 // where the roof points
	Speed    compress.Float16 // game units per second; negative is backwards
	Cloaked  bool             // the cloaking device is on
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
	s := &Ship{ID: id, Motion: Motion{Forward: compress.Vector3{Y: 127}, Up: compress.Vector3{Z: 127}}}
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
	s.Systems = make([]Status, len(class.Subsystems))
	levels := make(Levels, class.levels())
	for i := range levels {
		levels[i] = byte(Full)
	}
	for i := range s.Systems {
		levels = s.Systems[i].reset(i, &class.Subsystems[i], levels)
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
	if sub.Kind == KindPhaser || sub.Kind == KindTractor {
		s.Setting = 1 // medium; tow
	}
	return levels[n:]
}

// System returns the state of the subsystem of a name, as [Class.Find] finds it, or nil.
func (s *Ship) System(name string) *Status {
	if s.Class == nil {
		return nil
	}
	if i := s.Class.Find(name); i >= 0 {
		return &s.Systems[i]
	}
	return nil
}

// Object returns what creates the ship for those who do not know it: the object of an
// ObjectCreateTeam, or of an ObjectCreate if nobody plays it.
func (s *Ship) Object() (opcode.Object, error) {
	name, err := stream.NewText(s.Name)
	if err != nil {
		return opcode.Object{}, err
	}
	set, err := stream.NewText(s.Set)
	if err != nil {
		return opcode.Object{}, err
	}
	blob := s.Blob
	if s.Class != nil {
		if blob, err = s.Class.AppendBlob(nil, s.Systems); err != nil {
			return opcode.Object{}, err
		}
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
