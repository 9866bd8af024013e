package opcode_test

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// raid is a message of a mod with fields of every kind: a conditional field, a packed bool, a text
// and a list.
type raid struct {
	Leader  objectid.ID
	Loud    bool
	Speed   float32
	Target  objectid.ID // if Loud
	Motto   stream.Text
	Members []int32

	note string // not on the wire
}

func (*raid) Opcode() opcode.Code { return 0x60 }

func (m *raid) Walk(c *stream.Codec) {
	c.Field("Leader").ObjectID(&m.Leader)
	c.Field("Loud").Bool(&m.Loud)
	c.Field("Speed").Float32(&m.Speed)
	if m.Loud {
		c.Field("Target").ObjectID(&m.Target)
	}
	c.Field("Motto").String8(&m.Motto)
	n := c.Field("Members").Count8(len(m.Members), 4)
	stream.Resize(c, &m.Members, n)
	for i := range n {
		c.Element("Members", i)
		c.Field("").Int32(&m.Members[i])
		c.End()
	}
}

// reusingRaid reuses the memory of its list.
type reusingRaid struct{ raid }

func (m *reusingRaid) Reset() { m.raid = raid{Members: m.Members[:0]} }

// notingRaid has a Clone method that copies the field that is not on the wire.
type notingRaid struct{ raid }

func (m *notingRaid) Clone() opcode.Message { c := *m; return opcode.Wrap(&c) }

const (
	loudRaid  = "60 ffffff3f 21 0000803f ffff0340 03 616263 02 07000000 08000000"
	quietRaid = "60 ffff0340 20 00000040 00 00"
)

// raiders returns a decoder with the message registered.
func raiders(t testing.TB, zero func() opcode.Message) *opcode.Decoder {
	t.Helper()
	dec := new(opcode.Decoder)
	require.NoError(t, dec.Register(0x60, zero))
	return dec
}

func newRaid() opcode.Message { return opcode.Wrap(new(raid)) }

// Every decoding function returns the type of the mod, which encodes to the same bytes.
func TestWrapRoundTrip(t *testing.T) {
	dec := raiders(t, newRaid)
	for _, text := range []string{loudRaid, quietRaid} {
		payload := testdata.Bytes(text)
		var want raid
		require.NoError(t, stream.Unmarshal(payload, opcode.Code(0x60), &want))
		dissected, fields, err := dec.Dissect(payload)
		require.NoError(t, err)
		checkCover(t, payload, fields)
		for _, decode := range []func([]byte) (opcode.Message, error){
			dec.Decode, dec.DecodeNew, func([]byte) (opcode.Message, error) { return dissected, nil },
		} {
			m, err := decode(payload)
			require.NoError(t, err)
			require.Equal(t, opcode.Code(0x60), m.Opcode())
			require.Equal(t, &want, opcode.Unwrap(m))
			checkAppend(t, m, payload)
		}
	}
}

// Decoding overwrites all fields of the previous message, also after a decode that fails.
func TestWrapDirtyEqualsZero(t *testing.T) {
	for _, zero := range []func() opcode.Message{newRaid, func() opcode.Message { return opcode.Wrap(new(reusingRaid)) }} {
		dec := raiders(t, zero)
		for _, dirt := range []string{loudRaid, quietRaid} {
			for _, text := range []string{loudRaid, quietRaid} {
				payload := append(testdata.Bytes(text), 0)
				for end := 1; end <= len(payload); end++ {
					_, err := dec.Decode(testdata.Bytes(dirt))
					require.NoError(t, err)
					got, gotErr := dec.Decode(payload[:end])
					want, wantErr := dec.DecodeNew(payload[:end])
					require.Equal(t, wantErr, gotErr)
					require.Equal(t, opcode.Line(want), opcode.Line(got))
				}
			}
		}
	}
}

// Decoding and encoding allocate nothing in the steady state. Decoding a list requires Reset.
func TestWrapAllocs(t *testing.T) {
	for name, v := range map[string]struct {
		zero    func() opcode.Message
		payload string
		want    float64
	}{
		"text":           {func() opcode.Message { return opcode.Wrap(new(Swap)) }, "35 ffffff3f 05 03 616263", 0},
		"empty list":     {newRaid, quietRaid, 0},
		"list":           {newRaid, loudRaid, 1},
		"list and Reset": {func() opcode.Message { return opcode.Wrap(new(reusingRaid)) }, loudRaid, 0},
	} {
		payload := testdata.Bytes(v.payload)
		var dec opcode.Decoder
		require.NoError(t, dec.Register(opcode.Code(payload[0]), v.zero))
		buf := make([]byte, 0, 256)
		require.InDelta(t, v.want, testing.AllocsPerRun(100, func() {
			m, err := dec.Decode(payload)
			if err == nil {
				buf, err = m.AppendBinary(buf[:0])
			}
			if err != nil || !bytes.Equal(buf, payload) {
				t.Fatal(err)
			}
		}), 0, name)
	}
}

// A clone remains valid when the payload and the decoder are reused, and uses the type's Clone
// method.
func TestWrapClone(t *testing.T) {
	dec := raiders(t, newRaid)
	payload := testdata.Bytes(loudRaid)
	m, err := dec.Decode(payload)
	require.NoError(t, err)
	c := opcode.Clone(m)
	clear(payload)
	_, err = dec.Decode(testdata.Bytes(quietRaid))
	require.NoError(t, err)
	checkAppend(t, c, testdata.Bytes(loudRaid))
	require.Equal(t, []int32{7, 8}, opcode.Unwrap(c).(*raid).Members)

	c = opcode.Clone(opcode.Wrap(&raid{note: "for me"}))
	require.Equal(t, "", opcode.Unwrap(c).(*raid).note)
	c = opcode.Clone(opcode.Wrap(&notingRaid{raid{note: "for me"}}))
	require.Equal(t, "for me", opcode.Unwrap(c).(*notingRaid).note)

	c = opcode.Clone(opcode.Wrap(&raid{Motto: make([]byte, 256)}))
	require.Equal(t, &opcode.Unknown{Op: 0x60}, c, "a message that does not encode")
}

// A message from DecodeNew remains valid when the decoder is used again.
func TestDecodeNewLasts(t *testing.T) {
	dec := raiders(t, newRaid)
	first, err := dec.DecodeNew(testdata.Bytes(loudRaid))
	require.NoError(t, err)
	second, err := dec.Decode(testdata.Bytes(quietRaid))
	require.NoError(t, err)
	third, err := dec.Decode(testdata.Bytes(loudRaid))
	require.NoError(t, err)
	require.NotSame(t, first, second)
	require.Same(t, second, third)
	checkAppend(t, first, testdata.Bytes(loudRaid))

	eachType(t, func(t *testing.T, _ opcode.Code, payloads [][]byte) {
		for _, p := range payloads {
			want, wantErr := opcode.Decode(p)
			got, err := dec.DecodeNew(p)
			require.Equal(t, wantErr, err)
			same(t, want, got)
		}
	})
	m, err := dec.DecodeNew(nil)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Nil(t, m)
}

// Errors, lines and logs have the name of the mod's type. A failed encoding does not change dst.
func TestWrapNames(t *testing.T) {
	long := opcode.Wrap(&raid{Motto: make([]byte, 256)})
	dst, err := long.AppendBinary([]byte("dst"))
	require.Equal(t, "dst", string(dst))
	require.ErrorIs(t, err, stream.ErrTooLong)
	require.ErrorContains(t, err, "opcode_test: encode raid.Motto at offset 10: too long")
	dec := raiders(t, newRaid)
	_, err = dec.Decode(testdata.Bytes(loudRaid)[:12])
	require.EqualError(t, err, "opcode_test: decode raid.Target at offset 10: unexpected EOF")
	_, _, err = dec.Dissect(testdata.Bytes(loudRaid)[:12])
	require.EqualError(t, err, "opcode_test: decode raid.Target at offset 10: unexpected EOF")
	m, err := dec.Decode(append(testdata.Bytes(quietRaid), 0))
	require.ErrorIs(t, err, stream.ErrTrailing)
	require.Equal(t, "opcode_test.raid Leader=0x4003ffff Loud=false Speed=2 Motto=\"\" Members=0", opcode.Line(m))

	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("got", "message", m)
	require.Contains(t, log.String(), "message.opcode=0x60 message.Leader=0x4003ffff message.Loud=false")

	require.NoError(t, opcode.Validate(m))
	require.ErrorIs(t, opcode.Validate(opcode.Wrap(&raid{Speed: float32(math.NaN())})), opcode.ErrInvalid)
	require.ErrorIs(t, opcode.Authorize(m, bob), opcode.ErrUnknownMessage)
	require.ErrorIs(t, opcode.Authorize(opcode.Wrap(new(opcode.TorpedoFire)), bob), opcode.ErrDirection)
}

// A tolerant decoder also accepts wrong bit groups in messages of mods.
func TestWrapTolerant(t *testing.T) {
	dec := raiders(t, newRaid)
	plain := testdata.Bytes("60 ffff0340 01 00000040 ffffff3f 00 00")
	_, err := dec.Decode(plain)
	require.ErrorIs(t, err, stream.ErrBadBitGroup)
	dec.Tolerant = true
	m, err := dec.Decode(plain)
	require.NoError(t, err)
	require.True(t, opcode.Unwrap(m).(*raid).Loud)
}

func TestUnwrapReturnsOtherMessages(t *testing.T) {
	chat := new(opcode.ChatMessage)
	require.Same(t, chat, opcode.Unwrap(chat))
	require.Nil(t, opcode.Unwrap(nil))
	require.Equal(t, &raid{}, opcode.Unwrap(opcode.Wrap[raid](nil)), "Wrap of nil is a new message")
}

// Goroutines can encode the same message at the same time.
func TestWrapEncodesConcurrently(t *testing.T) {
	var m raid
	payload := testdata.Bytes(loudRaid)
	require.NoError(t, stream.Unmarshal(payload, opcode.Code(0x60), &m))
	shared := opcode.Wrap(&m)
	errs := make([]error, 8)
	var all sync.WaitGroup
	for i := range errs {
		all.Go(func() {
			for range 200 {
				got, err := shared.AppendBinary(make([]byte, 0, 64))
				if err != nil || !bytes.Equal(got, payload) {
					errs[i] = errors.Join(err, errors.New("other bytes"))
				}
			}
		})
	}
	all.Wait()
	require.NoError(t, errors.Join(errs...))
}
