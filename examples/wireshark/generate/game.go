package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"github.com/bcwire/bcwire/stateupdate"
)

// runtimeConstants are the constants of package opcode that the runtime uses.
var runtimeConstants = []string{
	"OpObjectCreate", "OpObjectCreateTeam", "OpBootPlayer", "OpPythonEvent", "OpDestroyObject", "OpStateUpdate", "OpMissionInit",
	"OpRestartGame",
	"StateSubsystems", "ObjectShip", "ClassObjectExplodingEvent", "ETObjectExploding",
}

func constants(b *strings.Builder, opcodes *pkg) error {
	b.WriteString("\n-- Constants.\n")
	for _, name := range runtimeConstants {
		object, ok := opcodes.types.Scope().Lookup(name).(*types.Const)
		if !ok {
			return fmt.Errorf("package opcode has no constant %s", name)
		}
		value, _ := luaConstant(object.Val())
		fmt.Fprintf(b, "U.%s = %s\n", name, value)
	}
	hint, err := datagramHint(opcodes)
	fmt.Fprintf(b, "U.datagramHint = %s\n", luaString(hint))
	return err
}

// datagramHint returns the end of the error of a GameInit that is likely to be a datagram.
func datagramHint(opcodes *pkg) (hint string, err error) {
	for _, file := range opcodes.files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Name.Name != "Error" || f.Recv == nil {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if sum, ok := n.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
					hint, _ = stringConstant(opcodes.info, sum.Y)
				}
				return true
			})
		}
	}
	if hint == "" {
		return "", errors.New("package opcode has no error about datagrams")
	}
	return hint, nil
}

// classes writes the kinds of subsystems and the classes of ships.
func (g *generator) classes(b *strings.Builder) error {
	b.WriteString("\n-- Names of the kinds of subsystems.\n")
	for k := stateupdate.Kind(0); new(stateupdate.Kind).UnmarshalText([]byte(k.String())) == nil; k++ {
		fmt.Fprintf(b, "K[%d] = %s\n", k, luaString(k.String()))
	}
	text, err := os.ReadFile(filepath.Join(g.l.root, "stateupdate", "ships.json"))
	if err != nil {
		return err
	}
	ships, err := stateupdate.ParseJSON(text)
	if err != nil {
		return err
	}
	b.WriteString("\n-- Classes of ships by species: kind, ID offset and name of each subsystem, then of its children.\n")
	for _, c := range ships {
		fmt.Fprintf(b, "S[%d] = {name = %s,\n", c.Species, luaString(c.Name))
		for _, s := range c.Subsystems {
			fmt.Fprintf(b, "  {%d, %d, %s", s.Kind, s.IDOffset, luaString(s.Name))
			for _, child := range s.Children {
				fmt.Fprintf(b, ", %d, %s", child.IDOffset, luaString(child.Name))
			}
			b.WriteString("},\n")
		}
		b.WriteString("}\n")
	}
	return nil
}
