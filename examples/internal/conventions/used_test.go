//go:build used

package conventions

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// Every exported function, type, method, variable and sentinel is used by a program, by another
// package, by a test or by an Example. The test type-checks both modules. CI runs it with its
// build tag:
//
//	go test -C examples -tags used -run ExportedIdentifiersAreUsed ./internal/conventions
func TestExportedIdentifiersAreUsed(t *testing.T) {
	config := &packages.Config{
		Mode:       packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
		Dir:        filepath.Join(root, "examples"),
		BuildFlags: []string{"-tags=tshark,browser,duckdb"},
		Tests:      true,
	}
	loaded, err := packages.Load(config, module+"/...", "./...")
	require.NoError(t, err)
	require.Zero(t, packages.PrintErrors(loaded))

	exported := map[string]string{} // a key, and the name of a method
	used := map[string]bool{}
	calls := map[string]bool{"Unwrap": true, "String": true, "Timeout": true} // methods called by name
	for _, p := range loaded {
		if p.ID == p.PkgPath && isLibrary(p.PkgPath) {
			addExports(exported, p.Types)
		}
		for id, object := range p.TypesInfo.Uses {
			if isInterfaceMethod(object) {
				calls[object.Name()] = true
			}
			if key := keyOf(object); key != "" && (isTest(p, id) || basePath(p.PkgPath) != object.Pkg().Path()) {
				used[key] = true
			}
		}
		for _, f := range p.Syntax {
			ast.Inspect(f, func(n ast.Node) bool {
				// Tests of many types find a method by its name.
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && isTest(p, text) {
					calls[strings.Trim(text.Value, `"`)] = true
				}
				return true
			})
		}
	}
	require.Greater(t, len(exported), 500)
	maps.DeleteFunc(exported, func(key, method string) bool { return used[key] || calls[method] })
	require.Empty(t, slices.Sorted(maps.Keys(exported)), "exported, but used by no program, test or Example")
}

func isTest(p *packages.Package, n ast.Node) bool {
	return strings.HasSuffix(p.Fset.Position(n.Pos()).Filename, "_test.go")
}

func isInterfaceMethod(object types.Object) bool {
	fn, ok := object.(*types.Func)
	return ok && fn.Signature().Recv() != nil && types.IsInterface(fn.Signature().Recv().Type())
}

// basePath returns the path of the package that an external test belongs to.
func basePath(path string) string { return strings.TrimSuffix(path, "_test") }

func isLibrary(path string) bool {
	return strings.HasPrefix(path, module+"/") && !strings.HasPrefix(path, module+"/examples") && !strings.HasPrefix(path, module+"/testdata")
}

// addExports adds the exported identifiers of a package. It omits what no program needs to name:
// enumerations and their values, message types, fields, and methods that implement an interface.
func addExports(all map[string]string, p *types.Package) {
	interfaces := interfacesOf(p)
	for _, name := range p.Scope().Names() {
		object := p.Scope().Lookup(name)
		named, _ := object.Type().(*types.Named)
		_, isType := object.(*types.TypeName)
		_, isConst := object.(*types.Const)
		if !object.Exported() || isConst && named != nil {
			continue
		}
		if !isType || !isEnumeration(named) && !isMessage(p, named) {
			all[keyOf(object)] = ""
		}
		if !isType || named == nil || types.IsInterface(named) {
			continue
		}
		for m := range named.Methods() {
			if m.Exported() && !slices.ContainsFunc(interfaces, func(i *types.Interface) bool { return implements(named, m, i) }) {
				all[keyOf(m)] = m.Name()
			}
		}
	}
}

func isEnumeration(t *types.Named) bool {
	if t == nil {
		return false
	}
	_, ok := t.Underlying().(*types.Basic)
	return ok
}

// isMessage reports whether a type implements the interface Message of its package.
func isMessage(p *types.Package, t *types.Named) bool {
	message, ok := p.Scope().Lookup("Message").(*types.TypeName)
	if !ok || t == nil {
		return false
	}
	i, ok := message.Type().Underlying().(*types.Interface)
	return ok && types.Implements(types.NewPointer(t), i)
}

func implements(t *types.Named, m *types.Func, i *types.Interface) bool {
	has := false
	for method := range i.Methods() {
		has = has || method.Name() == m.Name()
	}
	return has && (types.Implements(t, i) || types.Implements(types.NewPointer(t), i))
}

// interfacesOf returns the exported interfaces of a package and of all packages that it imports.
func interfacesOf(p *types.Package) (all []*types.Interface) {
	all = append(all, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
	seen := map[*types.Package]bool{}
	var visit func(p *types.Package)
	visit = func(p *types.Package) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, name := range p.Scope().Names() {
			object := p.Scope().Lookup(name)
			if i, ok := object.Type().Underlying().(*types.Interface); ok && object.Exported() && i.NumMethods() > 0 && i.IsMethodSet() {
				all = append(all, i)
			}
		}
		for _, imported := range p.Imports() {
			visit(imported)
		}
	}
	visit(p)
	return all
}

// keyOf returns the package, the receiver and the name of a package-level identifier or a method,
// or "".
func keyOf(object types.Object) string {
	if object == nil || object.Pkg() == nil || !object.Exported() {
		return ""
	}
	if fn, ok := object.(*types.Func); ok {
		fn = fn.Origin()
		if receiver := fn.Signature().Recv(); receiver != nil {
			t := types.Unalias(receiver.Type())
			if pointer, ok := t.(*types.Pointer); ok {
				t = pointer.Elem()
			}
			named, ok := t.(*types.Named)
			if !ok {
				return ""
			}
			return fmt.Sprintf("%s.%s.%s", fn.Pkg().Path(), named.Obj().Name(), fn.Name())
		}
	}
	if object.Parent() != object.Pkg().Scope() {
		return ""
	}
	return object.Pkg().Path() + "." + object.Name()
}
