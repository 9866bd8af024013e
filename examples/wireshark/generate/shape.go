package main

import (
	"go/ast"
	"go/types"
	"reflect"
	"slices"
)

// node is a place in the paths of the fields of a message. A list has a field for its number,
// and members for its elements.
type node struct {
	members map[string]*node
	order   []string
	leaf    *leaf
}

// anyName stands for a group whose name is not in the source, such as that of a subsystem.
const anyName = "*"

// leaf is a field.
type leaf struct {
	kinds []string       // of the primitives, "Uint8"
	types []*types.Named // that Show gives to the value
}

func (n *node) member(name string) *node {
	if n.members == nil {
		n.members = map[string]*node{}
	}
	m := n.members[name]
	if m == nil {
		m = &node{}
		n.members[name] = m
		n.order = append(n.order, name)
	}
	return m
}

// shape follows a walk through all its branches and collects the fields.
type shape struct {
	c     *compiler
	stack []*frame
}

// frame is a function that shape is in.
type frame struct {
	f     *types.Func
	info  *types.Info
	names map[types.Object]string // parameters with a constant text
	at    *node                   // where the function began
	cur   *cursor
}

// cursor is the state of the codec.
type cursor struct {
	path  []*node // lists and groups around
	name  string  // of the field that was named last
	taken bool    // a primitive has carried that field
	last  []*leaf // what the last field may be
}

func (c *cursor) scope() *node { return c.path[len(c.path)-1] }

// fields returns the fields of a walk.
func (c *compiler) fields(f *types.Func) (root *node, err error) {
	defer func() {
		if u, ok := recover().(*unsupported); ok {
			err = u
		} else if r := recover(); r != nil {
			panic(r)
		}
	}()
	root = &node{}
	s := &shape{c: c}
	s.function(f, nil, &cursor{path: []*node{root}})
	return root, nil
}

// function follows a function. A recursive call continues where the function began.
func (s *shape) function(f *types.Func, names map[types.Object]string, cur *cursor) {
	for _, outer := range s.stack {
		if outer.f != f {
			continue
		}
		inner, parent := cur.scope(), cur.path[len(cur.path)-2]
		for name, m := range parent.members {
			if m == inner {
				parent.members[name] = outer.at
			}
		}
		return
	}
	src := s.c.l.funcs[f.Origin()]
	if src == nil {
		return
	}
	s.stack = append(s.stack, &frame{f, src.pkg.info, names, cur.scope(), cur})
	ast.Inspect(src.decl.Body, s.visit)
	s.stack = s.stack[:len(s.stack)-1]
}

// visit looks at calls in the order in which they are made.
func (s *shape) visit(n ast.Node) bool {
	fr := s.stack[len(s.stack)-1]
	switch n := n.(type) {
	case *ast.IfStmt:
		s.inspect(n.Init, n.Cond)
		s.branches(fr, n.Else == nil, []ast.Node{n.Body}, []ast.Node{n.Else})
		return false
	case *ast.SwitchStmt:
		s.inspect(n.Init, n.Tag)
		s.switches(fr, n)
		return false
	case *ast.ForStmt:
		s.inspect(n.Init, n.Cond)
		s.branches(fr, true, []ast.Node{n.Body})
		return false
	case *ast.RangeStmt:
		s.inspect(n.X)
		s.branches(fr, true, []ast.Node{n.Body})
		return false
	}
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return true
	}
	f := callee(fr.info, call)
	if isCodecMethod(f) || f != nil && hasCodec(f) || isShow(f) {
		if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok {
			ast.Inspect(sel.X, s.visit) // c.Field(name) before its primitive
		}
		for _, a := range call.Args {
			ast.Inspect(a, s.visit)
		}
	}
	switch {
	case isCodecMethod(f):
		s.codec(fr, call, f.Name())
		return false
	case isShow(f):
		s.show(fr, call)
		return false
	case f != nil && hasCodec(f) && inModule(f.Pkg()):
		s.function(f, s.arguments(fr, call, f), fr.cur)
		return false
	}
	return true
}

// inspect follows nodes that may be nil.
func (s *shape) inspect(nodes ...ast.Node) {
	for _, n := range nodes {
		if v := reflect.ValueOf(n); v.IsValid() && !v.IsNil() {
			ast.Inspect(n, s.visit)
		}
	}
}

func (s *shape) switches(fr *frame, n *ast.SwitchStmt) {
	skip := true
	var all [][]ast.Node
	for _, clause := range n.Body.List {
		clause := clause.(*ast.CaseClause)
		skip = skip && clause.List != nil
		var nodes []ast.Node
		for _, e := range clause.List {
			nodes = append(nodes, e)
		}
		for _, stmt := range clause.Body {
			nodes = append(nodes, stmt)
		}
		all = append(all, nodes)
	}
	s.branches(fr, skip, all...)
}

// branches follows parts of a walk that take the place of each other. The last field is that of
// any of them, and the one before them if skip says that none may be taken.
func (s *shape) branches(fr *frame, skip bool, all ...[]ast.Node) {
	before := *fr.cur
	var last []*leaf
	if skip {
		last = before.last
	}
	for _, nodes := range all {
		*fr.cur = before
		fr.cur.path = slices.Clone(before.path)
		s.inspect(nodes...)
		last = append(last[:len(last):len(last)], fr.cur.last...)
	}
	*fr.cur = before
	fr.cur.last = last
}

func hasCodec(f *types.Func) bool {
	params := f.Signature().Params()
	for i := range params.Len() {
		if isCodec(params.At(i).Type()) && f.Pkg().Path() != module+"/stream" {
			return true
		}
	}
	return false
}

// arguments returns the constant texts that a call passes.
func (s *shape) arguments(fr *frame, call *ast.CallExpr, f *types.Func) map[types.Object]string {
	names := map[types.Object]string{}
	for i, a := range call.Args {
		if text, ok := s.text(fr, a); ok {
			names[f.Origin().Signature().Params().At(i)] = text
		}
	}
	return names
}

// text returns the constant text of an expression.
func (s *shape) text(fr *frame, e ast.Expr) (string, bool) {
	if text, ok := stringConstant(fr.info, e); ok {
		return text, true
	}
	if id, ok := e.(*ast.Ident); ok {
		text, ok := fr.names[fr.info.Uses[id]]
		return text, ok
	}
	return "", false
}

// codec follows a method of the codec.
func (s *shape) codec(fr *frame, call *ast.CallExpr, method string) {
	cur := fr.cur
	switch method {
	case "Field":
		name, ok := s.text(fr, call.Args[0])
		if !ok {
			panic(&unsupported{s.c.l.fset.Position(call.Pos()), "a field whose name is not a constant"})
		}
		cur.name, cur.taken, cur.last = name, false, nil
	case "Group", "Element":
		name, ok := s.text(fr, call.Args[0])
		if !ok {
			name = anyName
		}
		cur.path = append(cur.path, cur.scope().member(name))
		cur.name, cur.taken, cur.last = "", false, nil
	case "End":
		if len(cur.path) == 1 {
			panic(&unsupported{s.c.l.fset.Position(call.Pos()), "End without Group or Element"})
		}
		cur.path = cur.path[:len(cur.path)-1]
		cur.taken, cur.last = false, nil
	case "Count8", "Count16", "Float32s", "Bytes", "Slice", "Rest":
		s.primitive(cur, method, call)
	default:
		if _, ok := primitives[method]; ok {
			s.primitive(cur, method, call)
		}
	}
}

func (s *shape) primitive(cur *cursor, kind string, call *ast.CallExpr) {
	if cur.taken {
		panic(&unsupported{s.c.l.fset.Position(call.Pos()), "two primitives for one field"})
	}
	n := cur.scope().member(cur.name)
	if n.leaf == nil {
		n.leaf = &leaf{}
	}
	for _, k := range n.leaf.kinds {
		if k == kind {
			kind = ""
		}
	}
	if kind != "" {
		n.leaf.kinds = append(n.leaf.kinds, kind)
	}
	cur.taken, cur.last = true, []*leaf{n.leaf}
}

// show records the type of a value.
func (s *shape) show(fr *frame, call *ast.CallExpr) {
	n, ok := shownType(fr.info, call)
	if !ok {
		return
	}
	for _, l := range fr.cur.last {
		if !slices.Contains(l.types, n) {
			l.types = append(l.types, n)
		}
	}
}
