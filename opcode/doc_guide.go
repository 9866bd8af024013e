// # Join
//
// A client joins with these messages, in this order. All except StateUpdate are reliable.
//
//	client  transport.ConnectRequest  with a connection ID and the password
//	host    transport.ConnectReply    with the peer ID for the client
//	host    ChecksumRequest           of round 0
//	client  transport.NameChange      with the name of the player
//	client  ChecksumResponse          of round 0
//	host    transport.NameChange      the new name to all clients, and all names to the new client
//	host    ChecksumRequest           of rounds 1, 2, 3 and 255, each after the previous response
//	client  ChecksumResponse          of each of these rounds
//	host    FileTransfer              for each script of round 255 that differs
//	client  FileTransferAck           for each FileTransfer
//	host    ChecksumComplete          in one datagram with Settings and GameInit
//	host    Settings                  with the slot, the mission and perhaps a new name
//	host    GameInit                  tells the client to load the mission
//	client  transport.NameChange      if Settings has a new name
//	client  NewPlayerInGame           when the mission is loaded
//	host    MissionInit               with the limits and the star system
//	host    Score                     for each player of the match; ScoreInit if there are teams
//	host    TeamScore                 for each team
//	host    ObjectCreateTeam          for each ship of a player; ObjectCreate for other objects
//	host    DeletePlayerUI            the client has joined; to all clients
//	client  ObjectCreateTeam          with its ship, when the player has chosen one
//	host    ObjectCreateTeam          with that ship, to the other clients
//	host    ObjectNotFound            to the owner of that ship, who has the ship and does not answer
//	both    StateUpdate               about ten times a second, unreliable
//
// To refuse a client, for example for a wrong password, the host sends a Boot of package transport.
// It sends VersionMismatch if the version of the game differs, and SystemChecksumFailed if a file of
// rounds 0 to 3 differs. A client sends NewPlayerInGame once in a match. After the death of its ship
// or a restart of the game, it sends only ObjectCreateTeam.
//
// Evidence: observed; documented for refusals, files, new names and teams. See example Join.
//
// # Encoding
//
// Structs hold the raw codes and texts of the wire, so a decoded message encodes to the same
// bytes. A flag or a count decides whether a field is encoded. For example, a [TorpedoFire] with
// the flag TorpedoNoTarget is encoded without TargetID. A value that does not fit is an error.
//
// Constructors such as [NewStartFiring] set the fields as the game does. [Validate] checks values.
//
// # Events
//
// Many messages consist of an [Event] of the engine. These methods return the meaning of messages:
//
//   - [PythonEvent.Killed]: a ship died. The method also returns the killer and its player.
//   - [PythonEvent.Damaged], [PythonEvent.Repaired], [PythonEvent.RepairFailed]: a subsystem
//     broke, was repaired or is beyond repair.
//   - [DeletePlayerUI.Joined], [DeletePlayerUI.Left]: a player joined or left.
//   - [Shot]: a weapon fires at a target, in a TorpedoFire, BeamFire or StartFiring.
//   - [PythonEvent2.TargetChanged]: a ship has another target.
//   - [CollisionEffect.Collided]: a ship collided with an object.
//
// Their last result, ok, is false for an event of another class or code. The methods
// trust the IDs in the event, so a host must call [Authorize] first. Package stateupdate follows
// ships.
//
// # Authorization
//
// A client can put any ID into a message. [Authorize] checks whether a client may send a message,
// and whether the message speaks only for that client. A host should call it first, then
// [Validate], before it acts on the message or relays it:
//
//	err := opcode.Authorize(m, opcode.Sender{PeerID: 2, Slot: 0, Ship: ship})
//
// [PROTOCOL.md] lists the IDs of each message of clients, each with a rule:
//
//	sender's          the sender, or an object with an ID of the sender's slot
//	sender's ship     Sender.Ship; if that is None, any object with an ID of the slot
//	sender's or none  an object with an ID of the sender's slot, or None
//	anybody's         any player or object
//
// Authorize also refuses:
//
//   - An event with a class or code that is not in the doc of the message. The layouts of
//     AddToRepairList, ClientEvent, StartCloaking and StopCloaking are inferred, so their rule is
//     wider. Their class may be any except ClassPlayerEvent, ClassObjectExplodingEvent and unknown
//     classes. Their code may be an engine code about a ship, or a code outside the engine's ranges
//     0x0006xxxx and 0x0080xxxx. Other engine codes, such as ETNewPlayerInGame, are refused.
//   - An ObjectCreateTeam of a class other than ObjectShip, and a StateUpdate with subsystem
//     blocks. Only the host sends torpedo objects and subsystem blocks.
//   - A ChatMessage or TeamChatMessage with the sender's slot, because this number can be the peer ID
//     of another player. OpenBC's client sends its slot. A host that accepts this client writes the
//     result of [Speaker] into SenderID before it calls Authorize and relays the line.
//   - Messages of mods without a method Authorize(Sender) error, with [ErrUnknownMessage].
//     A ChatMessage that is cut short, like any such script message, also decodes as an [*Unknown].
//     The host should refuse it, because stock clients read it as a ChatMessage.
//
// # Dialects
//
// OpenBC's programs send [BootPlayer], which the game does not know, and other forms of
// [TorpedoFire] and [DeletePlayerAnim]. Their field Form records the form. OpenBC's subsystems in
// a [StateUpdate] have another layout, inside Data, which package stateupdate also reads. All of
// these encode to the same bytes.
//
// OpenBC's server has other rules for some messages. It relays CollisionEffect, NewPlayerInGame and
// the PythonEvents of clients. It sends a TeamChatMessage to everybody, and drops a StateUpdate
// with the single flag StateSubsystems. The PlayerLimit in its MissionInit is 8, and 7 in one capture.
// Its reliable payloads have at most 250 bytes. It sends scores and ships before the client's
// NewPlayerInGame.
//
// OpenBC writes the slot of a player in place of the peer ID into a [ChatMessage] and a
// [TeamChatMessage]. To find whose line a message is, use [Speaker] instead of SenderID.
//
// Some programs write a packed bool as a byte 00 or 01. Decoding such a message is an error unless
// [Decoder.Tolerant] is set. It does not encode to the same bytes.
//
// # Mods
//
// Mods can define messages with the opcodes from 0x2B ([FirstScript]). A mod's type has two
// methods: Opcode, and a Walk that describes its layout. Clients may send the message if it also has
// a method Authorize(Sender) error. The examples of [Decoder.Register] and [AuthError] are complete.
//
// # Replay
//
// [Rebase] gives a recorded message the IDs of another player, so that a program can send it again in another
// match. [MapPlayer] returns the usual map. See the example of Rebase.
//
// # Inspection
//
// [Dissect] returns the fields of a payload with their offsets, bytes and values. [Decoder.Visit] passes
// the same fields to a function, without allocations. [Line] and String return a message in one line.
//
// # Ownership
//
// Texts and bytes in a message alias the payload from which it was decoded. Do not encode a
// message into the memory of its payload, because the first fields may overwrite texts before they
// are copied. The function that decodes a message decides how long it is valid:
//
//	Decoder.Decode     as Decode, but only until the next payload with the same opcode
//	Decode, Unmarshal  until the payload is overwritten
//
// [Unmarshal] and [Decoder.Decode] reuse the memory of the lists in a message. Copies of the struct
// share this memory. To keep a message without limit, call Decode with a copy of the payload.
//
// # Limits
//
// Counts are checked against the remaining bytes before anything is allocated. A message takes at
// most about ten times the memory of its payload. A [ChecksumTree] has at most 16 levels
// ([MaxDepth]); a deeper tree fails with [stream.ErrLimit]. Decoding does not reuse the lists of a tree
// that take more than 64 KiB, where a directory counts as 1 KiB. Decoding takes linear time.
//
// # Errors
//
// Encoding and decoding return a [*stream.Error] with message, field, offset and reason:
//
//	opcode: decode TorpedoFire.TargetID at offset 10: unexpected EOF
//
// Decoding also returns the message with the fields before the error, or an [*Unknown] for a
// script message. If bytes follow the last field, the error is [stream.ErrTrailing] and the
// message is complete. [MissionInit] is an exception: it decodes as an [*Unknown], because the mod
// Kobayashi Maru sends another layout. A program should not act on a message that comes with an
// error, but it may show or relay it.
//
// A common mistake is to decode a datagram instead of a payload. The datagram of a host begins
// with its peer ID, 1, which is the opcode of GameInit. The error then suggests this cause. The
// datagrams of the first two clients begin with 2 and 3, the opcodes of [ObjectCreate] and
// [ObjectCreateTeam]. Most decode without an error, as objects of an unknown class.
//
// # Speed
//
// An [Encoder] allocates nothing if it encodes into a slice with enough capacity. A [Decoder]
// allocates nothing for valid messages, once its lists are large enough, except for trees beyond
// these limits. The functions Append and Unmarshal allocate a codec, and Decode also the message.
// See testdata/benchmarks.md in the repository for times.
//
// # Evidence
//
// The table of messages has a [Grade] for each layout. All packages use these grades:
//
//   - Observed (A): captured bytes show the layout.
//   - Documented (B): the code or the scripts of the game show the layout, or a document shows it,
//     and captures confirm other parts of the document. No captured bytes show it.
//   - Inferred (C): it follows from similar layouts, or from one weak source.
//
// A name such as FUN_006a5df0 is a function of the decompiled engine, by its address.
//
// [CORRECTIONS.md] lists the statements of older documents that contradict this package, with proofs.
//
// [CORRECTIONS.md]: https://github.com/bcwire/bcwire/blob/main/opcode/CORRECTIONS.md
package opcode
