package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
)

// asProgram makes the test binary be the server.
const asProgram = "BCWIRE_TEST_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	testdata.Overlap(16)
	m.Run()
}

// A match goes on when nobody reads its log any more.
func TestLogThatNobodyReads(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-addr", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), asProgram+"=1")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	log, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	first, err := bufio.NewReader(log).ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, first, "listening")
	require.NoError(t, log.Close())
	_, err = io.WriteString(stdin, "nonsense\nnonsense\nquit\n")
	require.NoError(t, err)
	require.NoError(t, cmd.Wait())
}
