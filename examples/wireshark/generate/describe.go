package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// builtinTypes are the types whose texts the runtime makes.
var builtinTypes = map[string]bool{
	"stateupdate_Levels": true, "transport_UTF16Z": true, "transport_AckFlags": true, "objectid_PeerID": true,
}

// described is the Lua text of a type: how its values print.
type described struct {
	name  string
	text  string     // a Lua function
	names []enumName // of an enumeration
}

type enumName struct {
	value constant.Value
	name  string
}

// describe returns the texts of the values of a type, from its String method.
func (c *compiler) describe(n *types.Named) (d described, roots []*types.Func, err error) {
	d.name = typeName(n)
	if builtinTypes[d.name] {
		return d, nil, nil
	}
	object, _, _ := types.LookupFieldOrMethod(n, true, n.Obj().Pkg(), "String")
	f, ok := object.(*types.Func)
	if !ok || c.l.funcs[f] == nil {
		return d, nil, fmt.Errorf("%s has no String method", d.name)
	}
	if c.enum(&d, f) {
		return d, nil, nil
	}
	d.text = "W." + c.name(f)
	return d, []*types.Func{f}, nil
}

// enum recognises the String method of an enumeration: a switch over constants, and a format
// for all other values.
func (c *compiler) enum(d *described, f *types.Func) bool {
	src := c.l.funcs[f]
	body := src.decl.Body.List
	if len(body) != 2 {
		return false
	}
	sw, ok := body[0].(*ast.SwitchStmt)
	ret, ok2 := body[1].(*ast.ReturnStmt)
	if !ok || !ok2 || sw.Tag == nil || len(ret.Results) != 1 {
		return false
	}
	for _, clause := range sw.Body.List {
		clause := clause.(*ast.CaseClause)
		if len(clause.Body) != 1 || len(clause.List) == 0 {
			return false
		}
		result, ok := clause.Body[0].(*ast.ReturnStmt)
		if !ok || len(result.Results) != 1 {
			return false
		}
		name, ok := stringConstant(src.pkg.info, result.Results[0])
		if !ok {
			return false
		}
		for _, e := range clause.List {
			d.names = append(d.names, enumName{src.pkg.info.Types[e].Value, name})
		}
	}
	w := &writer{compiler: c, info: src.pkg.info}
	recv := luaName(src.decl.Recv.List[0].Names[0].Name)
	d.text = fmt.Sprintf("function(%s) return %s end", recv, w.expr(ret.Results[0]))
	return true
}

// lua writes the type into the table T.
func (d *described) lua(b *strings.Builder) {
	if d.text == "" {
		return
	}
	if d.names == nil {
		fmt.Fprintf(b, "T.%s.text = %s\n", d.name, d.text)
		return
	}
	fmt.Fprintf(b, "T.%s.names = {\n", d.name)
	for _, n := range d.names {
		value, _ := luaConstant(n.value)
		fmt.Fprintf(b, "  [%s] = %s,\n", value, luaString(n.name))
	}
	fmt.Fprintf(b, "}\nT.%s.other = %s\n", d.name, d.text)
}
