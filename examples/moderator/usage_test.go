package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/terminal/terminaltest"
)

func TestWrongFlags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args   []string
		status int
		text   string
	}{
		{[]string{"-h"}, 0, "Usage: moderator"},
		{[]string{"-nonsense"}, 2, "moderator: flag provided but not defined: -nonsense; -h lists the flags"},
		{[]string{"127.0.0.1:1"}, 2, `moderator: "127.0.0.1:1": unexpected argument; -h lists the flags`},
		{[]string{"-server", ""}, 2, "moderator: -server: empty; give HOST[:PORT]"},
		{[]string{"-listen", ""}, 2, "moderator: -listen: empty; give [IP]:PORT"},
		{[]string{"-server", "127.0.0.1:0"}, 1, "moderator: -server 127.0.0.1:0: the port must be from 1 to 65535"},
		{[]string{"-server", terminaltest.Hostile}, 1, "moderator: -server x"},
		{[]string{"-listen", "127.0.0.1:70000"}, 1, "moderator: -listen 127.0.0.1:70000: "},
	} {
		var stderr bytes.Buffer
		require.Equal(t, c.status, run(t.Context(), c.args, &stderr))
		require.Contains(t, stderr.String(), c.text)
		complaint, _, _ := strings.Cut(stderr.String(), "Usage:")
		terminaltest.RequirePlain(t, complaint)
	}
}
