package stateupdate_test

import (
	"fmt"
	"log"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/stateupdate"
)

// This example prints what a Galaxy can do, and its weapons that fire forward.
func ExamplePhysics() {
	class := stateupdate.Stock().Named("galaxy")
	physics := class.Physics
	if physics == nil {
		log.Fatal("the properties of this class are unknown")
	}
	fmt.Printf("%s: mass %v, radius %v, %v GU/s, %v rad/s\n", class.Name, physics.Mass, physics.Radius, physics.MaxSpeed, physics.MaxTurn)
	i := 0 // in Parts, which has each subsystem and then its children
	for _, s := range class.Subsystems {
		i++
		for _, child := range s.Children {
			w := physics.Parts[i].Weapon
			i++
			switch {
			case w == nil || w.Direction != [3]float64{0, 1, 0}:
			case s.Kind == stateupdate.KindPhaser:
				fmt.Printf("%s: %v points/s up to %v GU\n", child.Name, w.MaxDamage, w.MaxDamageDistance)
			case s.Kind == stateupdate.KindTorpedo:
				fmt.Printf("%s: reloaded in %v s\n", child.Name, w.ReloadDelay)
			}
		}
	}
	// Output:
	// Galaxy: mass 120, radius 4.366, 6.3 GU/s, 0.28 rad/s
	// Forward Torpedo 1: reloaded in 40 s
	// Forward Torpedo 2: reloaded in 40 s
	// Forward Torpedo 3: reloaded in 40 s
	// Forward Torpedo 4: reloaded in 40 s
	// Ventral Phaser 2: 250 points/s up to 60 GU
	// Ventral Phaser 3: 250 points/s up to 60 GU
	// Dorsal Phaser 2: 250 points/s up to 60 GU
	// Dorsal Phaser 3: 250 points/s up to 60 GU
}

// All stock classes have physics for each part. The numbers are from the scripts of the game.
func TestStockPhysics(t *testing.T) {
	parts, weapons, projectiles := 0, 0, map[string]bool{}
	for _, class := range stateupdate.Stock() {
		p := class.Physics
		require.NotNil(t, p, class.Name)
		require.Len(t, p.Parts, class.Objects()-1)
		require.Positive(t, p.Mass)
		require.Positive(t, p.Radius)
		parts += len(p.Parts)
		for i := range p.Parts {
			for _, a := range p.Parts[i].Ammunition {
				projectiles[a.Projectile.Script] = true
			}
			if w := p.Parts[i].Weapon; w != nil {
				weapons++
				if w.Projectile != nil {
					projectiles[w.Projectile.Script] = true
				}
			}
		}
	}
	require.Equal(t, 709, parts)
	require.Equal(t, 265, weapons)
	require.Len(t, projectiles, 15)
}

// Physics has all parts of its class.
func TestPhysicsOfAnotherClass(t *testing.T) {
	refit := *stateupdate.Stock().Named("galaxy")
	require.NoError(t, refit.Validate())
	refit.Subsystems = append(refit.Subsystems[:1:1], refit.Subsystems[2:]...)
	require.ErrorIs(t, refit.Validate(), stateupdate.ErrClass)
}

const (
	modPhysics = `"physics": {"mass": 30, "maxSpeed": 5},`
	modPart    = `, "physics": {"position": [3, 0, -4], "radius": 0.5, "repairComplexity": 2}`
)

// modFile returns a file with a ship of two subsystems. The arguments stand in the ship and in each
// subsystem.
func modFile(ship, hull, bank string) []byte {
	return []byte(`{"schema": 2, "projectiles": [{"script": "Dart", "damage": 7, "speed": 50, "lifetime": 4}],
"ships": [{"species": 46, "name": "Runabout", ` + ship + `"subsystems": [
{"name": "Hull", "kind": "hull"` + hull + `},
{"name": "Cannons", "kind": "pulse"` + modPart + `, "children": [
{"name": "Bow"` + bank + `}]}]}]}`)
}

func modWith(t *testing.T, ship, hull, bank string) *stateupdate.Class {
	text := string(modFile(ship, hull, bank))
	if ship == "" {
		text = strings.ReplaceAll(text, modPart, "")
	}
	all, err := stateupdate.ParseJSON([]byte(text))
	require.NoError(t, err)
	return all[0]
}

// A class of a mod has the physics of its file. Its projectiles are from the file or from the
// game. Without a radius, the farthest part decides.
func TestParseJSONPhysics(t *testing.T) {
	require.Nil(t, modWith(t, "", "", "").Physics)
	bow := `, "physics": {"repairComplexity": 1, "weapon": {"direction": [0, 1, 0], "up": [0, 0, 1], "arcWidth": [0.5, -0.25], "cooldown": 2, "projectile": "Dart"}}`
	p := modWith(t, modPhysics, modPart, bow).Physics
	require.Equal(t, &stateupdate.Physics{
		Mass: 30, MaxSpeed: 5, Radius: 1.17 * 5,
		Parts: []stateupdate.PartPhysics{
			{Position: [3]float64{3, 0, -4}, Radius: 0.5, RepairComplexity: 2},
			{Position: [3]float64{3, 0, -4}, Radius: 0.5, RepairComplexity: 2},
			{RepairComplexity: 1, Weapon: &stateupdate.Weapon{
				Direction: [3]float64{0, 1, 0}, Up: [3]float64{0, 0, 1}, ArcWidth: [2]float64{-0.25, 0.5}, Cooldown: 2,
				Projectile: &stateupdate.Projectile{Script: "Dart", Damage: 7, Speed: 50, Lifetime: 4},
			}},
		},
	}, p)
	p = modWith(t, modPhysics, modPart, strings.ReplaceAll(bow, "Dart", "FusionBolt")).Physics
	require.Equal(t, 300.0, p.Parts[2].Weapon.Projectile.Damage)
}

// An error about physics names the line, the part and the key.
func TestParseJSONPhysicsErrors(t *testing.T) {
	weapon := func(more string) string {
		return `, "physics": {"repairComplexity": 1, "weapon": {"direction": [0, 1, 0]` + more + `}}`
	}
	ammunition := func(more string) string {
		return `, "physics": {"repairComplexity": 1, "ammunition": [` + more + `]}`
	}
	const ship, hull, bow = `ship 0 "Runabout": `, `ship 0 "Runabout": subsystem 0 "Hull": `, `ship 0 "Runabout": subsystem 1 "Cannons": child 0 "Bow": `
	for name, v := range map[string]struct{ ship, hull, bow, want string }{
		"a misspelled key":       {`"physics": {"mas": 1},`, "", "", "line 2: " + ship + `physics object: unknown key "mas" of a physics object; did you mean "mass"?`},
		"no mass":                {`"physics": {},`, "", "", "line 2: " + ship + `physics object: invalid class: mass is missing or 0`},
		"no object":              {`"physics": [],`, "", "", "line 2: " + ship + `physics object: wrong value, must begin with {`},
		"a negative speed":       {`"physics": {"maxSpeed": -1},`, "", "", "line 2: " + ship + `physics object: invalid class: maxSpeed: -1, must be 0 to 1e+12`},
		"a large mass":           {`"physics": {"mass": 1e13},`, "", "", "line 2: " + ship + `physics object: invalid class: mass: 1e+13, must be 0 to 1e+12`},
		"an infinite mass":       {`"physics": {"mass": 1e999},`, "", "", "line 2: " + ship + `physics object: mass: wrong value: number 1e999`},
		"text as a mass":         {`"physics": {"mass": "1"},`, "", "", "line 2: " + ship + `physics object: mass: wrong value: string`},
		"five faces":             {`"physics": {"shieldChargePerSecond": [1,2,3,4,5]},`, "", "", "line 2: " + ship + `physics object: invalid class: shieldChargePerSecond: 5 numbers, must be 6`},
		"a part without physics": {modPhysics, "", modPart, "line 2: " + ship + `invalid class: the ship has physics, but "Hull" has none`},
		"physics without a ship": {"", modPart, modPart, "line 2: " + ship + `invalid class: "Hull" has physics, but the ship has none`},
		"no complexity":          {modPhysics, `, "physics": {}`, modPart, "line 3: " + hull + `physics object: invalid class: repairComplexity is missing or 0`},
		"a key of a part":        {modPhysics, `, "physics": {"hitPoints": 1}`, modPart, "line 3: " + hull + `physics object: unknown key "hitPoints" of a physics object; the keys are position, radius, disabledPercentage, repairComplexity, critical, targetable, singleFire, ammunition, maxRepairPoints, repairTeams, weapon`},
		"a flat position":        {modPhysics, `, "physics": {"position": [0, 1]}`, modPart, "line 3: " + hull + `physics object: invalid class: position: 2 numbers, must be 3`},
		"half a team":            {modPhysics, `, "physics": {"repairTeams": 0.5}`, modPart, "line 3: " + hull + `physics object: repairTeams: wrong value: number 0.5`},
		"a negative team":        {modPhysics, `, "physics": {"repairTeams": -1}`, modPart, "line 3: " + hull + `physics object: invalid class: repairTeams: -1, must be 0 to 65535`},
		"a weapon of the hull":   {modPhysics, weapon(""), modPart, "line 2: " + ship + `invalid class: "Hull" cannot have a weapon, only a child of a weapon system can`},
		"no direction":           {modPhysics, modPart, `, "physics": {"repairComplexity": 1, "weapon": {}}`, "line 5: " + bow + `physics object: weapon: invalid class: direction is missing or 0`},
		"no projectile":          {modPhysics, modPart, weapon(""), "line 2: " + ship + `invalid class: the weapon of "Cannons / Bow" has no projectile`},
		"another projectile":     {modPhysics, modPart, weapon(`, "projectile": "Spear"`), "line 5: " + bow + `physics object: weapon: invalid class: projectile: unknown script "Spear"; the projectiles of a file stand before its ships`},
		"a number as projectile": {modPhysics, modPart, weapon(`, "projectile": 5`), "line 5: " + bow + `physics object: weapon: projectile: wrong value: number`},
		"an arc of degrees":      {modPhysics, modPart, weapon(`, "arcWidth": [-20, 20]`), "line 5: " + bow + `physics object: weapon: invalid class: arcWidth: -20, must be -6.283185307179586 to 6.283185307179586`},
		"an empty magazine":      {modPhysics, ammunition(`{"max": 5}`), modPart, "line 3: " + hull + `physics object: torpedo 0: invalid class: projectile is missing`},
		"a full magazine":        {modPhysics, ammunition(`{"max": 70000}`), modPart, "line 3: " + hull + `physics object: torpedo 0: invalid class: max: 70000, must be 0 to 65535`},
	} {
		_, err := stateupdate.ParseJSON(modFile(v.ship, v.hull, v.bow))
		require.EqualError(t, err, "stateupdate: classes: "+v.want, name)
	}
	_, err := stateupdate.ParseJSON([]byte(`{"schema": 2, "projectiles": [{"script": "Dart", "damage": 7}]}`))
	require.EqualError(t, err, `stateupdate: classes: line 1: projectile 0 "Dart": invalid class: speed is missing or 0`)
}
