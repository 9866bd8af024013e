package stateupdate

import (
	"errors"
	"fmt"
	"math"
)

// Subsystem is an entry of the list of subsystems of a [Class]. Capacities are in the
// game's points; 0 means unknown.
type Subsystem struct {
	Name string
	Kind Kind
	// IDOffset is the distance of the subsystem's object ID from the ship's, 0 if unknown:
	// 1 + the creation index of ships.json. See [Class.Part].
	IDOffset     uint16
	MaxCondition float32
	Children     []Child // at most MaxChildren

	NormalPower float32 // of a powered subsystem: units per second at 100 %
	PowerMode   PowerMode

	Facings       [6]float32 // of a shield generator, by ShieldFace
	MainBattery   float32    // of a reactor
	BackupBattery float32    // of a reactor
}

// Child is a part of a [Subsystem], such as an engine or a torpedo tube.
type Child struct {
	Name         string
	IDOffset     uint16 // as in [Subsystem]
	MaxCondition float32
}

// PowerMode identifies the battery from which a subsystem draws. It is not on the wire.
type PowerMode uint8

// The power modes.
const (
	MainFirst   PowerMode = 0
	BackupFirst PowerMode = 1 // tractor beams
	BackupOnly  PowerMode = 2 // cloaking devices
)

func (s *Subsystem) validate() error {
	switch {
	case s.Name == "":
		return errors.New("no name")
	case s.Kind >= kinds:
		return fmt.Errorf("unknown %v", s.Kind)
	case s.PowerMode > BackupOnly:
		return fmt.Errorf("power mode %d", s.PowerMode)
	case len(s.Children) > MaxChildren:
		return fmt.Errorf("%d children", len(s.Children))
	case s.Kind == KindShield && len(s.Children) > 0:
		return errors.New("a shield generator has facings, not children")
	}
	for _, f := range append(s.Facings[:], s.MaxCondition, s.NormalPower, s.MainBattery, s.BackupBattery) {
		if !(f >= 0 && f <= math.MaxFloat32) {
			return fmt.Errorf("capacity %v", f)
		}
	}
	for _, child := range s.Children {
		if f := child.MaxCondition; !(f >= 0 && f <= math.MaxFloat32) {
			return fmt.Errorf("capacity %v of %q", f, child.Name)
		}
	}
	return nil
}

// Kind is what a subsystem is. It decides which bytes its state has.
type Kind uint8

// The kinds, with the engine's names. A bridge is a hull to the engine.
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
	kinds                   // how many there are
)

// The names of the kinds and of their children, and their formats, as in ships.json.
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

// String returns the name, "phaser", or the number of an unknown kind.
func (k Kind) String() string {
	if k < kinds {
		return kindTable[k].name
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// Powered reports whether the subsystem draws power: its state has a packed bool and may have
// a power byte, and power settings name it. The reactor does not.
func (k Kind) Powered() bool { return k != KindHull && k != KindReactor && k < kinds }

// Weapon reports whether the subsystem is a system of weapons, with a flag in a create blob.
func (k Kind) Weapon() bool { return k >= KindPhaser && k <= KindPulse }

// hasMode reports whether a weapon has a mode in a create blob.
func (k Kind) hasMode() bool { return k >= KindPhaser && k <= KindTractor }

func kindNamed(name string) (Kind, bool) {
	for k := range kinds {
		if kindTable[k].name == name {
			return k, true
		}
	}
	return 0, false
}

// ShieldFace is one of the six sides of a ship that a shield generator protects: the index
// in [Subsystem.Facings], and in the Parts of a [Status].
//
// Evidence: inferred.
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

// String returns "front", or "Face 6" of an unknown value.
func (f ShieldFace) String() string {
	names := [...]string{"front", "rear", "top", "bottom", "left", "right"}
	if int(f) < len(names) {
		return names[f]
	}
	return fmt.Sprintf("Face %d", uint8(f))
}
