package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// method returns the method or function that a call calls, nil for a conversion or a builtin.
func callee(info *types.Info, e *ast.CallExpr) *types.Func {
	fun := ast.Unparen(e.Fun)
	if i, ok := fun.(*ast.IndexExpr); ok { // an explicit instance
		fun = i.X
	}
	var id *ast.Ident
	switch f := fun.(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	f, _ := info.Uses[id].(*types.Func)
	return f
}

// callStmt writes a call whose results nobody uses.
func (w *writer) callStmt(s *ast.ExprStmt) {
	e, ok := s.X.(*ast.CallExpr)
	if !ok {
		w.fail(s, "the statement %T", s.X)
	}
	f := callee(w.info, e)
	switch {
	case isCodecMethod(f):
		w.codecStmt(e, f)
	case isShow(f):
		w.show(e)
	case isResize(f):
		w.resize(e)
	case isReset(f): // the message is new in Lua
	case f == nil:
		w.fail(e, "a call of something that is not a function")
	default:
		w.helperStmt(e, f)
	}
}

// isReset reports whether a function is a method reset, which clears a message before it is decoded.
func isReset(f *types.Func) bool {
	return f != nil && f.Name() == "reset" && f.Signature().Recv() != nil && f.Signature().Params().Len() == 0
}

// isResize reports whether a function is stream.Resize, or the function reuse of package opcode.
func isResize(f *types.Func) bool {
	return isStream(f, "Resize") || f != nil && f.Name() == "reuse" && inModule(f.Pkg()) && f.Signature().TypeParams() != nil
}

// helperStmt writes the call of a function of the library.
func (w *writer) helperStmt(e *ast.CallExpr, f *types.Func) {
	for _, x := range e.Args {
		if !isCodec(w.info.TypeOf(x)) {
			continue
		}
		if name := w.fieldName(x); name != "nil" {
			w.line("field(%s)", name)
		}
	}
	text, inout := w.helper(e, f)
	if inout == nil {
		w.line("%s", text)
		return
	}
	w.store(inout, text)
}

// helper returns the call of a function of the library, and the argument that the call changes.
func (w *writer) helper(e *ast.CallExpr, f *types.Func) (text string, inout ast.Expr) {
	if !inModule(f.Pkg()) {
		w.fail(e, "a call of %s", f.FullName())
	}
	signature := f.Signature()
	if signature.Variadic() || signature.TypeParams() != nil {
		w.fail(e, "a call of %s, which is generic or variadic", f.FullName())
	}
	var args []string
	pass := func(x ast.Expr, t types.Type) {
		switch {
		case isCodec(t): // its state is in locals of the runtime
			return
		case !byValue(t):
			args = append(args, w.argument(x, t))
			return
		}
		if inout != nil {
			w.fail(e, "a call that changes two values")
		}
		inout = x
		if w.stored(x) {
			args = append(args, w.place(x))
		} else {
			args = append(args, w.zeroValue(x, t.Underlying().(*types.Pointer).Elem()))
		}
	}
	if recv := signature.Recv(); recv != nil {
		sel := ast.Unparen(e.Fun).(*ast.SelectorExpr)
		s := w.info.Selections[sel]
		if s == nil || types.IsInterface(s.Recv()) {
			w.fail(e, "a call of a method of an interface")
		}
		if len(s.Index()) > 1 {
			args = append(args, w.embedded(sel, s))
		} else {
			pass(sel.X, recv.Type())
		}
	}
	for i, x := range e.Args {
		pass(x, signature.Params().At(i).Type())
	}
	return fmt.Sprintf("W.%s(%s)", w.compiler.function(f), strings.Join(args, ", ")), inout
}

// embedded returns the embedded struct whose method is called.
func (w *writer) embedded(sel *ast.SelectorExpr, s *types.Selection) string {
	text, t := w.expr(operand(sel.X)), s.Recv()
	for _, index := range s.Index()[:len(s.Index())-1] {
		n := named(t)
		field := n.Underlying().(*types.Struct).Field(index)
		w.mark(n, field)
		text += "." + luaName(field.Name())
		t = field.Type()
	}
	return text
}

func (w *writer) argument(x ast.Expr, t types.Type) string {
	if isPointer(t) {
		return w.expr(operand(x))
	}
	return w.expr(x)
}

// call returns a call whose result is read.
func (w *writer) call(e *ast.CallExpr) string {
	if w.info.Types[e.Fun].IsType() {
		if p, ok := e.Fun.(*ast.ParenExpr); ok {
			if _, ok := p.X.(*ast.StarExpr); ok {
				return w.expr(operand(e))
			}
		}
		return w.convert(e)
	}
	if id, ok := e.Fun.(*ast.Ident); ok {
		if _, ok := w.info.Uses[id].(*types.Builtin); ok {
			return w.builtin(e, id.Name)
		}
	}
	f := callee(w.info, e)
	switch {
	case isReset(f): // the message is new in Lua
	case f == nil:
		w.fail(e, "a call of something that is not a function")
	case isCodecMethod(f):
		return w.codecValue(e, f)
	case f.FullName() == "fmt.Sprintf":
		return w.sprintf(e)
	case f.FullName() == "strconv.Itoa":
		return fmt.Sprintf("string.format(\"%%d\", %s)", w.expr(e.Args[0]))
	}
	if text := w.names(e, f); text != "" {
		return text
	}
	text, inout := w.helper(e, f)
	if inout != nil {
		w.fail(e, "a call that changes a value and gives another")
	}
	for _, x := range e.Args {
		if isCodec(w.info.TypeOf(x)) {
			w.unnamed(x)
		}
	}
	return text
}

func (w *writer) builtin(e *ast.CallExpr, name string) string {
	switch name {
	case "len":
		t := w.info.TypeOf(e.Args[0]).Underlying()
		if _, ok := t.(*types.Map); ok {
			w.fail(e, "a map")
		}
		return "#" + paren(w.expr(e.Args[0]))
	case "min", "max":
		var args []string
		for _, a := range e.Args {
			args = append(args, w.expr(a))
		}
		return fmt.Sprintf("math.%s(%s)", name, strings.Join(args, ", "))
	}
	w.fail(e, "the builtin %s", name)
	return ""
}

// sprintf translates a format whose verbs Lua has, too.
func (w *writer) sprintf(e *ast.CallExpr) string {
	format, ok := stringConstant(w.info, e.Args[0])
	if !ok || strings.Trim(verbs(format), "dxX%s") != "" {
		w.fail(e, "the format %s", w.expr(e.Args[0]))
	}
	args := []string{luaString(format)}
	for _, a := range e.Args[1:] {
		args = append(args, w.expr(a))
	}
	return fmt.Sprintf("string.format(%s)", strings.Join(args, ", "))
}

// verbs returns the verbs of a format.
func verbs(format string) (list string) {
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			continue
		}
		for i++; i < len(format) && strings.IndexByte("0123456789", format[i]) >= 0; i++ {
		}
		if i < len(format) {
			list += string(format[i])
		}
	}
	return list
}

// nameFunctions choose from a list of names. The runtime has them.
var nameFunctions = map[string]string{
	module + "/opcode.flagNames": "flagnames",
	module + "/opcode.word":      "word",
	module + "/transport.name":   "numbered",
}

func (w *writer) names(e *ast.CallExpr, f *types.Func) string {
	lua := nameFunctions[f.FullName()]
	if lua == "" {
		return ""
	}
	var names []string
	for _, a := range e.Args[1:] {
		names = append(names, w.expr(a))
	}
	return fmt.Sprintf("%s(%s, {%s})", lua, w.expr(e.Args[0]), strings.Join(names, ", "))
}
