package main

import (
	"go/types"
	"strings"
)

// isCodec reports whether a type is *stream.Codec.
func isCodec(t types.Type) bool {
	p, ok := t.(*types.Pointer)
	return ok && isNamed(p.Elem(), "stream", "Codec")
}

func isNamed(t types.Type, pkg, name string) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == name && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == module+"/"+pkg
}

// byValue reports whether a type is a pointer to something other than a struct. Lua has no such
// pointers: a function gets the value and returns the new one.
func byValue(t types.Type) bool {
	p, ok := t.Underlying().(*types.Pointer)
	return ok && !isStruct(p.Elem())
}

func isStruct(t types.Type) bool {
	_, ok := t.Underlying().(*types.Struct)
	return ok
}

// isBytes reports whether a type is a slice or an array of bytes, which is a string in Lua.
func isBytes(t types.Type) bool {
	var elem types.Type
	switch u := t.Underlying().(type) {
	case *types.Slice:
		elem = u.Elem()
	case *types.Array:
		elem = u.Elem()
	default:
		return false
	}
	b, ok := elem.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uint8
}

func basic(t types.Type) *types.Basic {
	b, _ := t.Underlying().(*types.Basic)
	return b
}

// width returns the number of bits of an integer type that Lua must wrap, and whether the type
// is signed. It returns 0 for types that are wide enough to never wrap in a walk.
func width(t types.Type) (bits int, signed bool) {
	b := basic(t)
	if b == nil {
		return 0, false
	}
	switch b.Kind() {
	case types.Uint8:
		return 8, false
	case types.Uint16:
		return 16, false
	case types.Uint32:
		return 32, false
	case types.Int8:
		return 8, true
	case types.Int16:
		return 16, true
	case types.Int32:
		return 32, true
	}
	return 0, false
}

// typeName returns the name of a named type with its package, "opcode_Hash".
func typeName(n *types.Named) string {
	if n.Obj().Pkg() == nil {
		return n.Obj().Name()
	}
	return n.Obj().Pkg().Name() + "_" + n.Obj().Name()
}

// named returns the named type that t is or points to.
func named(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}

// inModule reports whether a package belongs to the library.
func inModule(p *types.Package) bool {
	return p != nil && strings.HasPrefix(p.Path(), module+"/")
}
