// Package stateupdate is the ship model of Bridge Commander: what the StateUpdate messages
// that make up nearly all of the traffic say about a ship and its subsystems, and when to
// send which of it.
//
// # Classes
//
// A StateUpdate lists the state of subsystems without saying which they are: both sides
// know the ship's [Class], an ordered list of [Subsystem]. [Stock] and [Named] return the
// classes of the unmodified game; those of a mod are values of the same type, written in Go
// or read by [ParseJSON], and collected in a [Catalogue].
//
// # Blocks
//
// [Class.Block] tells the subsystems of a StateUpdate apart, [Class.Blob] those of an
// ObjectCreateTeam, and [Class.AppendUpdate] and [Class.AppendBlob] put them together again,
// to the same bytes. A [Status] has the codes of the wire; [Level] and [Power] have methods
// for fractions, percentages and points. [Class.Dissect] shows every byte.
//
// # Following ships
//
// A [Decoder] keeps the picture of every [Ship] from the messages of one link, both ways:
// feed it what comes, in any order, and it tells what has changed.
//
//   - Motion that is not newer than the newest is left out. Its absolute position still
//     counts as the base of newer deltas.
//   - Power is changed by newer updates only, conditions, batteries and facings by all, as
//     in the game.
//   - An update of a ship that was not created yet is kept, and applied when it is.
//
// # Telling about ships
//
// An [Encoder] makes the updates by which one peer learns of one ship, in the [Role] of the
// ship's owner or of the host. It sends what has changed in the codes of the wire,
// everything once a second, a few subsystems in turn, and has no clock of its own.
// [Mover] flies a ship, for tests and bots. [IntegrityHash] makes the Hash of an update.
//
// # Ownership
//
// Statuses that an iteration gives are parts of the payload. Pictures are the decoder's,
// and share nothing with messages. Stock classes are shared and must not be changed.
//
// # Errors
//
// A block or blob that does not decode gives a [*stream.Error] with the subsystem, the
// field and the offset, such as
//
//	stateupdate: decode StateUpdate.Subsystems.Shield Generator.Facings at offset 19: unexpected EOF
//
// and subsystems before it are valid. A [Decoder] gives an [*Error], and applies the rest of
// the message. The reasons are [ErrNoClass], [ErrStartIndex], [ErrPowerIndex],
// [ErrNotFinite], [ErrExists] and [ErrLimit]; of what is to be encoded, [ErrOrder]; of a
// class, [ErrClass].
//
// # Limits
//
// A class has at most [MaxSubsystems] subsystems of [MaxChildren] children. A [Decoder]
// keeps [DefaultMaxShips] ships and [DefaultMaxUnknown] that were not created yet, and of
// those the last [MaxPending] updates of at most [MaxBlock] bytes.
//
// # Speed
//
// To tell the subsystems of a block apart takes at most 3 ns for each byte of the block
// beyond decoding its message. A match of 16 ships, 2560 updates a second from the host,
// takes a thousandth of one core to encode and decode, without allocations:
//
//	go test -run '^$' -bench 'BlockBar|Match' ./stateupdate
//
// The classes are constant data: nothing happens at import.
//
// # Evidence
//
// Observed: the create blob of one class in full, and blocks of three classes in the
// owner's form. Sizes and start indices that were measured agree for the fifteen classes
// that players can choose, in the same form. Documented: the form for other peers, which
// nobody has captured, and the other two classes. Inferred: the bool of a cloaking device
// in a create blob. The conditions of some subsystems differ between sources; ships.json
// has both, the model the preferred one. Fractions, which are all that the wire has, do not
// depend on them. In which order the children stand is not certain for seven subsystems;
// see childOrderAlt there.
package stateupdate
