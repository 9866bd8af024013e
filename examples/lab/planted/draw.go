package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// drawn are the packages in which draw makes errors.
var drawn = []string{"join", "match", "transport", "stateupdate", "opcode", "game", "model"}

// draw draws n errors with a seed, one package after the other, each with the same chance for all places, and prints
// them in the form of mutations.go. It leaves out functions that sim does not have, and those that only write texts.
func (all sources) draw(n int, seed uint64) error {
	linked, err := symbols()
	if err != nil {
		return err
	}
	rng, found := rand.New(rand.NewPCG(seed, 0)), map[string]bool{}
	places := map[string][]bug{}
	for i := 0; len(found) < n; {
		name := drawn[i%len(drawn)]
		if places[name] == nil {
			if places[name], err = all.mutations(name, linked); err != nil {
				return err
			}
		}
		b := places[name][rng.IntN(len(places[name]))]
		c := b.changes[0]
		changed, err := all.plant(&b)
		if found[c.in+c.from] || err != nil || all.check(changed) != nil {
			continue
		}
		i++
		found[c.in+c.from] = true
		fmt.Printf("\t{%q, %q, []change{{in: %q, from: %s, to: %s}}},\n", fmt.Sprintf("%s-%d", name, (i-1)/len(drawn)+1), b.breaks, c.in, quote(c.from), quote(c.to))
	}
	return nil
}

func quote(s string) string {
	if strings.ContainsAny(s, "\n\"") && !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	return strconv.Quote(s)
}

// symbols returns the names of the functions that sim has: import path, receiver and name.
func symbols() (map[string]bool, error) {
	dir, err := os.MkdirTemp("", "planted")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	exe := filepath.Join(dir, "sim.exe")
	if out, err := exec.Command("go", "build", "-gcflags=all=-l", "-o", exe, program).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	out, err := exec.Command("go", "tool", "nm", exe).Output()
	if err != nil {
		return nil, err
	}
	linked := map[string]bool{}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Fields(line); len(fields) >= 3 {
			linked[strings.NewReplacer("(*", "", ")", "").Replace(fields[2])] = true
		}
	}
	return linked, nil
}

// mutations returns the errors of one line that a package can have.
func (all sources) mutations(name string, linked map[string]bool) (found []bug, err error) {
	for path, p := range all {
		if p.Name != name || !strings.HasPrefix(path, module) {
			continue
		}
		for _, file := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				return nil, err
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			for _, d := range f.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok || fn.Body == nil || slices.Contains([]string{"String", "Error", "LogValue", "GoString"}, fn.Name.Name) {
					continue
				}
				in := fn.Name.Name
				if fn.Recv != nil {
					receiver, _, _ := strings.Cut(types.ExprString(fn.Recv.List[0].Type), "[")
					in = strings.TrimPrefix(receiver, "*") + "." + in
				}
				if linked[path+"."+in] {
					found = append(found, mutate(text, f, fn, name+"."+in)...)
				}
			}
		}
	}
	return found, nil
}

// others are the operators that take the place of operators.
var others = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LAND: token.LOR, token.LOR: token.LAND, token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.QUO, token.QUO: token.MUL,
}

// mutate returns the errors of a function: another operator, a negated condition, a number plus one, a statement less.
func mutate(text []byte, f *ast.File, fn *ast.FuncDecl, in string) (found []bug) {
	source := func(n ast.Node) string { return string(text[n.Pos()-f.FileStart : n.End()-f.FileStart]) }
	add := func(breaks string, n ast.Node, to string) {
		found = append(found, bug{breaks: breaks, changes: []change{{in: in, from: source(n), to: to}}})
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if op, ok := others[n.Op]; ok {
				add("another operator", n, source(n.X)+" "+op.String()+" "+source(n.Y))
			}
		case *ast.BasicLit:
			if i, err := strconv.ParseInt(n.Value, 0, 64); err == nil && n.Kind == token.INT {
				add("a number plus one", n, strconv.FormatInt(i+1, 10))
			}
		case *ast.IfStmt:
			add("the opposite condition", n.Cond, "!("+source(n.Cond)+")")
			if n.Else == nil {
				add("a statement less", n, "")
			}
		case *ast.ExprStmt, *ast.IncDecStmt:
			add("a statement less", n, "")
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				add("a statement less", n, "")
			}
		case *ast.CallExpr: // arguments of panics are texts
			if id, ok := n.Fun.(*ast.Ident); ok && id.Name == "panic" {
				return false
			}
		}
		return true
	})
	return found
}
