//go:build goget

package conventions

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestVersions builds all programs and runs each with -version. CI runs it with its build tag:
//
//	go test -C examples -tags goget -run Versions ./internal/conventions
func TestVersions(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	args := []string{"build", "-o", bin + string(filepath.Separator)}
	var names []string
	for _, name := range strings.Fields(run(t, filepath.Join(root, "examples"), "go", "list", "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`, "./...")) {
		if rest := strings.TrimPrefix(name, module+"/examples/"); !strings.Contains(rest, "/") {
			args, names = append(args, name), append(names, rest)
		}
	}
	require.Contains(t, names, "dump")
	run(t, filepath.Join(root, "examples"), "go", args...)
	built, err := os.ReadDir(bin)
	require.NoError(t, err)
	require.Len(t, built, len(names))
	for _, name := range names {
		out, err := exec.CommandContext(t.Context(), filepath.Join(bin, name), "-version").Output()
		require.NoError(t, err, name)
		require.Regexp(t, `^`+name+` \S+ `+regexp.QuoteMeta(fmt.Sprintf("(%s, %s/%s)", runtime.Version(), runtime.GOOS, runtime.GOARCH))+`\n$`, string(out))
	}
}
