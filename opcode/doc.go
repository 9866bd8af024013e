// Package opcode encodes and decodes the game messages of Star Trek: Bridge Commander multiplayer.
// Each opcode has a Go type. Servers, bots, proxies and packet analysers read and build messages
// with the package, and send and receive them with package transport:
//
//	m, err := opcode.Decode(payload) // the body of a Data message of package transport
//	if err != nil {
//		return err
//	}
//	switch m := m.(type) {
//	case *opcode.ChatMessage:
//		fmt.Println(m.SenderID, m.Text)
//	case *opcode.TorpedoFire:
//		fmt.Println(m.TubeID, "fires at", m.TargetID)
//	}
//
// # Payloads
//
// A payload is the body of a Data message of package transport, after reassembly of its fragments. Its first
// byte is the opcode, a [Code]. [Decode] returns a new message, or an [*Unknown] with all bytes if the opcode has
// no type, such as the opcode of a mod. [Unmarshal] decodes into a message of a known type. [Marshal] and [Append]
// encode a message. A [Decoder] and an [Encoder] do the same without allocating. [Dissect] returns the fields
// with their offsets and bytes. All follow the method Walk of the message, which describes the layout; see
// package stream.
//
// Structs hold the raw codes and texts of the wire, so a decoded message encodes to the same bytes. A flag or a
// count decides whether a field is encoded. For example, a [TorpedoFire] with the flag TorpedoNoTarget is encoded
// without TargetID. Constructors such as [NewStartFiring] set the fields as the game does. Decoding and encoding
// do not validate values; [Validate] does.
//
// Texts and bytes in a message alias the payload from which it was decoded, so they are valid until the payload
// is overwritten. A [Decoder] also reuses its messages, and Unmarshal the lists of its message. To keep a message
// without limit, call Decode with a copy of the payload. Do not encode a message into the memory of its payload.
//
// # Terms
//
//   - Stock game: version 1.1 without mods. The engine is its program, and the mission scripts are
//     its Python files. OpenBC is another implementation; see the section "Dialects".
//   - Peer ID and slot: a peer ID identifies the connection of a player. A slot is part of the IDs
//     of the player's objects; see package objectid.
//   - Set: the engine's word for a star system.
//   - Class: the engine's number for a kind of event ([EventClass]) or of object ([ObjectClass]).
//     A class of ships, such as Akira, is a Class of package stateupdate. [Species] selects it.
//   - Packed: in a layout table, a bool in a bit group. The first bool of a group takes one byte.
//     Up to four more bools share it; see [stream.Codec.Bool].
package opcode
