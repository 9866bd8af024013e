package opcode_test

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// The tests in this file run over every message that has a type, with all payloads that
// are known of it. A new message needs no test of its own to be in them.

// payloads returns the complete vectors of an opcode and the forms in more.
func payloads(t testing.TB, op opcode.Code) (all [][]byte) {
	for _, v := range vectors(t) {
		if opcode.Code(v.Opcode) == op && (v.Error == "" || v.ErrorAt == "subsystems") {
			all = append(all, v.Hex)
		}
	}
	for _, p := range more {
		if opcode.Code(p[0]) == op {
			all = append(all, p)
		}
	}
	return all
}

// more holds further forms, constructed from the layouts.
var more = [][]byte{
	testdata.Bytes("000000803f670f01004d010000003dd8"),         // a new name that is half of a surrogate pair
	testdata.Bytes("000000803f670f01004d00000000"),             // an empty new name
	testdata.Bytes("000000803f670f01004d436f7272656374696f6e"), // a rest that is no name
	testdata.Bytes("18"),
	testdata.Bytes("1806000000436164793200"),
	testdata.Bytes("180500000043616479320000"),
	testdata.Bytes("19130008400100f1bc69"),                   // OpenBC: no target, and no flag for it
	testdata.Bytes("19ffffff3f02020d7be6ffff03406e37e55e46"), // OpenBC: an offset of five bytes
	testdata.Bytes("0200098000005000004002" + "0102030405"),  // a torpedo of another length
	testdata.Bytes("2a"),
	testdata.Bytes("20070000000020"),
	testdata.Bytes("2cffffffff03008000ff"),
	testdata.Bytes("0c0d010000" + "00000000" + "0000000000000000"), // a class without a known extension, and no bytes of it
	testdata.Bytes("102a810000ec0080000000000021000040" + "00" + "00000000000000000000000000000000"),
	testdata.Bytes("15248100005000800000000000ffff0340" + "00" + "00000000"), // without contacts
	testdata.Bytes("1fffff03400500000048656c6c6f00"),                         // the NUL after the text
	testdata.Bytes("1fffff034000000000"),
	testdata.Bytes("1cffffff3f0000c842" + "62" + "1d7a0c9561" + "21" + "00"), // delta, cloak, a block without nodes
	testdata.Bytes("1cffffff3f0000c842" + "a0" + "00" + "ff" + "01cc"),       // both tails: all of it is the block
	testdata.Bytes("1cffffff3f0000c842" + "ff" + "0000803f0000004000004040" + "6337fb" + "1d7a0c9561" + "7f0000" + "00007f" + "3ffe" + "05" + "ffff64"),
	testdata.Bytes("2100" + "01000000" + "2fcbaf4d"), // no files
	testdata.Bytes("2100" + "01000000"),
	testdata.Bytes("2103" + "2fcbaf4d"),
	testdata.Bytes("2102" + "2fcbaf4d" + "0000" + "02" + "0100000002000000" + "0100" + "0300000004000000" + "00" + "0000" + "00"),
	testdata.Bytes("220000"),
	testdata.Bytes("250000"),
}

// eachType runs a subtest for each type. One without payloads is skipped, because one failing test
// is enough: TestEveryTypeHasPayloads.
func eachType(t *testing.T, f func(t *testing.T, op opcode.Code, payloads [][]byte)) {
	require.NotEmpty(t, types)
	for _, op := range types {
		t.Run(op.String(), func(t *testing.T) {
			all := payloads(t, op)
			skipWithout(t, all)
			f(t, op, all)
		})
	}
}

func skipWithout(t testing.TB, payloads [][]byte) {
	if len(payloads) == 0 {
		t.Skip("no vector")
	}
}

func TestEveryTypeHasPayloads(t *testing.T) {
	for _, op := range types {
		if len(payloads(t, op)) == 0 {
			t.Errorf("testdata/vectors/payloads-constructed.json has no vector for %v (0x%s): add one", op, op.Hex())
		}
	}
}

// same compares messages. An empty list equals nil, and NaN equals NaN.
func same(t testing.TB, want, got opcode.Message) {
	t.Helper()
	if reflect.DeepEqual(want, got) { // fast in most cases
		return
	}
	require.Empty(t, cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()))
}

func TestRoundTrip(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		for _, p := range payloads {
			m, err := opcode.Decode(p)
			require.NoError(t, err)
			require.Equal(t, op, m.Opcode())
			require.Equal(t, reflect.TypeOf(opcode.New(op)), reflect.TypeOf(m))
			checkAppend(t, m, p)
			dissected, fields, err := opcode.Dissect(p)
			require.NoError(t, err)
			same(t, m, dissected)
			checkCover(t, p, fields)
			require.Equal(t, []any{"Opcode", op}, []any{fields[0].Path(), fields[0].Value()})
		}
	})
}

// checkAppend encodes after a prefix, into slices of several capacities, and checks the bytes.
func checkAppend(t *testing.T, m opcode.Message, want []byte) {
	t.Helper()
	for _, room := range []int{0, 1, len(want) - 1, len(want), len(want) + 100} {
		dst := append(make([]byte, 0, 3+max(0, room)), "dst"...)
		got, err := opcode.Append(dst, m)
		require.NoError(t, err)
		require.Equal(t, "dst"+string(want), string(got))
	}
	got, err := opcode.Marshal(m)
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// Decoding into a used message equals decoding into a new one, for complete, cut and long
// payloads.
func TestDirtyEqualsZero(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		var dec opcode.Decoder
		for _, dirt := range payloads {
			for _, p := range payloads {
				for end := 1; end <= len(p)+1; end += testdata.Either(1, 1+len(p)/20) {
					cut := append(bytes.Clone(p), 0)[:end]
					_, err := dec.Decode(dirt)
					require.NoError(t, err)
					got, gotErr := dec.Decode(cut)
					want, wantErr := opcode.Decode(cut)
					same(t, want, got)
					require.Equal(t, wantErr, gotErr)
				}
			}
		}
	})
}

// Every strict prefix of a payload is an error, except for payloads that end with a field of any
// length.
func TestPrefixes(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		for _, p := range payloads {
			whole, err := opcode.Decode(p)
			require.NoError(t, err)
			for end := 1; end < len(p); end++ {
				m, err := opcode.Decode(p[:end])
				require.NotNil(t, m)
				if least, any := tail(whole, p); any || end >= least || otherForm(whole, end) {
					if err == nil {
						checkAppend(t, m, p[:end])
					} else {
						require.True(t, cutEntry(op, err), "%d of %x: %v", end, p, err)
					}
					continue
				}
				require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d of %x", end, p)
				var located *stream.Error
				require.ErrorAs(t, err, &located)
				require.LessOrEqual(t, located.Offset, end)
				_, unknown := m.(*opcode.Unknown)
				require.Equal(t, op >= opcode.FirstScript, unknown, "a script message that is cut short is an Unknown")
			}
		}
	})
}

// tail returns the shortest prefix of a payload that is a valid payload, or more than its length,
// and whether there is one.
func tail(m opcode.Message, p []byte) (least int, any bool) {
	cut := func(n int) (int, bool) { return len(p) - n, false }
	switch m := m.(type) {
	case *opcode.Settings:
		if m.Renamed {
			return 9 + len(m.Map), false
		}
	case *opcode.ObjectCreate:
		return cut(objectTail(&m.Object, 11, p))
	case *opcode.ObjectCreateTeam:
		return cut(objectTail(&m.Object, 12, p))
	case *opcode.FileTransfer:
		return cut(len(m.Data))
	case *opcode.ClientEvent:
		return cut(len(m.Raw))
	case *opcode.StateUpdate:
		return cut(len(m.Data) + 2*len(m.Power))
	case *opcode.EnterSet:
		if m.Extra {
			return cut(1)
		}
	case *opcode.ChecksumResponse: // without files
		if end := (map[bool]int{true: 10, false: 6})[m.Index == 0]; !m.NoFiles {
			return end, false
		}
	case *opcode.NewPlayerInGame: // without its flag
		return cut(1)
	case *opcode.BootPlayer, *opcode.DeletePlayerAnim: // unknown, opaque
		return 0, true
	}
	return len(p) + 1, false
}

// objectTail returns the number of bytes that may be missing at the end of a payload. All bytes
// after the head of a torpedo may be missing, because the torpedo is then opaque.
func objectTail(m *opcode.Object, head int, p []byte) int {
	if m.ClassID == opcode.ObjectTorpedo {
		return len(p) - head
	}
	return len(m.SubsystemsRaw) + len(m.Raw)
}

// otherForm reports whether a prefix of a message is another form of the message.
func otherForm(m opcode.Message, end int) bool {
	switch m := m.(type) {
	case *opcode.TorpedoFire:
		return m.Flags&opcode.TorpedoNoTarget == 0 && (end == 10 || end == 18)
	case *opcode.ChecksumResponse:
		return m.Index == 0 && end == 6
	}
	return false
}

// cutEntry reports whether an error is about half an entry of a list without a count, or half a
// tree.
func cutEntry(op opcode.Code, err error) bool {
	return op == opcode.OpStateUpdate && errors.Is(err, stream.ErrTrailing) ||
		op == opcode.OpChecksumResponse && errors.Is(err, io.ErrUnexpectedEOF)
}

// A payload with one more byte returns the complete message and ErrTrailing, unless the byte
// belongs to the last field. A longer MissionInit is an Unknown.
func TestTrailing(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		for _, p := range payloads {
			want, err := opcode.Decode(p)
			require.NoError(t, err)
			longer := append(bytes.Clone(p), 0x5A)
			m, err := opcode.Decode(longer)
			if takes(want, p) {
				continue
			}
			require.ErrorIs(t, err, stream.ErrTrailing, "%x", longer)
			var located *stream.Error
			require.ErrorAs(t, err, &located)
			require.Empty(t, located.Field())
			require.Equal(t, len(p), located.Offset)
			if op == opcode.OpMissionInit {
				want = &opcode.Unknown{Op: op, Data: longer[1:]}
			}
			same(t, want, m)
		}
	})
}

// takes reports whether a longer payload is also valid.
func takes(m opcode.Message, p []byte) bool {
	switch m := m.(type) {
	case *opcode.Settings:
		return m.Renamed
	case *opcode.ObjectCreate, *opcode.ObjectCreateTeam, *opcode.FileTransfer, *opcode.BootPlayer, *opcode.DeletePlayerAnim:
		return true
	case *opcode.ClientEvent:
		return m.Class == classStringEvent || m.Class == opcode.EventClass(0x010D)
	case *opcode.StateUpdate:
		return m.Flags&opcode.StateSubsystems != 0
	case *opcode.TorpedoFire: // the message takes another form, or ends within a field
		return m.Flags&opcode.TorpedoNoTarget == 0
	case *opcode.ChecksumResponse:
		return m.NoFiles
	case *opcode.NewPlayerInGame:
		return m.Bare
	case *opcode.EnterSet: // one NUL after the text, not two bytes
		return m.Extra
	}
	return false
}

// A byte after the opcode of NewPlayerInGame is a bit group.
func TestNewPlayerInGameWithBadGroup(t *testing.T) {
	_, err := opcode.Decode([]byte{0x2A, 0x5A})
	require.ErrorIs(t, err, stream.ErrBadBitGroup)
}

func TestWrongOpcode(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		wrong := bytes.Clone(payloads[0])
		wrong[0] ^= 0xFF
		err := opcode.Unmarshal(wrong, opcode.New(op))
		require.ErrorIs(t, err, stream.ErrOpcode)
		require.ErrorContains(t, err, "decode "+op.String()+".Opcode at offset 0: wrong opcode 0x")
		require.ErrorIs(t, opcode.Unmarshal(nil, opcode.New(op)), io.ErrUnexpectedEOF)
	})
}

func TestAllocs(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		var dec opcode.Decoder
		var enc opcode.Encoder
		buf := make([]byte, 0, 4096)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			for _, p := range payloads {
				m, _ := dec.Decode(p)
				buf, _ = enc.Append(buf[:0], m)
			}
		}))
		cut := payloads[0][:len(payloads[0])/2]
		if m := opcode.New(op); len(cut) > 1 && opcode.Unmarshal(cut, m) != nil {
			limit := 1.0
			if op == opcode.OpChecksumResponse {
				limit = 3 // the path is deeper than what an error has room for
			}
			if op >= opcode.FirstScript {
				limit++ // an Unknown
			}
			require.LessOrEqual(t, testing.AllocsPerRun(100, func() { _, _ = dec.Decode(cut) }), limit)
		}
	})
}

// The functions allocate a codec, and Decode also the message. The payload is in a slice with
// enough capacity.
func TestFunctionAllocs(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		m, err := opcode.Decode(payloads[0])
		require.NoError(t, err)
		buf := make([]byte, 0, 4096)
		require.LessOrEqual(t, testing.AllocsPerRun(10, func() { _, _ = opcode.Append(buf, m) }), 1.0)
		require.LessOrEqual(t, testing.AllocsPerRun(10, func() { _ = opcode.Unmarshal(payloads[0], m) }), 1.0)
		if !hasLists(m) {
			require.LessOrEqual(t, testing.AllocsPerRun(10, func() { _, _ = opcode.Decode(payloads[0]) }), 2.0)
		}
	})
}

// hasLists reports whether a message has a list, for which Decode also allocates.
func hasLists(m opcode.Message) bool {
	fields, _ := described(m)
	for _, f := range fields {
		if n, isCount := f.Value().(int); isCount && n > 0 || strings.HasSuffix(f.Path(), "].Index") {
			return true
		}
	}
	return false
}

// Random and corrupted payloads decode to a message that encodes to the same bytes, or to an
// error. They take at most about ten times the memory of their size.
func TestRandomBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		const fixed = 1 << 10 // a message without lists, and an error
		var all [][]byte
		var limit uint64
		for range testdata.Either(300, 60) {
			p := bytes.Clone(payloads[r.IntN(len(payloads))])
			for range r.IntN(4) {
				p[r.IntN(len(p))] = byte(r.Uint32())
			}
			p[0] = byte(op)
			p = append(p[:1+r.IntN(len(p))], make([]byte, r.IntN(3))...)
			checkPayload(t, p)
			all, limit = append(all, p), limit+fixed+10*uint64(len(p))
		}
		require.LessOrEqual(t, allocated(func() {
			for _, p := range all {
				_, _ = opcode.Decode(p)
			}
		}), limit)
	})
}

func checkPayload(t testing.TB, payload []byte) {
	t.Helper()
	m, err := opcode.Decode(payload)
	dissected, fields, dissectErr := opcode.Dissect(payload)
	same(t, m, dissected)
	if len(payload) == 0 {
		require.Nil(t, m)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.ErrorIs(t, dissectErr, io.ErrUnexpectedEOF)
		return
	}
	checkCover(t, payload, fields)
	checkVisit(t, new(opcode.Decoder), payload)
	if err != nil {
		require.EqualError(t, dissectErr, err.Error())
		var located *stream.Error
		require.ErrorAs(t, err, &located)
		require.LessOrEqual(t, located.Offset, len(payload))
		return
	}
	require.NoError(t, dissectErr)
	again, err := opcode.Marshal(m)
	require.NoError(t, err)
	require.Equal(t, payload, again)
}

// Any value of a type encodes or is refused. Encoded values decode to the same value in a used
// decoder, except for fields that are not on the wire.
func propertyValues(t *rapid.T) {
	var dec opcode.Decoder
	for range 8 {
		op := rapid.SampledFrom(types).Draw(t, "type")
		m := opcode.New(op)
		fill(t, op, reflect.ValueOf(m).Elem(), 0)
		p, err := opcode.Marshal(m)
		if err != nil {
			require.True(t, refusal(err), "%v", err)
			continue
		}
		again, err := dec.Decode(p)
		require.NoError(t, err)
		q, err := opcode.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, p, q)
		fresh, err := opcode.Decode(p)
		require.NoError(t, err)
		require.Equal(t, opcode.Line(fresh), opcode.Line(again))
		if opaque(m) && !opaque(again) {
			continue // the raw bytes have another form
		}
		listed := listedFields(t, m)
		for _, v := range []any{m, again} {
			keepListed(reflect.ValueOf(v).Elem(), "", listed, func(string, bool) {})
		}
		if !reflect.DeepEqual(m, again) { // equal in most cases
			require.Empty(t, cmp.Diff(m, again, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()))
		}
	}
}

// opaque reports whether raw bytes replace the fields of a message.
func opaque(m opcode.Message) bool {
	switch m := m.(type) {
	case *opcode.Settings:
		return m.Renamed && m.Opaque
	case *opcode.ObjectCreate:
		return m.ClassID == opcode.ObjectTorpedo && m.Object.Opaque
	case *opcode.ObjectCreateTeam:
		return m.ClassID == opcode.ObjectTorpedo && m.Object.Opaque
	case *opcode.DeletePlayerAnim:
		return m.Form >= opcode.NameRaw
	}
	return false
}

// listedFields returns the values of the fields on the wire, by path, and the paths of the
// structs and lists around them.
func listedFields(t require.TestingT, m opcode.Message) map[string]any {
	listed := map[string]any{}
	fields, err := described(m)
	require.NoError(t, err)
	for _, f := range fields {
		for i, c := range f.Path() {
			if c == '.' || c == '[' {
				listed[f.Path()[:i]] = partly // in place of the number of elements
			}
		}
		listed[f.Path()] = f.Value()
	}
	return listed
}

// described returns the fields of a message as encoded.
func described(m opcode.Message) (fields []stream.Field, err error) {
	c := stream.Codec{Visit: func(f *stream.Field) bool {
		fields = append(fields, *f)
		return true
	}}
	_, err = c.Append(nil, int(m.Opcode()), "", m.Walk)
	return fields, err
}

// partly is the value of a struct or list in listedFields.
const partly = "partly"

// keepListed clears the fields that are not on the wire. It calls tell for each field, with its
// type and name, and whether the field is on the wire.
func keepListed(v reflect.Value, at string, listed map[string]any, tell func(name string, is bool)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.Anonymous {
				keepListed(v.Field(i), at, listed, tell)
				continue
			}
			value := listed[at+f.Name]
			tell(v.Type().Name()+"."+f.Name, value != nil)
			switch value {
			case nil:
				v.Field(i).SetZero()
			case partly:
				keepListed(v.Field(i), at+f.Name+".", listed, tell)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			path := strings.TrimSuffix(at, ".") + "[" + strconv.Itoa(i) + "]"
			if listed[path] == partly {
				keepListed(v.Index(i), path+".", listed, tell)
			}
		}
	}
}

// Every field of a type is on the wire in some payload, except fields that select a form.
func TestEveryFieldIsOnTheWire(t *testing.T) {
	travels := map[string]bool{}
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		for _, p := range payloads {
			m, err := opcode.Decode(p)
			require.NoError(t, err)
			keepListed(reflect.ValueOf(m).Elem(), "", listedFields(t, m), func(name string, is bool) {
				travels[name] = travels[name] || is
			})
		}
	})
	var not []string
	for name, is := range travels {
		if !is {
			not = append(not, name)
		}
	}
	require.ElementsMatch(t, []string{
		"NewPlayerInGame.Bare", "TorpedoFire.Form", "ChecksumResponse.NoFiles", "ChecksumResponse.NoDirHash", "StateUpdate.Bits", "DeletePlayerAnim.Form",
		"Settings.Opaque", "Object.Opaque",
	}, not)
}

// A dissection gives object IDs, peer IDs and slots the types of their fields, whatever their width on the wire.
// Generic tools find them by it.
func TestIDsHaveTheTypesOfTheirFields(t *testing.T) {
	seen := map[reflect.Type]int{idType: 0, peerType: 0, slotType: 0}
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		for _, p := range payloads {
			m, err := opcode.Decode(p)
			require.NoError(t, err)
			listed := listedFields(t, m)
			eachWireID(t, m, func(_, path string, v reflect.Value) {
				require.Equal(t, v.Interface(), listed[path], "%v.%s", op, path)
				seen[v.Type()]++
			})
		}
	})
	for typ, n := range seen {
		require.Positive(t, n, typ)
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestValues(t *testing.T) { rapid.Check(t, propertyValues) }

func FuzzValuesProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyValues)) }

// types are the opcodes that have a type.
var types = func() (all []opcode.Code) {
	for c := range 256 {
		if op := opcode.Code(c); typed(op) {
			all = append(all, op)
		}
	}
	return all
}()

// refusal reports whether an error means that a layout cannot carry a value.
func refusal(err error) bool {
	for _, is := range []error{stream.ErrTooLong, stream.ErrRange, stream.ErrBadBitGroup, stream.ErrLimit} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}

var (
	eventClass  = reflect.TypeFor[opcode.EventClass]()
	objectClass = reflect.TypeFor[opcode.ObjectClass]()
)

// fill draws a value of any type. Most values are small and most classes are known, so that flags
// and counts agree.
func fill(t *rapid.T, op opcode.Code, v reflect.Value, depth int) {
	switch {
	case v.Type() == eventClass && rapid.Bool().Draw(t, "known"):
		v.SetUint(uint64(rapid.Uint32Range(0x100, 0x10D).Draw(t, "class")))
		return
	case v.Type() == eventClass:
		v.SetUint(uint64(rapid.Uint32Range(0x8123, 0x812B).Draw(t, "class")))
		return
	case v.Type() == objectClass && rapid.Bool().Draw(t, "ship"):
		v.SetUint(uint64(opcode.ObjectShip))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, op, v.Field(i), depth)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(t, op, v.Index(i), depth)
		}
	case reflect.Slice:
		n := rapid.IntRange(0, max(0, 4-depth)).Draw(t, "len")
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(t, op, v.Index(i), depth+1)
		}
	case reflect.Bool:
		v.SetBool(rapid.Bool().Draw(t, "bool"))
	case reflect.Float32:
		v.SetFloat(float64(rapid.Float32().Draw(t, "float")))
	case reflect.Int8:
		v.SetInt(int64(rapid.Int8().Draw(t, "int")))
	case reflect.Int32:
		if v.Type() == reflect.TypeFor[objectid.PeerID]() || v.Type() == reflect.TypeFor[objectid.Slot]() {
			v.SetInt(int64(rapid.Int8().Draw(t, "int"))) // most fit a byte only
			return
		}
		v.SetInt(int64(rapid.Int32().Draw(t, "int")))
	case reflect.Uint8:
		v.SetUint(uint64(rapid.Uint8().Draw(t, "uint")))
	case reflect.Uint16:
		v.SetUint(uint64(rapid.Uint16().Draw(t, "uint")))
	default:
		v.SetUint(uint64(rapid.Uint32().Draw(t, "uint")))
	}
}

// declaration is the doc comment of a type and the file that declares it, from the root of the module.
type declaration struct{ doc, file string }

// declarations returns the types of the package.
var declarations = sync.OnceValues(func() (map[string]declaration, error) {
	all := map[string]declaration{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				all[d.Specs[0].(*ast.TypeSpec).Name.Name] = declaration{d.Doc.Text(), "opcode/" + name}
			}
		}
	}
	return all, nil
})

// typeFile returns the file that declares a type, from the root of the module.
func typeFile(t testing.TB, name string) string {
	all, err := declarations()
	require.NoError(t, err)
	require.Contains(t, all, name, "no file declares the type")
	return all[name].file
}
