package opcode

//go:generate go run genenum.go

// EventClass identifies the fields of a serialized [Event]. The classes with a known layout
// have a constant. String returns the engine's name for every class of the engine.
//
// Evidence: observed for ClassEvent, ClassBoolEvent, ClassCharEvent, ClassObjPtrEvent,
// ClassPlayerEvent, ClassCollisionEvent, ClassStartFiringEvent and
// ClassObjectExplodingEvent; documented or inferred for the others.
type EventClass uint32

// EventCode identifies what happened. String returns the engine's name without ET_ for every
// code of the engine. Only the codes that are on the wire or that a receiver posts for them
// have a constant. The others are local to a process.
//
// Evidence: documented: the numbers follow from the order of the constants in the game's
// script module, which more than 40 captured or documented ones confirm.
type EventCode uint32

// ObjectClass is the class of a created object: a ship, station or asteroid is an
// ObjectShip, a torpedo an ObjectTorpedo. No other class is known on the wire. String returns
// the engine's name for every class of the engine.
//
// Evidence: observed for ObjectShip and ObjectTorpedo, else inferred.
type ObjectClass uint32

// Species tells what kind of ship or station an object of ObjectShip is. Players fly 1 to
// 15.
//
// Evidence: documented by the game's scripts.
type Species uint8

// TorpedoType is the species of an object of ObjectTorpedo; see [Object.TorpedoType]. It is
// not in [TorpedoFire].
//
// Evidence: documented by the game's scripts.
type TorpedoType uint8

// System is a star system of the multiplayer missions.
//
// Evidence: observed for Multi1 and Poseidon, else documented by the game's scripts.
type System uint8

// EndReason tells why a game ended.
//
// Evidence: documented by the game's scripts.
type EndReason int32

// RefusalReason tells why OpenBC's server refuses a client; see [BootPlayer]. A server that
// has ended its game gives RefusalGeneric.
//
// Evidence: documented by OpenBC.
type RefusalReason uint8

// PhaserLevel is the strength at which phasers fire.
//
// Evidence: observed for low, else documented.
type PhaserLevel uint8

// Team is a player's team in missions with teams.
//
// Evidence: documented by the game's scripts.
type Team uint8

// TractorMode is what a tractor beam does with its target. It travels with the subsystems
// of a ship that is created.
//
// Evidence: inferred.
type TractorMode uint8
