package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// expr returns the Lua text of an expression that is read.
func (w *writer) expr(e ast.Expr) string {
	if v := w.info.Types[e].Value; v != nil {
		text, ok := luaConstant(v)
		if !ok {
			w.fail(e, "the constant %v", v)
		}
		return text
	}
	switch e := e.(type) {
	case *ast.Ident:
		if e.Name == "nil" {
			return "nil"
		}
		return luaName(e.Name)
	case *ast.ParenExpr:
		return w.expr(e.X)
	case *ast.StarExpr:
		return w.expr(e.X)
	case *ast.SelectorExpr:
		w.read(e)
		return w.selector(e)
	case *ast.IndexExpr:
		return w.index(e)
	case *ast.SliceExpr:
		if e.Low == nil && e.High == nil && e.Max == nil {
			return w.expr(e.X)
		}
	case *ast.UnaryExpr:
		return w.unary(e)
	case *ast.BinaryExpr:
		return w.binary(e)
	case *ast.CallExpr:
		return w.call(e)
	case *ast.CompositeLit:
		return w.composite(e)
	}
	w.fail(e, "the expression %T", e)
	return ""
}

func (w *writer) composite(e *ast.CompositeLit) string {
	t := w.info.TypeOf(e)
	if len(e.Elts) > 0 {
		w.fail(e, "a composite literal with values")
	}
	return w.zeroValue(e, t)
}

// selector returns a field, through the structs that embed it.
func (w *writer) selector(e *ast.SelectorExpr) string {
	s := w.info.Selections[e]
	if s == nil || s.Kind() != types.FieldVal {
		w.fail(e, "%s", e.Sel.Name)
	}
	text := w.expr(operand(e.X))
	t := s.Recv()
	for i, index := range s.Index() {
		n := named(t)
		field := n.Underlying().(*types.Struct).Field(index)
		if i < len(s.Index())-1 {
			w.mark(n, field)
		}
		text += "." + luaName(field.Name())
		t = field.Type()
	}
	return text
}

// field returns the key of a field in reads.
func (w *writer) field(e *ast.SelectorExpr) string {
	s := w.info.Selections[e]
	if s == nil || s.Kind() != types.FieldVal {
		w.fail(e, "%s", e.Sel.Name)
	}
	t := s.Recv()
	key := ""
	for _, index := range s.Index() {
		n := named(t)
		field := n.Underlying().(*types.Struct).Field(index)
		key, t = typeName(n)+"."+field.Name(), field.Type()
	}
	return key
}

func (w *writer) read(e *ast.SelectorExpr) { w.reads[w.field(e)] = true }

func (w *writer) mark(n *types.Named, field *types.Var) {
	w.reads[typeName(n)+"."+field.Name()] = true
}

func (w *writer) index(e *ast.IndexExpr) string {
	if isBytes(w.info.TypeOf(e.X)) {
		w.fail(e, "a byte of a field")
	}
	list, i := w.expr(operand(e.X)), w.expr(e.Index)
	return fmt.Sprintf("%s[%s + 1]", list, i)
}

func (w *writer) unary(e *ast.UnaryExpr) string {
	switch x := w.expr(e.X); {
	case e.Op == token.NOT && x == "true":
		return "false"
	case e.Op == token.NOT && x == "false":
		return "true"
	case e.Op == token.NOT:
		return "not " + paren(x)
	case e.Op == token.SUB:
		return "-" + paren(x)
	}
	w.fail(e, "the operator %v", e.Op)
	return ""
}

// paren puts parentheses around what is more than a word or a call.
func paren(text string) string {
	if !strings.Contains(text, " ") || strings.HasPrefix(text, "(") && closes(text) {
		return text
	}
	return "(" + text + ")"
}

// closes reports whether the parenthesis that a text begins with ends it.
func closes(text string) bool {
	depth := 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i == len(text)-1
			}
		}
	}
	return false
}

var comparisons = map[token.Token]string{
	token.EQL: "==", token.NEQ: "~=", token.LSS: "<", token.LEQ: "<=", token.GTR: ">", token.GEQ: ">=",
}

func (w *writer) binary(e *ast.BinaryExpr) string {
	if text := w.flag(e); text != "" {
		return text
	}
	if id, ok := e.Y.(*ast.Ident); ok && id.Name == "nil" {
		return w.compareNil(e)
	}
	if e.Op == token.LAND || e.Op == token.LOR {
		return w.logical(e)
	}
	x, y := paren(w.expr(e.X)), paren(w.expr(e.Y))
	if op, ok := comparisons[e.Op]; ok {
		if isStruct(w.info.TypeOf(e.X)) {
			w.fail(e, "a comparison of structs")
		}
		return x + " " + op + " " + y
	}
	return w.arithmetic(e, e.Op, e, x, y)
}

// logical folds constants, because the translation decodes only.
func (w *writer) logical(e *ast.BinaryExpr) string {
	word, one, zero := " and ", "true", "false"
	if e.Op == token.LOR {
		word, one, zero = " or ", "false", "true"
	}
	x := w.expr(e.X)
	switch x {
	case zero:
		return zero
	case one:
		return w.expr(e.Y)
	}
	y := w.expr(e.Y)
	switch y {
	case zero:
		return zero
	case one:
		return x
	}
	return paren(x) + word + paren(y)
}

// compareNil compares bytes with nil, which no bytes are in Lua.
func (w *writer) compareNil(e *ast.BinaryExpr) string {
	op, ok := comparisons[e.Op]
	if !ok || !isBytes(w.info.TypeOf(e.X)) {
		w.fail(e, "a comparison with nil")
	}
	return "#" + paren(w.expr(e.X)) + " " + op + " 0"
}

// flag translates m.Flags&Flag != 0 for a flag of one bit, without a call.
func (w *writer) flag(e *ast.BinaryExpr) string {
	and, ok := e.X.(*ast.BinaryExpr)
	if !ok || and.Op != token.AND || e.Op != token.NEQ && e.Op != token.EQL || w.info.Types[and].Value != nil {
		return ""
	}
	zero, mask := w.info.Types[e.Y].Value, w.info.Types[and.Y].Value
	if zero == nil || mask == nil || constant.Sign(zero) != 0 {
		return ""
	}
	bit, exact := constant.Uint64Val(mask)
	if !exact || bit == 0 || bit&(bit-1) != 0 {
		return ""
	}
	op := ">="
	if e.Op == token.EQL {
		op = "<"
	}
	return fmt.Sprintf("%s %% %d %s %d", paren(w.expr(and.X)), 2*bit, op, bit)
}

var bitFunctions = map[token.Token]string{
	token.AND: "band", token.OR: "bor", token.XOR: "bxor", token.AND_NOT: "bclear", token.SHL: "lshift", token.SHR: "rshift",
}

// arithmetic returns an operation on integers. The type is that of the expression typed.
func (w *writer) arithmetic(at ast.Node, op token.Token, typed ast.Expr, x, y string) string {
	t := w.info.TypeOf(typed)
	b := basic(t)
	switch {
	case b == nil:
		w.fail(at, "the operator %v on %v", op, t)
	case b.Info()&types.IsString != 0 && op == token.ADD:
		return x + " .. " + y
	case b.Info()&types.IsInteger == 0:
		w.fail(at, "the operator %v on %v", op, t)
	}
	switch op {
	case token.ADD, token.SUB, token.MUL:
		return w.wrap(t, fmt.Sprintf("%s %v %s", paren(x), op, paren(y)))
	case token.QUO:
		return fmt.Sprintf("quotient(%s, %s)", x, y)
	case token.REM:
		return fmt.Sprintf("remainder(%s, %s)", x, y)
	}
	if f, ok := bitFunctions[op]; ok {
		return fmt.Sprintf("%s(%s, %s)", f, x, y)
	}
	w.fail(at, "the operator %v", op)
	return ""
}

// wrap wraps a number as its type does.
func (w *writer) wrap(t types.Type, text string) string {
	switch bits, signed := width(t); {
	case bits == 0:
		return text
	case signed:
		return fmt.Sprintf("signed(%s, %d)", text, uint64(1)<<bits)
	default:
		return fmt.Sprintf("%s %% %d", paren(text), uint64(1)<<bits)
	}
}

// convert converts between integers, or between types that Lua does not distinguish.
func (w *writer) convert(e *ast.CallExpr) string {
	to, from := w.info.TypeOf(e), w.info.TypeOf(e.Args[0])
	text := w.expr(e.Args[0])
	tb, fb := basic(to), basic(from)
	if tb == nil || fb == nil {
		if isBytes(to) && isBytes(from) || types.Identical(to.Underlying(), from.Underlying()) || isPointer(to) && isPointer(from) {
			return text
		}
		w.fail(e, "the conversion of %v to %v", from, to)
	}
	switch {
	case tb.Info()&types.IsInteger != 0 && fb.Info()&types.IsInteger != 0:
		toBits, toSigned := width(to)
		fromBits, fromSigned := width(from)
		if toBits == 0 || fromBits != 0 && (toSigned == fromSigned && fromBits <= toBits || toSigned && fromBits < toBits) {
			return text
		}
		return w.wrap(to, text)
	case tb.Kind() == fb.Kind():
		return text
	}
	w.fail(e, "the conversion of %v to %v", from, to)
	return ""
}

func isPointer(t types.Type) bool {
	_, ok := t.Underlying().(*types.Pointer)
	return ok
}
