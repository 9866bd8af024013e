package conventions

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// corrections is the page of statements of older documents, as other files link to it.
const corrections = "opcode/CORRECTIONS.md"

// reference matches a name in a cell of the page, and the mark of a vector that was not captured
// completely.
var reference = regexp.MustCompile("`([^`]+)`(?: \\(([crtn])\\))?")

// Every row of the corrections has an identifier of the library, and a vector or a test as its proof.
// All of them exist, and each vector has the mark of its kind.
func TestCorrections(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, corrections))
	require.NoError(t, err)
	packages, vectors := documentation(t), vectorKinds(t)
	known, tests, linked := map[string]map[string]bool{}, map[string]map[string]bool{}, map[string]bool{}
	rows := 0
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 5 || strings.HasPrefix(line, "|---") || strings.TrimSpace(cells[3]) == "Go" {
			require.False(t, len(cells) > 3 && len(cells) != 5, "five cells: %s", line)
			continue
		}
		rows++
		for _, cell := range cells {
			require.NotEmpty(t, strings.TrimSpace(cell), line)
		}
		identifiers := reference.FindAllStringSubmatch(cells[3], -1)
		require.NotEmpty(t, identifiers, "no identifier: %s", line)
		for _, m := range identifiers {
			name, member, _ := strings.Cut(m[1], ".")
			importPath := module + "/" + name
			require.NotNil(t, packages[importPath], "no package %s: %s", name, line)
			if known[name] == nil {
				known[name] = names(t, packages, importPath)
			}
			require.True(t, known[name][member], "no identifier %s: %s", m[1], line)
			linked[importPath] = true
		}
		proofs := reference.FindAllStringSubmatch(cells[4], -1)
		require.NotEmpty(t, proofs, "no vector and no test: %s", line)
		for _, m := range proofs {
			if dir, test, isTest := cutLast(m[1], "."); isTest {
				if tests[dir] == nil {
					tests[dir] = testsIn(t, dir)
				}
				require.True(t, tests[dir][test], "no test %s: %s", m[1], line)
				continue
			}
			kind, exists := vectors[m[1]]
			require.True(t, exists, "no vector %s: %s", m[1], line)
			require.Equal(t, strings.TrimPrefix(kind[:1], "o"), m[2], "the mark of %s, which is %s: %s", m[1], kind, line)
		}
	}
	require.Greater(t, rows, 130)

	// Readers find the page from README.md and from each package that it names.
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	require.Contains(t, string(readme), "]("+corrections+")")
	for importPath := range linked {
		require.Contains(t, packages[importPath].Doc, "[CORRECTIONS.md]: https://"+module+"/blob/main/"+corrections, importPath)
	}
	require.Len(t, linked, 9)
}

// cutLast cuts a text around the last separator.
func cutLast(s, separator string) (before, after string, found bool) {
	i := strings.LastIndex(s, separator)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(separator):], true
}

// vectorKinds returns the kind of each vector, by name.
func vectorKinds(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "testdata/vectors/*.json"))
	require.NoError(t, err)
	kinds := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var entries []struct{ Name, Kind string }
		require.NoError(t, json.Unmarshal(text, &entries))
		for _, e := range entries {
			kinds[e.Name] = e.Kind
		}
	}
	require.Greater(t, len(kinds), 500)
	return kinds
}

// testsIn returns the names of the tests in a directory of either module.
func testsIn(t *testing.T, dir string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(path.Join(dir, "*_test.go"))))
	require.NoError(t, err)
	require.NotEmpty(t, files, dir)
	all := map[string]bool{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") {
				all[fn.Name.Name] = true
			}
		}
	}
	return all
}
