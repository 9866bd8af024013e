package transport_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// layer is a group of files that may refer to the layers below.
type layer struct {
	name  string
	apart bool // the files may not refer to each other
	files []string
}

// layers is the order of the package, from the lowest layer.
var layers = []layer{
	{name: "framing", files: []string{
		"error.go", "message.go", "message_wire.go", "body.go", "system.go",
		"datagram.go", "dissect.go", "reassembler.go",
	}},
	{name: "base of a session", files: []string{
		"session_options.go", "session_queue.go", "session_acks.go", "session_proof.go", "openbc.go",
	}},
	{name: "observer", files: []string{"observer.go", "observer_clone.go", "observer_sender.go"}},
	{name: "parts of a session", apart: true, files: []string{
		"session_sender.go", "session_receiver.go", "session_lifecycle.go",
	}},
	{name: "session", files: []string{
		"session.go", "session_event.go", "session_input.go", "session_output.go", "session_open_close.go",
	}},
	{name: "base of a hub", files: []string{"hub_admission.go"}},
	{name: "hub", files: []string{"hub.go", "hub_members.go", "hub_connect.go"}},
}

// TestLayers checks the references between the files of the package: no file refers to a
// layer above its own. With -v it prints all references.
func TestLayers(t *testing.T) {
	t.Parallel()
	p, err := load()
	require.NoError(t, err)
	place := map[string]int{"doc.go": -1}
	for i, l := range layers {
		for _, f := range l.files {
			place[f] = i
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(place)), p.names, "every file has a layer")

	names := map[[2]string][]string{} // that a file takes from another one
	for id, object := range p.info.Uses {
		if object.Pkg() != p.types || !object.Pos().IsValid() {
			continue
		}
		if from, to := p.file(id.Pos()), p.file(object.Pos()); from != to {
			names[[2]string{from, to}] = append(names[[2]string{from, to}], object.Name())
		}
	}
	upward := []string{}
	for edge, used := range names {
		from, to := place[edge[0]], place[edge[1]]
		line := fmt.Sprintf("%s -> %s: %v", edge[0], edge[1], slices.Compact(slices.Sorted(slices.Values(used))))
		t.Log(line)
		if to > from || to == from && layers[from].apart {
			upward = append(upward, line)
		}
	}
	require.Empty(t, upward, "references against the layers")
	require.Greater(t, len(names), 50, "the references are found")
}

// TestHubReadsNoFieldOfSession checks that a Hub reaches its sessions through methods only,
// and that a Session remains a struct of few fields. TestLayers checks the other direction.
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
	names     []string // of its files
	types     *types.Package
	info      types.Info
	positions *token.FileSet
}

// load loads the package once.
var load = sync.OnceValues(func() (*loadedPackage, error) {
	p := &loadedPackage{info: types.Info{Uses: map[*ast.Ident]types.Object{}}, positions: token.NewFileSet()}
	entries, err := os.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f, err := parser.ParseFile(p.positions, e.Name(), nil, 0)
		if err != nil {
			return nil, err
		}
		p.names, files = append(p.names, e.Name()), append(files, f)
	}
	exports, err := exportData()
	if err != nil {
		return nil, err
	}
	config := types.Config{Importer: importer.ForCompiler(p.positions, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})}
	p.types, err = config.Check("github.com/bcwire/bcwire/transport", p.positions, files, &p.info)
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
