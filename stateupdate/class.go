package stateupdate

//go:generate go run gen.go

import (
	"errors"
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
	Faction string
	Grade   Grade

	Subsystems []Subsystem // at most 128, because the start index of a block is a signed byte
}

// Grade is the evidence for the subsystems of a [Class].
type Grade uint8

const (
	Ungraded Grade = iota // a class without evidence, usually of a mod
	GradeA                // observed: captured bytes or object IDs agree with the game's scripts
	GradeB                // documented: the game's scripts
	GradeC                // inferred: the script extends another script, and it is unknown how (Biranu Station, Enterprise, Geronimo)
)

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
//   - a missing or repeated name, or an unknown kind;
//   - a shield generator with children, which the wire cannot represent;
//   - a capacity that is negative or not finite;
//   - ID offsets that are not the numbers from 1 to the number of parts, unless all are 0.
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
