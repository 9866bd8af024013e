// Package stateupdate is the ship model of Bridge Commander: the subsystems of each class of
// ships, what a StateUpdate reports about them, and when a peer sends which part of a ship's
// state. StateUpdates make up nearly all of the traffic.
//
// # Classes
//
// A StateUpdate lists the state of subsystems without naming them: both sides know the
// ship's [Class], an ordered list of [Subsystem]. [Stock] and [Named] return the 44 classes
// of the unmodified game. Classes of a mod are values of the same type, written in Go or
// read by [ParseJSON], and collected in a [Catalogue].
//
// # Blocks
//
// [Class.Block] splits the subsystems of a StateUpdate, [Class.Blob] those of an
// ObjectCreateTeam. [Class.AppendUpdate] and [Class.AppendBlob] encode them to the same
// bytes. A [Status] has the codes of the wire; [Level] and [Power] have methods for
// fractions, percentages and points. [Class.Dissect] shows every byte.
//
// # Ships
//
// A [Ship] is the state of a ship. [Ship.Subsystem] and [Ship.FirstOf] find a [Status] by name
// and by [Kind], [Motion.Heading] and [Motion.SetHeading] are the direction of the nose, and
// [Ship.Creation] is the message that creates the ship. A ship and a status print in one line.
//
// # Object IDs of parts
//
// Every subsystem and every child of one has an object ID behind that of its ship. Events
// and fire messages name parts by these IDs: the TubeID of a TorpedoFire, the WeaponID of a
// BeamFire, the Dest of a StartFiring. [Tracker.Part] returns the ship and the [Part] that
// an ID names, and [Part.Name] is "Forward Torpedo 2". [Class.PartID] returns the ID of a
// part, and [Class.Objects] the number of IDs that a ship occupies.
//
// # Following ships
//
// A [Tracker] keeps the state of every ship from the messages of one link, both
// directions, in any order, and reports each [Change]. [Tracker.Clone] copies the state, for
// example to seek in a recording.
//
//   - A ship is Unknown, Alive, Dying or Destroyed; see [Life]. It dies by the event of its
//     explosion. A DestroyObject, a restart or the next ship of its player destroys it.
//   - Late messages about a destroyed ship change nothing. A creation makes a ship alive again.
//   - Motion that is not newer than the newest is ignored. Its absolute position still counts
//     as the base of newer deltas.
//   - Power is changed by newer updates only; conditions, batteries and facings by all
//     updates, as in the game.
//   - An update of a ship that was not created yet is buffered and applied after the creation.
//   - A ship whose create blob does not fit its class has no class. Its blob stays raw.
//
// # Sending updates
//
// An [Encoder] encodes the updates that one peer sends to another about one ship, in the
// [Role] of the ship's owner or of the host. It follows the rules of the unmodified game and
// has no clock.
// A [Cadence] gives the intervals of the game, which depend on modems, players and
// distances. Its use is optional: ten updates a second are always legal.
// A [Broadcaster] does both for a host: it keeps the encoders of all ships for all players.
// [IntegrityHash] is the fold of the hash of an update; the hash of a ship cannot be computed.
//
// # Ownership
//
// Statuses that an iteration gives alias the payload. Ships of a tracker share nothing with
// messages. Stock classes are shared and must not be changed.
//
// # Errors
//
// A block or blob that does not decode gives a [*stream.Error] with the subsystem, the
// field and the offset, such as
//
//	stateupdate: decode StateUpdate.Subsystems.Shield Generator.Facings at offset 19: unexpected EOF
//
// and the subsystems before it are valid. A [Tracker] returns an [*Error] and applies the
// rest of the message. The errors wrap [ErrNoClass], [ErrStartIndex], [ErrPowerIndex],
// [ErrNotFinite], [ErrExists] or [ErrLimit]; errors of encoding wrap [ErrOrder], and errors
// of a class [ErrClass].
//
// # Limits
//
// A class has at most [MaxSubsystems] subsystems of [MaxChildren] children. A [Tracker]
// keeps [DefaultMaxShips] ships. It keeps [DefaultMaxUnknown] ships that were not created
// yet, each with its last [MaxBuffered] updates of at most [MaxBlock] bytes, and the IDs of
// [MaxDestroyed] destroyed ships. A [Broadcaster] has at most DefaultMaxShips ships.
//
// # Speed
//
// Decoding a StateUpdate and splitting its block takes about 4 times as long as decoding
// alone; BenchmarkBlockBar fails above 5.3. A match of 16 ships, 2560 updates a second from the
// host, takes a thousandth of one core to encode and decode, without allocations. A clone of a
// tracker of 16 ships takes about 13 us:
//
//	go test -run '^$' -bench 'BlockBar|Match|Broadcaster|TrackerClone' ./stateupdate
//
// The classes are constant data: nothing happens at import.
//
// # Evidence
//
// Observed (A): the create blobs of Akira and Sovereign, blocks of Akira, Sovereign and
// Shuttle in the owner's form, and the object IDs of four parts. Measured sizes and start
// indices agree for the 15 classes that players can choose.
//
// Documented (B): the lists and capacities of all classes, from the game's own hardpoint
// scripts; the form of blocks for other peers, which no capture has; the timers of the
// sender.
//
// Inferred (C): the bool of a cloaking device in a create blob; the lists of Biranu Station,
// Enterprise and Geronimo, whose scripts load another script first. See [Class.Grade].
//
// Open: the distances and the modem factor of [Cadence]; the meaning of the start indices
// 254 and 255, which give [ErrStartIndex]; the integrity hash of a ship.
package stateupdate
