package conventions

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// No method of the zero value of an exported type panics. The test finds the types in the source,
// and runs a program that calls their methods.
func TestZeroValues(t *testing.T) {
	packages, _ := library(t)
	var imports, types strings.Builder
	n := 0
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		found := exportedTypes(packages[name])
		if len(found) == 0 {
			continue
		}
		alias := strings.ReplaceAll(name, "/", "_")
		fmt.Fprintf(&imports, "\t%s %q\n", alias, module+"/"+name)
		for _, typ := range found {
			fmt.Fprintf(&types, "\t\treflect.TypeFor[%s.%s](),\n", alias, typ)
			n++
		}
	}
	require.Greater(t, n, 150)
	program := fmt.Sprintf(`package main

import (
	"fmt"
	"os"
	"reflect"

%s
	"github.com/bcwire/bcwire/examples/internal/conventions/zerovalue"
)

func main() {
	trier := &zerovalue.Trier{Types: []reflect.Type{
%s	}}
	errs := trier.Try()
	for _, err := range errs {
		fmt.Println(err)
	}
	if len(errs) > 0 {
		os.Exit(1)
	}
}
`, imports.String(), types.String())

	// The program must be in the module. An overlay keeps it out of the repository.
	dir := t.TempDir()
	source := filepath.Join(dir, "main.go")
	require.NoError(t, os.WriteFile(source, []byte(program), 0o600))
	here, err := filepath.Abs(".")
	require.NoError(t, err)
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(here, "zeroprogram", "main.go"): source}})
	require.NoError(t, err)
	list := filepath.Join(dir, "overlay.json")
	require.NoError(t, os.WriteFile(list, overlay, 0o600))
	run := exec.CommandContext(t.Context(), "go", "run", "-overlay", list, "./zeroprogram")
	run.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false") // without -cover, which ignores overlays
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// exportedTypes returns the names of the types of a package that are not generic.
func exportedTypes(files []*ast.File) (names []string) {
	for _, f := range files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, s := range g.Specs {
				if s := s.(*ast.TypeSpec); s.Name.IsExported() && s.TypeParams == nil {
					names = append(names, s.Name.Name)
				}
			}
		}
	}
	slices.Sort(names)
	return names
}
