package rows

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A killed process is dead before its parent asks for its status. Its name can look like another state.
func TestZombieIsDead(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "a) Z 1 (b")
	require.NoError(t, os.Symlink(sleep, name))
	cmd := exec.Command(name, "60")
	require.NoError(t, cmd.Start())
	by := strings.TrimSuffix(owner(), strconv.Itoa(os.Getpid())) + strconv.Itoa(cmd.Process.Pid)
	require.False(t, dead(by))
	require.NoError(t, cmd.Process.Kill())
	require.Eventually(t, func() bool { return dead(by) }, 10*time.Second, time.Millisecond)
	require.Error(t, cmd.Wait())
	require.True(t, dead(by))
}
