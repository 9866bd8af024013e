//go:build ignore

// Gen writes message_gen.go and doc_gen.go from messages.txt and the doc comments of the types.
// The first file holds the opcodes, the facts about each opcode, and the methods that every message
// has. The second file holds the lists and the table of messages in the package documentation.
//
// The methods are static code for each type, because a walk that is called through an interface
// would move its codec to the heap. Two methods of a type are optional. If a type keeps memory, it
// has a method reset, or consists of one type with that method. UnmarshalBinary first tries the
// method fast, which reports whether it has decoded the payload.
//
// Go doc shows the package documentation in doc.go, doc_gen.go and doc_guide.go in this order.
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

// message is a row of messages.txt.
type message struct {
	Op, Name, Engine, Direction, Delivery, Relay, Evidence, Min, Max, Stock, Group string
}

func (m message) Dead() bool { return m.Evidence == "dead" }

// Up reports whether clients send the message.
func (m message) Up() bool { return m.Direction == "up" || m.Direction == "both" }

// Size returns a size as a number, 0 for "-".
func (m message) Size(s string) string {
	if s == "-" {
		return "0"
	}
	return s
}

// Resets reports whether the type has a reset method.
func (m message) Resets() bool { return methods[m.Name+".reset"] || methods[only[m.Name]+".reset"] }

// Fast reports whether the type has a fast method.
func (m message) Fast() bool { return methods[m.Name+".fast"] }

// Zero returns the statement that clears the message.
func (m message) Zero() string {
	if m.Resets() {
		return "m.reset()"
	}
	return "*m = " + m.Name + "{}"
}

// Item returns the item of the message in the lists: the first clause of the type's doc, and
// other names of the message.
func (m message) Item() string {
	doc := strings.Join(strings.Fields(docs[m.Name]), " ")
	clause, found := strings.CutPrefix(regexp.MustCompile(`^[^.;]*`).FindString(doc), m.Name)
	if !found {
		log.Fatalf("the doc of %s does not begin with its name", m.Name)
	}
	item := "[" + m.Name + "]" + clause + "."
	if _, names, found := strings.Cut(doc, " Other names: "); found {
		item += " Also " + regexp.MustCompile(`^[^.;]*`).FindString(names) + "."
	}
	return wrap(item, "//   - ", "//     ")
}

// wrap breaks a text into lines, which begin with first or further.
func wrap(text, first, further string) string {
	const width = 99
	lines := first
	n := len(first)
	for i, word := range strings.Fields(text) {
		if i > 0 && n+1+len(word) > width {
			lines += "\n" + further
			n = len(further)
		} else if i > 0 {
			lines += " "
			n++
		}
		lines += word
		n += len(word)
	}
	return lines
}

// group is a list of messages in the package documentation.
type group struct{ name, Heading string }

var groups = []group{
	{"joining", "Joining a game"},
	{"files", "Comparing and sending files, during a join"},
	{"players", "Players, chat and teams"},
	{"objects", "Ships and other objects: creation, motion, warp, removal"},
	{"weapons", "Weapons and targets"},
	{"systems", "Subsystems, repair and cloaking"},
	{"damage", "Damage and death"},
	{"match", "Score and the end of a match"},
}

// Has reports whether a message is in the list.
func (g group) Has(m message) bool { return g.name == m.Group }

var (
	docs    = map[string]string{} // of types
	methods = map[string]bool{}   // declared by hand, "StateUpdate.reset"
	only    = map[string]string{} // the type in a struct that has only one embedded field
)

// read fills docs, methods and only from the source of the package.
func read() {
	files, err := filepath.Glob("*.go")
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_gen.go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			log.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil {
					return false
				}
				if typ := typeName(n.Recv.List[0].Type); typ != "" {
					methods[typ+"."+n.Name.Name] = true
				}
				return false
			case *ast.GenDecl:
				if n.Tok == token.TYPE {
					docs[n.Specs[0].(*ast.TypeSpec).Name.Name] = n.Doc.Text()
				}
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok && len(s.Fields.List) == 1 && s.Fields.List[0].Names == nil {
					only[n.Name.Name] = typeName(s.Fields.List[0].Type)
				}
			}
			return true
		})
	}
}

// typeName returns the name of a type or of the type that it points to, "" for a generic type.
func typeName(e ast.Expr) string {
	if p, ok := e.(*ast.StarExpr); ok {
		e = p.X
	}
	if id, ok := e.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

var line = regexp.MustCompile(`^(0x\w\w) +(\w+) +(\w+) +(\w+) +(\w+) +(\w+) +(\w+) +(\d+) +(\d+|-) +(\d+|-) +(\w+|-)$`)

func main() {
	text, err := os.ReadFile("messages.txt")
	if err != nil {
		log.Fatal(err)
	}
	var messages []message
	for _, l := range strings.Split(string(text), "\n") {
		if l == "" || strings.HasPrefix(l, "#") || strings.HasPrefix(l, "op ") {
			continue
		}
		f := line.FindStringSubmatch(l)
		if f == nil {
			log.Fatalf("messages.txt: %q", l)
		}
		messages = append(messages, message{f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10], f[11]})
	}
	read()
	write("message_gen.go", code, messages)
	write("doc_gen.go", lists, messages)
}

func write(name, text string, messages []message) {
	funcs := template.FuncMap{"title": title, "printf": fmt.Sprintf, "groups": func() []group { return groups }}
	var b bytes.Buffer
	if err := template.Must(template.New("").Funcs(funcs).Parse(text)).Execute(&b, messages); err != nil {
		log.Fatal(err)
	}
	src, err := format.Source(b.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(name, src, 0o644); err != nil {
		log.Fatal(err)
	}
}

// title returns a word as the end of a Go name.
func title(s string) string {
	if s == "joinall" {
		return "JoinAll"
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

const lists = `// Code generated by gen.go; DO NOT EDIT.

// # Messages
//
// Types have the names that the game's community uses, even if a name misleads. Other names follow
// after "Also". The owner of a ship is the client of its player, or the host for other ships.
{{- range $group := groups}}
//
// {{.Heading}}:
{{- range $}}{{if and (not .Dead) ($group.Has .)}}
{{.Item}}
{{- end}}{{end}}
{{- end}}
//
// # Senders and receivers
//
// Clients send messages up to the host, and the host sends messages down. Reliable messages are
// acknowledged and retransmitted; a message with delivery "once" may be lost. [Relay] explains
// the column relay. [Code.Info] returns these facts. Messages of the mission scripts have no
// engine name.
//
//	op    type                  engine name              direction  delivery  relay       evidence
{{- range .}}{{if not .Dead}}
//	{{.Op}}  {{printf "%-20s  %-23s  %-9s  %-8s  %-10s  %s" .Name .Engine .Direction .Delivery .Relay .Evidence}}
{{- end}}{{end}}
package opcode
`

const code = `// Code generated by gen.go; DO NOT EDIT.

package opcode

import (
	"log/slog"

	"github.com/bcwire/bcwire/stream"
)

// Opcodes. The table in the package documentation has the engine's names. OpTorpedoPosition,
// OpBeginSendFile and OpDirectory are unused: payloads with these opcodes decode as [*Unknown].
const (
{{- range .}}
	Op{{.Name}} Code = {{.Op}}
{{- end}}
)

var names = [256]string{
{{- range .}}
	Op{{.Name}}: "{{.Name}}",
{{- end}}
}

var infos = [256]Info{
{{- range .}}
	Op{{.Name}}: { {{- if not .Dead}}Direction: Dir{{title .Direction}}, Relay: Relay{{title .Relay}}, Evidence: Evidence{{title .Evidence}}, Unreliable: {{eq .Delivery "once"}}, {{end}}MinSize: {{.Min}}, MaxSize: {{.Size .Max}}, StockSize: {{.Size .Stock}}},
{{- end}}
}

// New returns a zero message of the type for op, or an [*Unknown] if there is no type.
func New(op Code) Message {
	switch op {
{{- range .}}{{if not .Dead}}
	case Op{{.Name}}:
		return new({{.Name}})
{{- end}}{{end}}
	}
	return &Unknown{Op: op}
}

// message checks a message by its type. Types of mods have no case.
func (a *authority) message(m Message) {
	switch m := m.(type) {
{{- range .}}{{if and .Up (not .Dead)}}
	case *{{.Name}}:
		m.authorize(a)
{{- end}}{{end}}
	case {{$more := false}}{{range .}}{{if not (or .Up .Dead)}}{{if $more}}, {{end}}{{$more = true}}*{{.Name}}{{end}}{{end}}:
		a.direction()
	default:
		a.foreign(m)
	}
}
{{range .}}{{if not .Dead}}
// Opcode returns Op{{.Name}}.
func (*{{.Name}}) Opcode() Code { return Op{{.Name}} }

// UnmarshalBinary decodes a payload, which the message may alias.
func (m *{{.Name}}) UnmarshalBinary(payload []byte) error {
	{{.Zero}}
{{- if .Fast}}
	if m.fast(payload) {
		return nil
	}
	{{.Zero}}
{{- end}}
	var c stream.Codec
	c.Decode(payload, uint8(Op{{.Name}}))
	m.Walk(&c)
	if c.Done() {
		return nil
	}
	{{.Zero}}
	c.Again("opcode.{{.Name}}")
	m.Walk(&c)
	return c.Err()
}

// AppendBinary appends the payload to dst. On error it returns dst unchanged.
func (m *{{.Name}}) AppendBinary(dst []byte) ([]byte, error) {
	var c stream.Codec
	c.Append(dst, uint8(Op{{.Name}}))
	m.Walk(&c)
	if !c.Done() {
		c.Again("opcode.{{.Name}}")
		m.Walk(&c)
	}
	return c.Result()
}

// MarshalBinary returns the payload.
func (m *{{.Name}}) MarshalBinary() ([]byte, error) { return m.AppendBinary(nil) }

// String returns the message in one line.
func (m *{{.Name}}) String() string { return Line(m) }

// LogValue returns the first 24 fields as a group.
func (m *{{.Name}}) LogValue() slog.Value { return logValue(m) }
{{end}}{{end}}`
