package conventions

import (
	"go/ast"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every exported function, type, constant and variable, or its group, is documented. Fields may
// lack documentation.
func TestDocumented(t *testing.T) {
	packages, positions := library(t)
	n := 0
	undocumented := func(node ast.Node, texts ...*ast.CommentGroup) {
		n++
		if !slices.ContainsFunc(texts, func(g *ast.CommentGroup) bool { return g.Text() != "" }) {
			t.Errorf("%v is not documented", positions.Position(node.Pos()))
		}
	}
	for _, files := range packages {
		for _, f := range files {
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Name.IsExported() && exportedReceiver(d) {
						undocumented(d, d.Doc)
					}
				case *ast.GenDecl:
					requireSpecs(d, undocumented)
				}
			}
		}
	}
	require.Greater(t, n, 800)
}

func requireSpecs(d *ast.GenDecl, undocumented func(ast.Node, ...*ast.CommentGroup)) {
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.ValueSpec:
			if slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
				undocumented(s, d.Doc, s.Doc, s.Comment)
			}
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				undocumented(s, d.Doc, s.Doc)
			}
		}
	}
}

// exportedReceiver reports whether a function is not a method, or a method of an exported type.
func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	typ := d.Recv.List[0].Type
	if p, ok := typ.(*ast.StarExpr); ok {
		typ = p.X
	}
	if i, ok := typ.(*ast.IndexExpr); ok {
		typ = i.X
	}
	name, ok := typ.(*ast.Ident)
	return ok && name.IsExported()
}
