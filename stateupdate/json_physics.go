package stateupdate

import (
	"fmt"
	"math"
	"slices"
)

const (
	maxNumber  = 1e12 // limit of the numbers in physics, so that their products are finite
	unmeasured = 1.17 // radius of a ship in distances of its farthest part: the median of the measured classes
)

func (r *jsonReader) physicsKeys(p *Physics) []jsonKey {
	return []jsonKey{
		{"mass", r.number("mass", &p.Mass)},
		{"radius", r.number("radius", &p.Radius)},
		{"maxSpeed", r.number("maxSpeed", &p.MaxSpeed)},
		{"maxAcceleration", r.number("maxAcceleration", &p.MaxAcceleration)},
		{"maxAngularVelocity", r.number("maxAngularVelocity", &p.MaxTurn)},
		{"maxAngularAcceleration", r.number("maxAngularAcceleration", &p.MaxTurnAcceleration)},
		{"shieldChargePerSecond", r.numbers("shieldChargePerSecond", p.ShieldCharge[:], 0, maxNumber)},
		{"powerOutput", r.number("powerOutput", &p.PowerOutput)},
		{"mainConduit", r.number("mainConduit", &p.MainConduit)},
		{"backupConduit", r.number("backupConduit", &p.BackupConduit)},
	}
}

// physics reads the physics of a ship.
func (r *jsonReader) physics(s *jsonShip) error {
	p := new(Physics)
	s.Physics = p
	return r.nested("physics object", func() error {
		if err := r.object(r.physicsKeys(p)); err != nil {
			return err
		}
		return r.required("mass", p.Mass)
	})
}

func (r *jsonReader) partKeys(p *PartPhysics) []jsonKey {
	return []jsonKey{
		{"position", r.numbers("position", p.Position[:], -maxNumber, maxNumber)},
		{"radius", r.number("radius", &p.Radius)},
		{"disabledPercentage", r.number("disabledPercentage", &p.Disabled)},
		{"repairComplexity", r.number("repairComplexity", &p.RepairComplexity)},
		{"critical", &p.Critical},
		{"targetable", &p.Targetable},
		{"singleFire", &p.SingleFire},
		{"ammunition", func() error { return r.list("torpedo", func() error { return r.ammunition(p) }) }},
		{"maxRepairPoints", r.number("maxRepairPoints", &p.RepairPoints)},
		{"repairTeams", r.count("repairTeams", &p.RepairTeams)},
		{"weapon", func() error { return r.weapon(p) }},
	}
}

// part reads the physics of a subsystem or of a child.
func (r *jsonReader) part(part **PartPhysics) error {
	p := new(PartPhysics)
	*part = p
	return r.nested("physics object", func() error {
		if err := r.object(r.partKeys(p)); err != nil {
			return err
		}
		return r.required("repairComplexity", p.RepairComplexity)
	})
}

func (r *jsonReader) weaponKeys(w *Weapon) []jsonKey {
	return []jsonKey{
		{"direction", r.numbers("direction", w.Direction[:], -maxNumber, maxNumber)},
		{"up", r.numbers("up", w.Up[:], -maxNumber, maxNumber)},
		{"arcWidth", r.numbers("arcWidth", w.ArcWidth[:], -2*math.Pi, 2*math.Pi)},
		{"arcHeight", r.numbers("arcHeight", w.ArcHeight[:], -2*math.Pi, 2*math.Pi)},
		{"maxDamage", r.number("maxDamage", &w.MaxDamage)},
		{"maxDamageDistance", r.number("maxDamageDistance", &w.MaxDamageDistance)},
		{"damageRadiusFactor", r.number("damageRadiusFactor", &w.DamageRadius)},
		{"maxCharge", r.number("maxCharge", &w.MaxCharge)},
		{"minFiringCharge", r.number("minFiringCharge", &w.MinFiringCharge)},
		{"rechargeRate", r.number("rechargeRate", &w.RechargeRate)},
		{"cooldown", r.number("cooldown", &w.Cooldown)},
		{"projectile", r.projectileNamed("projectile", &w.Projectile)},
		{"maxReady", r.count("maxReady", &w.MaxReady)},
		{"immediateDelay", r.number("immediateDelay", &w.ImmediateDelay)},
		{"reloadDelay", r.number("reloadDelay", &w.ReloadDelay)},
	}
}

func (r *jsonReader) weapon(p *PartPhysics) error {
	w := new(Weapon)
	p.Weapon = w
	return r.nested("weapon", func() error {
		if err := r.object(r.weaponKeys(w)); err != nil {
			return err
		}
		slices.Sort(w.ArcWidth[:]) // some scripts have the larger angle first
		slices.Sort(w.ArcHeight[:])
		d := w.Direction
		return r.required("direction", max(math.Abs(d[0]), math.Abs(d[1]), math.Abs(d[2])))
	})
}

func (r *jsonReader) ammunitionKeys(a *Ammunition) []jsonKey {
	return []jsonKey{
		{"projectile", r.projectileNamed("projectile", &a.Projectile)},
		{"max", r.count("max", &a.Max)},
	}
}

func (r *jsonReader) ammunition(p *PartPhysics) error {
	var a Ammunition
	if err := r.object(r.ammunitionKeys(&a)); err != nil {
		return err
	}
	if a.Projectile == nil {
		return r.fail(r.place().line, fmt.Errorf("%w: projectile is missing", ErrClass))
	}
	p.Ammunition = append(p.Ammunition, a)
	return nil
}

func (r *jsonReader) projectileKeys(p *Projectile) []jsonKey {
	return []jsonKey{
		{"script", &p.Script},
		{"damage", r.number("damage", &p.Damage)},
		{"speed", r.number("speed", &p.Speed)},
		{"lifetime", r.number("lifetime", &p.Lifetime)},
		{"guidanceLifetime", r.number("guidanceLifetime", &p.Guided)},
		{"maxAngularAccel", r.number("maxAngularAccel", &p.MaxTurnAcceleration)},
		{"damageRadiusFactor", r.number("damageRadiusFactor", &p.DamageRadius)},
	}
}

func (r *jsonReader) projectile() error {
	p := new(Projectile)
	r.place().name = &p.Script
	if err := r.object(r.projectileKeys(p)); err != nil {
		return err
	}
	r.projectiles = append(r.projectiles, p)
	return r.required("speed", p.Speed)
}

// projectileNamed returns a function that reads the script of a projectile of the file or of the
// game.
func (r *jsonReader) projectileNamed(key string, p **Projectile) func() error {
	return func() error {
		line, script := r.line(), ""
		if err := r.decode(key, &script); err != nil {
			return err
		}
		for _, own := range r.projectiles {
			if own.Script == script {
				*p = own
				return nil
			}
		}
		i := slices.IndexFunc(stockProjectiles[:], func(p Projectile) bool { return p.Script == script })
		if i < 0 {
			return r.fail(line, fmt.Errorf("%w: %s: unknown script %.40q; the projectiles of a file stand before its ships", ErrClass, key, script))
		}
		*p = &stockProjectiles[i]
		return nil
	}
}

// parts sets the Parts of the physics of a ship, in which either all parts have physics or none.
func (s *jsonShip) parts() error {
	p := s.Physics
	for part := range s.Class.parts() {
		own := s.partPhysics[0]
		s.partPhysics = s.partPhysics[1:]
		switch {
		case p == nil && own != nil:
			return fmt.Errorf("%w: %q has physics, but the ship has none", ErrClass, part)
		case p == nil:
			continue
		case own == nil:
			return fmt.Errorf("%w: the ship has physics, but %q has none", ErrClass, part)
		case own.Weapon != nil && (part.Child < 0 || !part.Subsystem.Kind.weapon()):
			return fmt.Errorf("%w: %q cannot have a weapon, only a child of a weapon system can", ErrClass, part)
		case own.Weapon != nil && part.Subsystem.Kind == KindPulse && own.Weapon.Projectile == nil:
			return fmt.Errorf("%w: the weapon of %q has no projectile", ErrClass, part)
		}
		p.Parts = append(p.Parts, *own)
	}
	if p != nil && p.Radius == 0 {
		p.Radius = inferredRadius(p.Parts)
	}
	return nil
}

// inferredRadius returns the radius of a ship without a measured one. If all parts are in the
// centre, it is the radius of the largest part.
func inferredRadius(parts []PartPhysics) float64 {
	farthest, largest := 0.0, 0.0
	for i := range parts {
		x := parts[i].Position
		farthest = max(farthest, math.Sqrt(float64(x[0]*x[0])+float64(x[1]*x[1])+float64(x[2]*x[2])))
		largest = max(largest, parts[i].Radius)
	}
	if farthest == 0 {
		return largest
	}
	return unmeasured * farthest
}

// number returns a function that reads a number that is not negative.
func (r *jsonReader) number(key string, v *float64) func() error {
	return func() error {
		line := r.line()
		if err := r.decode(key, v); err != nil {
			return err
		}
		return r.inRange(line, key, *v, 0, maxNumber)
	}
}

// count returns a function that reads a number of things.
func (r *jsonReader) count(key string, v *int) func() error {
	return func() error {
		line := r.line()
		if err := r.decode(key, v); err != nil {
			return err
		}
		return r.inRange(line, key, float64(*v), 0, math.MaxUint16)
	}
}

// numbers returns a function that reads a list of numbers of the length of v.
func (r *jsonReader) numbers(key string, v []float64, least, most float64) func() error {
	return func() error {
		line := r.line()
		var all []float64
		if err := r.decode(key, &all); err != nil {
			return err
		}
		if len(all) != len(v) {
			return r.fail(line, fmt.Errorf("%w: %s: %d numbers, must be %d", ErrClass, key, len(all), len(v)))
		}
		for _, x := range all {
			if err := r.inRange(line, key, x, least, most); err != nil {
				return err
			}
		}
		copy(v, all)
		return nil
	}
}

func (r *jsonReader) inRange(line int, key string, x, least, most float64) error {
	if x >= least && x <= most {
		return nil
	}
	return r.fail(line, fmt.Errorf("%w: %s: %v, must be %v to %v", ErrClass, key, x, least, most))
}

// required returns an error if a number that must be above 0 is not there.
func (r *jsonReader) required(key string, x float64) error {
	if x > 0 {
		return nil
	}
	return r.fail(r.place().line, fmt.Errorf("%w: %s is missing or 0", ErrClass, key))
}

// nested reads an object that is the value of a key.
func (r *jsonReader) nested(what string, read func() error) error {
	r.path = append(r.path, jsonPlace{what: what, i: single})
	if err := read(); err != nil {
		return err
	}
	r.path = r.path[:len(r.path)-1]
	return nil
}
