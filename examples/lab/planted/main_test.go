package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/bcwire/bcwire/examples/lab/sim/simulation" // a change of its sources runs the test again, which go test keeps
)

// goPackage is a package as "go list" prints it.
type goPackage struct {
	Dir, ImportPath, Export string
	GoFiles                 []string
}

// Each patch applies, and the package with the bug compiles.
func TestPatches(t *testing.T) {
	const root = "../../.."
	bugs, err := plant(root, t.TempDir())
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(bugs), 30)
	list := exec.Command("go", "list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles", "..")
	list.Stderr = os.Stderr
	out, err := list.Output()
	require.NoError(t, err)
	exports, byDir := map[string]string{}, map[string]goPackage{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		exports[p.ImportPath], byDir[p.Dir] = p.Export, p
	}
	files := token.NewFileSet()
	imports := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, b := range bugs {
		p, ok := byDir[filepath.Dir(b.original)]
		require.True(t, ok, "%s: sim does not use %s", b.name, b.original)
		var sources []*ast.File
		for _, name := range p.GoFiles {
			name = filepath.Join(p.Dir, name)
			if name == b.original {
				name = b.file
			}
			f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
			require.NoError(t, err, b.name)
			sources = append(sources, f)
		}
		_, err := (&types.Config{Importer: imports}).Check(p.ImportPath, files, sources, nil)
		require.NoError(t, err, b.name)
	}
}
