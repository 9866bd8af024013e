// Package stateupdate encodes, decodes and tracks the state of Bridge Commander ships.
//
//	var tracker stateupdate.Tracker
//	for _, m := range messages { // decoded by package opcode
//		change, err := tracker.Apply(m)
//		if err != nil {
//			log.Print(err) // the rest of the message was applied
//		}
//		if ship := change.Ship; ship != nil {
//			fmt.Println(ship.PlayerName, ship.Position, ship.Subsystem("hull"))
//		}
//	}
//
// Most messages of a match are StateUpdates. They contain the state of subsystems without
// their names, so the receiver must know the [Class] of the ship.
//
// # Following ships
//
// A [Tracker] keeps a [Ship] for each ship on one link and describes each [Change]. A [Life]
// is the stage of a ship between its creation and its end. Messages may arrive late:
//
//   - Subsystems are buffered until the creation of the ship. Updates of a destroyed ship are
//     ignored.
//   - Older motion is ignored, but its absolute position may be the base of newer deltas.
//   - As in the game, only newer updates change power, but all updates change conditions,
//     batteries and shield facings.
//
// # Sending updates
//
// An [Encoder] encodes the updates about one ship for one receiver. A [Broadcaster] keeps the
// encoders of a host for all ships and players. Ten updates a second are always legal. A
// [Cadence] returns the intervals of the unmodified game.
//
// # Classes
//
// A class is an ordered list of [Subsystem]. [Stock] and [Named] return the 44 classes of the
// unmodified game. Classes of a mod are written in Go or read by [ParseJSON].
//
// A block is the list of subsystems in a StateUpdate, and a create blob the list in an
// ObjectCreateTeam. [Class.Block] and [Class.Blob] split them into values of [Status].
// [Class.AppendUpdate] and [Class.AppendBlob] encode these values to the same bytes.
//
// Each subsystem and each of its children has an object ID, which events and fire messages
// use. [Tracker.Part] returns the [Part] with an ID, and [Class.PartID] the ID of a part.
//
// # Ownership
//
// Statuses from a block or blob alias the payload. The ships of a tracker share no memory with
// messages. Stock classes are shared; the caller must not modify them.
//
// # Errors
//
// If a block or blob is malformed, the subsystems before the error are valid. The error is a
// [*stream.Error] with the subsystem, the field and the offset:
//
//	stateupdate: decode StateUpdate.Subsystems.Shield Generator.Facings at offset 19: unexpected EOF
//
// A [Tracker] returns an [*Error] and applies the rest of the message.
//
// # Limits
//
// See [MaxSubsystems] for a class and [DefaultMaxShips] for a tracker and a broadcaster. In the
// steady state, updates are encoded and applied without allocations.
//
// # Evidence
//
//   - Observed (A): create blobs of Akira and Sovereign, blocks for the owners of Akira,
//     Sovereign and Shuttle, object IDs of four parts, block sizes of all playable classes.
//   - Documented (B): the subsystems of all classes, from the game's hardpoint scripts; blocks
//     for other peers and the timers of the sender, from the engine's code.
//   - Inferred (C): the bool of a cloaking device in a create blob; classes with [GradeC].
//   - Open: the distances and the modem factor of a [Cadence]; the start indices 254 and 255,
//     which give [ErrStartIndex]; the values in an [IntegrityHash].
package stateupdate
