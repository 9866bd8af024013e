// Package opcode holds the game messages of Bridge Commander multiplayer, one Go type for
// each opcode.
//
// # Payloads
//
// A payload is the body of a Data message of package transport, after reassembly if it
// came in fragments. Its first byte is the opcode, a [Code]. [Decode] returns the message
// as a pointer to its type, so that a program switches on the type:
//
//	switch m := m.(type) {
//	case *opcode.ChatMessage:
//		fmt.Println(m.SenderID, m.Text)
//	case *opcode.TorpedoFire:
//		...
//	}
//
// Opcodes without a type, and those of mods, are an [*Unknown] with all their bytes.
// Their names are known still: [Code.String].
//
// # Names
//
// Types have the names that the community's documents and tools use. Where such a name
// misleads, the doc comment says what the message does; it gives the engine's name, too.
//
// # Join
//
// A client joins with these messages, in this order. All but the last are reliable. Acks are
// left out.
//
//	client  transport.ConnectRequest  with a connection ID and the password
//	host    transport.ConnectReply    with the peer ID that the client gets
//	host    ChecksumRequest           of round 0
//	client  transport.NameChange      with the name of the player
//	client  ChecksumResponse          of round 0
//	host    transport.NameChange      to all clients; to the new client for each player
//	host    ChecksumRequest           of round 1, 2, 3 and 255, each after the response before
//	client  ChecksumResponse          of each of these rounds
//	host    FileTransfer              for each script that differs
//	client  FileTransferAck           for each FileTransfer
//	host    ChecksumComplete          in one datagram with the next two
//	host    Settings                  with the slot, the mission and perhaps a new name
//	host    GameInit                  starts to load the mission
//	client  transport.NameChange      if Settings has a new name
//	client  NewPlayerInGame           when the mission is loaded
//	host    MissionInit               with the limits and the star system
//	host    Score                     for each player with a score; ScoreInit if there are teams
//	host    TeamScore                 for each team
//	host    ObjectCreateTeam          for each ship of a player; ObjectCreate for other objects
//	host    DeletePlayerUI            the client has joined; to all clients
//	client  ObjectCreateTeam          with its ship, when the player has chosen one
//	host    ObjectNotFound            with that ship; ObjectCreateTeam to the other clients
//	both    StateUpdate               about ten times a second, unreliable
//
// The host ends the join with a Boot of package transport if it refuses the client. It sends
// SystemChecksumFailed or VersionMismatch if the files differ. The client does not send
// NewPlayerInGame again in a match: after its ship has died or the game has restarted,
// ObjectCreateTeam is enough.
//
// Evidence: observed, except for the messages of refusals, files, new names and teams, which
// are documented. The example named Join prints the join of a recorded match.
//
// # Encoding
//
// AppendBinary appends a payload, MarshalBinary returns one. Structs hold what was on the
// wire, raw codes and raw texts, so a message that was decoded encodes to the same bytes.
// Fields that depend on a flag or a count are written if the flag says so: setting
// TargetID does not clear TorpedoNoTarget. What the layout cannot carry is refused.
//
// Decoding and encoding do not ask whether a message makes sense; [Validate] does.
// Constructors such as [NewStartFiring] fill in what the game would.
//
// # Events
//
// Many messages are nothing but a serialized event of the engine. They embed an
// [Event], whose class decides which of its fields there are. Source, Dest and Object play
// other roles in each message; the doc comment of the type has a table of them. These methods
// answer the questions of score keepers and kill feeds:
//
//   - [PythonEvent.Killed]: which ship died, who killed it, and which player gets the kill;
//   - [PythonEvent.Damaged], [PythonEvent.Repaired], [PythonEvent.RepairFailed]: which subsystem
//     is broken, repaired or beyond repair, and which repair subsystem works on it;
//   - [DeletePlayerUI.Joined], [DeletePlayerUI.Left]: which player came or went;
//   - [Shot]: which weapon fires at which target, of all messages that fire one;
//   - [PythonEvent2.TargetChanged]: which ship has another target;
//   - [CollisionEffect.Collided]: which ship hit what.
//
// Their last result, ok, reports whether the event has the class and the code that the answer
// needs. The methods do not check the IDs in the event: a host calls [Authorize] first.
//
// # Authorization
//
// A client can put any ID into a message. [Authorize] reports whether a client may send a
// message, and whether the message speaks for that client only. A host calls it before it
// acts on a message or relays it:
//
//	err := opcode.Authorize(m, opcode.Sender{PeerID: 2, Slot: 0, Ship: ship})
//
// Some fields must name the sender or an object in the range of its slot. Other fields may
// refer to anybody. A field that names a ship must have the ID in Sender.Ship, unless that is
// [objectid.None]. The section "Fields that name players" lists these fields.
//
// Events must have the class and the code of their opcode if the evidence grade of the opcode
// is observed or documented. Events of an inferred layout may have any class whose fields are
// known, except ClassPlayerEvent and ClassObjectExplodingEvent. Their code may be about a
// ship or unknown to the engine, so that no client can end a game or remove a player.
//
// TorpedoFire and BeamFire may have any PlayerID: OpenBC and older programs put any number
// there. A host should write the sender's peer ID into PlayerID when it relays the message,
// and should credit the sender.
//
// Each client reports the collisions of its own ship, which is the Dest of a CollisionEffect.
// The stock host also accepts the sender's ship as Source. Authorize does not, because then a
// client could report damage to any ship.
//
// Authorize refuses an ObjectCreateTeam of any class but ObjectShip, and a StateUpdate with
// subsystem blocks. Only the host sends torpedo objects and subsystem blocks.
//
// Messages of mods return an error that wraps [ErrUnknownMessage]: Authorize does not know
// their fields. A host that allows a mod's message should check its fields itself. It should
// not allow an [*Unknown] with an opcode of a stock message, because stock clients may read
// the bytes as that message.
//
// # Dialects
//
// OpenBC's programs send some messages in other forms than the game. These decode, and encode
// to the same bytes:
//
//   - [BootPlayer], which the game does not know;
//   - [TorpedoFire] with an offset of five bytes, or without the target that its flags
//     announce: its Form is a [TorpedoForm];
//   - [DeletePlayerAnim] with a length of two bytes: its Form is a [NameForm];
//   - [StateUpdate] with subsystems in another layout, as Data.
//
// Some programs do not know bit groups and write a packed bool as 00 or 01. This is an error
// unless [Decoder.Tolerant] is set.
//
// # Mods
//
// Opcodes from [FirstScript] on belong to the scripts of a mission, and mods give them
// meanings of their own. A type of a mod has two methods: Opcode, and a Walk that states its
// layout. [Wrap] turns a value of the type into a [Message], which encodes and decodes.
// [Decoder.Register] sets the type for an opcode of one decoder, and [Unwrap] returns the
// value from a decoded message. The example of Decoder.Register is a complete message of a mod.
//
// # Reading
//
// [Dissect] returns a message with every field of its payload: offset, bytes and value, from
// the walk that decodes it. Messages print as a line, their name and fields, and are
// values for package log/slog.
//
// # Ownership
//
// Texts and bytes in a message alias the payload it was decoded from: encode it into other
// memory, or what is written first overwrites a text before it is copied. How long a message
// lasts depends on the function that decodes it, for types of this package and of mods:
//
//	Decoder.Decode             until the next payload with the same opcode
//	Decode, Decoder.DecodeNew  as long as the payload is not overwritten
//	Clone of either            for ever
//
// [Decoder.Decode] decodes into the message that it keeps for the opcode, and allocates
// nothing. UnmarshalBinary fills the lists of a message in the memory that they have, which
// a copy of the struct shares. [Clone] returns a copy that shares nothing.
//
// # Limits
//
// Nothing is allocated because a count claims it: a message takes no more than some ten times
// the memory of its payload. A [ChecksumTree] is at most [MaxDepth] deep ([ErrDepth]), and one of
// more than [MaxKeptTree] does not leave its memory to the next.
//
// # Errors
//
// Errors are of type [*stream.Error] and tell message, field, offset and reason:
//
//	opcode: decode TorpedoFire.TargetID at offset 10: unexpected EOF
//
// The error of a limit has both numbers: "too long: 256 bytes, at most 255".
//
// A common mistake is to decode a datagram in place of a payload, deciphered or not. A datagram
// of a host begins with its peer ID, 1, which is the opcode of GameInit. That error asks
// whether the datagram is deciphered. Datagrams of clients mostly decode without an error, to
// objects of no known class.
//
// The message comes with the error, decoded as far as the payload goes; in place of a
// script message comes an [*Unknown] with all bytes. Bytes after the last field give
// [stream.ErrTrailing] and the whole message, which a tolerant program accepts.
//
// # Speed
//
// Decoding and encoding TorpedoFire, Explosion and ChatMessage takes at most 5 times as long
// as two plain functions and allocates nothing. StateUpdate has a hand-written decoder
// beside its walk, which takes at most 1.5 times as long as a plain function. Benchmarks
// measure these ratios:
//
//	go test -run '^$' -bench Bar -benchtime 1x ./opcode
//
// In testdata/benchmarks.md of the module are figures for all messages.
//
// # Evidence
//
// Every type says how well its layout is known: observed in captured bytes, documented by
// a validated source or the game's scripts, or inferred.
//
// # Open questions
//
// Some facts about messages are not known. The bytes are kept in each case:
//
//   - the way in which a host forms the new name in [Settings];
//   - the Flag of a torpedo in an [Object], and the bytes of a real torpedo object: the layout
//     is the one that the engine's sender writes, and no capture has one;
//   - how the last eight bytes of [StartFiring] divide into TargetID and Offset: the only
//     captured message has zeros there;
//   - the order of the four floats of [StartWarp], and whether a placement name travels;
//   - events of [PythonEvent] other than the four that the repair list and dying ships use.
//
// There are no captured bytes of types whose grade is documented or inferred.
package opcode
