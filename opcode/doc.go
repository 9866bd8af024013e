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
// A payload is the body of a Data message of package transport, after reassembly of its fragments.
// Its first byte is the opcode, a [Code]. [Decode] returns an [*Unknown] with all bytes if the
// opcode has no type, such as the opcode of a mod. Messages have the methods of [Message]:
// AppendBinary and MarshalBinary return the payload, UnmarshalBinary overwrites the message, and
// Walk describes the layout for all of them. Players have a peer ID, which names their connection,
// and a slot, which is part of the IDs of their objects; see package objectid.
package opcode
