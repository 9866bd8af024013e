package conventions

import (
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	once       sync.Once
	documented map[string]*doc.Package
)

// documentation returns the documentation and the examples of each package of the library, by
// import path.
func documentation(t *testing.T) map[string]*doc.Package {
	t.Helper()
	once.Do(func() { documented = read(t) })
	require.NotEmpty(t, documented)
	return documented
}

func read(t *testing.T) map[string]*doc.Package {
	all := map[string]*doc.Package{}
	packages, positions := library(t)
	for name, files := range packages {
		tests, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(name), "*_test.go"))
		require.NoError(t, err)
		for _, test := range tests {
			f, err := parser.ParseFile(positions, test, nil, parser.ParseComments)
			require.NoError(t, err)
			files = append(files, f)
		}
		p, err := doc.NewFromFiles(positions, files, module+"/"+name)
		require.NoError(t, err)
		all[p.ImportPath] = p
	}
	return all
}

// functions returns the functions and methods of a package.
func functions(p *doc.Package) []*doc.Func {
	all := slices.Clone(p.Funcs)
	for _, typ := range p.Types {
		all = append(append(all, typ.Funcs...), typ.Methods...)
	}
	return all
}

// values returns the constants and variables of a package.
func values(p *doc.Package) []*doc.Value {
	all := slices.Concat(p.Consts, p.Vars)
	for _, typ := range p.Types {
		all = append(append(all, typ.Consts...), typ.Vars...)
	}
	return all
}

// Package documentation has headed sections.
func TestSections(t *testing.T) {
	for path, p := range documentation(t) {
		headings := 0
		for _, block := range p.Parser().Parse(p.Doc).Content {
			if _, ok := block.(*comment.Heading); ok {
				headings++
			}
		}
		require.GreaterOrEqual(t, headings, 2, path)
	}
}
