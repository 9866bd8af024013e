package opcode_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The README contains the bodies of the examples, without the first line and the expected output.
func TestReadmeShowsExamples(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	src, err := os.ReadFile("example_datagram_test.go")
	require.NoError(t, err)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", src, 0)
	require.NoError(t, err)
	n := 0
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		n++
		body := string(src[fset.Position(f.Body.List[1].Pos()).Offset:fset.Position(f.Body.Rbrace).Offset])
		body, _, _ = strings.Cut(body, "\t// Output:")
		require.Contains(t, string(readme), strings.TrimSpace(strings.ReplaceAll(body, "\n\t", "\n")), f.Name.Name)
	}
	require.Equal(t, 2, n)
}
