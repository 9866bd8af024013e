package stateupdate

import (
	"strings"

	"github.com/bcwire/bcwire/opcode"
)

// Class is a class of ships. It holds the facts about a ship that both sides know and that
// no message carries. The subsystems are in the order of the wire.
//
// The classes that [Stock] and [Named] return are shared and must not be changed.
//
// Evidence: documented (B): the game's hardpoint scripts, in the order that the engine's
// code gives the subsystems; [Class.Grade] says where captures confirm that and where it is
// inferred.
type Class struct {
	Species opcode.Species
	Key     string // "birdofprey", the name in files and on command lines
	Name    string // "Bird of Prey"
	Script  string // "BirdOfPrey", the name of the game's script
	Faction string
	Grade   Grade // of the list of subsystems

	Subsystems []Subsystem // at most MaxSubsystems
}

// Grade is the evidence for the list of subsystems of a [Class].
type Grade uint8

// The grades.
const (
	Ungraded Grade = iota // a class of a mod, or of schema 1
	GradeA                // observed: captured bytes or object IDs agree with the game's scripts
	GradeB                // documented: the game's scripts
	GradeC                // inferred: the script inherits from another one, and the public code leaves the result open
)

// String returns "A", "B" or "C", and "ungraded" for other values.
func (g Grade) String() string {
	switch g {
	case GradeA, GradeB, GradeC:
		return string(rune('A' + g - GradeA))
	}
	return "ungraded"
}

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

// PowerMode tells from which battery a subsystem draws. It is not on the wire.
type PowerMode uint8

// The power modes.
const (
	MainFirst   PowerMode = 0
	BackupFirst PowerMode = 1 // tractor beams
	BackupOnly  PowerMode = 2 // cloaking devices
)

// Limits of a [Class]. The start index of a block is a signed byte.
const (
	MaxSubsystems = 128
	MaxChildren   = 255
)

func (c *Class) named(name string) bool {
	return strings.EqualFold(name, c.Key) || strings.EqualFold(name, c.Name) || strings.EqualFold(name, c.Script)
}

// Find returns the index of the subsystem of a name, or of the first of its kind if kind
// is all that name says ("shield"), in any case; -1 if there is none.
func (c *Class) Find(name string) int {
	for i := range c.Subsystems {
		if strings.EqualFold(name, c.Subsystems[i].Name) {
			return i
		}
	}
	if kind, ok := kindNamed(strings.ToLower(name)); ok {
		return c.FirstOf(kind)
	}
	return -1
}

// FirstOf returns the index of the first subsystem of a kind, -1 if there is none.
func (c *Class) FirstOf(kind Kind) int {
	for i := range c.Subsystems {
		if c.Subsystems[i].Kind == kind {
			return i
		}
	}
	return -1
}

// CanCloak says whether the class has a cloaking device.
func (c *Class) CanCloak() bool { return c.FirstOf(KindCloak) >= 0 }

// next returns the index after i; after the last comes the first.
func (c *Class) next(i int) int {
	if i++; i < len(c.Subsystems) {
		return i
	}
	return 0
}

// powered returns the subsystem that a power setting names, nil if there is none.
func (c *Class) powered(index uint8) *Subsystem {
	if int(index) >= len(c.Subsystems) || !c.Subsystems[index].Kind.Powered() {
		return nil
	}
	return &c.Subsystems[index]
}
