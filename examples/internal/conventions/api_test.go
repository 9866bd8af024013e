package conventions

import (
	"bytes"
	"flag"
	"go/ast"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "record the exported surface and the numbers in the README files")

// The exported surface is the recorded one. A deliberate change is recorded with -update.
func TestAPI(t *testing.T) {
	packages, positions := library(t)
	for name, files := range packages {
		got := surface(t, positions, files)
		file := filepath.Join(root, "testdata", "api", strings.ReplaceAll(name, "/", "_")+".txt")
		if *update {
			require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
			require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			continue
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, string(want), got, "%s: the surface has changed; if this is intended, run go run -C examples ./internal/generate", name)
	}
}

// surface returns the exported declarations of a package without comments and bodies,
// sorted.
func surface(t *testing.T, positions *token.FileSet, files []*ast.File) string {
	t.Helper()
	var all []string
	for _, f := range files {
		ast.FileExports(f)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && !exportedReceiver(fn) {
				continue
			}
			strip(d)
			var b bytes.Buffer
			require.NoError(t, (&printer.Config{Mode: printer.UseSpaces, Tabwidth: 4}).Fprint(&b, positions, d))
			all = append(all, b.String()+"\n")
		}
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// strip removes comments and bodies.
func strip(d ast.Decl) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			n.Doc, n.Body = nil, nil
		case *ast.GenDecl:
			n.Doc = nil
		case *ast.TypeSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.ValueSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.Field:
			n.Doc, n.Comment = nil, nil
		}
		return true
	})
}
