package stateupdate

import "fmt"

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

// Powered says whether the subsystem draws power: its state has a packed bool and may have
// a power byte, and power settings name it. The reactor does not.
func (k Kind) Powered() bool { return k != KindHull && k != KindReactor && k < kinds }

// Weapon says whether the subsystem is a system of weapons, with a flag in a create blob.
func (k Kind) Weapon() bool { return k >= KindPhaser && k <= KindPulse }

// hasMode says whether a weapon has a mode in a create blob.
func (k Kind) hasMode() bool { return k >= KindPhaser && k <= KindTractor }

func kindNamed(name string) (Kind, bool) {
	for k := range kinds {
		if kindTable[k].name == name {
			return k, true
		}
	}
	return 0, false
}
