package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
)

// primitives are the methods of a codec that carry a field of one form. Those with a value give
// it to the walk.
var primitives = map[string]struct {
	lua   string
	value bool
}{
	"Uint8": {"u8", true}, "Int8": {"i8", true}, "PeerID": {"i32", true}, "PeerID8": {"i8", true}, "Slot8": {"i8", true}, "Uint16": {"u16", true}, "Int16": {"i16", true},
	"Uint32": {"u32", true}, "Int32": {"i32", true}, "Float32": {"f32", true},
	"Bool": {"boolean", true}, "ObjectID": {"objectid", true},
	"Float16": {"f16", false}, "Vector3": {"vector3", false}, "Vector4": {"vector4", false},
	"Contact": {"contact", false},
	"String8": {"string8", true}, "String16": {"string16", true}, "String32": {"string32", true}, "WString32": {"wstring32", true},
}

func isCodecMethod(f *types.Func) bool {
	if f == nil {
		return false
	}
	recv := f.Signature().Recv()
	return recv != nil && isCodec(recv.Type())
}

// isStream reports whether a function is one of package stream.
func isStream(f *types.Func, name string) bool {
	return f != nil && f.Pkg() != nil && f.Pkg().Path() == module+"/stream" && f.Name() == name && f.Signature().Recv() == nil
}

// fieldName returns the name in c.Field("Name"). It is "nil" for a codec whose field was named
// before.
func (w *writer) fieldName(e ast.Expr) string {
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return "nil"
	}
	if f := callee(w.info, call); !isCodecMethod(f) || f.Name() != "Field" {
		w.fail(e, "a codec from a call")
	}
	return w.expr(call.Args[0])
}

// unnamed fails if an expression names the field of a codec.
func (w *writer) unnamed(e ast.Expr) {
	if w.fieldName(e) != "nil" {
		w.fail(e, "a field that is named within an expression")
	}
}

// codecStmt writes the call of a method of a codec.
func (w *writer) codecStmt(e *ast.CallExpr, f *types.Func) {
	head := w.fieldName(e.Fun.(*ast.SelectorExpr).X)
	if p, ok := primitives[f.Name()]; ok {
		w.primitive(e, p.lua, head, p.value)
		return
	}
	switch f.Name() {
	case "Field":
		w.line("field(%s)", w.expr(e.Args[0]))
	case "Group":
		w.line("element(%s)", w.expr(e.Args[0]))
	case "Element":
		w.line("element(%s, %s)", w.expr(e.Args[0]), w.expr(e.Args[1]))
	case "End":
		w.line("leave()")
	case "Fail":
		w.line("fail(%s)", luaString(w.sentinel(e.Args[0])))
	case "Float32s":
		w.noValue(e.Args[0])
		w.line("f32s(%s, %d)", head, w.arrayLen(e.Args[0]))
	case "Bytes":
		w.store(e.Args[0], fmt.Sprintf("bytes(%s, %d)", head, w.arrayLen(e.Args[0])))
	case "Slice":
		w.store(e.Args[0], fmt.Sprintf("bytes(%s, %s)", head, w.expr(e.Args[1])))
	case "Rest":
		open := "false"
		if id, ok := e.Args[1].(*ast.Ident); !ok || id.Name != "nil" {
			w.noValue(e.Args[1])
			open = "true"
		}
		w.store(e.Args[0], fmt.Sprintf("rest(%s, %s)", head, open))
	case "Count8", "Count16":
		w.line("%s", w.count(e, f))
	default:
		w.fail(e, "Codec.%s", f.Name())
	}
}

// primitive writes a primitive, and stores its value if the walk reads it.
func (w *writer) primitive(e *ast.CallExpr, lua, head string, value bool) {
	text := fmt.Sprintf("%s(%s)", lua, head)
	if !value {
		w.noValue(e.Args[0])
		w.line("%s", text)
		return
	}
	w.store(e.Args[0], text)
}

// noValue fails if a walk reads what a primitive does not give to it.
func (w *writer) noValue(e ast.Expr) {
	if w.stored(e) {
		w.fail(e, "a walk that reads a value of type %v", w.info.TypeOf(e))
	}
}

func (w *writer) arrayLen(e ast.Expr) int64 {
	t := w.info.TypeOf(operand(e))
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	a, ok := t.Underlying().(*types.Array)
	if !ok {
		w.fail(e, "a list of a length that the layout does not fix: %v", t)
	}
	return a.Len()
}

// count returns the number of elements of a list. What an encoder would write is left out.
func (w *writer) count(e *ast.CallExpr, f *types.Func) string {
	name := w.fieldName(e.Fun.(*ast.SelectorExpr).X)
	size := 1
	if f.Name() == "Count16" {
		size = 2
	}
	return fmt.Sprintf("count(%s, %d, %s)", name, size, w.expr(e.Args[1]))
}

// sentinel returns the text of an error.
func (w *writer) sentinel(e ast.Expr) string {
	var id *ast.Ident
	switch e := e.(type) {
	case *ast.Ident:
		id = e
	case *ast.SelectorExpr:
		id = e.Sel
	default:
		w.fail(e, "an error that is not a variable")
	}
	if c, ok := w.info.Uses[id].(*types.Const); ok && c.Val().Kind() == constant.String {
		return constant.StringVal(c.Val())
	}
	v, ok := w.info.Uses[id].(*types.Var)
	if !ok {
		w.fail(e, "an error that is not a variable")
	}
	text, ok := w.l.errorText(v)
	if !ok {
		w.fail(e, "an error without a constant text")
	}
	return text
}

// isShow reports whether a function is stream.Show or one of its forms for other types.
func isShow(f *types.Func) bool {
	return isStream(f, "Show") || isStream(f, "ShowBytes") || isStream(f, "ShowBool")
}

// shownType returns the type that a call of stream.Show gives to a value. It returns false for a bool and
// for an IP address, which the runtime knows.
func shownType(info *types.Info, call *ast.CallExpr) (*types.Named, bool) {
	n, ok := types.Unalias(info.TypeOf(call.Args[1])).(*types.Named)
	return n, ok && n.Obj().Pkg() != nil && n.Obj().Name() != "address"
}

// show writes a call of stream.Show.
func (w *writer) show(e *ast.CallExpr) {
	value := e.Args[1]
	t := w.info.TypeOf(value)
	n, ok := shownType(w.info, e)
	switch {
	case ok:
		w.show1(n)
		text := "nil" // the bytes themselves
		if !isBytes(t) {
			text = w.expr(value)
		}
		w.line("show(T.%s, %s)", typeName(n), text)
	case types.Identical(t, types.Typ[types.Bool]):
		w.line("show(T.bool, %s)", w.expr(value))
	case isBytes(t):
		w.line("show(T.ip, nil)")
	default:
		w.fail(e, "Show of %v", t)
	}
}

// resize writes a call of stream.Resize or reuse, unless no walk reads the list.
func (w *writer) resize(e *ast.CallExpr) {
	list := e.Args[1]
	if !w.stored(list) {
		return
	}
	s, ok := w.info.TypeOf(operand(list)).Underlying().(*types.Slice)
	if !ok {
		w.fail(list, "a list of type %v", w.info.TypeOf(list))
	}
	maker := "nil"
	if isStruct(s.Elem()) {
		maker = w.zero(named(s.Elem()))
	}
	w.line("%s = resize(%s, %s)", w.place(list), w.expr(e.Args[2]), maker)
}

// codecValue returns the call of a method of a codec that has a result.
func (w *writer) codecValue(e *ast.CallExpr, f *types.Func) string {
	switch f.Name() {
	case "Count8", "Count16":
		return w.count(e, f)
	}
	w.unnamed(e.Fun.(*ast.SelectorExpr).X)
	switch f.Name() {
	case "Decoding":
		return "true"
	case "Remaining":
		return "remaining()"
	case "PeekUint":
		return fmt.Sprintf("peek(%s, %s)", w.expr(e.Args[0]), w.expr(e.Args[1]))
	}
	w.fail(e, "Codec.%s", f.Name())
	return ""
}
