package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/newmessage"
)

const library = "../../.."

// The messages of the project have no problems.
func TestNoProblems(t *testing.T) { require.Empty(t, problems(library)) }

// mistake is a wrong text in one of the edits. An empty text stands for the whole edit. In the
// texts, CODE stands for the opcode, ROW for the place of the row, and VECTOR for the place of the
// vector.
type mistake struct {
	edit     func(*newmessage.Edits) *string
	from, to string
	want     string // a problem
}

// The three edits.
func typ(e *newmessage.Edits) *string    { return &e.Type }
func line(e *newmessage.Edits) *string   { return &e.Row }
func vector(e *newmessage.Edits) *string { return &e.Vector }

var mistakes = map[string]mistake{
	"no type":          {typ, "", "", "ROW: package opcode has no type ProbeA: add one in opcode/probea.go, or remove the row"},
	"no Walk":          {typ, ") Walk(", ") walk(", "opcode/probea.go: ProbeA has no method Walk(*stream.Codec)"},
	"no authorize":     {typ, "func (*ProbeA) authorize(authority) *AuthError { return nil }", "", "opcode/probea.go: clients send ProbeA, but it has no method authorize(authority) *AuthError"},
	"other authorize":  {typ, "authorize(authority) *AuthError", "authorize(*authority) *AuthError", "opcode/probea.go: clients send ProbeA, but it has no method authorize(authority) *AuthError"},
	"other Walk":       {typ, "c *stream.Codec", "c stream.Codec", "opcode/probea.go: ProbeA has no method Walk(*stream.Codec)"},
	"no sentence":      {typ, "// ProbeA tells the host the time on its sender's clock.\n//\n", "", `opcode/probea.go: the doc of ProbeA does not begin with a sentence about it, such as "// ProbeA tells the host …"`},
	"no engine name":   {typ, " A script message.", "", `opcode/probea.go: the doc of ProbeA has no sentence "A script message.", but its engine name is script in opcode/messages.txt`},
	"no grade":         {typ, "Evidence: inferred. ", "", `opcode/probea.go: the doc of ProbeA does not have the grade in ROW: "Evidence: inferred."`},
	"no opcode":        {typ, "//\t0       1     CODE\n", "", `opcode/probea.go: the doc of ProbeA has no layout table that begins with the opcode: "0       1     CODE"`},
	"other opcode":     {typ, "CODE", "0xEE", "opcode/probea.go: the layout table of ProbeA has the opcode 0xEE, but ROW has CODE"},
	"type: syntax":     {typ, "Seq  uint8", "Seq :=", "opcode/probea.go:14:6: "},
	"no row":           {line, "", "", "opcode/messages.txt has no row for ProbeA (CODE), which is in opcode/probea.go: add one"},
	"half a row":       {line, " match", "", `ROW: not a row such as "0x3A Ping script up reliable host inferred 6 6 6 match": "CODE ProbeA script up reliable host inferred 6 6 6"`},
	"engine name":      {line, "script", "PROBE", "opcode/probea.go: the doc of ProbeA lacks its engine name PROBE, which is in opcode/messages.txt"},
	"direction":        {line, " up ", " out ", `ROW: direction "out" has no constant in package opcode that begins with Dir`},
	"relay":            {line, " host ", " guest ", `ROW: relay "guest" has no constant in package opcode that begins with Relay`},
	"delivery":         {line, " reliable ", " twice ", `ROW: delivery "twice" is neither reliable nor once`},
	"group":            {line, " match", " games", `ROW: group "games" is not in opcode/gen.go, which has joining, files, players,`},
	"opcode twice":     {line, "CODE", "0x01", "ROW: 0x01 is already in line "},
	"name twice":       {line, "ProbeA", "GameInit", "ROW: GameInit is already in line "},
	"order":            {line, "CODE", "0xFE", " stands after 0xFE: rows are in the order of the opcodes"},
	"no vector":        {vector, "", "", "testdata/vectors/payloads-constructed.json has no vector for ProbeA (CODE): add one"},
	"vector: hex":      {vector, "070000803f", "070000803", "testdata/vectors/payloads-constructed.json: ProbeA: encoding/hex: odd length hex string"},
	"vector: opcode":   {vector, `"opcode": "CODE"`, `"opcode": "0xEE"`, "testdata/vectors/payloads-constructed.json: ProbeA: opcode is 0xEE, but the first byte is CODE"},
	"vector: message":  {vector, `"message": "ProbeA"`, `"message": "Prob"`, "testdata/vectors/payloads-constructed.json: ProbeA: message is Prob, but CODE is ProbeA in opcode/messages.txt"},
	"vectors: syntax":  {vector, `"name":`, `"name";`, "VECTOR: invalid character ';' after object key"},
	"nothing is wrong": {},
}

// Each mistake in the edits gives a problem that names the file to edit.
func TestProblems(t *testing.T) {
	for name, m := range mistakes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			newmessage.Copy(t, library, root, "opcode", filepath.Dir(newmessage.VectorsFile))
			e := newmessage.New(t, root, "ProbeA")
			code := fmt.Sprintf("0x%02X", e.Opcode)
			if m.edit != nil {
				m.make(t, &e, code)
			}
			e.Apply(t, root)

			var got []string
			for _, err := range problems(root) {
				got = append(got, err.Error())
			}

			if m.want == "" {
				require.Empty(t, got)
				return
			}
			want := strings.NewReplacer("CODE", code, "ROW", place(t, root, newmessage.MessagesFile, e.Row), "VECTOR", place(t, root, newmessage.VectorsFile, e.Vector)).Replace(m.want)
			require.Contains(t, strings.Join(got, "\n"), want)
		})
	}
}

// make makes the mistake.
func (m mistake) make(t *testing.T, e *newmessage.Edits, code string) {
	text := m.edit(e)
	if m.from == "" {
		*text = ""
		return
	}
	from := strings.ReplaceAll(m.from, "CODE", code)
	require.Contains(t, *text, from)
	*text = strings.Replace(*text, from, strings.ReplaceAll(m.to, "CODE", code), 1)
}

// place returns the file and the number of the line in which a text begins.
func place(t *testing.T, root, file, text string) string {
	all, err := os.ReadFile(filepath.Join(root, file))
	require.NoError(t, err)
	before, _, found := strings.Cut(string(all), text)
	require.True(t, found)
	return fmt.Sprintf("%s:%d", file, strings.Count(before, "\n")+1)
}
