package conventions

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A program that does not call Class.Physics does not contain the physics of the stock classes. The
// test logs the sizes of both programs.
func TestPhysicsIsLinkedOnlyWhereItIsCalled(t *testing.T) {
	t.Parallel()
	build := func(expression string, imports ...string) (size int64, linked bool) {
		dir := t.TempDir()
		source, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "main")
		text := "package main\n\n"
		for _, path := range append(imports, "github.com/bcwire/bcwire/stateupdate") {
			text += "import " + strconv.Quote(path) + "\n"
		}
		text += "\nfunc main() { println(" + expression + ") }\n"
		require.NoError(t, os.WriteFile(source, []byte(text), 0o600))
		c := exec.Command("go", "build", "-o", binary, source)
		c.Dir, c.Env = root, append(os.Environ(), "GOOS=linux", "CGO_ENABLED=0")
		out, err := c.CombinedOutput()
		require.NoError(t, err, "%s", out)
		f, err := elf.Open(binary)
		require.NoError(t, err)
		defer f.Close()
		symbols, err := f.Symbols()
		require.NoError(t, err)
		for _, s := range symbols {
			linked = linked || strings.HasSuffix(s.Name, "stateupdate.stockPhysics")
		}
		info, err := os.Stat(binary)
		require.NoError(t, err)
		return info.Size(), linked
	}
	without, linked := build(`stateupdate.Stock().Named("galaxy").Name`)
	require.False(t, linked)
	with, linked := build(`stateupdate.Stock().Named("galaxy").Physics().Mass`)
	require.True(t, linked)
	t.Logf("without a call %d bytes, with a call %d bytes", without, with)
	require.Greater(t, with-without, int64(50_000))
	_, linked = build(`template.New("").Execute(os.Stdout, stateupdate.Stock()[0]) == nil`, "os", "text/template")
	require.True(t, linked, "the exception in the doc of Physics")
}
