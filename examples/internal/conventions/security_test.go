package conventions

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// security is the page about attackers, and testReference matches a test that it names.
const security = ".github/SECURITY.md"

var testReference = regexp.MustCompile("`([a-z/]+)\\.(Test[A-Za-z]+)`")

// Every row of the table of attacks names a test that measures or refutes the attack, and all tests
// that the page names exist.
func TestSecurity(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(security)))
	require.NoError(t, err)
	tests, rows := map[string]map[string]bool{}, 0
	for line := range strings.Lines(string(text)) {
		references := testReference.FindAllStringSubmatch(line, -1)
		if strings.HasPrefix(line, "|") && !strings.HasPrefix(line, "|---") && !strings.HasPrefix(line, "| Act |") {
			rows++
			cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
			require.Len(t, cells, 5, line)
			require.NotEmpty(t, testReference.FindString(cells[4]), "no test: %s", line)
		}
		for _, m := range references {
			if tests[m[1]] == nil {
				tests[m[1]] = testsIn(t, m[1])
			}
			require.True(t, tests[m[1]][m[2]], "no test %s.%s: %s", m[1], m[2], line)
		}
	}
	require.GreaterOrEqual(t, rows, 12)
}
