package conventions

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/stateupdate"
)

// kinds are the columns of the table of vectors in testdata/README.md.
var kinds = []string{"observed", "rebuilt", "constructed", "truncated", "negative"}

// ownVectors is the file of vectors that this project has made. They do not count as
// golden.
const ownVectors = "payloads-constructed.json"

// README.md and testdata/README.md have the right numbers of vectors and classes. With -update
// the test writes them.
func TestCounts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "testdata/vectors/*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	golden, observed, own := 0, 0, 0
	table, readme := newPage(t, "testdata/README.md"), newPage(t, "README.md")
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var entries []struct{ Kind string }
		require.NoError(t, json.Unmarshal(text, &entries))
		name := filepath.Base(file)
		row := "| " + name + " | " + strconv.Itoa(len(entries)) + " |"
		for _, kind := range kinds {
			n := 0
			for _, e := range entries {
				if e.Kind == kind {
					n++
				}
			}
			if n > 0 {
				row += " " + strconv.Itoa(n)
			}
			row += " |"
			if kind == "observed" && name != ownVectors {
				observed += n
			}
		}
		table.requireText(regexp.QuoteMeta("| "+name+" |")+`.*\|`, row)
		if name == ownVectors {
			own = len(entries)
		} else {
			golden += len(entries)
		}
	}
	table.requireText(`\d+ golden vectors`, fmt.Sprintf("%d golden vectors", golden))
	table.requireText(`and \d+ of this project`, fmt.Sprintf("and %d of this project", own))
	readme.requireText(`\d+ golden vectors`, fmt.Sprintf("%d golden vectors", golden))
	readme.requireText(`\d+ of them are complete captured bytes`, fmt.Sprintf("%d of them are complete captured bytes", observed))
	readme.requireText(`\d+ ship classes`, fmt.Sprintf("%d ship classes", len(stateupdate.Stock())))
	table.done()
	readme.done()
}

// page is a file whose numbers are checked, or written with -update.
type page struct {
	t          *testing.T
	path, text string
}

func newPage(t *testing.T, path string) *page {
	text, err := os.ReadFile(filepath.Join(root, path))
	require.NoError(t, err)
	return &page{t, path, string(text)}
}

// requireText requires that the match of a pattern is want. With -update it writes want.
func (p *page) requireText(pattern, want string) {
	p.t.Helper()
	found := regexp.MustCompile(pattern)
	require.Regexp(p.t, found, p.text, p.path)
	if *update {
		p.text = found.ReplaceAllLiteralString(p.text, want)
	}
	require.Equal(p.t, want, found.FindString(p.text), p.path)
}

func (p *page) done() {
	if *update {
		require.NoError(p.t, os.WriteFile(filepath.Join(root, p.path), []byte(p.text), 0o644))
	}
}
