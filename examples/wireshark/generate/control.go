package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

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

func (w *writer) switchStmt(s *ast.SwitchStmt) {
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
