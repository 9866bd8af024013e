package transport_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// above gives the types that the methods of a type may not use: a part of a session knows neither
// the session nor the other parts.
var above = map[string][]string{
	"Message":        {"Session", "Hub", "Observer"},
	"messageList":    {"sender", "receiver", "Session", "Hub"},
	"sendChannel":    {"sender", "receiver", "Session", "Hub"},
	"ackQueue":       {"sender", "receiver", "Session", "Hub"},
	"proof":          {"sender", "receiver", "lifecycle", "Session", "Hub"},
	"sender":         {"receiver", "lifecycle", "Session", "Hub"},
	"receiver":       {"sender", "lifecycle", "Session", "Hub"},
	"lifecycle":      {"sender", "receiver", "Session", "Hub"},
	"Session":        {"Hub", "member"},
	"Observer":       {"Session", "Hub", "sender", "receiver"},
	"observedSender": {"Session", "Hub", "sender", "receiver", "Observer"},
	"peerIDs":        {"Hub", "Session"},
	"connectRates":   {"Hub", "Session"},
	"recentConnects": {"Hub", "Session"},
	"members":        {"Hub"},
}

// TestLayers checks that no method uses a type above its own.
func TestLayers(t *testing.T) {
	t.Parallel()
	p, err := load()
	require.NoError(t, err)
	methods := 0
	for _, f := range p.files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			owner := receiverName(p.info.Defs[fn.Name])
			if above[owner] == nil {
				continue
			}
			methods++
			ast.Inspect(fn, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					used := p.info.Uses[id]
					name := receiverName(used)
					if _, ok := used.(*types.TypeName); ok {
						name = used.Name()
					}
					require.NotContains(t, above[owner], name, "%s.%s uses %s", owner, fn.Name.Name, id.Name)
				}
				return true
			})
		}
	}
	for name := range above {
		require.NotNil(t, p.types.Scope().Lookup(name), name)
	}
	require.Greater(t, methods, 150, "the methods are found")
}

// receiverName returns the name of the type of a method, or "".
func receiverName(object types.Object) string {
	fn, ok := object.(*types.Func)
	if !ok || fn.Signature().Recv() == nil {
		return ""
	}
	t := fn.Signature().Recv().Type()
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj().Name()
	}
	return ""
}

// TestHubReadsNoFieldOfSession checks that a Hub reaches its sessions through methods only,
// and that a Session remains a struct of few fields. TestLayers checks the other
// direction.
func TestHubReadsNoFieldOfSession(t *testing.T) {
	t.Parallel()
	p, err := load()
	require.NoError(t, err)
	owner := map[types.Object]string{}
	for _, name := range []string{"Session", "sender", "receiver", "lifecycle"} {
		fields := p.types.Scope().Lookup(name).Type().Underlying().(*types.Struct)
		require.LessOrEqual(t, fields.NumFields(), 15, name)
		for field := range fields.Fields() {
			owner[field] = name
		}
	}
	read := 0
	for id, object := range p.info.Uses {
		if owner[object] == "" {
			continue
		}
		read++
		require.False(t, strings.HasPrefix(p.file(id.Pos()), "hub"), "%s reads %s.%s", p.file(id.Pos()), owner[object], id.Name)
	}
	require.Greater(t, read, 100, "the fields are found")
}

// loadedPackage is this package without its tests, type-checked.
type loadedPackage struct {
	files     []*ast.File
	types     *types.Package
	info      types.Info
	positions *token.FileSet
}

// load loads the package once.
var load = sync.OnceValues(func() (*loadedPackage, error) {
	p := &loadedPackage{info: types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}, positions: token.NewFileSet()}
	entries, err := os.ReadDir(".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(p.positions, e.Name(), nil, 0)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, f)
	}
	exports, err := exportData()
	if err != nil {
		return nil, err
	}
	config := types.Config{Importer: importer.ForCompiler(p.positions, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	p.types, err = config.Check("github.com/bcwire/bcwire/transport", p.positions, p.files, &p.info)
	return p, err
})

// exportData returns the files with the export data of the imported packages, by import path.
// To type-check the sources of these packages would take ten times as long.
func exportData() (files map[string]string, err error) {
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}", ".")
	list.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false") // no -cover
	out, err := list.Output()
	if err != nil {
		return nil, err
	}
	files = map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		files[path] = file
	}
	return files, nil
}

// file returns the name of the file of a position.
func (p *loadedPackage) file(pos token.Pos) string { return p.positions.Position(pos).Filename }
