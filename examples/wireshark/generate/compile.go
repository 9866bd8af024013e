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

// ends reports whether the last statement is a return.
func ends(list []ast.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	_, ok := list[len(list)-1].(*ast.ReturnStmt)
	return ok
}

func (w *writer) block(list []ast.Stmt) {
	for i, s := range list {
		w.stmt(s, i == len(list)-1)
	}
}

func (w *writer) nested(list []ast.Stmt) {
	w.depth++
	w.block(list)
	w.depth--
}

// stmt writes a statement. Lua allows a return only at the end of a block.
func (w *writer) stmt(s ast.Stmt, last bool) {
	switch s := s.(type) {
	case *ast.EmptyStmt:
	case *ast.ExprStmt:
		w.callStmt(s)
	case *ast.AssignStmt:
		w.assign(s)
	case *ast.IncDecStmt:
		op := token.ADD
		if s.Tok == token.DEC {
			op = token.SUB
		}
		w.store(s.X, w.arithmetic(s, op, s.X, w.expr(s.X), "1"))
	case *ast.DeclStmt:
		w.declare(s)
	case *ast.BlockStmt:
		w.line("do")
		w.nested(s.List)
		w.line("end")
	case *ast.IfStmt:
		w.ifStmt(s, last)
	case *ast.SwitchStmt:
		w.switchStmt(s, last)
	case *ast.ForStmt:
		w.forStmt(s)
	case *ast.RangeStmt:
		w.rangeStmt(s)
	case *ast.BranchStmt:
		w.branch(s, last)
	case *ast.ReturnStmt:
		w.returnStmt(s, last)
	default:
		w.fail(s, "the statement %T", s)
	}
}

func (w *writer) returnStmt(s *ast.ReturnStmt, last bool) {
	var values []string
	for _, e := range s.Results {
		values = append(values, w.expr(e))
	}
	text := strings.TrimSpace("return " + strings.Join(append(values, w.inouts...), ", "))
	if !last {
		text = "do " + text + " end"
	}
	w.line("%s", text)
}

func (w *writer) branch(s *ast.BranchStmt, last bool) {
	switch {
	case s.Label != nil || len(w.loops) == 0:
		w.fail(s, "%v to a label", s.Tok)
	case s.Tok == token.BREAK && w.loops[len(w.loops)-1] < 0:
		w.fail(s, "break in a switch")
	case s.Tok == token.BREAK && last:
		w.line("break")
	case s.Tok == token.BREAK:
		w.line("do break end")
	case s.Tok == token.CONTINUE:
		for i := len(w.loops) - 1; i >= 0; i-- {
			if w.loops[i] > 0 {
				w.used[w.loops[i]] = true
				w.line("goto continue_%d", w.loops[i])
				return
			}
		}
		w.fail(s, "continue outside of a loop")
	default:
		w.fail(s, "%v", s.Tok)
	}
}

func (w *writer) declare(s *ast.DeclStmt) {
	general := s.Decl.(*ast.GenDecl)
	switch general.Tok {
	case token.CONST, token.TYPE: // constants are folded
		return
	}
	for _, spec := range general.Specs {
		values := spec.(*ast.ValueSpec)
		for i, name := range values.Names {
			value := ""
			if i < len(values.Values) {
				value = w.expr(values.Values[i])
			} else {
				value = w.zeroValue(name, w.info.Defs[name].Type())
			}
			w.line("local %s = %s", luaName(name.Name), value)
		}
	}
}

func (w *writer) zeroValue(n ast.Node, t types.Type) string {
	if isStruct(t) {
		return w.zero(named(t)) + "()"
	}
	if isBytes(t) {
		return `""`
	}
	switch b := basic(t); {
	case b == nil:
		w.fail(n, "a variable of type %v", t)
	case b.Info()&types.IsBoolean != 0:
		return "false"
	case b.Info()&types.IsString != 0:
		return `""`
	}
	return "0"
}

func (w *writer) assign(s *ast.AssignStmt) {
	if len(s.Lhs) != len(s.Rhs) {
		w.fail(s, "an assignment from several results")
	}
	if len(s.Lhs) > 1 && s.Tok == token.ASSIGN {
		w.fail(s, "a parallel assignment")
	}
	for i, left := range s.Lhs {
		right := s.Rhs[i]
		switch s.Tok {
		case token.DEFINE:
			w.define(left.(*ast.Ident), right)
		case token.ASSIGN:
			w.storeLazily(left, right)
		default:
			op, ok := assignOps[s.Tok]
			if !ok {
				w.fail(s, "the assignment %v", s.Tok)
			}
			w.store(left, w.arithmetic(s, op, left, w.expr(left), w.expr(right)))
		}
	}
}

var assignOps = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.ADD, token.SUB_ASSIGN: token.SUB, token.MUL_ASSIGN: token.MUL,
	token.AND_ASSIGN: token.AND, token.OR_ASSIGN: token.OR, token.XOR_ASSIGN: token.XOR,
	token.AND_NOT_ASSIGN: token.AND_NOT, token.SHL_ASSIGN: token.SHL, token.SHR_ASSIGN: token.SHR,
}

func (w *writer) define(left *ast.Ident, right ast.Expr) {
	if u, ok := right.(*ast.UnaryExpr); ok && u.Op == token.AND { // d := &m.Damagers[i]
		if !isStruct(w.info.TypeOf(u.X)) {
			w.fail(right, "a pointer to %v in a variable", w.info.TypeOf(u.X))
		}
		right = u.X
	}
	value := w.expr(right)
	switch {
	case left.Name == "_":
		w.line("local _ = %s", value)
	case w.info.Defs[left] == nil: // declared before
		w.line("%s = %s", luaName(left.Name), value)
	default:
		w.line("local %s = %s", luaName(left.Name), value)
	}
}

// storeLazily assigns an expression, or leaves it out if nothing reads the field.
func (w *writer) storeLazily(left, right ast.Expr) {
	if w.stored(left) {
		w.line("%s = %s", w.place(left), w.expr(right))
	}
}

// store assigns a value, or evaluates a call alone if nothing reads the field.
func (w *writer) store(left ast.Expr, value string) {
	switch {
	case w.stored(left):
		w.line("%s = %s", w.place(left), value)
	case strings.HasSuffix(value, ")"):
		w.line("%s", value)
	}
}

// stored reports whether something reads what is assigned to an expression.
func (w *writer) stored(e ast.Expr) bool {
	switch e := operand(e).(type) {
	case *ast.Ident:
		return e.Name != "_"
	case *ast.SelectorExpr:
		return w.reads[w.field(e)]
	case *ast.IndexExpr:
		return w.stored(e.X)
	case *ast.CallExpr:
		if id, ok := e.Fun.(*ast.Ident); ok && id.Name == "new" { // nobody reads the value
			return false
		}
	}
	w.fail(e, "an assignment to %T", e)
	return false
}

// place returns the Lua text of what is assigned to.
func (w *writer) place(e ast.Expr) string {
	switch e := operand(e).(type) {
	case *ast.Ident:
		return luaName(e.Name)
	case *ast.SelectorExpr:
		return w.selector(e)
	case *ast.IndexExpr:
		return w.index(e)
	}
	w.fail(e, "an assignment to %T", e)
	return ""
}

// operand strips what makes no difference in Lua: parentheses, addresses, dereferences, slices
// of whole arrays, and conversions of pointers.
func operand(e ast.Expr) ast.Expr {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return operand(x.X)
	case *ast.StarExpr:
		return operand(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return operand(x.X)
		}
	case *ast.SliceExpr:
		if x.Low == nil && x.High == nil && x.Max == nil {
			return operand(x.X)
		}
	case *ast.CallExpr: // (*uint8)(&m.Flags)
		if p, ok := x.Fun.(*ast.ParenExpr); ok && len(x.Args) == 1 {
			if _, ok := p.X.(*ast.StarExpr); ok {
				return operand(x.Args[0])
			}
		}
	}
	return e
}

func (w *writer) ifStmt(s *ast.IfStmt, last bool) {
	if s.Init != nil {
		w.line("do")
		w.depth++
		w.stmt(s.Init, false)
		w.ifStmt(&ast.IfStmt{If: s.If, Cond: s.Cond, Body: s.Body, Else: s.Else}, true)
		w.depth--
		w.line("end")
		return
	}
	switch cond := w.expr(s.Cond); cond {
	case "true":
		w.branchBody(s.Body, last)
	case "false":
		if s.Else != nil {
			w.stmt(s.Else, last)
		}
	default:
		w.line("if %s then", cond)
		w.nested(s.Body.List)
		if s.Else != nil {
			w.line("else")
			w.nested([]ast.Stmt{s.Else})
		}
		w.line("end")
	}
}

// branchBody writes the statements of a branch that is always taken.
func (w *writer) branchBody(body *ast.BlockStmt, last bool) {
	for _, s := range body.List {
		if a, ok := s.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
			w.stmt(body, last)
			return
		}
	}
	for i, s := range body.List {
		w.stmt(s, last && i == len(body.List)-1)
	}
}

func (w *writer) switchStmt(s *ast.SwitchStmt, last bool) {
	w.loops = append(w.loops, -1)
	defer func() { w.loops = w.loops[:len(w.loops)-1] }()
	w.line("do")
	w.depth++
	if s.Init != nil {
		w.stmt(s.Init, false)
	}
	tag := ""
	if s.Tag != nil {
		w.line("local tag = %s", w.expr(s.Tag))
		tag = "tag"
	}
	var other *ast.CaseClause
	word := "if"
	for _, clause := range s.Body.List {
		clause := clause.(*ast.CaseClause)
		if clause.List == nil {
			other = clause
			continue
		}
		w.line("%s %s then", word, w.caseCondition(tag, clause))
		w.nested(clause.Body)
		word = "elseif"
	}
	switch {
	case other != nil && word == "if":
		w.line("do")
		w.nested(other.Body)
		w.line("end")
	case other != nil:
		w.line("else")
		w.nested(other.Body)
		w.line("end")
	case word == "elseif":
		w.line("end")
	}
	w.depth--
	w.line("end")
}

func (w *writer) caseCondition(tag string, clause *ast.CaseClause) string {
	var tests []string
	for _, e := range clause.List {
		test := w.expr(e)
		if tag != "" {
			test = tag + " == " + test
		}
		tests = append(tests, test)
	}
	return strings.Join(tests, " or ")
}

// loop writes the body of a loop after its head.
func (w *writer) loop(body *ast.BlockStmt, before ...string) {
	w.labels++
	label := w.labels
	w.loops = append(w.loops, label)
	w.depth++
	for _, text := range before {
		w.line("%s", text)
	}
	if ends(body.List) {
		w.fail(body, "a loop that always returns")
	}
	w.block(body.List)
	if w.used[label] {
		w.line("::continue_%d::", label)
	}
	w.depth--
	w.loops = w.loops[:len(w.loops)-1]
	w.line("end")
}

// forStmt writes a counted loop, for i := 0; i < n; i++.
func (w *writer) forStmt(s *ast.ForStmt) {
	init, ok1 := s.Init.(*ast.AssignStmt)
	cond, ok2 := s.Cond.(*ast.BinaryExpr)
	post, ok3 := s.Post.(*ast.IncDecStmt)
	if !ok1 || !ok2 || !ok3 || init.Tok != token.DEFINE || len(init.Lhs) != 1 || cond.Op != token.LSS || post.Tok != token.INC {
		w.fail(s, "a loop that is not counted")
	}
	name := init.Lhs[0].(*ast.Ident).Name
	if id, ok := cond.X.(*ast.Ident); !ok || id.Name != name {
		w.fail(s, "a loop that is not counted")
	}
	w.line("for %s = %s, %s - 1 do", luaName(name), w.expr(init.Rhs[0]), w.expr(cond.Y))
	w.loop(s.Body)
}

func (w *writer) rangeStmt(s *ast.RangeStmt) {
	key, value := rangeName(s.Key), rangeName(s.Value)
	over := w.info.TypeOf(s.X)
	limit := ""
	switch u := over.Underlying().(type) {
	case *types.Basic:
		if u.Info()&types.IsInteger == 0 {
			w.fail(s, "a range over %v", over)
		}
		limit = w.expr(s.X)
	case *types.Slice:
		limit = "#" + w.expr(s.X)
	case *types.Array:
		limit = fmt.Sprint(u.Len())
	default:
		w.fail(s, "a range over %v", over)
	}
	if key == "_" {
		key = "i_"
	}
	w.line("for %s = 0, %s - 1 do", key, limit)
	if value == "_" {
		w.loop(s.Body)
		return
	}
	w.loop(s.Body, fmt.Sprintf("local %s = %s[%s + 1]", value, w.expr(s.X), key))
}

func rangeName(e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok {
		return luaName(id.Name)
	}
	return "_"
}
