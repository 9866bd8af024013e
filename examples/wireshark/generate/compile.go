package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// unsupported is a construct that walks do not use so far.
type unsupported struct {
	at   token.Position
	what string
}

func (u *unsupported) Error() string { return fmt.Sprintf("%v: unsupported: %s", u.at, u.what) }

// compiler translates walks, and the functions that they call, to Lua. The translation decodes
// only.
type compiler struct {
	l      *loader
	texts  map[*types.Func]string
	order  []*types.Func
	reads  map[string]bool // fields that a walk reads, "opcode_Event.Class"; others are not stored
	always []string        // fields that the runtime reads
	zeros  []*types.Named  // structs that need a constructor
	shown  []*types.Named  // types that Show gives to a value
}

// roots compiles functions and all that they call. A field must be stored if any function reads
// it, so that the first round finds the fields that are read.
func (c *compiler) roots(all []*types.Func) (err error) {
	defer func() {
		if u, ok := recover().(*unsupported); ok {
			err = u
		} else if r := recover(); r != nil {
			panic(r)
		}
	}()
	c.reads = map[string]bool{}
	for _, field := range c.always {
		c.reads[field] = true
	}
	for before := -1; before != len(c.reads); {
		before = len(c.reads)
		c.texts, c.order, c.zeros = map[*types.Func]string{}, nil, nil
		for _, f := range all {
			c.function(f)
		}
	}
	return nil
}

// name returns the name of a function in Lua.
func (c *compiler) name(f *types.Func) string {
	name := f.Pkg().Name()
	if recv := f.Signature().Recv(); recv != nil {
		name = typeName(named(recv.Type()))
	}
	return name + "_" + f.Name()
}

// function compiles a function once.
func (c *compiler) function(f *types.Func) string {
	f = f.Origin()
	if _, done := c.texts[f]; done {
		return c.name(f)
	}
	src := c.l.funcs[f]
	if src == nil {
		panic(&unsupported{c.l.fset.Position(f.Pos()), "a function outside of the library: " + f.FullName()})
	}
	c.texts[f] = "" // a recursive call finds it
	w := &writer{compiler: c, info: src.pkg.info}
	c.texts[f] = w.function(c.name(f), src.decl)
	c.order = append(c.order, f)
	return c.name(f)
}

// zero returns the name of the constructor of a struct.
func (c *compiler) zero(n *types.Named) string {
	for _, known := range c.zeros {
		if known == n {
			return "Z." + typeName(n)
		}
	}
	c.zeros = append(c.zeros, n)
	s := n.Underlying().(*types.Struct)
	for i := range s.NumFields() {
		c.zeroOf(n, s.Field(i))
	}
	return "Z." + typeName(n)
}

// zeroOf returns the zero value of a field, "" if no walk reads the field.
func (c *compiler) zeroOf(n *types.Named, field *types.Var) string {
	if !c.reads[typeName(n)+"."+field.Name()] {
		return ""
	}
	t := field.Type()
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch {
		case u.Info()&types.IsBoolean != 0:
			return "false"
		case u.Info()&types.IsNumeric != 0:
			return "0"
		}
		return `""`
	case *types.Struct:
		return c.zero(named(t)) + "()"
	case *types.Slice, *types.Array:
		if isBytes(t) {
			return `""`
		}
		return "{}"
	}
	return ""
}

// writer writes the Lua text of one function.
type writer struct {
	*compiler
	info   *types.Info
	b      strings.Builder
	depth  int
	inouts []string // parameters by value whose new values the function returns
	loops  []int    // labels of the loops around
	labels int
	used   map[int]bool // labels that a continue goes to
}

func (w *writer) fail(n ast.Node, format string, args ...any) {
	panic(&unsupported{w.l.fset.Position(n.Pos()), fmt.Sprintf(format, args...)})
}

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.b, "%s%s\n", strings.Repeat("  ", w.depth), fmt.Sprintf(format, args...))
}

func (w *writer) function(name string, decl *ast.FuncDecl) string {
	var params []string
	add := func(list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			if _, ok := field.Type.(*ast.Ellipsis); ok {
				w.fail(field, "a variadic function")
			}
			names := field.Names
			if isCodec(w.info.TypeOf(field.Type)) {
				continue
			}
			if len(names) == 0 {
				params = append(params, "_")
			}
			for _, id := range names {
				params = append(params, luaName(id.Name))
				if v, ok := w.info.Defs[id].(*types.Var); ok && byValue(v.Type()) {
					w.inouts = append(w.inouts, luaName(id.Name))
				}
			}
		}
	}
	add(decl.Recv)
	add(decl.Type.Params)
	if decl.Type.Results != nil {
		for _, r := range decl.Type.Results.List {
			if len(r.Names) > 0 {
				w.fail(r, "named results")
			}
		}
	}
	w.used = map[int]bool{}
	fmt.Fprintf(&w.b, "function W.%s(%s)\n", name, strings.Join(params, ", "))
	w.depth++
	w.block(decl.Body.List)
	if len(w.inouts) > 0 && !ends(decl.Body.List) {
		w.line("return %s", strings.Join(w.inouts, ", "))
	}
	w.depth--
	w.b.WriteString("end\n")
	return w.b.String()
}

// show1 adds a type to those that are shown.
func (c *compiler) show1(n *types.Named) {
	for _, known := range c.shown {
		if known == n {
			return
		}
	}
	c.shown = append(c.shown, n)
}
