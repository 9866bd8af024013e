package project

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Names in brackets in the docs of the library are names of identifiers, so that go doc and pkg.go.dev
// link them.
func TestDocLinks(t *testing.T) {
	packages := map[string]*doc.Package{}
	names := map[string]bool{} // as "opcode.Decoder.Decode"
	for name := range house {
		packages[name] = documentation(t, name)
		collectNames(packages[name], names)
	}
	link := regexp.MustCompile(`\[\*?((?:[a-z]+\.)?[A-Z]\w*(?:\.[A-Z]\w*)?)\](?:[^(:]|$)`)
	found := 0
	for path, p := range packages {
		for _, text := range comments(p) {
			for _, m := range link.FindAllStringSubmatch(text, -1) {
				name := m[1]
				if first, _, _ := strings.Cut(name, "."); ast.IsExported(first) {
					name = p.Name + "." + name
				} else if packages[first] == nil && packages["transport/"+first] == nil && packages["gamespy/"+first] == nil {
					continue // of the standard library
				}
				found++
				require.True(t, names[name], "%s: no %s for the link %s", path, name, m[0])
			}
		}
	}
	require.NotZero(t, found)
}

// documentation returns the documentation of a package without its tests and generators.
func documentation(t *testing.T, name string) *doc.Package {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(name), "*.go"))
	require.NoError(t, err)
	positions := token.NewFileSet()
	var parsed []*ast.File
	for _, file := range files {
		f, err := parser.ParseFile(positions, file, nil, parser.ParseComments)
		require.NoError(t, err)
		if f.Name.Name != "main" && !strings.HasSuffix(file, "_test.go") {
			parsed = append(parsed, f)
		}
	}
	p, err := doc.NewFromFiles(positions, parsed, module+"/"+name)
	require.NoError(t, err)
	return p
}

// declarations calls f with the name and the declaration of everything that a package exports.
func declarations(p *doc.Package, f func(names []string, text string, decl ast.Node)) {
	values := func(list []*doc.Value) {
		for _, v := range list {
			f(v.Names, v.Doc, v.Decl)
		}
	}
	functions := func(list []*doc.Func, prefix string) {
		for _, fn := range list {
			f([]string{prefix + fn.Name}, fn.Doc, nil)
		}
	}
	values(p.Consts)
	values(p.Vars)
	functions(p.Funcs, "")
	for _, typ := range p.Types {
		f([]string{typ.Name}, typ.Doc, typ.Decl)
		values(typ.Consts)
		values(typ.Vars)
		functions(typ.Funcs, "")
		functions(typ.Methods, typ.Name+".")
	}
}

func collectNames(p *doc.Package, names map[string]bool) {
	declarations(p, func(list []string, _ string, decl ast.Node) {
		for _, name := range list {
			names[p.Name+"."+name] = true
		}
		if g, ok := decl.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			ast.Inspect(g, func(n ast.Node) bool {
				if field, ok := n.(*ast.Field); ok {
					for _, name := range field.Names {
						names[p.Name+"."+list[0]+"."+name.Name] = true
					}
				}
				return true
			})
		}
	})
}

// comments returns the docs of a package, of its identifiers, and of their fields.
func comments(p *doc.Package) (all []string) {
	all = append(all, p.Doc)
	declarations(p, func(_ []string, text string, decl ast.Node) {
		all = append(all, text)
		if decl != nil {
			ast.Inspect(decl, func(n ast.Node) bool {
				if g, ok := n.(*ast.CommentGroup); ok {
					all = append(all, g.Text())
				}
				return true
			})
		}
	})
	return all
}

// Links from Markdown to files of the repository lead to files.
func TestMarkdownLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	found := 0
	require.NoError(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".md" {
			return err
		}
		text, err := os.ReadFile(file)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			found++
			_, missing := os.Stat(filepath.Join(filepath.Dir(file), filepath.FromSlash(m[1])))
			require.NoError(t, missing, "%s: %s", file, m[0])
		}
		return err
	}))
	require.NotZero(t, found)
}
