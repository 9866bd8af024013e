// # Join
//
// A client joins with these messages, in this order; see example Join. All except StateUpdate are reliable.
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
// To refuse a client, for example for a wrong password, the host sends a Boot of package transport,
// or a VersionMismatch or SystemChecksumFailed if the files of rounds 0 to 3 differ. A client sends
// NewPlayerInGame once in a match. After the death of its ship or a restart of the game, it sends
// only ObjectCreateTeam.
//
// Evidence: observed; documented for refusals, files, new names and teams.
//
// # Events
//
// Many messages consist of an [Event] of the engine. Methods such as [PythonEvent.Killed],
// [DeletePlayerUI.Joined] and Fired of a [Shot] return its meaning. Their last result, ok, is false
// for an event of another class or code. They trust the IDs in the event, so a host must call
// [Authorize] first.
//
// # Authorization
//
// A client can put any ID into a message. [Authorize] checks whether a client may send a message,
// and whether the message speaks only for that client. A host should call it first, then
// [Validate], before it acts on the message or relays it:
//
//	err := opcode.Authorize(m, opcode.Sender{PeerID: 2, Slot: 0, Ship: ship})
//
// [PROTOCOL.md] lists the IDs of each message of clients, each with a rule. Authorize also refuses:
//
//   - An event with a class or code that is not in the doc of the message. The layouts of
//     AddToRepairList, ClientEvent, StartCloaking and StopCloaking are inferred, so their rule is
//     wider. Their class may be any except ClassPlayerEvent, ClassObjectExplodingEvent and unknown
//     classes. Their code may be an engine code about a ship, or a code outside the engine's ranges
//     0x0006xxxx and 0x0080xxxx. Other engine codes, such as ETNewPlayerInGame, are refused.
//   - Torpedo objects in an ObjectCreateTeam, and subsystem blocks in a StateUpdate. Only the host
//     sends them.
//   - A ChatMessage or TeamChatMessage with the sender's slot, which can be the peer ID of another
//     player; see [Speaker].
//   - Messages of mods without a method Authorize(Sender) error. A script message that is cut short
//     also decodes as an [*Unknown]. The host should refuse it, because stock clients read it as the
//     script message.
//
// # Dialects
//
// OpenBC's programs send [BootPlayer], which the game does not know, and other forms of
// [TorpedoFire] and [DeletePlayerAnim]. Their field Form records the form. OpenBC's subsystems in
// a [StateUpdate] have another layout, inside Data, which package stateupdate also reads. In lines of
// chat, OpenBC writes the slot of a player in place of the peer ID; see [Speaker].
//
// OpenBC's server has other rules for some messages. It relays CollisionEffect, NewPlayerInGame and
// the PythonEvents of clients. It sends a TeamChatMessage to everybody, and drops a StateUpdate
// with the single flag StateSubsystems. The PlayerLimit in its MissionInit is 8, and 7 in one capture.
// Its reliable payloads have at most 250 bytes. It sends scores and ships before the client's
// NewPlayerInGame.
//
// Some programs write a packed bool as a byte 00 or 01. Decoding such a message is an error unless
// [Decoder.Tolerant] is set.
//
// # Mods
//
// Mods can define messages with the opcodes from 0x2B ([FirstScript]). A mod's type has two
// methods: Opcode, and a Walk that describes its layout. Clients may send the message if it also has
// a method Authorize(Sender) error. The examples of [Decoder.Register] and [Authorize], in the file example_mod_test.go,
// are complete.
//
// # Errors and limits
//
// Encoding and decoding return a [*stream.Error] with message, field, offset and reason:
//
//	opcode: decode TorpedoFire.TargetID at offset 10: unexpected EOF
//
// Decoding also returns the message with the fields before the error. With [stream.ErrTrailing], the
// message is complete. A script message with an error is an [*Unknown], because it is likely to be
// a mod's message. A program should not act on a message that comes with an error, but it may show
// or relay it.
//
// Counts are checked against the remaining bytes before anything is allocated. A message takes at
// most about ten times the memory of its payload, and decoding takes linear time.
//
// A common mistake is to decode a datagram instead of a payload. The datagram of a host begins
// with its peer ID, 1, which is the opcode of GameInit. The error then suggests this cause. The
// datagrams of the first two clients begin with 2 and 3, the opcodes of [ObjectCreate] and
// [ObjectCreateTeam]. Most decode without an error, as objects of an unknown class.
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
