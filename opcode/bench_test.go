package opcode_test

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"testing"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
)

// BenchmarkDecode compares a Decoder with plain functions that do the same for one type of message.
func BenchmarkDecode(b *testing.B) {
	var dec opcode.Decoder
	compare := func(vector string, plain func(wire []byte) error) {
		b.Run(vector, func(b *testing.B) {
			wire := named(b, vector)
			testdata.Compare(b, len(wire), func() {
				_, err := dec.Decode(wire)
				check(b, err)
			}, func() { check(b, plain(wire)) })
		})
	}
	var shot opcode.TorpedoFire
	compare("torpedo-fire-photon", func(wire []byte) error { return plainDecodeTorpedoFire(wire, &shot) })
	var chat opcode.ChatMessage
	compare("chat-message-it-works", func(wire []byte) error { return plainDecodeChatMessage(wire, &chat) })
	var update opcode.StateUpdate
	compare("state-update-9d-akira-client", func(wire []byte) error { return plainDecodeStateUpdate(wire, &update) })
}

// BenchmarkAppend compares an Encoder with plain functions that do the same for one type of message.
func BenchmarkAppend(b *testing.B) {
	var enc opcode.Encoder
	buf := make([]byte, 0, 64)
	compare := func(vector string, m opcode.Message, plain func()) {
		b.Run(vector, func(b *testing.B) {
			wire := named(b, vector)
			check(b, opcode.Unmarshal(wire, m))
			testdata.Compare(b, len(wire), func() { buf, _ = enc.Append(buf[:0], m) }, plain)
		})
	}
	var shot opcode.TorpedoFire
	compare("torpedo-fire-photon", &shot, func() { buf = plainAppendTorpedoFire(buf[:0], &shot) })
	var chat opcode.ChatMessage
	compare("chat-message-it-works", &chat, func() { buf = plainAppendChatMessage(buf[:0], &chat) })
}

// BenchmarkAuthorize authorizes a message of every type that clients send.
func BenchmarkAuthorize(b *testing.B) {
	var all []opcode.Message
	for _, op := range clients {
		m := opcode.New(op)
		check(b, opcode.Unmarshal(payloads(b, op)[0], m))
		all = append(all, speaking(m, bob))
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, m := range all {
			check(b, opcode.Authorize(m, bob))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(all)), "ns/message")
}

func named(b *testing.B, name string) []byte {
	for _, v := range vectors(b) {
		if v.Name == name {
			return v.Hex
		}
	}
	b.Fatal("no vector " + name)
	return nil
}

func check(b *testing.B, err error) {
	if err != nil {
		b.Fatal(err)
	}
}

// The baselines.

var (
	le         = binary.LittleEndian
	errPayload = errors.New("not such a payload")
)

func vector3(b []byte) compress.Vector3 {
	return compress.Vector3{X: int8(b[0]), Y: int8(b[1]), Z: int8(b[2])}
}

func appendVector3(dst []byte, v compress.Vector3) []byte {
	return append(dst, uint8(v.X), uint8(v.Y), uint8(v.Z))
}

//go:noinline
func plainDecodeTorpedoFire(b []byte, m *opcode.TorpedoFire) error {
	*m = opcode.TorpedoFire{}
	if len(b) < 10 {
		return io.ErrUnexpectedEOF
	}
	m.TubeID = objectid.ID(le.Uint32(b[1:]))
	m.PlayerID = objectid.PeerID(int8(b[5]))
	m.Flags = opcode.TorpedoFlags(b[6])
	m.Direction = vector3(b[7:])
	rest := b[10:]
	if m.Flags&opcode.TorpedoNoTarget == 0 {
		if len(rest) < 8 {
			return io.ErrUnexpectedEOF
		}
		m.TargetID = objectid.ID(le.Uint32(rest))
		m.Offset = compress.Contact{Dir: vector3(rest[4:]), Mag: rest[7]}
		rest = rest[8:]
	}
	if b[0] != 0x19 || len(rest) != 0 {
		return errPayload
	}
	return nil
}

//go:noinline
func plainAppendTorpedoFire(dst []byte, m *opcode.TorpedoFire) []byte {
	dst = append(dst, 0x19)
	dst = le.AppendUint32(dst, uint32(m.TubeID))
	dst = append(dst, uint8(m.PlayerID), uint8(m.Flags))
	dst = appendVector3(dst, m.Direction)
	if m.Flags&opcode.TorpedoNoTarget == 0 {
		dst = le.AppendUint32(dst, uint32(m.TargetID))
		dst = appendVector3(dst, m.Offset.Dir)
		dst = append(dst, m.Offset.Mag)
	}
	return dst
}

// plainDecodeStateUpdate knows neither subsystems nor cloaks.
//
//go:noinline
func plainDecodeStateUpdate(b []byte, m *opcode.StateUpdate) error {
	*m = opcode.StateUpdate{Power: m.Power[:0]}
	if len(b) < 10 {
		return io.ErrUnexpectedEOF
	}
	m.ObjectID = objectid.ID(le.Uint32(b[1:]))
	m.GameTime = math.Float32frombits(le.Uint32(b[5:]))
	m.Flags = opcode.StateFlags(b[9])
	rest := b[10:]
	if m.Flags&opcode.StatePosition != 0 {
		if len(rest) < 13 {
			return io.ErrUnexpectedEOF
		}
		for i := range m.Position {
			m.Position[i] = math.Float32frombits(le.Uint32(rest[4*i:]))
		}
		if rest[12]>>5 != 1 {
			return errPayload
		}
		m.HasHash = rest[12]&1 != 0
		rest = rest[13:]
		if m.HasHash {
			if len(rest) < 2 {
				return io.ErrUnexpectedEOF
			}
			m.Hash = opcode.Hash16(le.Uint16(rest))
			rest = rest[2:]
		}
	}
	if m.Flags&opcode.StateDelta != 0 {
		if len(rest) < 5 {
			return io.ErrUnexpectedEOF
		}
		m.Delta = compress.Vector4{Dir: vector3(rest), Mag: compress.Float16(le.Uint16(rest[3:]))}
		rest = rest[5:]
	}
	if m.Flags&opcode.StateForward != 0 {
		if len(rest) < 3 {
			return io.ErrUnexpectedEOF
		}
		m.Forward = vector3(rest)
		rest = rest[3:]
	}
	if m.Flags&opcode.StateUp != 0 {
		if len(rest) < 3 {
			return io.ErrUnexpectedEOF
		}
		m.Up = vector3(rest)
		rest = rest[3:]
	}
	if m.Flags&opcode.StateSpeed != 0 {
		if len(rest) < 2 {
			return io.ErrUnexpectedEOF
		}
		m.Speed = compress.Float16(le.Uint16(rest))
		rest = rest[2:]
	}
	if m.Flags&opcode.StatePower != 0 {
		for ; len(rest) >= 2; rest = rest[2:] {
			m.Power = append(m.Power, opcode.PowerEntry{Index: rest[0], Value: rest[1]})
		}
	}
	if b[0] != 0x1C || len(rest) != 0 {
		return errPayload
	}
	return nil
}

//go:noinline
func plainDecodeChatMessage(b []byte, m *opcode.ChatMessage) error {
	if len(b) < 7 {
		return io.ErrUnexpectedEOF
	}
	m.SenderID = objectid.PeerID(le.Uint32(b[1:]))
	n := int(le.Uint16(b[5:]))
	text := b[7:]
	if n > len(text) {
		return io.ErrUnexpectedEOF
	}
	m.Text = text[:n:n]
	if b[0] != 0x2C || n != len(text) {
		return errPayload
	}
	return nil
}

//go:noinline
func plainAppendChatMessage(dst []byte, m *opcode.ChatMessage) []byte {
	dst = append(dst, 0x2C)
	dst = le.AppendUint32(dst, uint32(m.SenderID))
	dst = le.AppendUint16(dst, uint16(len(m.Text)))
	return append(dst, m.Text...)
}
