package house

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/stateupdate"
)

// kinds are the columns of the table of vectors in testdata/README.md.
var kinds = []string{"observed", "rebuilt", "constructed", "truncated", "negative"}

// ownVectors is the file of vectors that this project has made. They do not count as
// golden.
const ownVectors = "payloads-constructed.json"

// The numbers in README.md and testdata/README.md are those of the vectors and classes.
func TestCounts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "testdata/vectors/*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	golden, observed, own := 0, 0, 0
	table := readFile(t, "testdata/README.md")
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var entries []struct{ Kind string }
		require.NoError(t, json.Unmarshal(text, &entries))
		count := map[string]int{}
		for _, e := range entries {
			count[e.Kind]++
		}
		name := filepath.Base(file)
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(name) + ` \|(.*)\|$`).FindStringSubmatch(table)
		require.NotNil(t, row, "%s has no row in testdata/README.md", name)
		var want []string
		for _, n := range append([]int{len(entries)}, counts(count)...) {
			cell := ""
			if n > 0 {
				cell = strconv.Itoa(n)
			}
			want = append(want, cell)
		}
		var got []string
		for _, cell := range strings.Split(row[1], "|") {
			got = append(got, strings.TrimSpace(cell))
		}
		require.Equal(t, want, got, name)
		if name == ownVectors {
			own = len(entries)
		} else {
			golden, observed = golden+len(entries), observed+count["observed"]
		}
	}
	require.Contains(t, table, fmt.Sprintf("%d golden vectors", golden))
	require.Contains(t, table, fmt.Sprintf("and %d of this project", own))
	readme := readFile(t, "README.md")
	require.Contains(t, readme, fmt.Sprintf("%d golden vectors", golden))
	require.Contains(t, readme, fmt.Sprintf("%d of them complete captured bytes", observed))
	require.Contains(t, readme, fmt.Sprintf("%d ship classes", len(stateupdate.StockClasses())))
}

func counts(of map[string]int) (all []int) {
	for _, kind := range kinds {
		all = append(all, of[kind])
	}
	return all
}

func readFile(t *testing.T, path string) string {
	text, err := os.ReadFile(filepath.Join(root, path))
	require.NoError(t, err)
	return string(text)
}
