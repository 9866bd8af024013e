package compress_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each product must be the operand of a float32 conversion. Otherwise a compiler may use an
// instruction that multiplies and adds without rounding in between.
func TestProductsAreRounded(t *testing.T) {
	products := 0
	for _, name := range []string{"float16.go", "vector.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		rounded := map[ast.Expr]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.Ident); ok && f.Name == "float32" {
					rounded[n.Args[0]] = true
				}
			case *ast.BinaryExpr:
				if n.Op == token.MUL {
					products++
					require.True(t, rounded[n], "product in %s at byte %d", name, n.Pos())
				}
			case *ast.AssignStmt:
				require.NotEqual(t, token.MUL_ASSIGN, n.Tok, "product in %s at byte %d", name, n.Pos())
			}
			return true
		})
	}
	require.Equal(t, 12, products)
}
