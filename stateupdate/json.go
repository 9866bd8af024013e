package stateupdate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/bcwire/bcwire/opcode"
)

// ParseJSON reads classes, usually of a mod. The file ships.json of this package has the classes of
// the game. These are all keys:
//
//	file                value
//	schema              1 or 2, the version of the file; required
//	projectiles         list of projectiles; stands before the ships that use it
//	ships               list of ships
//
//	ship                value
//	species             number of the species, 0 to 255; no other ship of the file may have it
//	key                 Class.Key, a short name for command lines
//	name                Class.Name, for people
//	script              Class.Script, the name of the ship's script
//	faction             Class.Faction
//	evidence            "script" or "script+capture", for Class.Evidence; omit it for a mod
//	inherits            script that the ship's hardpoint script loads first; with evidence, the grade is C
//	physics             object physics; without it, Class.Physics is nil
//	subsystems          list of subsystems, in the order of the wire; required
//	canCloak            ignored, and so are captures, hardpoint, layoutOf, note, totals
//
//	subsystem           value
//	name                Subsystem.Name; required, and unique in the ship
//	kind                a word of Kind.String, such as "phaser"; required
//	index               position in the list, from 0; checked if it is there
//	format              format that the kind has on the wire; checked if it is there
//	creationIndex       position in the order of creation, from 0, which gives Subsystem.IDOffset
//	maxCondition        Subsystem.MaxCondition, in points
//	normalPower         Subsystem.NormalPower, in units per second
//	powerMode           Subsystem.PowerMode, 0 to 2
//	facings             Subsystem.Facings of a shield generator, six capacities by ShieldFace
//	mainBatteryLimit    Subsystem.MainBattery of a reactor
//	backupBatteryLimit  Subsystem.BackupBattery of a reactor
//	physics             object part; required if the ship has physics
//	children            list of the subsystem's parts, in the order of the wire
//	powered             ignored, and so are bools, bytesOwn, bytesRemote, bytesCreate, createBools,
//	                    maxConditionAlt, maxConditionSource, maxConditionUnknown, childOrderAlt
//
//	child               value
//	name                Child.Name
//	kind                kind of the part, such as "phaserBank"; checked if it is there
//	format              "base"; checked if it is there
//	creationIndex       as of a subsystem, which gives Child.IDOffset
//	maxCondition        Child.MaxCondition, in points
//	physics             object part; required if the ship has physics
//
// The keys of physics have the names of the game's scripts. [Physics] has the units. A number
// that is not there is 0. No number exceeds 1e12.
//
//	physics                 value
//	mass                    Physics.Mass; required
//	radius                  Physics.Radius; without it, the radius is inferred
//	maxSpeed                Physics.MaxSpeed
//	maxAcceleration         Physics.MaxAcceleration
//	maxAngularVelocity      Physics.MaxTurn
//	maxAngularAcceleration  Physics.MaxTurnAcceleration
//	shieldChargePerSecond   Physics.ShieldCharge, six numbers by ShieldFace
//	powerOutput             Physics.PowerOutput
//	mainConduit             Physics.MainConduit
//	backupConduit           Physics.BackupConduit
//
//	part                    value
//	position                PartPhysics.Position, three numbers; for a phaser bank on an arc, see there
//	radius                  PartPhysics.Radius
//	disabledPercentage      PartPhysics.Disabled, a fraction
//	repairComplexity        PartPhysics.RepairComplexity; required
//	critical                PartPhysics.Critical, true or false
//	targetable              PartPhysics.Targetable, true or false
//	singleFire              PartPhysics.SingleFire of a weapon system, true or false
//	ammunition              list of the PartPhysics.Ammunition of a torpedo system
//	maxRepairPoints         PartPhysics.RepairPoints of a repair system
//	repairTeams             PartPhysics.RepairTeams of a repair system
//	weapon                  object weapon, of a child of a weapon system
//
//	weapon                  value
//	direction               Weapon.Direction, three numbers; required
//	up                      Weapon.Up, three numbers
//	arcWidth                Weapon.ArcWidth, two angles
//	arcHeight               Weapon.ArcHeight, two angles
//	maxDamage               Weapon.MaxDamage
//	maxDamageDistance       Weapon.MaxDamageDistance
//	damageRadiusFactor      Weapon.DamageRadius
//	maxCharge               Weapon.MaxCharge
//	minFiringCharge         Weapon.MinFiringCharge
//	rechargeRate            Weapon.RechargeRate
//	cooldown                Weapon.Cooldown
//	projectile              script of a projectile of the file or of the game; required for a pulse weapon
//	maxReady                Weapon.MaxReady
//	immediateDelay          Weapon.ImmediateDelay
//	reloadDelay             Weapon.ReloadDelay
//
//	ammunition              value
//	projectile              script of a projectile of the file or of the game; required
//	max                     Ammunition.Max
//
//	projectile              value
//	script                  Projectile.Script
//	damage                  Projectile.Damage
//	speed                   Projectile.Speed; required
//	lifetime                Projectile.Lifetime
//	guidanceLifetime        Projectile.Guided
//	maxAngularAccel         Projectile.MaxTurnAcceleration
//	damageRadiusFactor      Projectile.DamageRadius
//
// In a ship, either all subsystems and children have a creationIndex, or none. Without creation
// indices, [Class.PartID] does not know the object IDs of the parts. An unknown key is an error, because
// a misspelled "children" would change every block of the class.
//
// An error names the line, the ship, the subsystem and the key. It wraps [ErrClass] if a class or the schema
// is invalid. Other errors are about the JSON.
func ParseJSON(data []byte) (Catalogue, error) {
	r := &jsonReader{data: data, decoder: json.NewDecoder(bytes.NewReader(data)), path: []jsonPlace{{what: "file"}}}
	var f jsonFile
	if err := r.object(r.fileKeys(&f)); err != nil {
		return nil, err
	}
	if f.schema == 0 {
		return nil, r.fail(r.place().line, fmt.Errorf("%w: the schema is missing", ErrClass))
	}
	if _, err := r.decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, r.fail(r.line(), errors.New("unexpected data after the JSON value"))
	}
	return f.classes, nil
}

// Versions of the schema.
const (
	firstSchema = 1
	lastSchema  = 2 // with creation indices
)

type jsonFile struct {
	schema  int
	classes Catalogue
}

func (r *jsonReader) fileKeys(f *jsonFile) []jsonKey {
	return []jsonKey{
		{"schema", func() error { return r.schema(f) }},
		{"projectiles", func() error { return r.list("projectile", r.projectile) }},
		{"ships", func() error { return r.list("ship", func() error { return r.ship(f) }) }},
	}
}

// schema is read before the ships if it stands before them, because another schema may have other
// keys.
func (r *jsonReader) schema(f *jsonFile) error {
	line := r.line()
	if err := r.decode("schema", &f.schema); err != nil {
		return err
	}
	if f.schema < firstSchema || f.schema > lastSchema {
		return r.fail(line, fmt.Errorf("%w: schema %d, must be %d or %d", ErrClass, f.schema, firstSchema, lastSchema))
	}
	return nil
}

type jsonShip struct {
	Class
	evidence, inherits string
	lines              []int          // of the subsystems
	partPhysics        []*PartPhysics // of the subsystems and their children
}

func (r *jsonReader) shipKeys(s *jsonShip) []jsonKey {
	return []jsonKey{
		{"species", &s.Species},
		{"key", &s.Key},
		{"name", &s.Name},
		{"script", &s.Script},
		{"faction", &s.Faction},
		{"evidence", &s.evidence},
		{"inherits", &s.inherits},
		{"physics", func() error { return r.physics(s) }},
		{"subsystems", func() error { return r.list("subsystem", func() error { return r.subsystem(s) }) }},
		// Notes, values that follow from others, and a key of schema 1.
		{"canCloak", nil},
		{"captures", nil},
		{"hardpoint", nil},
		{"layoutOf", nil},
		{"note", nil},
		{"totals", nil},
	}
}

func (r *jsonReader) ship(f *jsonFile) error {
	s := new(jsonShip)
	r.place().name = &s.Name
	if err := r.object(r.shipKeys(s)); err != nil {
		return err
	}
	line, err := r.place().line, error(nil)
	if s.Evidence, err = grade(s.evidence, s.inherits != ""); err == nil {
		err = s.parts()
	}
	if err == nil {
		err = s.validate()
	}
	if err == nil && slices.ContainsFunc(f.classes, func(c *Class) bool { return c.Species == s.Species }) {
		err = fmt.Errorf("%w: another class has the species %d", ErrClass, s.Species)
	}
	if err == nil {
		f.classes = append(f.classes, &s.Class)
		return nil
	}
	for i := range s.Subsystems {
		if s.validateSubsystem(i) != nil {
			line = s.lines[i]
			break
		}
	}
	return r.fail(line, err)
}

func grade(evidence string, inherits bool) (opcode.Grade, error) {
	switch {
	case evidence == "":
		return opcode.Ungraded, nil
	case evidence != "script" && evidence != "script+capture":
		return opcode.Ungraded, fmt.Errorf("%w: unknown evidence %q", ErrClass, evidence)
	case inherits:
		return opcode.Inferred, nil
	case evidence == "script":
		return opcode.Documented, nil
	}
	return opcode.Observed, nil
}

type jsonSubsystem struct {
	Subsystem
	kind, format string
	index        *int
	facings      []float32
	physics      *PartPhysics
	children     []jsonChild
}

func (r *jsonReader) subsystemKeys(s *jsonSubsystem) []jsonKey {
	return []jsonKey{
		{"name", &s.Name},
		{"kind", &s.kind},
		{"index", &s.index},
		{"format", &s.format},
		{"creationIndex", func() error { return r.creationIndex(&s.IDOffset) }},
		{"maxCondition", &s.MaxCondition},
		{"normalPower", &s.NormalPower},
		{"powerMode", &s.PowerMode},
		{"facings", &s.facings},
		{"mainBatteryLimit", &s.MainBattery},
		{"backupBatteryLimit", &s.BackupBattery},
		{"physics", func() error { return r.part(&s.physics) }},
		{"children", func() error { return r.list("child", func() error { return r.child(s) }) }},
		// Values that follow from others, and keys of schema 1.
		{"powered", nil},
		{"bools", nil},
		{"bytesOwn", nil},
		{"bytesRemote", nil},
		{"bytesCreate", nil},
		{"createBools", nil},
		{"maxConditionAlt", nil},
		{"maxConditionSource", nil},
		{"maxConditionUnknown", nil},
		{"childOrderAlt", nil},
	}
}

func (r *jsonReader) subsystem(ship *jsonShip) error {
	s := new(jsonSubsystem)
	place := r.place()
	place.name = &s.Name
	if err := r.object(r.subsystemKeys(s)); err != nil {
		return err
	}
	kind, known := kindNamed(s.kind)
	format := kindTable[kind].format
	wrong := ""
	switch {
	case s.kind == "":
		wrong = "the kind is missing"
	case !known:
		wrong = fmt.Sprintf("unknown kind %q", s.kind)
	case s.format != "" && s.format != format:
		wrong = fmt.Sprintf("format %q, must be %q for kind %v", s.format, format, kind)
	case s.index != nil && *s.index != place.i:
		wrong = fmt.Sprintf("index %d, must be %d", *s.index, place.i)
	case len(s.facings) != 0 && len(s.facings) != facings:
		wrong = fmt.Sprintf("%d facings, must be %d", len(s.facings), facings)
	}
	if wrong != "" {
		return r.fail(place.line, fmt.Errorf("%w: %s", ErrClass, wrong))
	}
	s.Kind = kind
	copy(s.Facings[:], s.facings)
	ship.partPhysics = append(ship.partPhysics, s.physics)
	for _, c := range s.children {
		if c.kind != "" && c.kind != kindTable[kind].child || c.format != "" && c.format != kindTable[KindHull].format {
			return r.fail(c.line, fmt.Errorf("%w: %q has the kind %q and the format %q", ErrClass, c.Name, c.kind, c.format))
		}
		s.Children = append(s.Children, c.Child)
		ship.partPhysics = append(ship.partPhysics, c.physics)
	}
	ship.Subsystems = append(ship.Subsystems, s.Subsystem)
	ship.lines = append(ship.lines, place.line)
	return nil
}

type jsonChild struct {
	Child
	kind, format string
	physics      *PartPhysics
	line         int
}

func (r *jsonReader) childKeys(c *jsonChild) []jsonKey {
	return []jsonKey{
		{"name", &c.Name},
		{"kind", &c.kind},
		{"format", &c.format},
		{"creationIndex", func() error { return r.creationIndex(&c.IDOffset) }},
		{"maxCondition", &c.MaxCondition},
		{"physics", func() error { return r.part(&c.physics) }},
	}
}

func (r *jsonReader) child(s *jsonSubsystem) error {
	var c jsonChild
	r.place().name = &c.Name
	err := r.object(r.childKeys(&c))
	c.line = r.place().line
	s.children = append(s.children, c)
	return err
}

// creationIndex reads a creation index and sets the ID offset.
func (r *jsonReader) creationIndex(offset *uint16) error {
	line := r.line()
	var index *int64
	if err := r.decode("creationIndex", &index); err != nil || index == nil {
		return err
	}
	if *index < 0 || *index >= math.MaxUint16 {
		return r.fail(line, fmt.Errorf("%w: creation index %d out of range", ErrClass, *index))
	}
	*offset = uint16(*index + 1)
	return nil
}
