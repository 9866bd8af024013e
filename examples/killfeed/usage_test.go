package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// asProgram makes the test binary be the program.
const asProgram = "BCWIRE_TEST_KILLFEED"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// An error names the file, and the exit status shows it.
func TestStatus(t *testing.T) {
	t.Parallel()
	bad := filepath.Join(t.TempDir(), "bad")
	require.NoError(t, os.WriteFile(bad, []byte("hello"), 0o600))
	for _, c := range []struct {
		args         []string
		status, text string
	}{
		{[]string{"a", "b"}, "exit status 2", `killfeed: "b": unexpected argument; give one FILE`},
		{[]string{"missing"}, "exit status 1", "killfeed: open missing: "},
		{[]string{bad}, "exit status 1", "killfeed: " + bad + `: recording: line 1: column 1: "h" is not a hex digit`},
	} {
		cmd := exec.Command(os.Args[0], c.args...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		text, err := cmd.CombinedOutput()
		require.EqualError(t, err, c.status)
		require.Contains(t, string(text), c.text)
	}
}
