package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

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
		w.switchStmt(s)
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
			if _, ok := left.(*ast.StarExpr); ok && isStruct(w.info.TypeOf(left)) {
				continue // a walk clears its message, which is new in Lua
			}
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
