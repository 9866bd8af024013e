package opcode

//go:generate go run genenum.go

// EventClass identifies the fields of an [Event]. Classes with a known layout have a constant.
// String returns the engine's name for every known class of events.
//
// Evidence: observed for ClassEvent, ClassBoolEvent, ClassCharEvent, ClassPlayerEvent,
// ClassCollisionEvent, ClassStartFiringEvent and ClassObjectExplodingEvent. The others are
// documented or inferred.
type EventClass uint32

// EventCode identifies the occurrence that an [Event] reports. String returns the engine's name
// without ET_ for every code of the engine, except for most input events. Codes that occur on the
// wire have a constant. Receivers replace a code of a message that ends in _NOTIFY by the code without
// this ending, and OBJECT_COLLISION by HOST_OBJECT_COLLISION.
//
// Evidence: documented by the order of the constants in the game's script module.
type EventCode uint32

// ObjectClass is the class of a created object. Ships, stations and asteroids are ObjectShip, and
// torpedoes are ObjectTorpedo. No other class is known on the wire. String returns the engine's
// name for all known classes.
//
// Evidence: observed for ObjectShip, documented for ObjectTorpedo, otherwise inferred.
type ObjectClass uint32

// Species is the kind of a ship. Players fly 1 to 15. Evidence: documented by the game's scripts.
type Species uint8

// TorpedoType is the kind of a torpedo, the Species of a torpedo in an [Object]. It is not in [TorpedoFire].
// Evidence: documented by the game's scripts.
type TorpedoType uint8

// System is a star system of the multiplayer missions. Evidence: observed for Multi1 and Poseidon,
// otherwise documented by the game's scripts.
type System uint8

// EndReason is the reason for the end of a game. Evidence: documented by the game's scripts.
type EndReason int32

// RefusalReason is the reason of a [BootPlayer]. OpenBC's server sends RefusalGeneric if its game
// has ended. Evidence: documented by OpenBC.
type RefusalReason uint8

// PhaserLevel is the strength of phasers. Evidence: observed for PhaserLow, otherwise documented.
type PhaserLevel uint8

// Team is a player's team in missions with teams. Evidence: documented by the game's scripts.
type Team uint8

// TractorMode is the effect of a tractor beam: a Status.Mode of package stateupdate.
// Evidence: inferred.
type TractorMode uint8
