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
// order of their IDs, and the ship and the time decide where a dying ship explodes.
//
// # Laws
//
// The laws are measurements of the original program and the code of the game, with the data of
// [stateupdate.Physics].
//
//	aim        the target's part, or its Hull; each weapon has a ray of its own to it
//	hit        where the ray enters the body, behind a face that takes something where it enters the shield
//	beams      MaxDamage · k · min(1, range / distance) per second, k 0.25 at LOW, else 0.5, from 0.63 s on until the end
//	bolts      damage of the projectile, times 0.2, 0.5 or 1
//	torpedoes  damage of the projectile; guided for some seconds; each torpedo of a tube reloads on its own
//	shields    a face above 60 % lets nothing through; below, up to 60 %; below 10 %, everything: as it was at the last
//	           charge of the shields, every 0.66 s
//	damage     the hull and each part near the hit, each by all of it; the points that these do not have hit once more
//	repair     the first parts of the list, as many as there are teams; destroyed parts leave the list
//	death      a critical part at 0; the ship explodes for 9.5 s, with 600 points each second, and goes on with the repairs of its list
//	motion     dv/dt = clamp(wanted − v, ±maximum), as for the turn rate
//	collision  elastic; 900 · J / mass / contacts + 500 points for the first contact, for the next what its parts did not have
//
// Tubes, charge, drain, power and repair change every 0.33 s. The file assertions.md of package combat compares the
// measurements with the model; all are within their tolerances.
//
// # Choices
//
// Where the measurements leave room, the model makes a choice. The constants have the reasons. This is how far it can
// be from the game:
//
//	body of the Galaxy  two ellipsoids, fitted to the parts that shots from eight directions damage. From these directions, the
//	                    same parts are damaged as in the game. Between them, above all from 5 to 44 degrees above, nothing
//	                    is measured.
//	body of others      the ellipsoid of the Galaxy's engineering hull at the Hull of the class, in proportion to its radius. Nothing
//	                    of it is measured: shots at these classes can damage other parts in the game.
//	beside the body     a ray that enters the shield sphere and misses the body hits the point that is nearest to the aim. In the
//	                    game, some of these shots miss.
//	shield              a sphere of 1.21 bounding radii
//	bounding radius     measured for 8 classes. Others have 1.17 times the distance of the farthest part; the
//	                    measured ones have 1.04 to 1.77 times.
//	steps               the first of 0.33 s is 0.25 s after the beginning; in the game, at random. A volley that breaks a face can
//	                    pass 7 % less or more, and a launch comes 0.1 to 0.34 s after the command.
//	half a face         of a volley at a face of 50 %, the sensors and tubes get 13 to 18 % more than was measured, the hull 2 %
//	second pass         the radius of bolts grows as that of torpedoes. A hull that has too few points counts as a part.
//	explosions          one each 0.99 s, at a point of the body; in the game at random, four in 3.7 s. A dying ship of the game
//	                    loses other parts, too, by a law that is not known.
//	shield charge       0.85 of the script for every class, measured for the Galaxy only
//	recharge of weapons as in single-player. The game has another factor for other players, which is not known.
//	cannons             a bolt at MED costs 0.93; 0.87 to 1.0 were measured. With 0.91, the charge of P5 is 0.01 too high.
//	dying phase         9.5 s; 6.9 to 12.9 s were measured
//	torpedoes           fly for 30 s at least; their lifetime is not known
//	tubes of the model  fire up to 60 degrees off; the scripts have no arcs of tubes
//	collisions          are of spheres; the Bird of Prey survived a collision that the law makes deadly
//	a shot at a face    that it empties loses the rest
//
// The shields of a ship that cloaks are off within 0.66 s, in the game 1 s after the start of the 5 s that it takes.
//
// The model has no flight in warp, no tractor beams, no nebulae and no splash of explosions. The game's AI is a
// script, and no part of it. A ship in warp may have any speed for 12 s, and does not fire.
//
// # For a player
//
// The side decides which parts are hit. A Galaxy loses nothing but hull from astern, a warp engine from abeam,
// sensors and tubes from ahead, and its reactor, which dies before the hull, from above and below. Shots that destroy
// parts hit harder: two positron torpedoes take 12,400 points of its hull, because the second one destroys four
// tubes. A beam does nothing in its first 0.63 s. A tube with two torpedoes fires both, 2.3 s apart, before it
// reloads. The hull is not repaired while as many other parts are on the list as there are teams; a
// RepairListPriority puts it first.
//
// # Clients
//
// A client decides how its ship moves and what it fires, and nobody believes it about damage. An error
// wrapping [ErrRefused] means that the message has no effect: the weapon does not exist or is not loaded,
// or the numbers make no sense. A shot or a motion that is only improbable counts and gives an event of
// Noted. A World that is Strict refuses it.
package model
