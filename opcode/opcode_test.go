package opcode_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// generated tells what to do if a message is not in the generated code.
const generated = "if the opcode has no row in opcode/messages.txt, add one; if it has, run go run ./examples/lab/generate"

// Each opcode has the name of its type, and no name twice. The vectors have the same names.
func TestCode(t *testing.T) {
	seen := map[string]bool{}
	for c := range 256 {
		op := opcode.Code(c)
		require.False(t, seen[op.String()], op)
		seen[op.String()] = true
		m := opcode.New(op)
		require.Equal(t, op, m.Opcode())
		if typed(op) {
			require.Equal(t, "*opcode."+op.String(), fmt.Sprintf("%T", m))
		}
	}
	for _, v := range vectors(t) {
		if v.Message != "Unknown" {
			require.Equal(t, v.Message, opcode.Code(v.Opcode).String(), "%s, vector %s: %s", v.File, v.Name, generated)
		}
	}
	require.Equal(t, "TorpedoPosition", opcode.OpTorpedoPosition.String(), "a dead opcode has a name")
	require.Equal(t, "0xCD", opcode.Code(0xCD).String())
	require.Equal(t, opcode.OpTorpedoFire, opcode.Code(0x19))
}

func TestLocatedError(t *testing.T) {
	payload := []byte("\x19\x0D\x00\x00\x40\x02\x01\xDF\x87\x11\xFF\xFF")
	m, err := opcode.Decode(payload)
	require.EqualError(t, err, "opcode: decode TorpedoFire.TargetID at offset 10: unexpected EOF")
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.EqualValues(t, 2, m.(*opcode.TorpedoFire).PlayerID, "the fields before it are decoded")
}

// The error of decoding a host's datagram suggests the cause, because the host's peer ID is the
// opcode of GameInit.
func TestDatagramInPlaceOfPayload(t *testing.T) {
	datagram := bytes.Clone(testdata.Match(t)[1].Data)
	require.Equal(t, byte(objectid.Host), datagram[0])
	for _, state := range []string{"enciphered", "deciphered"} {
		_, err := opcode.Decode(datagram)
		require.EqualError(t, err, "opcode: decode GameInit at offset 1: bytes after the last field; "+
			"is this a whole datagram? decode the payload of a Data message", state)
		require.ErrorIs(t, err, stream.ErrTrailing)
		_, fields, err := opcode.Dissect(datagram)
		require.ErrorContains(t, err, "is this a whole datagram?")
		require.Equal(t, err, fields[len(fields)-1].Err)
		cipher.Decrypt(datagram)
	}
	err := opcode.Unmarshal(datagram, new(opcode.TorpedoFire))
	require.EqualError(t, err, "opcode: decode TorpedoFire.Opcode at offset 0: wrong opcode 0x01; is the datagram deciphered?")
}

// The datagrams of the first two clients begin with the opcodes of ObjectCreate and
// ObjectCreateTeam. Most decode without an error, as objects of an unknown class.
func TestClientDatagramInPlaceOfPayload(t *testing.T) {
	all, decoded := map[byte]int{}, map[byte]int{}
	for _, d := range testdata.Match(t) {
		if d.Direction != recording.ToServer || d.Client > 2 || d.Data[0] == 0xFF { // before it has a peer ID
			continue
		}
		require.EqualValues(t, d.Client+1, d.Data[0])
		for range 2 { // enciphered, deciphered
			m, err := opcode.Decode(d.Data)
			var class opcode.ObjectClass
			switch m := m.(type) {
			case *opcode.ObjectCreate:
				class = m.ClassID
			case *opcode.ObjectCreateTeam:
				class = m.ClassID
			}
			require.Contains(t, class.String(), "0x", "%x: %v", d.Data, m)
			all[d.Data[0]]++
			if err == nil {
				decoded[d.Data[0]]++
			}
			cipher.Decrypt(d.Data)
		}
	}
	require.Len(t, all, 2)
	for peer, n := range all {
		require.Greater(t, decoded[peer], n/2, "peer %d", peer)
	}
}

// A script message with another layout is probably a mod's message, and becomes an Unknown with
// all bytes.
func TestMisfittingScriptMessageIsUnknown(t *testing.T) {
	payload := []byte("\x37ours")
	m, err := opcode.Decode(payload)
	require.EqualError(t, err, "opcode: decode Score.Kills at offset 5: unexpected EOF")
	require.Equal(t, &opcode.Unknown{Op: opcode.OpScore, Data: []byte("ours")}, m)

	m, err = opcode.Decode(append(make([]byte, 0, 18), "\x37............0000!"...))
	require.ErrorIs(t, err, stream.ErrTrailing)
	require.IsType(t, &opcode.Score{}, m)
}

// Stock games send a MissionInit of five or nine bytes, by TimeLimit. Payloads of another length are
// of a mod, such as Kobayashi Maru, and become an Unknown with all bytes.
func TestMissionInitOfAnotherLengthIsUnknown(t *testing.T) {
	kobayashi := testdata.Bytes("350affff01000000" + "0100000002000000" + "ff")
	for timeLimit, length := range map[byte]int{opcode.NoLimit: 5, 5: 9, 0: 9} {
		for n := 1; n <= 40; n++ {
			payload := append(bytes.Clone(kobayashi), make([]byte, 40)...)[:n]
			if n > 3 {
				payload[3] = timeLimit
			}
			var dec, tolerant opcode.Decoder
			tolerant.Tolerant = true
			_, err := dec.Decode([]byte{0x35, 8, 1, opcode.NoLimit, 1}) // reused by the next
			require.NoError(t, err)
			for name, decode := range map[string]func([]byte) (opcode.Message, error){
				"Decode": opcode.Decode, "Decoder": dec.Decode, "Tolerant": tolerant.Decode,
				"Dissect": func(p []byte) (opcode.Message, error) { m, _, err := opcode.Dissect(p); return m, err },
			} {
				m, err := decode(payload)
				if n == length {
					require.NoError(t, err)
					require.IsType(t, &opcode.MissionInit{}, m)
					continue
				}
				require.Error(t, err, "%s: %x", name, payload)
				want := opcode.Unknown{Op: opcode.OpMissionInit, Data: payload[1:]}
				require.Equal(t, want.String(), m.(*opcode.Unknown).String(), "%s: %x", name, payload)
				again, err := opcode.Marshal(m)
				require.NoError(t, err)
				require.Equal(t, payload, again)
			}
		}
	}
	_, err := opcode.Decode(kobayashi)
	require.EqualError(t, err, "opcode: decode MissionInit at offset 5: bytes after the last field")
	require.ErrorIs(t, err, stream.ErrTrailing)
	_, fields, err := opcode.Dissect(kobayashi)
	require.ErrorIs(t, err, stream.ErrTrailing)
	require.Equal(t, []string{"Opcode", "Data"}, []string{fields[0].Path(), fields[1].Path()})
	checkCover(t, kobayashi, fields)

	// A mod's type keeps the rule of trailing bytes.
	modded := modded()
	m, err := modded.Decode(testdata.Bytes("35ffffff3f00"))
	require.ErrorIs(t, err, stream.ErrTrailing)
	require.IsType(t, &swap{}, m)
}

func TestSettingsBits(t *testing.T) {
	head := "\x00\x00\x00\x80\x3F"
	tail := "\x00\x01\x00M"
	for bits := range 256 {
		payload := []byte(head + string([]byte{byte(bits)}) + tail)
		m, err := opcode.Decode(payload)
		if bits>>5 != 3 || bits&0x18 != 0 {
			require.ErrorIs(t, err, stream.ErrBadBitGroup, "%#x", bits)
			var located *stream.Error
			require.True(t, errors.As(err, &located))
			require.Equal(t, 5, located.Offset)
			continue
		}
		require.NoError(t, err, "%#x", bits)
		s := m.(*opcode.Settings)
		require.Equal(t, []bool{bits&1 != 0, bits&2 != 0, bits&4 != 0},
			[]bool{s.CollisionDamage, s.HostModem, s.Renamed})
	}
}

func TestEncodeRefusesLongTexts(t *testing.T) {
	for _, m := range []opcode.Message{
		&opcode.ChatMessage{Text: make(stream.Text, 1<<16)},
		&opcode.Settings{Map: make(stream.Text, 1<<16)},
		&opcode.ChecksumRequest{Filter: make(stream.Text, 1<<16)},
	} {
		dst := []byte("dst")
		got, err := opcode.Append(dst, m)
		require.ErrorIs(t, err, stream.ErrTooLong)
		require.Equal(t, "dst", string(got))
	}
	_, err := opcode.Marshal(&opcode.ChatMessage{Text: make(stream.Text, 1<<16)})
	require.EqualError(t, err, "opcode: encode ChatMessage.Text at offset 5: too long: 65536 bytes, at most 65535")
}

func TestUnknown(t *testing.T) {
	for _, payload := range []string{"\xCD", "\xCD*\x00", "\x05any"} {
		m, err := opcode.Decode([]byte(payload))
		require.NoError(t, err)
		require.Equal(t, payload[1:], string(m.(*opcode.Unknown).Data))
		checkAppend(t, m, []byte(payload))
		dissected, fields, err := opcode.Dissect([]byte(payload))
		require.NoError(t, err)
		require.Equal(t, m, dissected)
		checkCover(t, []byte(payload), fields)
	}
	var dec opcode.Decoder
	_, err := dec.Decode(nil)
	require.EqualError(t, err, "opcode: decode Message at offset 0: unexpected EOF")
	require.ErrorIs(t, opcode.Unmarshal(nil, new(opcode.Unknown)), io.ErrUnexpectedEOF)
	_, err = dec.Decode([]byte("\xCD*"))
	require.NoError(t, err)
}

// Decoding an enciphered datagram to typed messages allocates nothing.
func TestPipelineAllocs(t *testing.T) {
	var datagrams [][]byte
	for _, v := range testdata.Load[struct {
		testdata.Vector
		Kind, Level, Error string
		Hex                testdata.Hex
	}](t, "transport.json") {
		if v.Level == "datagram" && v.Error == "" {
			cipher.Encrypt(v.Hex)
			datagrams = append(datagrams, v.Hex)
		}
	}
	var dec opcode.Decoder
	buf := make([]byte, 2048)
	n := 0
	require.Zero(t, testing.AllocsPerRun(10, func() {
		n = 0
		for _, d := range datagrams {
			d = buf[:copy(buf, d)]
			cipher.Decrypt(d)
			for m, err := range transport.Messages(d) {
				if err != nil || m.Type != transport.TypeData || m.Fragment {
					continue
				}
				if _, err := dec.Decode(m.Body); err != nil {
					t.Fatal(err)
				}
				n++
			}
		}
	}))
	require.GreaterOrEqual(t, n, 25)
}

func FuzzDecode(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add([]byte(v.Hex))
	}
	for _, p := range more {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, payload []byte) { checkPayload(t, payload) })
}
