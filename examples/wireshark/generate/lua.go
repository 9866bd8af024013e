package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"strings"
)

// luaString returns a string as a Lua literal of ASCII.
func luaString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c > '~':
			fmt.Fprintf(&b, "\\%03d", c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// reserved are the words of Lua that Go does not reserve.
var reserved = map[string]bool{
	"and": true, "do": true, "elseif": true, "end": true, "false": true, "function": true, "in": true, "local": true,
	"nil": true, "not": true, "or": true, "repeat": true, "then": true, "true": true, "until": true, "while": true,
}

// luaName returns the name of a Go variable in Lua.
func luaName(name string) string {
	if reserved[name] {
		return name + "_"
	}
	return name
}

// luaConstant returns a constant as a Lua literal.
func luaConstant(v constant.Value) (string, bool) {
	switch v.Kind() {
	case constant.Bool:
		return v.String(), true
	case constant.String:
		return luaString(constant.StringVal(v)), true
	case constant.Int:
		return v.ExactString(), true
	}
	return "", false
}

func stringConstant(info *types.Info, e ast.Expr) (string, bool) {
	v := info.Types[e].Value
	if v == nil || v.Kind() != constant.String {
		return "", false
	}
	return constant.StringVal(v), true
}
