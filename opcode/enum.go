package opcode

//go:generate go run genenum.go

// EventClass identifies the fields of a serialized [Event]. Classes with a known layout have a
// constant. String returns the engine's name for every class of the engine.
//
// Evidence: observed for ClassEvent, ClassBoolEvent, ClassCharEvent, ClassPlayerEvent,
// ClassCollisionEvent, ClassStartFiringEvent and ClassObjectExplodingEvent; else documented or
// inferred.
type EventClass uint32

// EventCode identifies the occurrence that an [Event] reports. String returns the engine's name
// without ET_ for every code of the engine. Codes on the wire and codes that receivers post have a
// constant.
//
// Evidence: documented. The numbers follow the order of the constants in the game's script module,
// and more than 40 captured or documented numbers agree.
type EventCode uint32

// ObjectClass is the class of a created object. Ships, stations and asteroids are ObjectShip, and
// torpedoes are ObjectTorpedo. No other class is known on the wire. String returns the engine's
// name for all classes.
//
// Evidence: observed for ObjectShip, documented for ObjectTorpedo, else inferred.
type ObjectClass uint32

// Species is the kind of a ship. Players fly 1 to 15. Evidence: documented by the game's scripts.
type Species uint8

// TorpedoType is the species of an ObjectTorpedo; see [Object.TorpedoType]. It is not in
// [TorpedoFire]. Evidence: documented by the game's scripts.
type TorpedoType uint8

// System is a star system of the multiplayer missions. Evidence: observed for Multi1 and Poseidon,
// else documented by the game's scripts.
type System uint8

// EndReason is the reason for the end of a game. Evidence: documented by the game's scripts.
type EndReason int32

// RefusalReason is the reason of a [BootPlayer]. OpenBC's server sends RefusalGeneric if its game
// has ended. Evidence: documented by OpenBC.
type RefusalReason uint8

// PhaserLevel is the strength of phasers. Evidence: observed for PhaserLow, else documented.
type PhaserLevel uint8

// Team is a player's team in missions with teams. Evidence: documented by the game's scripts.
type Team uint8

// TractorMode is the effect of a tractor beam on its target. It is in the subsystems of a created
// ship. Evidence: inferred.
type TractorMode uint8
