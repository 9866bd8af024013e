package main

import (
	"fmt"
	"go/types"
	"strings"
	"unicode"
)

// statusWalk returns the walk of a subsystem in a message. The runtime calls it for each
// subsystem of a ship.
func (w *walked) statusWalk() string {
	if w.name == "StateUpdate" {
		return "walkBlock"
	}
	return "walkCreate"
}

func (g *generator) text(messages []message, all []*walked, state *pkg) (string, error) {
	var roots []*types.Func
	for _, w := range all {
		roots = append(roots, w.walk)
		if !w.split {
			continue
		}
		status, err := g.l.method(state, "Status", w.statusWalk())
		if err != nil {
			return "", err
		}
		fields, err := g.c.fields(status)
		if err != nil {
			return "", err
		}
		subsystems := w.fields.member("Subsystems")
		subsystems.members, subsystems.order = fields.members, fields.order
		roots = append(roots, status)
	}
	g.c.always = runtimeReads
	if err := g.c.roots(roots); err != nil {
		return "", err
	}
	var shown []described
	for i := 0; i < len(g.c.shown); i++ {
		d, more, err := g.c.describe(g.c.shown[i])
		if err != nil {
			return "", err
		}
		shown, roots = append(shown, d), append(roots, more...)
	}
	if err := g.c.roots(roots); err != nil {
		return "", err
	}
	return g.write(messages, all, shown, state)
}

func (g *generator) write(messages []message, all []*walked, shown []described, state *pkg) (string, error) {
	var b strings.Builder
	b.WriteString("-- Types of values.\n")
	for _, d := range shown {
		fmt.Fprintf(&b, "T.%s = T.%s or {}\n", d.name, d.name)
	}
	b.WriteString("\n-- Walks.\n")
	for _, f := range g.c.order {
		b.WriteString(g.c.texts[f] + "\n")
	}
	b.WriteString("-- Texts of values.\n")
	for _, d := range shown {
		d.lua(&b)
	}
	b.WriteString("\n-- Messages.\n")
	for _, m := range messages {
		fmt.Fprintf(&b, "O[%s] = %s\n", m.op, luaString(m.name))
	}
	for _, w := range all {
		if err := g.message(&b, w); err != nil {
			return "", err
		}
	}
	status := state.types.Scope().Lookup("Status").Type().(*types.Named)
	g.c.zero(status)
	b.WriteString("\n-- Structs.\n")
	g.constructors(&b)
	if err := g.classes(&b); err != nil {
		return "", err
	}
	if err := constants(&b, g.l.pkgs["opcode"]); err != nil {
		return "", err
	}
	invisible(&b)
	return b.String(), nil
}

func (g *generator) message(b *strings.Builder, w *walked) error {
	fmt.Fprintf(b, "%s = {name = %s, filter = %s, walk = W.%s, zero = %s, ", w.key, luaString(w.name), luaString(w.prefix), g.c.name(w.walk), luaString(g.zeroOf(w.walk)))
	b.WriteString("fields = ")
	t := &table{b: b, done: map[*node]string{}}
	if err := t.write(w.fields, w.prefix, "", w.key+".fields", ""); err != nil {
		return err
	}
	b.WriteString("}\n")
	for _, s := range t.late {
		b.WriteString(s + "\n")
	}
	return nil
}

// zeroOf returns the name of the constructor of a function's receiver.
func (g *generator) zeroOf(f *types.Func) string {
	n := named(f.Signature().Recv().Type())
	g.c.zero(n)
	return typeName(n)
}

func (g *generator) constructors(b *strings.Builder) {
	for i := 0; i < len(g.c.zeros); i++ {
		n := g.c.zeros[i]
		var fields []string
		s := n.Underlying().(*types.Struct)
		for k := range s.NumFields() {
			if zero := g.c.zeroOf(n, s.Field(k)); zero != "" {
				fields = append(fields, luaName(s.Field(k).Name())+" = "+zero)
			}
		}
		fmt.Fprintf(b, "function Z.%s() return {%s} end\n", typeName(n), strings.Join(fields, ", "))
	}
}

// invisible writes the characters that Go quotes, as the beginnings of runs.
func invisible(b *strings.Builder) {
	b.WriteString("\n-- Characters that print and characters that do not, in turn, by the lengths of the runs.\n")
	b.WriteString("U.runs = {")
	printable, from, n := false, rune(0), 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if unicode.IsPrint(r) != printable || r == unicode.MaxRune {
			if n%24 == 0 {
				b.WriteString("\n  ")
			}
			fmt.Fprintf(b, "%d,", r-from)
			printable, from, n = !printable, r, n+1
		}
	}
	b.WriteString("\n}\n")
}
