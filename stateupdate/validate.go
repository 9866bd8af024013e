package stateupdate

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Validate returns an error wrapping [ErrClass] if the class has
//
//   - no subsystem, or too many subsystems or children;
//   - a missing or repeated name of a subsystem, or an unknown kind or power mode;
//   - a shield generator with children, which the wire cannot represent;
//   - a number that is not finite, or outside its range: physics are at most 1e12;
//   - ID offsets that are not the numbers from 1 to the number of parts, unless all are 0;
//   - physics without a mass, or without a RepairComplexity of each part;
//   - a weapon without a direction or outside a weapon system, a pulse weapon or an [Ammunition] without a projectile, or a
//     projectile without a speed.
func (c *Class) Validate() error {
	if _, err := c.validate(); err != nil {
		return fmt.Errorf("stateupdate: %q: %w", c.Name, err)
	}
	return nil
}

// validate also returns the index of the subsystem in which the error is, or -1.
func (c *Class) validate() (int, error) {
	if n := len(c.Subsystems); n == 0 || n > maxSubsystems {
		return -1, fmt.Errorf("%w: %d subsystems, must be 1 to %d", ErrClass, n, maxSubsystems)
	}
	if err := c.Physics.validate(); err != nil {
		return -1, fmt.Errorf("%w: %w", ErrClass, err)
	}
	for i := range c.Subsystems {
		s := &c.Subsystems[i]
		err := s.validate(c.Physics != nil)
		for k := range i {
			if err == nil && strings.EqualFold(c.Subsystems[k].Name, s.Name) {
				err = errors.New("another subsystem has this name")
			}
		}
		if err != nil {
			return i, fmt.Errorf("%w: subsystem %d %.40q: %w", ErrClass, i, s.Name, err)
		}
	}
	return -1, c.validateOffsets()
}

// validateOffsets checks that the parts have the ID offsets from 1 on, each once, or none.
func (c *Class) validateOffsets() error {
	known := c.Subsystems[0].IDOffset != 0
	seen := make([]bool, c.Objects())
	for part, offset := range c.parts() {
		switch {
		case (offset != 0) != known:
			return fmt.Errorf("%w: all parts need an ID offset, or none: %q differs from %q", ErrClass, part, c.Subsystems[0].Name)
		case !known:
			continue
		case int(offset) >= len(seen):
			return fmt.Errorf("%w: %q has the ID offset %d, but the class has only %d parts", ErrClass, part, offset, len(seen)-1)
		case seen[offset]:
			return fmt.Errorf("%w: %q has the ID offset %d, which another part has", ErrClass, part, offset)
		}
		seen[offset] = true
	}
	return nil
}

func (s *Subsystem) validate(physics bool) error {
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
	var r ranges
	r.capacities("Facings", s.Facings[:]...)
	r.capacities("MaxCondition", s.MaxCondition)
	r.capacities("NormalPower", s.NormalPower)
	r.capacities("MainBattery", s.MainBattery)
	r.capacities("BackupBattery", s.BackupBattery)
	s.PartPhysics.validate(&r, physics)
	r.numbers("RepairPoints", s.RepairPoints)
	r.within("RepairTeams", 0, math.MaxUint16, float64(s.RepairTeams))
	for i := range s.Ammunition {
		r.within("Max", 0, math.MaxUint16, float64(s.Ammunition[i].Max))
		s.Ammunition[i].Projectile.validate(&r, true)
	}
	for i := range s.Children {
		if r.err == nil {
			child := &s.Children[i]
			child.validate(&r, s.Kind, physics)
			if r.err != nil {
				return fmt.Errorf("child %d %.40q: %w", i, child.Name, r.err)
			}
		}
	}
	return r.err
}

func (child *Child) validate(r *ranges, kind Kind, physics bool) {
	r.capacities("MaxCondition", child.MaxCondition)
	child.PartPhysics.validate(r, physics)
	w := child.Weapon
	if w == nil {
		return
	}
	r.must(kind.weapon(), "only a child of a weapon system can have a weapon")
	r.vector("Direction", w.Direction)
	r.vector("Up", w.Up)
	r.must(w.Direction != [3]float64{}, "Direction is missing")
	r.within("ArcWidth", -2*math.Pi, 2*math.Pi, w.ArcWidth[:]...)
	r.within("ArcHeight", -2*math.Pi, 2*math.Pi, w.ArcHeight[:]...)
	r.must(w.ArcWidth[0] <= w.ArcWidth[1], "ArcWidth begins with the larger angle")
	r.must(w.ArcHeight[0] <= w.ArcHeight[1], "ArcHeight begins with the larger angle")
	r.numbers("MaxDamage", w.MaxDamage)
	r.numbers("MaxDamageDistance", w.MaxDamageDistance)
	r.numbers("DamageRadius", w.DamageRadius)
	r.numbers("MaxCharge", w.MaxCharge)
	r.numbers("MinFiringCharge", w.MinFiringCharge)
	r.numbers("RechargeRate", w.RechargeRate)
	r.numbers("Cooldown", w.Cooldown)
	r.within("MaxReady", 0, math.MaxUint16, float64(w.MaxReady))
	r.numbers("ImmediateDelay", w.ImmediateDelay)
	r.numbers("ReloadDelay", w.ReloadDelay)
	w.Projectile.validate(r, kind == KindPulse)
}

func (p *Projectile) validate(r *ranges, required bool) {
	if p == nil {
		r.must(!required, "Projectile is missing")
		return
	}
	r.numbers("Damage", p.Damage)
	r.numbers("Speed", p.Speed)
	r.must(p.Speed > 0, "Speed of the projectile is missing or 0")
	r.numbers("Lifetime", p.Lifetime)
	r.numbers("Guided", p.Guided)
	r.numbers("MaxTurnAcceleration", p.MaxTurnAcceleration)
	r.numbers("DamageRadius", p.DamageRadius)
}

func (p *PartPhysics) validate(r *ranges, known bool) {
	r.vector("Position", p.Position)
	r.numbers("Radius", p.Radius)
	r.numbers("Disabled", p.Disabled)
	r.numbers("RepairComplexity", p.RepairComplexity)
	r.must(!known || p.RepairComplexity > 0, "RepairComplexity is missing or 0")
}

func (p *Physics) validate() error {
	if p == nil {
		return nil
	}
	var r ranges
	r.numbers("Mass", p.Mass)
	r.must(p.Mass > 0, "Mass is missing or 0")
	r.numbers("Radius", p.Radius)
	r.numbers("MaxSpeed", p.MaxSpeed)
	r.numbers("MaxAcceleration", p.MaxAcceleration)
	r.numbers("MaxTurn", p.MaxTurn)
	r.numbers("MaxTurnAcceleration", p.MaxTurnAcceleration)
	r.numbers("ShieldCharge", p.ShieldCharge[:]...)
	r.numbers("PowerOutput", p.PowerOutput)
	r.numbers("MainConduit", p.MainConduit)
	r.numbers("BackupConduit", p.BackupConduit)
	return r.err
}

// maxNumber is the limit of the numbers in physics, so that their products are finite.
const maxNumber = 1e12

// ranges keeps the first error of a number of checks.
type ranges struct{ err error }

func (r *ranges) must(ok bool, problem string) {
	if !ok && r.err == nil {
		r.err = errors.New(problem)
	}
}

func (r *ranges) within(name string, least, most float64, v ...float64) {
	for _, x := range v {
		if !(x >= least && x <= most) && r.err == nil {
			r.err = fmt.Errorf("%s is %v, must be %v to %v", name, x, least, most)
		}
	}
}

func (r *ranges) numbers(name string, v ...float64) { r.within(name, 0, maxNumber, v...) }

func (r *ranges) vector(name string, v [3]float64) { r.within(name, -maxNumber, maxNumber, v[:]...) }

func (r *ranges) capacities(name string, v ...float32) {
	for _, x := range v {
		r.within(name, 0, math.MaxFloat32, float64(x))
	}
}
