package opcode_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

// The tests in this file run over every message that has a type, with all payloads that
// are known of it. A new message needs no test of its own to be in them.

// payloads returns the complete vectors of an opcode and the forms in more.
func payloads(t testing.TB, op opcode.Code) (all [][]byte) {
	for _, v := range vectors(t) {
		if opcode.Code(v.Opcode) == op && v.Error == "" {
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

// more holds forms that no vector has, constructed from the layouts.
var more = [][]byte{
	[]byte("\x00\x00\x00\x80\x3F\x67\x0F\x01\x00MCorrection"),
	[]byte("\x2A"),
	[]byte("\x20\x07\x00\x00\x00\x00\x20"),
	[]byte("\x2C\xFF\xFF\xFF\xFF\x03\x00\x80\x00\xFF"),
	// What OpenBC sends, with the long offset.
	[]byte("\x19\xFF\xFF\xFF\x3F\x02\x02\x0D\x7B\xE6\xFF\xFF\x03\x40\x6E\x37\xE5\x5E\x46"),
}

func eachType(t *testing.T, f func(t *testing.T, op opcode.Code, payloads [][]byte)) {
	n := 0
	for c := range 256 {
		if op := opcode.Code(c); typed(op) {
			n++
			t.Run(op.String(), func(t *testing.T) { f(t, op, payloads(t, op)) })
		}
	}
	require.GreaterOrEqual(t, n, 11)
}

// same compares messages. A list that is empty may be nil or not; NaN equals NaN.
func same(t testing.TB, want, got opcode.Message) {
	t.Helper()
	require.Empty(t, cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()))
}

func TestEveryTypeHasPayloads(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		require.NotEmpty(t, payloads)
	})
}

func TestRoundTrip(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		for _, p := range payloads {
			m, err := opcode.Decode(p)
			require.NoError(t, err)
			require.Equal(t, op, m.Opcode())
			require.Equal(t, reflect.TypeOf(opcode.New(op)), reflect.TypeOf(m))
			checkAppend(t, m, p)
			fields, err := opcode.Dissect(p)
			require.NoError(t, err)
			checkCover(t, p, fields)
		}
	})
}

// checkAppend encodes into memory of all kinds.
func checkAppend(t *testing.T, m opcode.Message, want []byte) {
	t.Helper()
	for _, room := range []int{0, 1, len(want) - 1, len(want), len(want) + 100} {
		dst := append(make([]byte, 0, 3+max(0, room)), "dst"...)
		got, err := m.AppendBinary(dst)
		require.NoError(t, err)
		require.Equal(t, "dst"+string(want), string(got))
	}
	got, err := m.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// Decoding over whatever a message held is decoding into a new one, for payloads that
// are whole, cut or too long.
func TestDirtyEqualsZero(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		var dec opcode.Decoder
		for _, dirt := range payloads {
			for _, p := range payloads {
				for end := 1; end <= len(p)+1; end++ {
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

func TestPrefixes(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		for _, p := range payloads {
			for end := 1; end < len(p); end++ {
				m, err := opcode.Decode(p[:end])
				if wholePrefix(m, p, end) {
					require.NoError(t, err)
					continue
				}
				require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%d of %x", end, p)
				var located *stream.Error
				require.ErrorAs(t, err, &located)
				require.Less(t, located.Offset, end+1)
				require.NotEmpty(t, located.Field())
				require.NotNil(t, m)
			}
		}
	})
}

// wholePrefix says that the first bytes of a payload are a payload themselves.
func wholePrefix(m opcode.Message, p []byte, end int) bool {
	switch m := m.(type) {
	case *opcode.Settings: // the correction is whatever is left
		return m.ChecksumCorrection && end >= 9+int(p[7])
	case *opcode.NewPlayerInGame:
		return m.Bare
	case *opcode.TorpedoFire: // the long form without its last byte
		return len(p) == 19 && end == 18
	}
	return false
}

func TestTrailing(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		for _, p := range payloads {
			longer := append(bytes.Clone(p), 0x5A)
			m, err := opcode.Decode(longer)
			if openEnded(m, p) {
				continue
			}
			require.ErrorIs(t, err, stream.ErrTrailing, "%x", longer)
			var located *stream.Error
			require.ErrorAs(t, err, &located)
			require.Equal(t, len(p), located.Offset)
			require.Empty(t, located.Field())
			want, _ := opcode.Decode(p)
			same(t, want, m)
		}
	})
}

// openEnded says that a byte more makes another payload of p.
func openEnded(m opcode.Message, p []byte) bool {
	switch m := m.(type) {
	case *opcode.Settings:
		return m.ChecksumCorrection
	case *opcode.TorpedoFire: // with a target: the long form begins or ends
		return len(p) >= 18
	case *opcode.NewPlayerInGame:
		return len(p) == 1
	}
	return false
}

// A bare opcode 0x2A with a byte after it has a bit group there.
func TestBareTrailing(t *testing.T) {
	_, err := opcode.Decode([]byte{0x2A, 0x5A})
	require.ErrorIs(t, err, stream.ErrBadBitGroup)
}

func TestWrongOpcode(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		wrong := bytes.Clone(payloads[0])
		wrong[0] ^= 0xFF
		err := opcode.New(op).UnmarshalBinary(wrong)
		require.ErrorIs(t, err, stream.ErrOpcode)
		require.ErrorContains(t, err, "decode "+op.String()+".Opcode at offset 0: wrong opcode 0x")
		require.ErrorIs(t, opcode.New(op).UnmarshalBinary(nil), io.ErrUnexpectedEOF)
	})
}

func TestAllocs(t *testing.T) {
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		var dec opcode.Decoder
		buf := make([]byte, 0, 4096)
		require.Zero(t, testing.AllocsPerRun(100, func() {
			for _, p := range payloads {
				m, _ := dec.Decode(p)
				buf, _ = m.AppendBinary(buf[:0])
			}
		}))
		cut := payloads[0][:len(payloads[0])/2]
		if m := opcode.New(op); len(cut) > 1 && m.UnmarshalBinary(cut) != nil {
			require.LessOrEqual(t, testing.AllocsPerRun(100, func() { _ = m.UnmarshalBinary(cut) }), 1.0)
		}
	})
}

// Random bytes, and payloads with random bytes in them, decode to a message that
// encodes to the same bytes, or to an error, and without memory of more than a few times
// their size.
func TestRandomBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	eachType(t, func(t *testing.T, op opcode.Code, payloads [][]byte) {
		for range 2000 {
			p := bytes.Clone(payloads[r.IntN(len(payloads))])
			for range r.IntN(4) {
				p[r.IntN(len(p))] = byte(r.Uint32())
			}
			p[0] = byte(op)
			p = append(p[:1+r.IntN(len(p))], make([]byte, r.IntN(3))...)
			checkPayload(t, p)
		}
	})
}

func checkPayload(t testing.TB, payload []byte) {
	t.Helper()
	m, err := opcode.Decode(payload)
	fields, dissectErr := opcode.Dissect(payload)
	if len(payload) == 0 {
		require.Nil(t, m)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.ErrorIs(t, dissectErr, io.ErrUnexpectedEOF)
		return
	}
	checkCover(t, payload, fields)
	if err != nil {
		require.EqualError(t, dissectErr, err.Error())
		var located *stream.Error
		require.ErrorAs(t, err, &located)
		require.LessOrEqual(t, located.Offset, len(payload))
		return
	}
	require.NoError(t, dissectErr)
	again, err := m.MarshalBinary()
	require.NoError(t, err)
	require.Equal(t, payload, again)
}

// Any value of a type encodes, or is refused, and what it encodes to decodes to a value
// that encodes the same. Fields that are not on the wire are zero in that one.
func TestValues(t *testing.T) {
	for _, g := range []*rapid.Generator[opcode.Message]{
		messages[opcode.Settings](), messages[opcode.GameInit](), messages[opcode.TorpedoFire](),
		messages[opcode.BeamFire](), messages[opcode.ChecksumRequest](), messages[opcode.ChecksumComplete](),
		messages[opcode.Explosion](), messages[opcode.NewPlayerInGame](), messages[opcode.ChatMessage](),
		messages[opcode.MissionInit](), messages[opcode.Score](),
	} {
		name := reflect.TypeOf(g.Example()).Elem().Name()
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p, err := g.Draw(t, "message").MarshalBinary()
				if err != nil {
					return
				}
				m, err := opcode.Decode(p)
				require.NoError(t, err)
				again, err := m.MarshalBinary()
				require.NoError(t, err)
				require.Equal(t, p, again)
			})
		})
	}
}

func messages[T any, M interface {
	*T
	opcode.Message
}]() *rapid.Generator[opcode.Message] {
	return rapid.Map(rapid.Make[T](), func(v T) opcode.Message { return M(&v) })
}

var evidence = regexp.MustCompile(`(?m)^Evidence: (observed|documented|inferred)`)

// Every type has a doc comment with a layout that begins with its opcode, and a grade.
func TestDocs(t *testing.T) {
	docs := typeDocs(t)
	eachType(t, func(t *testing.T, op opcode.Code, _ [][]byte) {
		doc := docs[op.String()]
		require.Regexp(t, `(?m)^\s+offset\s+size\s+field\n\s+0\s+1\s+0x`+op.Hex()+"$", doc)
		require.Regexp(t, evidence, doc)
	})
}

func typeDocs(t *testing.T) map[string]string {
	docs := map[string]string{}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, decl := range file.Decls {
			if d, ok := decl.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				docs[d.Specs[0].(*ast.TypeSpec).Name.Name] = d.Doc.Text()
			}
		}
	}
	return docs
}
