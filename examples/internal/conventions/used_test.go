//go:build used

package conventions

import (
	"go/ast"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// Every exported identifier of the library is used by a program or by another package, or stands
// in exported.txt with its reason. These uses count:
//
//   - code of another package of either module. Tests, Examples, and packages that only tests import
//     do not count.
//   - an identifier that is used has a type, such as the result of a function. Programs seldom name
//     it.
//   - an interface has the method. It is an interface of the standard library, of another package, or
//     of the same package if that is used.
//   - a message is on the wire, with its fields and the structs in them.
//   - the values of an enumeration count with its type. A variable of the type can have each of them.
//
// If a type is not used, its members are not reported. An entry for the type covers them.
//
// The test type-checks both modules. CI runs it with its build tag. With -update the test strikes
// off the entries of exported.txt that are no longer needed:
//
//	go test -C examples -tags used -run ExportedIdentifiersAreUsed ./internal/conventions
func TestExportedIdentifiersAreUsed(t *testing.T) {
	t.Parallel()
	u := newUsage(loadBothModules(t))
	unused := u.unused()
	require.Greater(t, len(u.names), 500)
	kept := readKept(t)
	if *update {
		maps.DeleteFunc(kept, func(name, _ string) bool { return !slices.Contains(unused, name) })
		writeKept(t, kept)
	}
	for _, name := range unused {
		if kept[name] == "" {
			t.Errorf("%s is exported, but no program and no other package uses it: delete it, or enter it into %s with the reason", name, keptFile)
		}
		delete(kept, name)
	}
	for name := range kept {
		t.Errorf("%s is used or does not exist: strike it off %s", name, keptFile)
	}
}

// usage finds the identifiers of the library that are used.
type usage struct {
	names      map[types.Object]string       // exported identifiers of the library, with their members
	owners     map[types.Object]types.Object // the type of a member
	interfaces []*types.Interface            // of the standard library
	demands    map[string][]*types.Interface // interfaces in each package of the modules
	used       map[types.Object]bool
	wire       map[types.Object]bool // structs of messages
}

// loadBothModules type-checks the library and the programs, without tests.
func loadBothModules(t *testing.T) map[string]*packages.Package {
	config := &packages.Config{
		Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
		Dir:  filepath.Join(root, "examples"),
	}
	loaded, err := packages.Load(config, module+"/...", "./...")
	require.NoError(t, err)
	require.Zero(t, packages.PrintErrors(loaded))
	all := map[string]*packages.Package{}
	var add func(p *packages.Package)
	add = func(p *packages.Package) {
		if all[p.PkgPath] == nil && strings.HasPrefix(p.PkgPath, module+"/") {
			all[p.PkgPath] = p
			for _, imported := range p.Imports {
				add(imported)
			}
		}
	}
	for _, p := range loaded {
		if p.Name == "main" || isLibrary(p.PkgPath) {
			add(p)
		}
	}
	return all
}

func isLibrary(path string) bool {
	return strings.HasPrefix(path, module+"/") && !strings.HasPrefix(path, module+"/examples") && !strings.HasPrefix(path, module+"/testdata")
}

// family returns the path of a package, or of the package that an internal package belongs to.
func family(p *types.Package) string {
	path, _, _ := strings.Cut(p.Path(), "/internal/")
	return path
}

func newUsage(loaded map[string]*packages.Package) *usage {
	u := &usage{
		names: map[types.Object]string{}, owners: map[types.Object]types.Object{}, demands: map[string][]*types.Interface{},
		used: map[types.Object]bool{}, wire: map[types.Object]bool{},
	}
	for path, p := range loaded {
		if isLibrary(path) && family(p.Types) == path {
			u.addExports(p.Types)
		}
	}
	u.interfaces = standardInterfaces(loaded)
	for _, p := range loaded {
		u.addUses(p)
	}
	for object := range u.names {
		if isMessage(object) {
			u.useWire(object)
		}
	}
	for again := true; again; { // an interface that is used makes methods used, and these make types used
		n := len(u.used)
		for object := range u.names {
			if m, ok := object.(*types.Func); ok && !u.used[m] && u.used[u.owners[m]] && u.demanded(m) {
				u.use(m)
			}
		}
		again = len(u.used) > n
	}
	return u
}

// addExports names the exported identifiers of a package, and their members.
func (u *usage) addExports(p *types.Package) {
	prefix := strings.TrimPrefix(p.Path(), module+"/") + "."
	for _, name := range p.Scope().Names() {
		object := p.Scope().Lookup(name)
		if !object.Exported() {
			continue
		}
		named, _ := types.Unalias(object.Type()).(*types.Named)
		if _, ok := object.(*types.Const); ok && named != nil && named.Obj().Pkg() == p {
			u.addMember(named.Obj(), object, prefix+name)
			continue
		}
		u.names[object] = prefix + name
		if _, ok := object.(*types.TypeName); !ok || named == nil || named.Obj().Pkg() == nil || family(named.Obj().Pkg()) != p.Path() {
			continue
		}
		if named.Obj() != object { // an alias of an internal type
			u.addMember(object, named.Obj(), prefix+name)
		}
		for m := range named.Methods() {
			u.addMember(object, m, prefix+name+"."+m.Name())
		}
		switch under := named.Underlying().(type) {
		case *types.Struct:
			for f := range under.Fields() {
				u.addMember(object, f, prefix+name+"."+f.Name())
			}
		case *types.Interface:
			for m := range under.ExplicitMethods() {
				u.addMember(object, m, prefix+name+"."+m.Name())
			}
		}
	}
}

func (u *usage) addMember(owner, member types.Object, name string) {
	if member.Exported() {
		u.names[member], u.owners[member] = name, owner
	}
}

// standardInterfaces returns the interfaces of the packages that the library and the programs
// import, and the interfaces that package errors describes.
func standardInterfaces(loaded map[string]*packages.Package) []*types.Interface {
	errorType, boolType, anyType := types.Universe.Lookup("error").Type(), types.Typ[types.Bool], types.Universe.Lookup("any").Type()
	method := func(name string, parameter, result types.Type) *types.Interface {
		list := func(t types.Type) *types.Tuple {
			if t == nil {
				return nil
			}
			return types.NewTuple(types.NewVar(0, nil, "", t))
		}
		m := types.NewFunc(0, nil, name, types.NewSignatureType(nil, nil, nil, list(parameter), list(result), false))
		return types.NewInterfaceType([]*types.Func{m}, nil).Complete()
	}
	all := []*types.Interface{
		errorType.Underlying().(*types.Interface),
		method("Unwrap", nil, errorType), method("Unwrap", nil, types.NewSlice(errorType)),
		method("Is", errorType, boolType), method("As", anyType, boolType), method("Timeout", nil, boolType),
	}
	seen := map[*types.Package]bool{}
	for _, p := range loaded {
		for _, imported := range p.Types.Imports() {
			first, _, _ := strings.Cut(imported.Path(), "/")
			if seen[imported] || strings.Contains(first, ".") {
				continue
			}
			seen[imported] = true
			for _, name := range imported.Scope().Names() {
				object := imported.Scope().Lookup(name)
				if i, ok := object.Type().Underlying().(*types.Interface); ok && object.Exported() && i.IsMethodSet() {
					all = append(all, i)
				}
			}
		}
	}
	return all
}

// addUses uses the identifiers that a package takes from others.
func (u *usage) addUses(p *packages.Package) {
	for _, object := range p.TypesInfo.Uses {
		u.useFrom(p, object)
	}
	for _, s := range p.TypesInfo.Selections {
		u.usePath(p, s)
	}
	for expression, value := range p.TypesInfo.Types {
		switch expression := expression.(type) {
		case *ast.InterfaceType:
			if i, ok := value.Type.(*types.Interface); ok {
				u.demands[family(p.Types)] = append(u.demands[family(p.Types)], i)
			}
		case *ast.CompositeLit:
			s, ok := value.Type.Underlying().(*types.Struct)
			if ok && len(expression.Elts) > 0 {
				if _, keyed := expression.Elts[0].(*ast.KeyValueExpr); !keyed {
					for f := range s.Fields() {
						u.useFrom(p, f)
					}
				}
			}
		}
	}
}

func (u *usage) useFrom(p *packages.Package, object types.Object) {
	if object.Pkg() != nil && family(object.Pkg()) != family(p.Types) {
		u.use(object)
	}
}

// usePath uses the embedded fields on the way to a promoted field or method.
func (u *usage) usePath(p *packages.Package, s *types.Selection) {
	t := s.Recv()
	for _, i := range s.Index()[:len(s.Index())-1] {
		if pointer, ok := t.Underlying().(*types.Pointer); ok {
			t = pointer.Elem()
		}
		field := t.Underlying().(*types.Struct).Field(i)
		u.useFrom(p, field)
		t = field.Type()
	}
}

// use marks an identifier, the type that it belongs to, and the types in its type.
func (u *usage) use(object types.Object) {
	switch o := object.(type) {
	case *types.Func:
		object = o.Origin()
	case *types.Var:
		object = o.Origin()
	}
	if u.names[object] == "" || u.used[object] {
		return
	}
	u.used[object] = true
	if owner := u.owners[object]; owner != nil {
		u.use(owner)
	}
	if t, ok := object.(*types.TypeName); !ok {
		u.useTypes(object.Type(), u.use)
	} else if i, ok := t.Type().Underlying().(*types.Interface); ok {
		for m := range i.ExplicitMethods() {
			u.use(m)
		}
	} else if !types.IsInterface(t.Type()) {
		if _, ok := t.Type().Underlying().(*types.Struct); !ok {
			u.useTypes(t.Type().Underlying(), u.use)
		}
	}
}

// useWire marks a struct of a message with its fields.
func (u *usage) useWire(object types.Object) {
	u.use(object)
	s, ok := object.Type().Underlying().(*types.Struct)
	if !ok || u.wire[object] {
		return
	}
	u.wire[object] = true
	for f := range s.Fields() {
		if f.Exported() {
			u.use(f)
			u.useTypes(f.Type(), u.useWire)
		}
	}
}

// useTypes calls use for each named type in a type.
func (u *usage) useTypes(t types.Type, use func(types.Object)) {
	switch t := t.(type) {
	case *types.Alias:
		use(t.Obj())
		u.useTypes(types.Unalias(t), use)
	case *types.Named:
		use(t.Origin().Obj())
		for argument := range t.TypeArgs().Types() {
			u.useTypes(argument, use)
		}
	case *types.Map:
		u.useTypes(t.Key(), use)
		u.useTypes(t.Elem(), use)
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		u.useTypes(t.Elem(), use)
	case *types.Signature:
		for v := range t.Params().Variables() {
			u.useTypes(v.Type(), use)
		}
		for v := range t.Results().Variables() {
			u.useTypes(v.Type(), use)
		}
	case *types.Struct:
		for f := range t.Fields() {
			u.useTypes(f.Type(), use)
		}
	}
}

// isMessage reports whether an object is a type that implements the interface Message of its
// package.
func isMessage(object types.Object) bool {
	t, ok := object.(*types.TypeName)
	if !ok || types.IsInterface(t.Type()) {
		return false
	}
	message, ok := t.Pkg().Scope().Lookup("Message").(*types.TypeName)
	if !ok {
		return false
	}
	i, ok := message.Type().Underlying().(*types.Interface)
	return ok && types.Implements(types.NewPointer(t.Type()), i)
}

// demanded reports whether an interface has a method of a type. An interface of the package
// of the type counts if it is exported and used.
func (u *usage) demanded(m *types.Func) bool {
	receiver := types.Unalias(m.Signature().Recv().Type())
	if pointer, ok := receiver.(*types.Pointer); ok {
		receiver = pointer.Elem()
	}
	if types.IsInterface(receiver) {
		return false
	}
	has := func(i *types.Interface) bool {
		for method := range i.Methods() {
			if method.Name() == m.Name() {
				return types.Implements(types.NewPointer(receiver), i)
			}
		}
		return false
	}
	if slices.ContainsFunc(u.interfaces, has) {
		return true
	}
	for path, list := range u.demands {
		if path != family(m.Pkg()) && slices.ContainsFunc(list, has) {
			return true
		}
	}
	for object := range u.used {
		if t, ok := object.(*types.TypeName); ok {
			if i, ok := t.Type().Underlying().(*types.Interface); ok && i.IsMethodSet() && has(i) {
				return true
			}
		}
	}
	return false
}

// unused returns the names of identifiers that are not used, without the members of types that
// are not used.
func (u *usage) unused() (all []string) {
	for object, name := range u.names {
		owner := u.owners[object]
		if _, isConst := object.(*types.Const); isConst && owner != nil {
			continue // the value of an enumeration
		}
		if !u.used[object] && (owner == nil || u.used[owner]) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
