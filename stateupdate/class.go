package stateupdate

//go:generate go run gen.go

import (
	"errors"
	"fmt"
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

// CanCloak reports whether the class has a cloaking device.
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

// Validate returns an error that wraps [ErrClass] if the class is malformed:
//
//   - no subsystem, or too many subsystems or children;
//   - a missing or repeated name, or a kind that does not exist;
//   - children of a shield generator, for which the wire has no place;
//   - a capacity that is negative or not finite;
//   - ID offsets that are not the numbers from 1 to the number of parts, unless all are 0.
//
// [ParseJSON] validates the classes that it reads.
func (c *Class) Validate() error {
	if err := c.validate(); err != nil {
		return fmt.Errorf("stateupdate: %q: %w", c.Name, err)
	}
	return nil
}

func (c *Class) validate() error {
	if n := len(c.Subsystems); n == 0 || n > MaxSubsystems {
		return fmt.Errorf("%w: %d subsystems", ErrClass, n)
	}
	for i := range c.Subsystems {
		s := &c.Subsystems[i]
		err := s.validate()
		if err == nil && c.Find(s.Name) != i {
			err = errors.New("its name stands twice")
		}
		if err != nil {
			return fmt.Errorf("%w: subsystem %d %q: %v", ErrClass, i, s.Name, err)
		}
	}
	return c.validateOffsets()
}

// validateOffsets checks that either no part has an ID offset, or the parts of the class
// have the offsets from 1 on, each once.
func (c *Class) validateOffsets() error {
	known := c.Subsystems[0].IDOffset != 0
	seen := make([]bool, c.Objects())
	for part, offset := range c.parts() {
		switch {
		case (offset != 0) != known:
			return fmt.Errorf("%w: only some parts have a creation index: %q differs from %q", ErrClass, part, c.Subsystems[0].Name)
		case !known:
			continue
		case int(offset) >= len(seen):
			return fmt.Errorf("%w: %q has the creation index %d, but there are %d parts", ErrClass, part, offset-1, len(seen)-1)
		case seen[offset]:
			return fmt.Errorf("%w: %q has the creation index %d of another part", ErrClass, part, offset-1)
		}
		seen[offset] = true
	}
	return nil
}

// Stock returns the class of a species in the unmodified game, or nil if the game has
// none. It has the classes of the species 1 to 44. Species 45, BorgCube, names a script that
// the game does not have.
func Stock(s opcode.Species) *Class {
	for i := range stock {
		if stock[i].Species == s {
			return &stock[i]
		}
	}
	return nil
}

// Named returns the stock class whose Key, Name or Script is name, in any case, or nil.
func Named(name string) *Class {
	for i := range stock {
		if stock[i].named(name) {
			return &stock[i]
		}
	}
	return nil
}

// StockClasses returns all stock classes in order of their species.
func StockClasses() Catalogue {
	all := make(Catalogue, len(stock))
	for i := range stock {
		all[i] = &stock[i]
	}
	return all
}

// Catalogue is a set of classes, such as those of a mod. The zero value has none.
type Catalogue []*Class

// Species returns the class of a species: the last one of the catalogue, else the stock
// class, else nil.
func (all Catalogue) Species(s opcode.Species) *Class {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i] != nil && all[i].Species == s {
			return all[i]
		}
	}
	return Stock(s)
}

// Named returns the class of a name, as [Named] does.
func (all Catalogue) Named(name string) *Class {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i] != nil && all[i].named(name) {
			return all[i]
		}
	}
	return Named(name)
}
