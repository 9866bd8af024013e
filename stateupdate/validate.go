package stateupdate

import (
	"errors"
	"fmt"
	"math"
)

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
