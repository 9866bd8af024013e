package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"sync"
)

// module is the import path of the library.
const module = "github.com/bcwire/bcwire"

// loader parses and type-checks the packages of the library under a directory.
type loader struct {
	root  string
	fset  *token.FileSet
	std   types.Importer
	pkgs  map[string]*pkg
	funcs map[*types.Func]*source
}

// pkg is a package of the library.
type pkg struct {
	files []*ast.File
	types *types.Package
	info  *types.Info
}

// source is the declaration of a function and its package.
type source struct {
	decl *ast.FuncDecl
	pkg  *pkg
}

// standard returns the importer of the standard library, which all loaders share: it checks each
// package once.
var standard = sync.OnceValues(func() (*token.FileSet, types.Importer) {
	build.Default.CgoEnabled = false
	fset := token.NewFileSet()
	return fset, importer.ForCompiler(fset, "source", nil)
})

func newLoader(root string) *loader {
	fset, std := standard()
	return &loader{
		root:  root,
		fset:  fset,
		std:   std,
		pkgs:  map[string]*pkg{},
		funcs: map[*types.Func]*source{},
	}
}

// Import implements [types.Importer].
func (l *loader) Import(name string) (*types.Package, error) {
	if !strings.HasPrefix(name, module+"/") {
		return l.std.Import(name)
	}
	p, err := l.load(strings.TrimPrefix(name, module+"/"))
	if err != nil {
		return nil, err
	}
	return p.types, nil
}

// load returns a package of the library, such as "opcode".
func (l *loader) load(name string) (*pkg, error) {
	if p := l.pkgs[name]; p != nil {
		return p, nil
	}
	dir := filepath.Join(l.root, name)
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	p := &pkg{info: &types.Info{
		Types:      map[ast.Expr]types.TypeAndValue{},
		Defs:       map[*ast.Ident]types.Object{},
		Uses:       map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{},
		Instances:  map[*ast.Ident]types.Instance{},
	}}
	for _, file := range names {
		match, err := build.Default.MatchFile(dir, filepath.Base(file))
		if err != nil {
			return nil, err
		}
		if !match || strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(l.fset, file, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		p.files = append(p.files, parsed)
	}
	if len(p.files) == 0 {
		return nil, fmt.Errorf("no Go files in %s", dir)
	}
	config := types.Config{Importer: l}
	if p.types, err = config.Check(path.Join(module, name), l.fset, p.files, p.info); err != nil {
		return nil, err
	}
	l.pkgs[name] = p
	l.declare(p)
	return p, nil
}

// declare records the functions of a package.
func (l *loader) declare(p *pkg) {
	for _, file := range p.files {
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
				if object, ok := p.info.Defs[f.Name].(*types.Func); ok {
					l.funcs[object] = &source{f, p}
				}
			}
		}
	}
}

// method returns a method of a type of a package, also one of an embedded type.
func (l *loader) method(p *pkg, typ, name string) (*types.Func, error) {
	object := p.types.Scope().Lookup(typ)
	if object == nil {
		return nil, fmt.Errorf("package %s has no type %s", p.types.Name(), typ)
	}
	found, _, _ := types.LookupFieldOrMethod(types.NewPointer(object.Type()), true, p.types, name)
	f, ok := found.(*types.Func)
	if !ok {
		return nil, fmt.Errorf("%s.%s has no method %s", p.types.Name(), typ, name)
	}
	return f, nil
}

// errorText returns the text of a sentinel error, a package variable made with errors.New.
func (l *loader) errorText(v *types.Var) (string, bool) {
	if v.Pkg() == nil {
		return "", false
	}
	p := l.pkgs[strings.TrimPrefix(v.Pkg().Path(), module+"/")]
	if p == nil {
		return "", false
	}
	for _, file := range p.files {
		for _, decl := range file.Decls {
			general, ok := decl.(*ast.GenDecl)
			if !ok || general.Tok != token.VAR {
				continue
			}
			for _, spec := range general.Specs {
				values := spec.(*ast.ValueSpec)
				for i, name := range values.Names {
					if p.info.Defs[name] != v || i >= len(values.Values) {
						continue
					}
					if call, ok := values.Values[i].(*ast.CallExpr); ok && len(call.Args) == 1 {
						return stringConstant(p.info, call.Args[0])
					}
				}
			}
		}
	}
	return "", false
}
