package stateupdate_test

import (
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/stateupdate"
)

// cutter returns a valid class of a mod with physics, a shield generator, a cannon and torpedoes.
func cutter() *stateupdate.Class {
	body := stateupdate.PartPhysics{RepairComplexity: 3}
	dart := &stateupdate.Projectile{Script: "Dart", Speed: 50}
	return &stateupdate.Class{Species: 46, Name: "Cutter", Physics: &stateupdate.Physics{Mass: 20}, Subsystems: []stateupdate.Subsystem{
		{Name: "Hull", IDOffset: 2, PartPhysics: body},
		{Name: "Shields", Kind: stateupdate.KindShield, IDOffset: 1, PartPhysics: body},
		{Name: "Cannons", Kind: stateupdate.KindPulse, IDOffset: 3, PartPhysics: body, Children: []stateupdate.Child{{
			Name: "Bow", IDOffset: 5, PartPhysics: body, Weapon: &stateupdate.Weapon{Direction: [3]float64{0, 1, 0}, Projectile: dart},
		}}},
		{Name: "Torpedoes", Kind: stateupdate.KindTorpedo, IDOffset: 4, PartPhysics: body, Ammunition: []stateupdate.Ammunition{{Projectile: dart}}},
	}}
}

// Validate names the subsystem, the child and the field.
func TestValidate(t *testing.T) {
	require.NoError(t, cutter().Validate())
	slow := cutter()
	slow.Subsystems[3].Ammunition[0].Projectile.Speed = 0.5
	require.NoError(t, slow.Validate())
	const hull, shields, bow, torpedoes = `subsystem 0 "Hull": `, `subsystem 1 "Shields": `, `subsystem 2 "Cannons": child 0 "Bow": `, `subsystem 3 "Torpedoes": `
	for want, change := range map[string]func(c *stateupdate.Class, s []stateupdate.Subsystem, bow *stateupdate.Child){
		"0 subsystems, must be 1 to 128": func(c *stateupdate.Class, _ []stateupdate.Subsystem, _ *stateupdate.Child) { c.Subsystems = nil },
		"129 subsystems, must be 1 to 128": func(c *stateupdate.Class, _ []stateupdate.Subsystem, _ *stateupdate.Child) {
			c.Subsystems = make([]stateupdate.Subsystem, 129)
		},
		"Mass is missing or 0":              func(c *stateupdate.Class, _ []stateupdate.Subsystem, _ *stateupdate.Child) { c.Physics.Mass = 0 },
		"Mass is 1e+13, must be 0 to 1e+12": func(c *stateupdate.Class, _ []stateupdate.Subsystem, _ *stateupdate.Child) { c.Physics.Mass = 1e13 },
		"MaxSpeed is NaN, must be 0 to 1e+12": func(c *stateupdate.Class, _ []stateupdate.Subsystem, _ *stateupdate.Child) {
			c.Physics.MaxSpeed = math.NaN()
		},
		"ShieldCharge is -1, must be 0 to 1e+12": func(c *stateupdate.Class, _ []stateupdate.Subsystem, _ *stateupdate.Child) {
			c.Physics.ShieldCharge[5] = -1
		},
		`subsystem 0 "": the name is missing`:                 func(_ *stateupdate.Class, s []stateupdate.Subsystem, _ *stateupdate.Child) { s[0].Name = "" },
		`subsystem 1 "HULL": another subsystem has this name`: func(_ *stateupdate.Class, s []stateupdate.Subsystem, _ *stateupdate.Child) { s[1].Name = "HULL" },
		hull + "unknown Kind(12)": func(_ *stateupdate.Class, s []stateupdate.Subsystem, _ *stateupdate.Child) {
			s[0].Kind = stateupdate.KindRepair + 1
		},
		hull + "unknown power mode 3": func(_ *stateupdate.Class, s []stateupdate.Subsystem, _ *stateupdate.Child) { s[0].PowerMode = 3 },
		hull + "256 children, at most 255": func(_ *stateupdate.Class, s []stateupdate.Subsystem, _ *stateupdate.Child) {
			s[0].Children = make([]stateupdate.Child, 256)
		},
		shields + "a shield generator cannot have children": func(_ *stateupdate.Class, s []stateupdate.Subsystem, _ *stateupdate.Child) {
			s[1].Children = s[2].Children
		},
		shields + "Facings is -1, must be 0 to 3.4028234663852886e+38":    func(_ *stateupdate.Class, s []stateupdate.Subsystem, _ *stateupdate.Child) { s[1].Facings[5] = -1 },
		hull + "MainBattery is +Inf, must be 0 to 3.4028234663852886e+38": func(_ *stateupdate.Class, s []stateupdate.Subsystem, _ *stateupdate.Child) { s[0].MainBattery = inf },
		hull + "RepairComplexity is missing or 0":                         func(_ *stateupdate.Class, s []stateupdate.Subsystem, _ *stateupdate.Child) { s[0].RepairComplexity = 0 },
		hull + "Position is NaN, must be -1e+12 to 1e+12": func(_ *stateupdate.Class, s []stateupdate.Subsystem, _ *stateupdate.Child) {
			s[0].Position[2] = math.NaN()
		},
		hull + "RepairTeams is -1, must be 0 to 65535": func(_ *stateupdate.Class, s []stateupdate.Subsystem, _ *stateupdate.Child) { s[0].RepairTeams = -1 },
		torpedoes + "Max is 70000, must be 0 to 65535": func(_ *stateupdate.Class, s []stateupdate.Subsystem, _ *stateupdate.Child) {
			s[3].Ammunition[0].Max = 70000
		},
		torpedoes + "Projectile is missing": func(_ *stateupdate.Class, s []stateupdate.Subsystem, _ *stateupdate.Child) {
			s[3].Ammunition[0].Projectile = nil
		},
		torpedoes + "Speed of the projectile is missing or 0": func(_ *stateupdate.Class, s []stateupdate.Subsystem, _ *stateupdate.Child) {
			s[3].Ammunition[0].Projectile = new(stateupdate.Projectile)
		},
		bow + "RepairComplexity is missing or 0": func(_ *stateupdate.Class, _ []stateupdate.Subsystem, b *stateupdate.Child) { b.RepairComplexity = 0 },
		bow + "Direction is missing":             func(_ *stateupdate.Class, _ []stateupdate.Subsystem, b *stateupdate.Child) { b.Weapon.Direction[1] = 0 },
		bow + "ArcWidth is -20, must be -6.283185307179586 to 6.283185307179586": func(_ *stateupdate.Class, _ []stateupdate.Subsystem, b *stateupdate.Child) {
			b.Weapon.ArcWidth = [2]float64{-20, 20}
		},
		bow + "ArcWidth begins with the larger angle": func(_ *stateupdate.Class, _ []stateupdate.Subsystem, b *stateupdate.Child) {
			b.Weapon.ArcWidth = [2]float64{0.5, -0.25}
		},
		bow + "ArcHeight begins with the larger angle": func(_ *stateupdate.Class, _ []stateupdate.Subsystem, b *stateupdate.Child) {
			b.Weapon.ArcHeight = [2]float64{0.5, -0.25}
		},
		bow + "Projectile is missing":              func(_ *stateupdate.Class, _ []stateupdate.Subsystem, b *stateupdate.Child) { b.Weapon.Projectile = nil },
		bow + "MaxReady is -1, must be 0 to 65535": func(_ *stateupdate.Class, _ []stateupdate.Subsystem, b *stateupdate.Child) { b.Weapon.MaxReady = -1 },
		bow + "only a child of a weapon system can have a weapon": func(_ *stateupdate.Class, s []stateupdate.Subsystem, _ *stateupdate.Child) {
			s[2].Kind = stateupdate.KindWarp
		},
		`all parts need an ID offset, or none: "Cannons / Bow" differs from "Hull"`: func(_ *stateupdate.Class, _ []stateupdate.Subsystem, b *stateupdate.Child) { b.IDOffset = 0 },
		`all parts need an ID offset, or none: "Shields" differs from "Hull"`:       func(_ *stateupdate.Class, s []stateupdate.Subsystem, _ *stateupdate.Child) { s[0].IDOffset = 0 },
		`"Cannons / Bow" has the ID offset 6, but the class has only 5 parts`:       func(_ *stateupdate.Class, _ []stateupdate.Subsystem, b *stateupdate.Child) { b.IDOffset = 6 },
		`"Torpedoes" has the ID offset 5, which another part has`:                   func(_ *stateupdate.Class, s []stateupdate.Subsystem, _ *stateupdate.Child) { s[3].IDOffset = 5 },
	} {
		c := cutter()
		change(c, c.Subsystems, &c.Subsystems[2].Children[0])
		err := c.Validate()
		require.ErrorIs(t, err, stateupdate.ErrClass)
		require.EqualError(t, err, `stateupdate: "Cutter": invalid class: `+want)
	}
}

// Validate checks every number of a class.
func TestValidateNumbers(t *testing.T) {
	c := cutter()
	var check func(path string, v reflect.Value)
	check = func(path string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Float32, reflect.Float64:
			before := v.Float()
			for _, x := range []float64{math.NaN(), 1e300} {
				v.SetFloat(x)
				require.ErrorIs(t, c.Validate(), stateupdate.ErrClass, path)
			}
			v.SetFloat(before)
		case reflect.Pointer:
			check(path, v.Elem())
		case reflect.Array, reflect.Slice:
			for i := range v.Len() {
				check(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				check(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		}
	}
	check("Class", reflect.ValueOf(c))
	require.NoError(t, c.Validate())
}
