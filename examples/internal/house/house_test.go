package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
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

// graph is what each package of the library may import of the library.
var graph = map[string][]string{
	"cipher":        {},
	"compress":      {},
	"objectid":      {},
	"gamespy":       {},
	"gamespy/query": {"gamespy"},
	"stream":        {"compress", "objectid"},
	"transport":     {},
	"opcode":        {"stream", "compress", "objectid"},
	"checksum":      {"opcode", "stream"},
	"stateupdate":   {"opcode", "stream", "compress", "objectid"},
}

// sockets are the packages that may import package net.
var sockets = []string{"gamespy/query"}

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
				require.NotContains(t, strings.SplitN(imported, "/", 2)[0], ".", "%s imports %s", name, imported)
				require.NotContains(t, []string{"reflect", "unsafe", "syscall", "os/exec", "log"}, imported, name)
				if imported == "net" || strings.HasPrefix(imported, "net/http") {
					require.Contains(t, sockets, name)
				}
			}
		}
	}
}

// Nothing happens at import: no init functions, and no variables that code fills.
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

// requireConstant checks that variables are data. The compiler lays out errors.New.
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

func TestDocumented(t *testing.T) {
	packages, positions := library(t)
	for name, files := range packages {
		headed := false
		for _, f := range files {
			if f.Doc != nil {
				headed = headed || strings.Contains(f.Doc.Text(), "\n# ")
			}
			requireDocs(t, positions, f)
		}
		require.True(t, headed, "%s: no headed sections", name)
		require.NotEmpty(t, examples(t, name), "%s: no example", name)
	}
}

func requireDocs(t *testing.T, positions *token.FileSet, f *ast.File) {
	t.Helper()
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && exportedReceiver(d) {
				require.NotEmpty(t, d.Doc.Text(), positions.Position(d.Pos()))
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if ts, ok := s.(*ast.TypeSpec); ok && ts.Name.IsExported() {
					require.NotEmpty(t, d.Doc.Text()+ts.Doc.Text(), positions.Position(ts.Pos()))
				}
				if vs, ok := s.(*ast.ValueSpec); ok && slices.ContainsFunc(vs.Names, (*ast.Ident).IsExported) {
					require.NotEmpty(t, d.Doc.Text()+vs.Doc.Text()+vs.Comment.Text(), positions.Position(vs.Pos()))
				}
			}
		}
	}
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	exported := true
	ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !id.IsExported() && len(id.Name) > 1 {
			exported = false
		}
		return true
	})
	return exported
}

// examples returns the names of a package's runnable examples.
func examples(t *testing.T, name string) (all []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(name), "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if !strings.Contains(string(text), "// Output:") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
		require.NoError(t, err)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && strings.HasPrefix(fn.Name.Name, "Example") {
				all = append(all, path.Join(name, fn.Name.Name))
			}
		}
	}
	return all
}
