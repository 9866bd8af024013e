// Package stateupdate encodes, decodes and tracks the state of Bridge Commander ships.
//
//	var tracker stateupdate.Tracker
//	for _, m := range messages { // decoded by package opcode
//		change, err := tracker.Apply(m)
//		if err != nil {
//			log.Print(err) // the rest of the message was applied
//		}
//		if ship := change.Ship; ship != nil {
//			fmt.Println(ship.PlayerName, ship.Position, ship.FirstOf(stateupdate.KindHull))
//		}
//	}
//
// Most messages of a match are StateUpdates. A StateUpdate has the states of subsystems, but
// not their names. To split it, the receiver must know the [Class] of the ship.
//
// # Following ships
//
// A [Tracker] keeps a [Ship] for each ship on one link and describes each [Change]. Messages may
// arrive late:
//
//   - Subsystem states that arrive before the creation of their ship are buffered. Updates of a
//     destroyed ship are ignored.
//   - If an update is older than the newest one, its motion is ignored. Only its absolute
//     position is kept, because newer updates may contain a delta to that position.
//   - As in the game, only newer updates change power, but all updates change conditions,
//     batteries and shield facings.
//
// # Sending updates
//
// A [Flight] is a client's side: it creates the ships of a player, flies them by the law of motion and sends their
// updates. A [Broadcaster] is a host's side: it encodes the updates of all ships for all players, at the intervals of the
// stock game. Both use an [Encoder], which encodes the updates about one ship for one receiver. The game accepts ten
// updates a second at any time; evidence: documented (B).
//
// # Classes
//
// A [Class] such as the Akira is an ordered list of subsystems. [Stock] returns the 44 classes of
// the stock game, which are shared: the caller must not modify them. To add a class of a mod, write it in Go or read it
// with [ParseJSON], and set Classes of the [Tracker]; the program dump has the flag -classes. A ship
// without a class is tracked without subsystems. The hardpoint script of the ship determines the
// order of the subsystems. Phaser banks, torpedo tubes, pulse weapons, tractor projectors and engines become Children of
// their system. The other parts are the subsystems. All stay in the order of the script.
//
// The classes of the game have what a program needs to compute motion and combat, too: [Physics], [PartPhysics] and
// [Weapon]. [Ship.Disabled] reports whether a part works.
//
// A block is a run of subsystem states in a StateUpdate. A create blob has the states of all
// subsystems, in an ObjectCreate or ObjectCreateTeam. [Class.AppendStatuses] splits them
// into values of [Status]. [Class.AppendUpdate] and [Class.AppendBlob] encode these values.
//
// Each subsystem and each of its children has an object ID, which events and fire messages
// use. [Tracker.Part] returns the [Part] with an ID, and [Class.PartID] the ID of a part.
//
// # Errors
//
// If a block or blob is malformed, the subsystems before the error are valid. The error is a
// [*stream.Error] with the subsystem, the field and the offset:
//
//	stateupdate: decode StateUpdate.Subsystems.Shield Generator.Facings at offset 19: unexpected EOF
//
// # Evidence
//
// Package opcode defines the grades in its section Evidence; A, B and C are their letters.
//
//   - Observed (A): create blobs of Akira and Sovereign, blocks for the owners of Akira,
//     Sovereign and Shuttle, object IDs of four parts, block sizes of all playable classes.
//   - Documented (B): the subsystems of all classes, from the game's hardpoint scripts; their
//     order and IDs, blocks for other peers and the timers of the sender, from the engine's code.
//     [Physics] has its own grades.
//   - Inferred (C): the bool of a cloaking device in a create blob; the classes whose Evidence says so.
//   - Unknown: how the distance changes the intervals of the game, see [Broadcaster]; the values in
//     the Hash of an [opcode.StateUpdate]; the start indices 254 and 255, for which decoding returns [ErrIndex].
//
// [CORRECTIONS.md] lists the statements of older documents that contradict this package, with proofs.
//
// [CORRECTIONS.md]: https://github.com/bcwire/bcwire/blob/main/opcode/CORRECTIONS.md
package stateupdate
