package stateupdate

//go:generate go run gen.go

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/bcwire/bcwire/opcode"
)

// Class is a class of ships. Its subsystems are in the order of the wire.
type Class struct {
	Species opcode.Species
	Key     string // "birdofprey", for files and command lines
	Name    string // "Bird of Prey"
	Script  string // "BirdOfPrey"
	Faction string
	// Evidence is the grade of Subsystems. It is Documented by the game's scripts, and Observed if captured bytes or
	// object IDs agree. If the script extends another script, it is Inferred: it is unknown how.
	Evidence opcode.Grade

	Subsystems []Subsystem // at most 128, because the start index of a block is a signed byte

	Physics *Physics // nil if unknown, as for a class of a file without physics
}

const (
	maxSubsystems = 128 // the start index of a block is a signed byte
	maxChildren   = 255 // of one subsystem
)

// firstOf returns the index of the first subsystem of a kind, or -1.
func (c *Class) firstOf(kind Kind) int {
	return slices.IndexFunc(c.Subsystems, func(s Subsystem) bool { return s.Kind == kind })
}

func (c *Class) canCloak() bool { return c.firstOf(KindCloak) >= 0 }

// next returns the index after i. The first index follows the last.
func (c *Class) next(i int) int {
	if i++; i < len(c.Subsystems) {
		return i
	}
	return 0
}

// powered returns the subsystem with the index of a power setting, or nil if it is not
// powered.
func (c *Class) powered(index uint8) *Subsystem {
	if int(index) >= len(c.Subsystems) || !c.Subsystems[index].Kind.Powered() {
		return nil
	}
	return &c.Subsystems[index]
}

// Validate returns an error wrapping [ErrClass] if the class has
//
//   - no subsystem, or too many subsystems or children;
//   - a missing or repeated name of a subsystem, or an unknown kind or power mode;
//   - a shield generator with children, which the wire cannot represent;
//   - a capacity that is negative or not finite;
//   - ID offsets that are not the numbers from 1 to the number of parts, unless all are 0;
//   - physics without each subsystem and child.
func (c *Class) Validate() error {
	if err := c.validate(); err != nil {
		return fmt.Errorf("stateupdate: %q: %w", c.Name, err)
	}
	return nil
}

func (c *Class) validate() error {
	if n := len(c.Subsystems); n == 0 || n > maxSubsystems {
		return fmt.Errorf("%w: %d subsystems, must be 1 to %d", ErrClass, n, maxSubsystems)
	}
	for i := range c.Subsystems {
		if err := c.validateSubsystem(i); err != nil {
			return err
		}
	}
	if c.Physics != nil && len(c.Physics.Parts) != c.Objects()-1 {
		return fmt.Errorf("%w: physics of %d parts, must be %d", ErrClass, len(c.Physics.Parts), c.Objects()-1)
	}
	return c.validateOffsets()
}

func (c *Class) validateSubsystem(i int) error {
	s := &c.Subsystems[i]
	err := s.validate()
	for _, before := range c.Subsystems[:i] {
		if err == nil && strings.EqualFold(before.Name, s.Name) {
			err = errors.New("another subsystem has this name")
		}
	}
	if err != nil {
		return fmt.Errorf("%w: subsystem %d %q: %v", ErrClass, i, s.Name, err)
	}
	return nil
}

// validateOffsets checks that the parts have the ID offsets from 1 on, each once, or none.
func (c *Class) validateOffsets() error {
	known := c.Subsystems[0].IDOffset != 0
	seen := make([]bool, c.Objects())
	for part, offset := range c.parts() {
		switch {
		case (offset != 0) != known:
			return fmt.Errorf("%w: all parts need a creation index, or none: %q differs from %q", ErrClass, part, c.Subsystems[0].Name)
		case !known:
			continue
		case int(offset) >= len(seen):
			return fmt.Errorf("%w: %q has the creation index %d, but the class has only %d parts", ErrClass, part, offset-1, len(seen)-1)
		case seen[offset]:
			return fmt.Errorf("%w: %q has the creation index %d, which another part has", ErrClass, part, offset-1)
		}
		seen[offset] = true
	}
	return nil
}

// Catalogue is a list of classes, usually of a mod. Its methods search it from its end, and then
// the stock classes.
type Catalogue []*Class

// Stock returns the classes of the stock game, ordered by species, which are 1 to 44. Species 45,
// BorgCube, names a script that the game does not have.
func Stock() Catalogue {
	all := make(Catalogue, len(stock))
	for i := range stock {
		all[i] = &stock[i]
	}
	return all
}

// Species returns the class of a species, or nil.
func (all Catalogue) Species(s opcode.Species) *Class {
	return all.find(func(c *Class) bool { return c.Species == s })
}

// Named returns the class whose Key, Name or Script is name, ignoring case, or nil.
func (all Catalogue) Named(name string) *Class {
	return all.find(func(c *Class) bool {
		return strings.EqualFold(name, c.Key) || strings.EqualFold(name, c.Name) || strings.EqualFold(name, c.Script)
	})
}

func (all Catalogue) find(match func(*Class) bool) *Class {
	for _, c := range slices.Backward(all) {
		if c != nil && match(c) {
			return c
		}
	}
	for i := range stock {
		if match(&stock[i]) {
			return &stock[i]
		}
	}
	return nil
}

// Subsystem is a subsystem of a [Class]. Capacities are in the game's points; 0 means unknown.
type Subsystem struct {
	Name string
	Kind Kind
	// IDOffset is the difference between the object IDs of the subsystem and the ship, or 0
	// if unknown. It is 1 + the creation index of [ParseJSON].
	IDOffset     uint16
	MaxCondition float32
	Children     []Child // at most 255

	NormalPower float32 // of a powered subsystem, in units per second
	PowerMode   PowerMode

	Facings       [6]float32 // of a shield generator, by ShieldFace
	MainBattery   float32    // of a reactor
	BackupBattery float32    // of a reactor
}

// Child is a part of a [Subsystem], such as an engine or a torpedo tube.
type Child struct {
	Name         string
	IDOffset     uint16
	MaxCondition float32
}

// PowerMode selects the battery that a subsystem uses. It is not on the wire.
type PowerMode uint8

const (
	MainFirst   PowerMode = 0 // most subsystems
	BackupFirst PowerMode = 1 // tractor beams
	BackupOnly  PowerMode = 2 // cloaking devices
)

func (s *Subsystem) validate() error {
	switch {
	case s.Name == "":
		return errors.New("the name is missing")
	case s.Kind >= kinds:
		return fmt.Errorf("unknown %v", s.Kind)
	case s.PowerMode > BackupOnly:
		return fmt.Errorf("unknown power mode %d", s.PowerMode)
	case len(s.Children) > maxChildren:
		return fmt.Errorf("%d children, at most %d", len(s.Children), maxChildren)
	case s.Kind == KindShield && len(s.Children) > 0:
		return errors.New("a shield generator cannot have children")
	}
	for _, f := range append(s.Facings[:], s.MaxCondition, s.NormalPower, s.MainBattery, s.BackupBattery) {
		if !(f >= 0 && f <= math.MaxFloat32) {
			return fmt.Errorf("capacity %v is negative or not finite", f)
		}
	}
	for _, child := range s.Children {
		if f := child.MaxCondition; !(f >= 0 && f <= math.MaxFloat32) {
			return fmt.Errorf("capacity %v of %q is negative or not finite", f, child.Name)
		}
	}
	return nil
}

// Kind is the kind of a subsystem. It determines the layout of a [Status].
type Kind uint8

// The kinds, with the engine's names. A bridge has KindHull.
const (
	KindHull    Kind = iota // HullClass
	KindShield              // ShieldClass
	KindSensor              // SensorSubsystem
	KindReactor             // PowerSubsystem
	KindImpulse             // ImpulseEngineSubsystem
	KindWarp                // WarpEngineSubsystem
	KindPhaser              // PhaserSystem
	KindTorpedo             // TorpedoSystem
	KindTractor             // TractorBeamSystem
	KindPulse               // PulseWeaponSystem
	KindCloak               // CloakingSubsystem
	KindRepair              // RepairSubsystem
	kinds
)

// kindTable has the names of the kinds, their children and their formats in ships.json.
var kindTable = [kinds]struct{ name, child, format string }{
	KindHull:    {"hull", "hull", "base"},
	KindShield:  {"shield", "", "shield"},
	KindSensor:  {"sensor", "", "powered"},
	KindReactor: {"reactor", "", "reactor"},
	KindImpulse: {"impulse", "engine", "powered"},
	KindWarp:    {"warp", "engine", "powered"},
	KindPhaser:  {"phaser", "phaserBank", "weapon"},
	KindTorpedo: {"torpedo", "torpedoTube", "weapon"},
	KindTractor: {"tractor", "tractorProjector", "weapon"},
	KindPulse:   {"pulse", "pulseWeapon", "weapon"},
	KindCloak:   {"cloak", "", "powered"},
	KindRepair:  {"repair", "", "powered"},
}

// String returns "phaser", or the number of an unknown kind.
func (k Kind) String() string {
	if k < kinds {
		return kindTable[k].name
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Powered reports whether a subsystem has power settings. A hull and a reactor do not.
func (k Kind) Powered() bool { return k != KindHull && k != KindReactor && k < kinds }

// weapon reports whether a subsystem is a weapon system, which has a flag in a create blob.
func (k Kind) weapon() bool { return k >= KindPhaser && k <= KindPulse }

// hasMode reports whether a subsystem has a mode in a create blob.
func (k Kind) hasMode() bool { return k >= KindPhaser && k <= KindTractor }

func kindNamed(name string) (Kind, bool) {
	for k := range kinds {
		if kindTable[k].name == name {
			return k, true
		}
	}
	return 0, false
}

// ShieldFace is one of the six facings of a shield generator: the index in [Subsystem].Facings
// and in the Parts of a [Status]. Evidence: inferred.
type ShieldFace uint8

// The faces, in the order of the wire.
const (
	FaceFront  ShieldFace = 0
	FaceRear   ShieldFace = 1
	FaceTop    ShieldFace = 2
	FaceBottom ShieldFace = 3
	FaceLeft   ShieldFace = 4
	FaceRight  ShieldFace = 5
)

// String returns "front", or the number of an unknown face.
func (f ShieldFace) String() string {
	names := [...]string{"front", "rear", "top", "bottom", "left", "right"}
	if int(f) < len(names) {
		return names[f]
	}
	return fmt.Sprintf("Face %d", uint8(f))
}
