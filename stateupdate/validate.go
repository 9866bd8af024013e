package stateupdate

import (
	"errors"
	"fmt"
	"math"
)

// Validate says what is wrong with a class that was not made by [ParseJSON]: too many
// subsystems or children, none at all, a name that is missing or stands twice, a kind that
// does not exist, children where the wire has no place for them, a capacity that is
// negative or not finite. The error wraps [ErrClass].
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
