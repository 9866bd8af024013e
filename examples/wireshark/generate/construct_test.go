package main

import (
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// constructs are the statements of walks that the generator translates, and their Lua. The struct
// is X below.
var constructs = []struct{ name, walk, lua string }{
	{"field", `c.Field("A").Uint8(&m.A)`, `u8("A")`},
	{"field that the walk reads", "c.Field(\"A\").Uint8(&m.A)\nif m.A > 3 {\nc.Field(\"B\").Int32(&m.B)\n}", "m.A = u8(\"A\")\nif m.A > 3 then\n  i32(\"B\")\nend"},
	{"conversion of a pointer", `c.Field("Kind").Uint8((*uint8)(&m.Kind))`, `u8("Kind")`},
	{"flag", "c.Field(\"A\").Uint8(&m.A)\nif m.A&4 != 0 {\nreturn\n}", "m.A = u8(\"A\")\nif m.A % 8 >= 4 then\n  return\nend"},
	{"no flag", "if m.A&4 == 0 {\nreturn\n}", "if m.A % 8 < 4 then\n  return\nend"},
	{"mask", "if m.A&6 == 2 {\nreturn\n}", "if (band(m.A, 6)) == 2 then\n  return\nend"},
	{"else", "if m.A == 1 {\nc.Field(\"B\").Int32(&m.B)\n} else {\nc.Field(\"A\").Uint8(&m.A)\n}", "if m.A == 1 then\n  i32(\"B\")\nelse\n  do\n    m.A = u8(\"A\")\n  end\nend"},
	{"decoding only", "if c.Decoding() {\nm.A = 1\n} else if m.A > 200 {\nc.Fail(nil)\n}\nif m.A == 1 {\nreturn\n}", "m.A = 1\nif m.A == 1 then\n  return\nend"},
	{"remaining bytes", "if c.Remaining() == 0 {\nreturn\n}", "if remaining() == 0 then\n  return\nend"},
	{"switch", "switch m.A {\ncase 1, 2:\nc.Field(\"B\").Int32(&m.B)\ndefault:\nreturn\n}", "do\n  local tag = m.A\n  if tag == 1 or tag == 2 then\n    i32(\"B\")\n  else\n    return\n  end\nend"},
	{"switch without a tag", "switch n := c.Remaining(); {\ncase n >= 4 && c.PeekUint(0, 4) == 1:\nm.A = 2\n}\nif m.A == 2 {\nreturn\n}", "do\n  local n = remaining()\n  if (n >= 4) and ((peek(0, 4)) == 1) then\n    m.A = 2\n  end\nend\nif m.A == 2 then\n  return\nend"},
	{
		"list", "n := c.Field(\"List\").Count8(len(m.List), 4)\nstream.Resize(c, &m.List, n)\nfor i := range n {\nd := &m.List[i]\nc.Element(\"List\", i)\nc.Field(\"ID\").Int32(&d.ID)\nif d.ID == 0 {\nc.End()\ncontinue\n}\nc.Field(\"N\").Uint8(&d.N)\nc.End()\n}",
		"local n = count(\"List\", 1, 4)\nm.List = resize(n, Z.opcode_Item)\nfor i = 0, n - 1 do\n  local d = m.List[i + 1]\n  element(\"List\", i)\n  d.ID = i32(\"ID\")\n  if d.ID == 0 then\n    leave()\n    goto continue_1\n  end\n  u8(\"N\")\n  leave()\n  ::continue_1::\nend",
	},
	{
		"list that keeps the memory of its elements", "n := c.Field(\"List\").Count16(len(m.List), 1)\nreuse(c, &m.List, n)\nfor i := range n {\nc.Element(\"List\", i)\nm.List[i].walk(c, 1)\nc.End()\n}",
		"local n = count(\"List\", 2, 1)\nm.List = resize(n, Z.opcode_Item)\nfor i = 0, n - 1 do\n  element(\"List\", i)\n  W.opcode_Item_walk(m.List[i + 1], 1)\n  leave()\nend",
	},
	{
		"list to the end", "stream.Resize(c, &m.List, c.Remaining()/5)\nfor i := range m.List {\nc.Element(\"List\", i)\nc.Field(\"ID\").Int32(new(int32))\nc.End()\n}",
		"m.List = resize(quotient(remaining(), 5), Z.opcode_Item)\nfor i = 0, #m.List - 1 do\n  element(\"List\", i)\n  i32(\"ID\")\n  leave()\nend",
	},
	{"counted loop", "for i := 0; i < 3; i++ {\nc.Element(\"List\", i)\nc.Field(\"A\").Uint8(&m.A)\nc.End()\n}", "for i = 0, 3 - 1 do\n  element(\"List\", i)\n  u8(\"A\")\n  leave()\nend"},
	{"range over a list", "for i := range m.List {\nif c.Remaining() == 0 {\nbreak\n}\nc.Element(\"List\", i)\nc.Field(\"N\").Uint8(&m.List[i].N)\nc.End()\n}", "for i = 0, #m.List - 1 do\n  if remaining() == 0 then\n    break\n  end\n  element(\"List\", i)\n  u8(\"N\")\n  leave()\nend"},
	{"group", "c.Group(\"In\")\nc.Field(\"N\").Uint8(&m.In.N)\nc.End()", "element(\"In\")\nu8(\"N\")\nleave()"},
	{"helper walk", "m.In.walk(c, 1)", "W.opcode_Item_walk(m.In, 1)"},
	{"helper of a named field", "m.Hash.walk(c.Field(\"Hash\"))", "field(\"Hash\")\nW.opcode_Sum_walk(0)"},
	{"helper that changes a field", "m.Hash.walk(c.Field(\"Hash\"))\nif m.Hash == 7 {\nreturn\n}", "field(\"Hash\")\nm.Hash = W.opcode_Sum_walk(m.Hash)\nif m.Hash == 7 then\n  return\nend"},
	{"embedded walk", "m.Base.Walk(c)\nif m.Top == 1 {\nreturn\n}", "W.opcode_Base_Walk(m.Base)\nif m.Base.Top == 1 then\n  return\nend"},
	{"promoted walk", "m.tail(c)", "W.opcode_Base_tail(m.Base)"},
	{"conversion of the message", "(*Other)(m).Walk(c)", "W.opcode_Other_Walk(m)"},
	{"texts", "c.Field(\"T\").String8(&m.T)\nc.Field(\"U\").WString32(&m.U)", "string8(\"T\")\nwstring32(\"U\")"},
	{"length of a text", "c.Field(\"T\").String16(&m.T)\nif len(m.T) == 0 {\nreturn\n}", "m.T = string16(\"T\")\nif #m.T == 0 then\n  return\nend"},
	{"bools", "c.Field(\"On\").Bool(&m.On)\nif !m.On {\nreturn\n}", "m.On = boolean(\"On\")\nif not m.On then\n  return\nend"},
	{"floats", "c.Field(\"P\").Float32s(m.P[:])", "f32s(\"P\", 3)"},
	{"compressed numbers", "c.Field(\"V\").Vector4(&m.V)\nc.Field(\"F\").Float16(&m.F)\nc.Field(\"C\").Contact(&m.C)", "vector4(\"V\")\nf16(\"F\")\ncontact(\"C\")"},
	{"opaque tail", "c.Field(\"Raw\").Rest(&m.Raw, nil)", "rest(\"Raw\", false)"},
	{"opaque tail with bits", "c.Field(\"Raw\").Rest(&m.Raw, &m.Bits)", "rest(\"Raw\", true)"},
	{"fixed bytes", "c.Field(\"IP\").Bytes(m.IP[:])", "bytes(\"IP\", 4)"},
	{"shown type", "c.Field(\"Kind\").Uint8((*uint8)(&m.Kind))\nstream.Show(c, m.Kind)", "m.Kind = u8(\"Kind\")\nshow(T.opcode_Colour, m.Kind)"},
	{"failure", "if m.A > 16 {\nc.Fail(ErrDeep)\nreturn\n}", "if m.A > 16 then\n  fail(\"too deep\")\n  return\nend"},
	{"arithmetic", "n := int(m.A)*2 + 1\nif n/2 == 3 || n%2 == 1 {\nreturn\n}", "local n = (m.A * 2) + 1\nif ((quotient(n, 2)) == 3) or ((remainder(n, 2)) == 1) then\n  return\nend"},
	{"numbers that wrap", "v := uint8(m.B)\nv += 3\nif v == 1 {\nreturn\n}", "local v = m.B % 256\nv = (v + 3) % 256\nif v == 1 then\n  return\nend"},
	{"constant", "const most = 5\nif m.A > most {\nreturn\n}", "if m.A > 5 then\n  return\nend"},
	{"function", "if isShort(c) {\nreturn\n}", "if W.opcode_isShort() then\n  return\nend"},
	{"minimum", "if min(m.A, 3) == 2 {\nreturn\n}", "if (math.min(m.A, 3)) == 2 then\n  return\nend"},
}

// unsupportedWalks are walks that the generator refuses.
var unsupportedWalks = []struct{ name, walk, want string }{
	{"endless loop", "for c.Remaining() > 0 {\nc.Field(\"A\").Uint8(&m.A)\n}", "a loop that is not counted"},
	{"closure", "f := func() {}\nf()", "the expression *ast.FuncLit"},
	{"goto", "goto end\nend:\nreturn", "to a label"},
	{"defer", "defer c.Remaining()", "the statement *ast.DeferStmt"},
	{"map", "x := map[int]int{}\nif len(x) == 0 {\nreturn\n}", "a variable of type"},
	{"floating point", "if m.Float*m.Float > m.Float {\nreturn\n}", "the operator * on float32"},
	{"fallthrough", "switch m.A {\ncase 1:\nfallthrough\ncase 2:\n}", "fallthrough"},
	{"vector that the walk reads", "c.Field(\"V\").Vector4(&m.V)\nx := m.V\n_ = x.Dir", "a walk that reads a value"},
	{"function of the standard library", "if strings.Contains(\"a\", \"b\") {\nreturn\n}", "a call of strings.Contains"},
	{"type switch", "switch any(m).(type) {\n}", "the statement *ast.TypeSwitchStmt"},
	{"parallel assignment", "m.A, m.B = uint8(m.B), int32(m.A)", "a parallel assignment"},
	{"parts of bytes", "if m.Raw[0] == 1 {\nreturn\n}", "a byte of a field"},
	{"error without a text", "c.Fail(fmt.Errorf(\"x\"))", "an error that is not a variable"},
	{"break of a switch", "switch m.A {\ncase 1:\nbreak\n}", "break in a switch"},
	{"name of a field", "name := \"A\"\nname += \"B\"\nc.Field(name).Uint8(&m.A)", "a field whose name is not a constant"},
	{"field named within an expression", "if isShort(c.Field(\"A\")) {\nreturn\n}", "a field that is named within an expression"},
	{"two primitives", "c.Field(\"A\").Uint8(&m.A)\nc.Int32(&m.B)", "two primitives for one field"},
}

const prelude = `package opcode

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bcwire/bcwire/compress"
	"github.com/bcwire/bcwire/stream"
)

var ErrDeep = errors.New("too deep")

var _ = fmt.Sprint
var _ = strings.Contains

type Colour uint8

func (v Colour) String() string {
	switch v {
	case 1:
		return "red"
	}
	return fmt.Sprintf("%%d", int32(v))
}

type Sum uint32

func (h *Sum) walk(c *stream.Codec) { c.Uint32((*uint32)(h)) }

type Item struct {
	ID int32
	N  uint8
}

func (t *Item) walk(c *stream.Codec, depth int) {
	if depth > 2 {
		return
	}
	c.Field("N").Uint8(&t.N)
	t.walk(c, depth+1)
}

type Base struct{ Top uint8 }

func (b *Base) Walk(c *stream.Codec) { c.Field("Top").Uint8(&b.Top) }
func (b *Base) tail(c *stream.Codec) { c.Field("Tail").Uint8(new(uint8)) }

func reuse[E any](c *stream.Codec, list *[]E, n int) { stream.Resize(c, list, n) }

func isShort(c *stream.Codec) bool {
	const most = 4
	return c.Remaining() < most
}

type fields struct {
	Base
	A     uint8
	B     int32
	Kind  Colour
	List  []Item
	In    Item
	Hash  Sum
	T     stream.Text
	U     stream.UTF16
	On    bool
	P     [3]float32
	IP    [4]byte
	V     compress.Vector4
	F     compress.Float16
	C     compress.Contact
	Raw   []byte
	Bits  stream.Bits
	Float float32
}

type Other fields

func (m *Other) Walk(c *stream.Codec) { c.Field("A").Uint8(&m.A) }
`

// walks compiles walks, each of a type of its own: X0, X1 and so on.
func walks(t *testing.T, bodies []string) (*loader, *pkg) {
	root := copyOf(t, "compress", "objectid", "stream")
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(prelude, "%%", "%"))
	for i, body := range bodies {
		fmt.Fprintf(&b, "\ntype X%d fields\n\nfunc (m *X%d) Walk(c *stream.Codec) {\n%s\n}\n", i, i, body)
	}
	require.NoError(t, os.Mkdir(filepath.Join(root, "opcode"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(root, "opcode/x.go"), []byte(b.String()), 0o600))
	l := newLoader(root)
	p, err := l.load("opcode")
	require.NoError(t, err)
	return l, p
}

func compile(t *testing.T, l *loader, p *pkg, i int) (string, error) {
	f, err := l.method(p, fmt.Sprint("X", i), "Walk")
	require.NoError(t, err)
	c := &compiler{l: l}
	if _, err := c.fields(f); err != nil {
		return "", err
	}
	err = c.roots([]*types.Func{f})
	return c.texts[f], err
}

func TestConstructs(t *testing.T) {
	var bodies []string
	for _, c := range constructs {
		bodies = append(bodies, c.walk)
	}
	l, p := walks(t, bodies)
	for i, c := range constructs {
		t.Run(c.name, func(t *testing.T) {
			text, err := compile(t, l, p, i)
			require.NoError(t, err)
			body := strings.TrimSuffix(text, "end\n")
			_, body, _ = strings.Cut(body, "\n")
			want := "  " + strings.ReplaceAll(c.lua, "\n", "\n  ") + "\n"
			require.Equal(t, want, body)
		})
	}
}

func TestUnsupportedConstructs(t *testing.T) {
	var bodies []string
	for _, c := range unsupportedWalks {
		bodies = append(bodies, c.walk)
	}
	l, p := walks(t, bodies)
	for i, c := range unsupportedWalks {
		t.Run(c.name, func(t *testing.T) {
			_, err := compile(t, l, p, i)
			require.ErrorContains(t, err, c.want)
			require.Regexp(t, `x\.go:\d+:\d+: unsupported: `, err.Error())
		})
	}
}

func TestRecursionAndLists(t *testing.T) {
	l, p := walks(t, []string{`n := c.Field("List").Count16(0, 4)
for i := range n {
	c.Element("List", i)
	m.In.walk(c, 1)
	c.End()
}`})
	f, err := l.method(p, "X0", "Walk")
	require.NoError(t, err)
	c := &compiler{l: l}
	root, err := c.fields(f)
	require.NoError(t, err)
	require.Equal(t, []string{"Count16"}, root.members["List"].leaf.kinds)
	require.Equal(t, []string{"Uint8"}, root.members["List"].members["N"].leaf.kinds)
	require.NoError(t, c.roots([]*types.Func{f}))
	require.Contains(t, c.texts[mustMethod(t, l, p, "Item", "walk")], "W.opcode_Item_walk(t, depth + 1)")
}

func mustMethod(t *testing.T, l *loader, p *pkg, typ, name string) *types.Func {
	f, err := l.method(p, typ, name)
	require.NoError(t, err)
	return f
}

func TestEnumeration(t *testing.T) {
	l, p := walks(t, []string{"c.Field(\"Kind\").Uint8((*uint8)(&m.Kind))\nstream.Show(c, m.Kind)"})
	c := &compiler{l: l}
	require.NoError(t, c.roots([]*types.Func{mustMethod(t, l, p, "X0", "Walk")}))
	require.Len(t, c.shown, 1)
	d, roots, err := c.describe(c.shown[0])
	require.NoError(t, err)
	require.Empty(t, roots)
	var b strings.Builder
	d.lua(&b)
	require.Equal(t, "T.opcode_Colour.names = {\n  [1] = \"red\",\n}\nT.opcode_Colour.other = function(v) return string.format(\"%d\", v) end\n", b.String())
}
