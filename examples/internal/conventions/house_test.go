package conventions

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	root   = "../../.."
	module = "github.com/bcwire/bcwire"
)

// graph lists the packages of the library that each package may import.
var graph = map[string][]string{
	"cipher":              {},
	"compress":            {},
	"objectid":            {},
	"gamespy":             {"stream"}, // for its text conversion only
	"gamespy/query":       {"gamespy"},
	"stream":              {"compress", "objectid"},
	"transport":           {"stream", "objectid"},
	"opcode":              {"stream", "compress", "objectid"},
	"checksum":            {"opcode", "stream", "transport"},                         // transport only for its limit of payloads
	"join":                {"transport", "opcode", "checksum", "objectid", "stream"}, // no sockets, no ships
	"stateupdate":         {"opcode", "stream", "compress", "objectid"},
	"transport/udp":       {"join", "transport", "opcode", "cipher", "objectid", "stream"},
	"match":               {"transport", "transport/recording", "opcode", "stateupdate", "objectid", "cipher", "stream"},
	"transport/recording": {},
}

// anywhere lists the packages of the standard library that every package may import. They have
// no access to files or networks. Neither reflect nor unsafe is among them.
var anywhere = []string{
	"bytes", "cmp", "container/heap", "container/list", "encoding", "encoding/base64", "encoding/binary", "encoding/json", "errors", "fmt", "hash", "io", "io/fs",
	"iter", "log/slog", "math", "math/bits", "net/netip", "path", "slices", "strconv", "strings", "time", "unicode",
	"unicode/utf16", "unicode/utf8",
}

// outside lists the other packages of the standard library that a package may import.
var outside = map[string][]string{
	"checksum":            {"embed", "os"}, // the manifest of the game; os.SameFile, to find cycles of links
	"gamespy/query":       {"context", "net", "os"},
	"join":                {"crypto/rand"}, // the source of the Hub, by default
	"transport":           {"crypto/rand"}, // peer IDs that cannot be guessed
	"transport/udp":       {"context", "encoding", "math/rand/v2", "net", "os", "sync", "syscall"},
	"transport/recording": {"bufio", "encoding/hex"},
	"opcode":              {"sync/atomic"}, // the codec of a mod's message, which goroutines may share
}

// library parses the packages of the library, without tests and generators.
func library(t *testing.T) (packages map[string][]*ast.File, positions *token.FileSet) {
	t.Helper()
	packages, positions = map[string][]*ast.File{}, token.NewFileSet()
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || name == "examples" || strings.HasPrefix(name, ".") && name != ".." && file != root):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(positions, file, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		if f.Name.Name != "main" { // a generator
			dir, err := filepath.Rel(root, filepath.Dir(file))
			if err != nil {
				return err
			}
			packages[filepath.ToSlash(dir)] = append(packages[filepath.ToSlash(dir)], f)
		}
		return nil
	})
	require.NoError(t, err)
	return packages, positions
}

// Packages import only the listed packages of the library and the standard library.
func TestImports(t *testing.T) {
	packages, _ := library(t)
	require.Len(t, packages, len(graph))
	for name, files := range packages {
		allowed, known := graph[name]
		require.True(t, known, name)
		for _, f := range files {
			for _, i := range f.Imports {
				imported, err := strconv.Unquote(i.Path.Value)
				require.NoError(t, err)
				if inside, ok := strings.CutPrefix(imported, module+"/"); ok {
					require.Contains(t, allowed, inside, name)
					continue
				}
				require.Contains(t, append(outside[name], anywhere...), imported, name)
			}
		}
	}
}

// No code runs at import: there are no init functions and no computed variables.
func TestNothingAtImport(t *testing.T) {
	packages, positions := library(t)
	for _, files := range packages {
		for _, f := range files {
			for _, d := range f.Decls {
				if fn, ok := d.(*ast.FuncDecl); ok {
					require.False(t, fn.Recv == nil && fn.Name.Name == "init", positions.Position(fn.Pos()))
				}
				if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
					requireConstant(t, positions, g)
				}
			}
		}
	}
}

// requireConstant requires that variables are constant data. The compiler evaluates errors.New.
func requireConstant(t *testing.T, positions *token.FileSet, g *ast.GenDecl) {
	t.Helper()
	ast.Inspect(g, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		where := positions.Position(call.Pos())
		switch fn := call.Fun.(type) {
		case *ast.SelectorExpr:
			x, _ := fn.X.(*ast.Ident)
			require.True(t, x != nil && x.Name == "errors" && fn.Sel.Name == "New", where)
		case *ast.Ident:
			require.True(t, ast.IsExported(fn.Name) || slices.Contains([]string{"uint8", "uint16", "uint32", "int8", "len"}, fn.Name), where)
		}
		return true
	})
}
