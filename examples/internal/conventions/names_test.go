package conventions

import (
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// names returns the exported names of a package of the library or the standard library.
func names(t *testing.T, packages map[string]*doc.Package, path string) map[string]bool {
	t.Helper()
	p := packages[path]
	if p == nil {
		p = standard(t, path)
	}
	all := map[string]bool{}
	for _, v := range values(p) {
		for _, name := range v.Names {
			all[name] = true
		}
	}
	for _, typ := range p.Types {
		all[typ.Name] = true
		ast.Inspect(typ.Decl, func(n ast.Node) bool {
			if f, ok := n.(*ast.Field); ok { // of a struct, or a method of an interface
				for _, name := range f.Names {
					all[typ.Name+"."+name.Name] = true
				}
			}
			return true
		})
	}
	for _, f := range functions(p) {
		all[f.Name] = all[f.Name] || f.Recv == ""
		all[strings.TrimPrefix(f.Recv, "*")+"."+f.Name] = f.Recv != ""
	}
	return all
}

// standard parses a package of the standard library.
func standard(t *testing.T, path string) *doc.Package {
	t.Helper()
	p, err := build.Import(path, "", 0)
	require.NoError(t, err)
	require.True(t, p.Goroot, path)
	positions := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(positions, filepath.Join(p.Dir, name), nil, parser.ParseComments)
		require.NoError(t, err)
		files = append(files, f)
	}
	all, err := doc.NewFromFiles(positions, files, path)
	require.NoError(t, err)
	return all
}
