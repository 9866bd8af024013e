package stateupdate_test

import (
	"fmt"
	"log"
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
	for _, s := range class.Subsystems {
		for _, child := range s.Children {
			w := child.Weapon
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
	weapons, projectiles := 0, map[string]bool{}
	for _, class := range stateupdate.Stock() {
		p := class.Physics
		require.NotNil(t, p, class.Name)
		require.NoError(t, class.Validate())
		require.Positive(t, p.Radius)
		for _, s := range class.Subsystems {
			for _, a := range s.Ammunition {
				projectiles[a.Projectile.Script] = true
			}
			for _, child := range s.Children {
				if w := child.Weapon; w != nil {
					weapons++
					if w.Projectile != nil {
						projectiles[w.Projectile.Script] = true
					}
				}
			}
		}
	}
	require.Equal(t, 265, weapons)
	require.Len(t, projectiles, 15)
}
