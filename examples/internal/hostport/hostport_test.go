package hostport

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWithPort(t *testing.T) {
	for in, want := range map[string]string{
		"10.0.0.1":      "10.0.0.1:22101",
		"10.0.0.1:7":    "10.0.0.1:7",
		"example.org":   "example.org:22101",
		"example.org:7": "example.org:7",
		":7":            ":7",
		"::1":           "[::1]:22101",
		"[::1]:7":       "[::1]:7",
	} {
		require.Equal(t, want, WithPort(in, 22101), in)
	}
}
