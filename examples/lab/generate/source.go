package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// source is what the hand-written and generated files of package opcode declare. They are only
// parsed, because they may not compile before the generators have run.
type source struct {
	types     map[string]*declared
	constants map[string]bool // in lower case
	groups    []string        // of gen.go
}

// declared is a type.
type declared struct {
	file     string
	opcode   string          // in the first row of its layout table, or ""
	methods  map[string]bool // its own, as "Walk(*stream.Codec)"
	embedded []string
}

var (
	firstRow  = regexp.MustCompile(`(?m)^\t0 +1 +(0x[0-9A-F]{2})\b`)
	groupName = regexp.MustCompile(`(?m)^\t\{"(\w+)", "`)
)

func readSource(dir string) (*source, error) {
	s := &source{types: map[string]*declared{}, constants: map[string]bool{}}
	generator, err := os.ReadFile(filepath.Join(dir, "gen.go"))
	if err != nil {
		return nil, err
	}
	for _, m := range groupName.FindAllStringSubmatch(string(generator), -1) {
		s.groups = append(s.groups, m[1])
	}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	positions := token.NewFileSet()
	methods := map[string][]string{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file := "opcode/" + filepath.Base(name)
		f, err := parser.ParseFile(positions, file, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		if f.Name.Name == "main" {
			continue
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil {
					receiver := typeName(d.Recv.List[0].Type)
					methods[receiver] = append(methods[receiver], d.Name.Name+signature(d.Type))
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					s.add(d, spec, file)
				}
			}
		}
	}
	for name, t := range s.types {
		for _, m := range methods[name] {
			t.methods[m] = true
		}
	}
	return s, nil
}

// add adds the types and constants of a declaration.
func (s *source) add(d *ast.GenDecl, spec ast.Spec, file string) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			if d.Tok == token.CONST {
				s.constants[strings.ToLower(name.Name)] = true
			}
		}
	case *ast.TypeSpec:
		t := &declared{file: file, methods: map[string]bool{}}
		doc := spec.Doc.Text()
		if doc == "" {
			doc = d.Doc.Text()
		}
		if m := firstRow.FindStringSubmatch(doc); m != nil {
			t.opcode = m[1]
		}
		if fields, ok := spec.Type.(*ast.StructType); ok {
			for _, f := range fields.Fields.List {
				if f.Names == nil {
					t.embedded = append(t.embedded, typeName(f.Type))
				}
			}
		}
		s.types[spec.Name.Name] = t
	}
}

// signature returns the types of the parameters and results of a function.
func signature(f *ast.FuncType) string {
	list := func(fields *ast.FieldList) string {
		var all []string
		for _, field := range fields.List {
			for range max(1, len(field.Names)) {
				all = append(all, types.ExprString(field.Type))
			}
		}
		return strings.Join(all, ", ")
	}
	s := "(" + list(f.Params) + ")"
	switch n := f.Results.NumFields(); {
	case n == 1:
		s += " " + list(f.Results)
	case n > 1:
		s += " (" + list(f.Results) + ")"
	}
	return s
}

// typeName returns the name of a type or of the type that it points to, "" for other expressions.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.IndexListExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func (s *source) hasConstant(name string) bool { return s.constants[strings.ToLower(name)] }

// hasMethod reports whether a type or an embedded type has a method, such as "Walk(*stream.Codec)".
func (s *source) hasMethod(name, method string) bool {
	t := s.types[name]
	if t == nil {
		return false
	}
	return t.methods[method] || slices.ContainsFunc(t.embedded, func(e string) bool { return e != name && s.hasMethod(e, method) })
}

// messages returns the types whose layout table begins with an opcode, sorted.
func (s *source) messages() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.types)) {
		if s.types[name].opcode != "" {
			names = append(names, name)
		}
	}
	return names
}
