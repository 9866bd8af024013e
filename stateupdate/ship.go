package stateupdate

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// Ship is the state of a ship in a [Tracker] or for an [Encoder]. Vectors and levels are codes
// of the wire, so that relaying a state does not lose precision. Create a ship with [NewShip].
type Ship struct {
	ID         objectid.ID
	Species    opcode.Species
	Class      *Class // nil if unknown, or if the create blob does not fit the class
	OwnerSlot  objectid.Slot
	PeerID     objectid.PeerID // of the player; not Valid if the ship has no player
	PlayerName string
	SetName    string // the star system

	Life     Life
	Killer   objectid.PeerID // of a dying ship: the player who destroyed it; not Valid if none did
	Lifetime time.Duration   // of a dying ship: the duration of the explosion

	Motion

	// OpenBC reports that the host sends blocks in the form of OpenBC; see [Status]. The host then
	// sends neither the facings nor the power of the shield generator.
	OpenBC     bool
	Subsystems []Status // one for each of Class.Subsystems, in the same order
	// Stale are the subsystems whose state may be old: a Tracker could not read a block, and no block has
	// had their state since.
	Stale IndexSet

	blob        []byte // the create blob of a ship without a Class
	blobDropped bool   // the create blob exceeded maxBlob and is not in blob
}

// NewShip returns an undamaged ship at the origin, with full batteries and power. The class
// may be nil.
func NewShip(id objectid.ID, class *Class) *Ship {
	s := new(Ship)
	s.init(id)
	s.setClass(class)
	s.Life = Alive
	return s
}

// init places a zero ship at the origin.
func (s *Ship) init(id objectid.ID) {
	slot, _ := id.Slot() // NoSlot if the ID is not a player's
	s.ID, s.OwnerSlot = id, slot
	s.Forward, s.Up = compress.Vector3{Y: 127}, compress.Vector3{Z: 127}
}

// setClass sets the class and undamaged subsystems.
func (s *Ship) setClass(class *Class) {
	s.Class = class
	if class == nil {
		return
	}
	s.Species = class.Species
	s.Subsystems = make([]Status, len(class.Subsystems))
	levels := make(Levels, class.levels())
	for i := range levels {
		levels[i] = byte(full)
	}
	for i := range s.Subsystems {
		levels = s.Subsystems[i].reset(i, &class.Subsystems[i], levels)
	}
}

// levels returns the number of children and facings.
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

// reset sets the status of an undamaged subsystem. Parts takes the beginning of levels; reset
// returns the rest.
func (s *Status) reset(i int, sub *Subsystem, levels Levels) Levels {
	n := sub.levels()
	*s = Status{Index: uint8(i), Subsystem: sub, Condition: full, HasCloak: sub.Kind == KindCloak, Parts: levels[:n:n]}
	if sub.Kind == KindReactor {
		s.MainBattery, s.BackupBattery = full, full
	}
	if sub.Kind.Powered() {
		s.HasPower, s.Power = true, fullPower
	}
	s.Off = sub.Kind == KindCloak
	if sub.Kind == KindPhaser || sub.Kind == KindTractor {
		s.Mode = 1 // medium, or tow
	}
	return levels[n:]
}

// FirstOf returns the state of the first subsystem of a kind, such as [KindHull]. It returns nil if
// there is none, if the ship has no class, or if s is nil.
func (s *Ship) FirstOf(kind Kind) *Status {
	if s == nil || s.Class == nil {
		return nil
	}
	// A ship that was not made by NewShip may have a Class without Subsystems.
	if i := s.Class.firstOf(kind); i >= 0 && i < len(s.Subsystems) {
		return &s.Subsystems[i]
	}
	return nil
}

// String returns the ship in one line, with up to 40 characters of each name. A Life other
// than Alive is at the end:
//
//	Akira 0x3fffffff "Ann" in "Multi1" at (88 -66 -73) nose (0 1 0) speed 5.1245 hull 50%
func (s *Ship) String() string {
	if s == nil {
		return "no ship"
	}
	class := s.Species.String()
	if s.Class != nil {
		class = s.Class.Name
	}
	b := fmt.Appendf(nil, "%s %v", class, s.ID)
	if s.PlayerName != "" {
		b = fmt.Appendf(b, " %.40q", s.PlayerName)
	}
	if s.SetName != "" {
		b = fmt.Appendf(b, " in %.40q", s.SetName)
	}
	b = fmt.Appendf(b, " at (%.5g %.5g %.5g) nose %v speed %v", s.Position[0], s.Position[1], s.Position[2], s.Forward, s.Speed)
	if hull := s.FirstOf(KindHull); hull != nil {
		b = fmt.Appendf(b, " hull %v", hull.Condition)
	}
	if s.Cloaked {
		b = append(b, " cloaked"...)
	}
	if s.Life != Alive {
		b = fmt.Appendf(b, " %v", s.Life)
	}
	return string(b)
}

// detach copies the memory that a copy shares with the original ship.
func (s *Ship) detach() {
	s.blob = bytes.Clone(s.blob)
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

// Creation returns the message that creates the ship: an ObjectCreateTeam, or an ObjectCreate
// if the ship has no player. It returns the errors of [Ship.Object].
func (s *Ship) Creation() (opcode.Message, error) {
	object, err := s.Object()
	switch {
	case err != nil:
		return nil, err
	case !s.PeerID.Valid():
		return &opcode.ObjectCreate{OwnerSlot: s.OwnerSlot, Object: object}, nil
	}
	return &opcode.ObjectCreateTeam{OwnerSlot: s.OwnerSlot, NetPlayerID: s.PeerID, Object: object}, nil
}

// Object returns the object in the message of [Ship.Creation]. It returns an error if s is nil. The error wraps
// [stream.ErrText] if a name is invalid, or [stream.ErrLimit] if the ship has no Class and its create blob was too
// long to keep. Other errors are from [Class.AppendBlob].
func (s *Ship) Object() (opcode.Object, error) {
	if s == nil {
		return opcode.Object{}, errNoShip
	}
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
		Orientation:       orientation(s.Forward, s.Up),
		VelocityDir:       dir,
		VelocityMagnitude: magnitude,
		PlayerName:        name,
		SetName:           set,
		SubsystemsRaw:     blob,
	}, nil
}

// createBlob returns the create blob. Motion.Cloaked decides whether a cloaking device is on.
// The power is limited to maxPower, because the byte is signed.
func (s *Ship) createBlob() ([]byte, error) {
	switch {
	case s.Class == nil && s.blobDropped:
		return nil, &shipError{s.ID, "create blob", fmt.Errorf("%w: the received blob had more than %d bytes and was dropped", stream.ErrLimit, maxBlob)}
	case s.Class == nil:
		return s.blob, nil
	}
	all := slices.Clone(s.Subsystems)
	for i := range all {
		all[i].Power = min(all[i].Power, maxPower)
		if all[i].Subsystem != nil && all[i].Subsystem.Kind == KindCloak {
			all[i].Cloaked, all[i].Off = s.Cloaked, !s.Cloaked
		}
	}
	return s.Class.AppendBlob(nil, all)
}
