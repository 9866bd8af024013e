// Package model computes the combat of Bridge Commander: what shots and collisions do to ships.
//
//	var w model.World
//	if err := w.Add(1, stateupdate.Stock().Named("warbird"), "Multi1", model.Motion{Forward: [3]float64{0, 1, 0}}); err != nil {
//		log.Fatal(err)
//	}
//	...
//	err := w.Apply(message)         // a shot, a setting or a collision from the owner of a ship
//	events := w.Advance(time.Second) // hits, damage, repairs and deaths until then
//
// A [World] has no sockets, no goroutines and no clock. The caller passes ships, messages and the time.
// The same calls give the same bits on every platform: time has fixed steps of [Step], ships are in the
// order of their IDs, and nothing depends on chance.
//
// # Laws
//
// The laws are measurements of the original program and the code of the game, with the data of
// [stateupdate.Class.Physics].
//
//	beams      MaxDamage · k · min(1, range / distance) per second, k 0.25 at LOW, else 0.5, in quanta
//	bolts      damage of the projectile, times 0.2, 0.5 or 1
//	torpedoes  damage of the projectile; guided for some seconds
//	shields    a face above 60 % lets nothing through; below, up to 60 %; below 10 %, everything
//	hull       what passes damages the hull and each part near the hit, each by all of it
//	death      a critical part at 0; the ship explodes for 9.5 s
//	motion     dv/dt = clamp(wanted − v, ±maximum), as for the turn rate
//	collision  elastic; 900 · J / mass / contacts + 500 points
//
// The file assertions.md of package combat compares 56 measurements with the model; all are within their tolerances.
//
// # Choices
//
// Where the measurements leave room, the model makes a choice. The constants have the reasons. This is how far it can
// be from the game:
//
//	shape of ships      not known. The shield is a sphere of 1.21 bounding radii, and a shot that enters it hits
//	                    the point of its line that is nearest to the aim. In the game some of these shots miss.
//	bounding radius     measured for 8 classes. Others have 1.17 times the distance of the farthest part; the
//	                    measured ones have 1.04 to 1.77 times.
//	faces               a ship is flatter than its sphere, so that a shot from 45 degrees above hits the top. In the game,
//	                    the border between two faces can be some degrees elsewhere.
//	pass-through        2.5 % of a hit less than the published ramp, where the measured medians of hits are: with the ramp,
//	                    the volley of H3 takes 334 points of the hull instead of the measured 279
//	shield charge       0.85 of the script for every class, measured for the Galaxy only
//	recharge of weapons as in single-player. The game has another factor for other players, which is not known.
//	cannons             a bolt at MED costs 0.93; 0.87 to 1.0 were measured. With 0.91, the charge of P5 is 0.01 too high.
//	dying phase         9.5 s; 6.9 to 12.9 s were measured
//	torpedoes           fly for 30 s at least; their lifetime is not known
//	tubes of the model  fire up to 60 degrees off; the scripts have no arcs of tubes
//	collisions          each part is damaged by one of the contacts. The game gives later contacts what earlier ones leave.
//	                    They are of spheres; the Bird of Prey survived a collision that the law makes deadly
//	a shot at a face    that it empties loses the rest
//
// A cloaking device works at once, in the game after 5 s with the shields off from 1 s on. The points where the volleys of H1
// to H5 and T5 hit are inputs of the assertions, because the shape of ships is not known.
//
// The model has no flight in warp, no tractor beams, no nebulae and no splash of explosions. A ship in warp may have
// any speed for 12 s, and does not fire.
//
// # Clients
//
// A client decides how its ship moves and what it fires, and nobody believes it about damage. An error
// wrapping [ErrRefused] means that the message has no effect: the weapon does not exist or is not loaded,
// or the numbers make no sense. A shot or a motion that is only improbable counts and gives an event of
// Noted. A World that is Strict refuses it.
package model
