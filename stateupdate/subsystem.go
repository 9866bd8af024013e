package stateupdate

import (
	"errors"
	"fmt"
	"math"
)

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
