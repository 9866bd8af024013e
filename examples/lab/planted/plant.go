package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// bug is an error that planted puts into copies of sources.
type bug struct {
	name    string
	breaks  string
	changes []change
}

// change replaces one node of the syntax tree of a declaration: an expression, a statement, a case of a switch or a
// field of a struct.
type change struct {
	in      string // the declaration: package.function, package.Type.method, or a type, constant or variable
	from    string // the node, which the declaration has once; its format and comments there do not matter
	to      string // the text that takes its place
	imports string // a package that the text uses, if the file may lack it
}

// Bugs are planted in packages of the module that the program uses.
const (
	module  = "github.com/bcwire/bcwire"
	program = module + "/examples/lab/sim"
)

// source is a package of the program.
type source struct {
	Dir, ImportPath, Name, Export string
	GoFiles                       []string
}

// sources are the packages of the program, by import path.
type sources map[string]*source

// list returns the packages of the program.
func list() (sources, error) {
	cmd := exec.Command("go", "list", "-export", "-deps", "-json=Dir,ImportPath,Name,Export,GoFiles", program)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the packages of sim: %w", err)
	}
	all := sources{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		p := &source{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all[p.ImportPath] = p
	}
}

// files are changed files: the text of each, by the name of the original.
type files map[string][]byte

// plant returns the files that a bug changes.
func (all sources) plant(b *bug) (files, error) {
	changed := files{}
	for _, c := range b.changes {
		name, _, _ := strings.Cut(c.in, ".")
		for path, p := range all {
			if p.Name == name && strings.HasPrefix(path, module) {
				if err := c.apply(p, changed); err != nil {
					return nil, err
				}
				name = ""
			}
		}
		if name != "" {
			return nil, fmt.Errorf("sim has no package %s", name)
		}
	}
	return changed, nil
}

// apply changes a file of a package.
func (c *change) apply(p *source, changed files) error {
	places, err := c.find(p, changed)
	if err != nil {
		return err
	}
	if len(places) != 1 {
		return fmt.Errorf("%s has this %d times, not once: %s", c.in, len(places), strings.TrimSpace(c.from))
	}
	at := places[0]
	text := slices.Concat(at.text[:at.begin], []byte(c.to), at.text[at.end:])
	if c.imports != "" && !at.imports {
		text = slices.Concat(text[:at.head], []byte("\n\nimport "+strconv.Quote(c.imports)+"\n"), text[at.head:])
	}
	changed[at.file], err = format.Source(text)
	return err
}

// place is where a file has a node.
type place struct {
	file       string
	text       []byte
	begin, end int
	head       int  // the end of the package clause
	imports    bool // the file has the import of the change
}

// find returns the places of the node in the declaration.
func (c *change) find(p *source, changed files) (places []place, err error) {
	nodes, err := parse(c.from)
	if err != nil {
		return nil, err
	}
	declared := false
	for _, name := range p.GoFiles {
		name = filepath.Join(p.Dir, name)
		text, ok := changed[name]
		if !ok {
			if text, err = os.ReadFile(name); err != nil {
				return nil, err
			}
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		imports := slices.ContainsFunc(f.Imports, func(s *ast.ImportSpec) bool { return s.Path.Value == strconv.Quote(c.imports) })
		for declaration := range declarations(f, c.in) {
			declared = true
			ast.Inspect(declaration, func(n ast.Node) bool {
				if n == nil || !slices.Contains(nodes, describe(n)) {
					return true
				}
				places = append(places, place{name, text, int(n.Pos() - f.FileStart), int(n.End() - f.FileStart), int(f.Name.End() - f.FileStart), imports})
				return false
			})
		}
	}
	if !declared {
		return nil, fmt.Errorf("there is no %s", c.in)
	}
	return places, nil
}

// declarations yields the declaration of a package.name or a package.Type.method, if the file has it.
func declarations(f *ast.File, in string) iter.Seq[ast.Node] {
	is := func(name string) bool { return in == f.Name.Name+"."+name }
	return func(yield func(ast.Node) bool) {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					receiver, _, _ := strings.Cut(types.ExprString(d.Recv.List[0].Type), "[")
					name = strings.TrimPrefix(receiver, "*") + "." + name
				}
				if is(name) && !yield(d) {
					return
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					found := false
					switch s := s.(type) {
					case *ast.TypeSpec:
						found = is(s.Name.Name)
					case *ast.ValueSpec:
						found = slices.ContainsFunc(s.Names, func(n *ast.Ident) bool { return is(n.Name) })
					}
					if found && !yield(s) {
						return
					}
				}
			}
		}
	}
}

// forms are the sources in which a text is an expression, an element with its key, a statement, a case or a field.
var forms = []string{"var _ = %s", "var _ = x{ %s }", "func _() { %s }", "func _() { switch { %s } }", "type _ struct { %s }"}

// parse returns the descriptions of the nodes that a text can be.
func parse(text string) (nodes []string, err error) {
	text = strings.TrimSpace(text)
	for _, form := range forms {
		source := "package p; " + fmt.Sprintf(form, text)
		f, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		begin := f.FileStart + token.Pos(strings.Index(source, text))
		ast.Inspect(f, func(n ast.Node) bool {
			if n == nil || n.Pos() != begin || n.End() != begin+token.Pos(len(text)) {
				return true
			}
			nodes = append(nodes, describe(n))
			return false
		})
	}
	if nodes == nil {
		return nil, fmt.Errorf("not an expression, a statement, a case or a field: %s", text)
	}
	return nodes, nil
}

// describe returns the text of a syntax tree without positions and comments.
func describe(n ast.Node) string {
	var b strings.Builder
	_ = ast.Fprint(&b, nil, n, func(_ string, v reflect.Value) bool {
		switch v.Interface().(type) {
		case token.Pos, *ast.CommentGroup:
			return false
		}
		return true
	})
	return b.String()
}

// check checks the types of the packages that have changed.
func (all sources) check(changed files) error {
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		if all[path] == nil {
			return nil, fmt.Errorf("sim does not use %s", path)
		}
		return os.Open(all[path].Export)
	})
	dirs := map[string]bool{}
	for name := range changed {
		dirs[filepath.Dir(name)] = true
	}
	for _, p := range all {
		if !dirs[p.Dir] {
			continue
		}
		var parsed []*ast.File
		for _, name := range p.GoFiles {
			name = filepath.Join(p.Dir, name)
			var text any // nil: of the file
			if b, ok := changed[name]; ok {
				text = b
			}
			f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			parsed = append(parsed, f)
		}
		if _, err := (&types.Config{Importer: imports}).Check(p.ImportPath, fset, parsed, nil); err != nil {
			return err
		}
	}
	return nil
}
