// Package newmessage adds a message to a copy of the project with the three edits of
// CONTRIBUTING.md, for tests.
package newmessage

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Files of the edits, from the root of the library.
const (
	MessagesFile = "opcode/messages.txt"
	VectorsFile  = "testdata/vectors/payloads-constructed.json"
)

// Edits are the texts of a new message, which clients send to the host.
type Edits struct {
	Name   string
	Opcode byte
	Type   string // the file of the type
	Row    string // a line for messages.txt
	Vector string // a vector in JSON
}

// New returns the edits for a message of five bytes after its opcode. It has the first free opcode
// of the scripts.
func New(t testing.TB, root, name string) Edits {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, MessagesFile))
	require.NoError(t, err)
	op := 0x3A
	for strings.Contains(string(text), fmt.Sprintf("\n0x%02X ", op)) {
		op++
	}
	fill := strings.NewReplacer("NAME", name, "CODE", fmt.Sprintf("0x%02X", op), "HEX", fmt.Sprintf("%02x", op))
	return Edits{name, byte(op), fill.Replace(typeFile), fill.Replace(row), fill.Replace(vector)}
}

const (
	typeFile = `package opcode

import "github.com/bcwire/bcwire/stream"

// NAME tells the host the time on its sender's clock.
//
//	offset  size  field
//	0       1     CODE
//	1       1     Seq
//	2       4     Time, seconds
//
// Evidence: inferred. A script message.
type NAME struct {
	Seq  uint8
	Time float32
}

func (*NAME) authorize(authority) *AuthError { return nil }

// Walk implements [Message].
func (m *NAME) Walk(c *stream.Codec) {
	c.Field("Seq").Uint8(&m.Seq)
	c.Field("Time").Float32(&m.Time)
}
`
	row    = "CODE NAME script up reliable host inferred 6 6 6 match\n"
	vector = `{"name": "NAME", "kind": "constructed", "sources": ["[inferred]"], "aliases": [], "dir": "c2s", "hex": "HEX070000803f",
  "opcode": "CODE", "message": "NAME", "fields": {"seq": 7, "time": 1.0}, "floatBits": {"time": "3f800000"}, "error": "", "errorAt": "", "note": ""}`
)

// Apply makes the edits that have a text.
func (e Edits) Apply(t testing.TB, root string) {
	t.Helper()
	if e.Type != "" {
		require.NoError(t, os.WriteFile(filepath.Join(root, e.TypeFile()), []byte(e.Type), 0o600))
	}
	if e.Row != "" {
		edit(t, filepath.Join(root, MessagesFile), func(text string) string { return insert(t, text, e.Row, int(e.Opcode)) })
	}
	if e.Vector != "" {
		edit(t, filepath.Join(root, VectorsFile), func(text string) string {
			list, found := strings.CutSuffix(strings.TrimSpace(text), "]")
			require.True(t, found)
			return list + ", " + e.Vector + "]\n"
		})
	}
}

// TypeFile returns the name of the file of the type, from the root of the library.
func (e Edits) TypeFile() string { return "opcode/" + strings.ToLower(e.Name) + ".go" }

var opcodes = regexp.MustCompile(`(?m)^0x(\w\w) `)

// insert inserts a row before the first row with a higher opcode.
func insert(t testing.TB, text, row string, op int) string {
	for _, m := range opcodes.FindAllStringSubmatchIndex(text, -1) {
		n, err := strconv.ParseInt(text[m[2]:m[3]], 16, 0)
		require.NoError(t, err)
		if int(n) > op {
			return text[:m[0]] + row + text[m[0]:]
		}
	}
	return text + row
}

// CopyModules copies both modules, without hidden files except the pages that tests read.
func CopyModules(t testing.TB, root, to string) {
	t.Helper()
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") || e.Name() == ".github" {
			Copy(t, root, to, e.Name())
		}
	}
}

// Copy copies files and directories of a project.
func Copy(t testing.TB, root, to string, names ...string) {
	t.Helper()
	for _, name := range names {
		from := filepath.Join(root, name)
		info, err := os.Stat(from)
		require.NoError(t, err)
		if info.IsDir() {
			require.NoError(t, os.CopyFS(filepath.Join(to, name), os.DirFS(from)))
			continue
		}
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(to, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(to, name), text, 0o600))
	}
}

// Replace replaces a text in a file once.
func Replace(t testing.TB, file, from, to string) {
	t.Helper()
	edit(t, file, func(text string) string {
		require.Contains(t, text, from)
		return strings.Replace(text, from, to, 1)
	})
}

func edit(t testing.TB, file string, f func(text string) string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(f(string(text))), 0o600))
}
