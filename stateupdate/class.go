package stateupdate

//go:generate go run gen.go

import (
	"fmt"
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
	// Evidence is the grade of Subsystems. It is Documented by the game's scripts, and Observed if captured bytes or
	// object IDs agree. If the script extends another script, it is Inferred: it is unknown how.
	Evidence opcode.Grade

	Subsystems []Subsystem // at most 128, because the start index of a block is a signed byte

	Physics *Physics // nil if unknown
}

const (
	maxSubsystems = 128 // the start index of a block is a signed byte
	maxChildren   = 255 // of one subsystem
)

// firstOf returns the index of the first subsystem of a kind, or -1.
func (c *Class) firstOf(kind Kind) int {
	for i := range c.Subsystems {
		if c.Subsystems[i].Kind == kind {
			return i
		}
	}
	return -1
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
	// IDOffset is the difference between the object IDs of the subsystem and the ship, or 0 if unknown: 1 for the part
	// that the hardpoint script creates first, 2 for the next part, and so on.
	IDOffset     uint16
	MaxCondition float32
	Children     []Child // at most 255

	NormalPower float32 // of a powered subsystem, in units per second
	PowerMode   PowerMode

	Facings       [6]float32 // of a shield generator, by ShieldFace
	MainBattery   float32    // of a reactor
	BackupBattery float32    // of a reactor

	PartPhysics
	SingleFire   bool         // of a weapon system: only one weapon fires at a time
	Ammunition   []Ammunition // of a torpedo system, by the Mode of its Status
	RepairPoints float64      // of a repair system, per second
	RepairTeams  int          // of a repair system: the number of parts that it repairs at a time
}

// Child is a part of a [Subsystem], such as an engine or a torpedo tube.
type Child struct {
	Name         string
	IDOffset     uint16
	MaxCondition float32

	PartPhysics
	Weapon *Weapon // of a phaser bank, torpedo tube, tractor projector or pulse weapon; else nil
}

// PowerMode selects the battery that a subsystem uses. It is not on the wire.
type PowerMode uint8

const (
	MainFirst   PowerMode = 0 // most subsystems
	BackupFirst PowerMode = 1 // tractor beams
	BackupOnly  PowerMode = 2 // cloaking devices
)

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

var kindNames = [kinds]string{
	"hull", "shield", "sensor", "reactor", "impulse", "warp", "phaser", "torpedo", "tractor", "pulse", "cloak", "repair",
}

// String returns "phaser", or the number of an unknown kind.
func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// UnmarshalText sets the kind to the one with a name.
func (k *Kind) UnmarshalText(text []byte) error {
	i := slices.Index(kindNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("%w: unknown kind %.40q", ErrClass, text)
	}
	*k = Kind(i)
	return nil
}

// Powered reports whether a subsystem has power settings. A hull and a reactor do not.
func (k Kind) Powered() bool { return k != KindHull && k != KindReactor && k < kinds }

// weapon reports whether a subsystem is a weapon system, which has a flag in a create blob.
func (k Kind) weapon() bool { return k >= KindPhaser && k <= KindPulse }

// hasMode reports whether a subsystem has a mode in a create blob.
func (k Kind) hasMode() bool { return k >= KindPhaser && k <= KindTractor }

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
