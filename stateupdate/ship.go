package stateupdate

import (
	"bytes"
	"slices"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
)

// Ship is the state of a ship: what a [Tracker] has learned from messages, or what an
// [Encoder] sends to a peer. Vectors and levels are the codes of the wire, so that a state
// that is passed on does not lose precision. Use [NewShip] for a new ship.
type Ship struct {
	ID         objectid.ID
	Species    opcode.Species
	Class      *Class // nil if the species has no known class, or the create blob does not fit it
	OwnerSlot  objectid.Slot
	PeerID     objectid.PeerID // of the player, 0 if nobody plays the ship
	PlayerName string
	SetName    string // the star system

	GameTime float32 // of the newest motion, seconds on its sender's clock
	Motion
	HasHash bool // the owner has sent Hash
	Hash    opcode.Hash16

	Subsystems []Status // one for each of Class.Subsystems, in their order
	Blob       []byte   // of a ship without a Class: the create blob
	// BlobDropped reports that the create blob exceeded MaxBlob, so that Blob is missing. The
	// ship cannot be created for another peer.
	BlobDropped bool
}

// NewShip returns a new ship at the origin, unharmed, with full batteries and power. A
// class may be nil.
func NewShip(id objectid.ID, class *Class) *Ship {
	s := new(Ship)
	s.init(id)
	s.setClass(class)
	return s
}

// init makes a zero ship one without a class, at the origin.
func (s *Ship) init(id objectid.ID) {
	slot, _ := id.Slot() // NoSlot if the ID is not one of a player
	s.ID, s.OwnerSlot = id, slot
	s.Forward, s.Up = compress.Vector3{Y: 127}, compress.Vector3{Z: 127}
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

// Clone returns a copy that shares nothing with the ship except its Class.
func (s *Ship) Clone() *Ship {
	clone := *s
	clone.detach()
	return &clone
}

// detach copies the memory that the ship shares with the ship that it is a copy of.
func (s *Ship) detach() {
	s.Blob = bytes.Clone(s.Blob)
	s.Subsystems = slices.Clone(s.Subsystems)
	n := 0
	for i := range s.Subsystems {
		n += len(s.Subsystems[i].Parts)
	}
	levels := make(Levels, 0, n)
	for i := range s.Subsystems {
		if parts := s.Subsystems[i].Parts; parts != nil {
			start := len(levels)
			levels = append(levels, parts...)
			s.Subsystems[i].Parts = levels[start:len(levels):len(levels)]
		}
	}
}
