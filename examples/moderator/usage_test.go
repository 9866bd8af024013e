package main

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// asProgram makes the test binary be the program.
const asProgram = "BCWIRE_TEST_MODERATOR"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func TestWrongFlags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args         []string
		status, text string
	}{
		{[]string{"127.0.0.1:1"}, "exit status 2", `moderator: "127.0.0.1:1": unexpected argument; -h lists the flags`},
		{[]string{"-server", "127.0.0.1"}, "exit status 1", `-server "127.0.0.1" is not the HOST:PORT of a server: address 127.0.0.1: missing port in address`},
		{[]string{"-server", "127.0.0.1:0"}, "exit status 1", `-server "127.0.0.1:0" is not the HOST:PORT of a server`},
	} {
		cmd := exec.Command(os.Args[0], c.args...)
		cmd.Env = append(os.Environ(), asProgram+"=1")
		text, err := cmd.CombinedOutput()
		require.EqualError(t, err, c.status)
		require.Contains(t, string(text), c.text)
	}
}
