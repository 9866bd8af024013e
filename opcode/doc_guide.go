// # Join
//
// A client joins with these messages, in this order. All except StateUpdate are reliable.
//
//	client  transport.ConnectRequest  with a connection ID and the password
//	host    transport.ConnectReply    with the peer ID for the client
//	host    ChecksumRequest           of round 0
//	client  transport.NameChange      with the name of the player
//	client  ChecksumResponse          of round 0
//	host    transport.NameChange      to all clients; to the new client for each player
//	host    ChecksumRequest           of rounds 1, 2, 3 and 255, each after the last response
//	client  ChecksumResponse          of each of these rounds
//	host    FileTransfer              for each script that differs
//	client  FileTransferAck           for each FileTransfer
//	host    ChecksumComplete          in one datagram with Settings and GameInit
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
// To refuse a client, the host sends a Boot of package transport. If files differ, it sends
// SystemChecksumFailed or VersionMismatch. A client sends NewPlayerInGame once in a match. After
// the death of its ship or a restart of the game, it sends only ObjectCreateTeam.
//
// Evidence: observed; refusals, files, new names and teams are documented. See example Join.
//
// # Encoding
//
// Structs hold the raw codes and texts of the wire, so a decoded message encodes to the same
// bytes. A flag or a count decides whether a field is written: setting TargetID does not clear
// TorpedoNoTarget. AppendBinary returns an error and dst unchanged if a value does not fit.
//
// Decoding and encoding do not validate values. Call [Validate] before acting on a message.
// Constructors such as [NewStartFiring] set the fields as the game does.
//
// # Events
//
// Many messages consist of an [Event] of the engine. These methods return its meaning:
//
//   - [PythonEvent.Killed]: a ship died; the killer and the player who gets the kill.
//   - [PythonEvent.Damaged], [PythonEvent.Repaired], [PythonEvent.RepairFailed]: a subsystem
//     broke, was repaired or is beyond repair.
//   - [DeletePlayerUI.Joined], [DeletePlayerUI.Left]: a player joined or left.
//   - [Shot]: a weapon fires at a target, for all messages that fire one.
//   - [PythonEvent2.TargetChanged]: a ship has another target.
//   - [CollisionEffect.Collided]: a ship hit an object.
//
// Their last result, ok, reports whether the event has the required class and code. These methods
// trust the IDs in the event, so a host must call [Authorize] first.
//
// # Authorization
//
// A client can put any ID into a message. [Authorize] reports whether a client may send a message,
// and whether the message speaks only for that client. A host should call it first:
//
//	err := opcode.Authorize(m, opcode.Sender{PeerID: 2, Slot: 0, Ship: ship})
//
// The doc of each message of clients lists its IDs after "Authorize", with their rule:
//
//	sender's          the sender, or an object with an ID of the sender's slot
//	sender's ship     Sender.Ship; if that is None, any object with an ID of the slot
//	sender's or none  an object with an ID of the sender's slot, or None
//	anybody's         any player or object
//
// Authorize also refuses:
//
//   - Events with another class or code than their opcode has. If the layout is inferred, events
//     may have any class that clients send, and codes about a ship or unknown to the engine.
//   - An ObjectCreateTeam of a class other than ObjectShip, and a StateUpdate with subsystem
//     blocks. Only the host sends torpedo objects and subsystem blocks.
//   - Messages of mods, with [ErrUnknownMessage]. A host that allows them must check their fields,
//     and should refuse an [*Unknown] with a stock opcode, which stock clients may misread.
//
// # Dialects
//
// OpenBC's programs send [BootPlayer], which the game does not know, and other forms of
// [TorpedoFire], [DeletePlayerAnim] and [StateUpdate]. These decode and encode to the same bytes;
// a [TorpedoForm] or a [NameForm] in the message keeps the form.
//
// Some programs write a packed bool as 00 or 01 instead of a bit group. Decoding such a message is
// an error unless [Decoder.Tolerant] is set.
//
// # Mods
//
// Mods can define messages with the opcodes from [FirstScript]. A mod's type has two methods:
// Opcode, and a Walk that describes its layout. [Wrap] makes a [Message] of a value of the type.
// [Decoder.Register] sets the type for an opcode of one decoder, and [Unwrap] returns the value of
// a decoded message. The example of Decoder.Register shows a complete message.
//
// # Inspection
//
// [Dissect] returns the fields of a payload with their offsets, bytes and values. [Line] and
// String return a message in one line. Messages are also values for package log/slog.
//
// # Ownership
//
// Texts and bytes in a message alias the payload from which it was decoded. Do not encode a
// message into the memory of its payload, because the first fields may overwrite texts before they
// are copied. The function that decodes a message decides how long it is valid:
//
//	Decoder.Decode             until the next payload with the same opcode
//	Decode, Decoder.DecodeNew  until the payload is overwritten
//	Clone of either            without limit
//
// [Decoder.Decode] reuses its messages and allocates nothing. UnmarshalBinary reuses the lists of
// a message, which copies of the struct share. [Clone] returns a copy that shares no memory.
//
// # Limits
//
// Counts are checked against the remaining bytes before anything is allocated. A message takes at
// most about ten times the memory of its payload. A [ChecksumTree] has at most 16 levels
// ([MaxDepth]), else decoding returns [ErrDepth]. Its lists are reused up to 64 KiB.
//
// # Errors
//
// Encoding and decoding return a [*stream.Error] with message, field, offset and reason:
//
//	opcode: decode TorpedoFire.TargetID at offset 10: unexpected EOF
//
// Decoding also returns the message with the fields before the error, or an [*Unknown] for a
// script message. If bytes follow the last field, the error is [stream.ErrTrailing] and the
// message is complete. A program may accept it.
//
// A common mistake is to decode a datagram instead of a payload. The datagram of a host begins
// with its peer ID, 1, which is the opcode of GameInit. The error then suggests this cause.
// Datagrams of clients mostly decode without an error, as objects of an unknown class.
//
// # Speed
//
// In the steady state, encoding and decoding allocate nothing. The file testdata/benchmarks.md
// compares their times with hand-written functions.
//
// # Evidence
//
// The doc of each type has the evidence for its layout: observed in captured bytes, documented by
// a validated source or the game's scripts, or inferred. There are no captured bytes of the last
// two grades.
package opcode
