//go:build ignore

// Gen writes message_gen.go and table_gen.go from messages.txt. The first file holds the
// opcodes, the facts about each opcode, and the methods that every message has. The second
// file holds the tables in the package documentation. The methods are static code for each type,
// because a walk that is called through an interface would move its codec to the heap.
//
// Two methods of a type are optional. UnmarshalBinary begins with reset, of the type or of the
// only type in it, if the type keeps memory. It then tries fast, which reports whether it has
// decoded the payload, before the walk.
//
// A type of a message of clients tells in its doc comment which part its fields play for
// Authorize: "Authorize: TubeID (sender's), PlayerID, TargetID (anybody's)."
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

// message is a line of messages.txt.
type message struct {
	Op, Name, Engine, Direction, Delivery, Relay, Evidence, Min, Max, Stock string
}

func (m message) Dead() bool   { return m.Evidence == "dead" }
func (m message) Script() bool { return m.Engine == "script" }

// Up reports whether clients send the message.
func (m message) Up() bool { return m.Direction == "up" || m.Direction == "both" }

// Size is a size as a number, 0 for none.
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

// Zero is the statement that clears the message.
func (m message) Zero() string {
	if m.Resets() {
		return "m.reset()"
	}
	return "*m = " + m.Name + "{}"
}

// Parts returns the row of the message in the table of fields, "" if it has no such fields.
func (m message) Parts() string {
	_, text, ok := strings.Cut(docs[m.Name], "\nAuthorize: ")
	if !ok {
		return ""
	}
	text, _, _ = strings.Cut(text, "\n\n")
	row := fmt.Sprintf("%-18s", m.Name)
	for i, part := range parts {
		fields := "-"
		for _, clause := range clause.FindAllStringSubmatch(strings.ReplaceAll(text, "\n", " "), -1) {
			if clause[2] == part {
				fields = clause[1]
			}
		}
		row += fmt.Sprintf("  %-*s", widths[i], fields)
	}
	return strings.TrimRight(row, " ")
}

// The columns of the table of fields.
var (
	parts  = []string{"sender's", "sender's ship", "sender's or none", "anybody's"}
	widths = []int{32, 13, 16, 0}
)

// clause is some fields and their part.
var clause = regexp.MustCompile(`(\w+(?:, \w+)*) \(([^)]*)\)`)

var (
	docs    = map[string]string{} // of types
	methods = map[string]bool{}   // declared by hand, "StateUpdate.reset"
	only    = map[string]string{} // the embedded type of a struct that consists of one
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

var line = regexp.MustCompile(`^(0x\w\w) +(\w+) +(\w+) +(\w+) +(\w+) +(\w+) +(\w+) +(\d+) +(\d+|-) +(\d+|-)$`)

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
		messages = append(messages, message{f[1], f[2], f[3], f[4], f[5], f[6], f[7], f[8], f[9], f[10]})
	}
	read()
	write("message_gen.go", code, messages)
	write("table_gen.go", table, messages)
}

func write(name, text string, messages []message) {
	funcs := template.FuncMap{"title": title, "printf": fmt.Sprintf, "heading": heading}
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

// heading returns the columns of the table of fields.
func heading() (line string) {
	for i, part := range parts {
		line += fmt.Sprintf("%-*s  ", widths[i], part)
	}
	return strings.TrimRight(line, " ")
}

// title is a word as the end of a Go name.
func title(s string) string {
	if s == "joinothers" {
		return "JoinOthers"
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

const table = `// Code generated by gen.go; DO NOT EDIT.

// # Messages
//
// Up is from a client to the host, down from the host. [Code.Info] has this table as
// data.
//
//	op    type                  direction  delivery  relay       evidence
{{- range .}}{{if not .Dead}}
//	{{.Op}}  {{printf "%-20s  %-9s  %-8s  %-10s  %s" .Name .Direction .Delivery .Relay .Evidence}}
{{- end}}{{end}}
//
// # Fields that name players
//
// These are the fields of clients' messages that name a player or an object, by what
// [Authorize] requires of them. A dash stands for no fields.
//
//	message             {{heading}}
{{- range .}}{{if and .Up .Parts}}
//	{{.Parts}}
{{- end}}{{end}}
package opcode
`

const code = `// Code generated by gen.go; DO NOT EDIT.

package opcode

import (
	"log/slog"

	"github.com/bcwire/bcwire/stream"
)

// The opcodes, with the engine's names for them. Those without one belong to the scripts
// of the stock missions.
const (
{{- range .}}
	Op{{.Name}} Code = {{.Op}}{{if not .Script}} // {{.Engine}}{{end}}
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

// New returns a zero message of an opcode, an [*Unknown] if no type is known for it.
func New(op Code) Message {
	switch op {
{{- range .}}{{if not .Dead}}
	case Op{{.Name}}:
		return new({{.Name}})
{{- end}}{{end}}
	}
	return &Unknown{Op: op}
}

// message checks a message by its type. Types of mods have no case, even those that embed a
// type of this package.
func (a *authority) message(m Message) {
	switch m := m.(type) {
{{- range .}}{{if and .Up (not .Dead)}}
	case *{{.Name}}:
		m.authorize(a)
{{- end}}{{end}}
	case {{$more := false}}{{range .}}{{if not (or .Up .Dead)}}{{if $more}}, {{end}}{{$more = true}}*{{.Name}}{{end}}{{end}}:
		a.refuse("", ErrDirection, nil, nil)
	default:
		a.foreign()
	}
}
{{range .}}{{if not .Dead}}
// Opcode returns Op{{.Name}}.
func (*{{.Name}}) Opcode() Code { return Op{{.Name}} }

// UnmarshalBinary decodes a payload, which the message may alias. It overwrites every
// field{{if .Resets}}, lists in the memory that they have,{{end}} and returns a [*stream.Error].
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

// AppendBinary appends the payload to dst, which must not share memory with the payload
// that the message was decoded from. On error it returns dst as it was and a
// [*stream.Error].
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

// String returns the message in a line.
func (m *{{.Name}}) String() string { return Line(m) }

// LogValue returns the fields that are on the wire.
func (m *{{.Name}}) LogValue() slog.Value { return logValue(m) }
{{end}}{{end}}`
