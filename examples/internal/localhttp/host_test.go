package localhttp

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// Browsers leave out port 80, and hosts with IPv6 addresses have brackets.
func TestOwnHost(t *testing.T) {
	for _, c := range []struct {
		local, host string
		want        bool
	}{
		{"127.0.0.1:80", "127.0.0.1", true},
		{"127.0.0.1:80", "localhost", true},
		{"127.0.0.1:80", "127.0.0.1:80", true},
		{"127.0.0.1:80", "127.0.0.1:8080", false},
		{"127.0.0.1:80", "127.0.0.1.evil", false},
		{"127.0.0.1:80", "", false},
		{"127.0.0.1:81", "127.0.0.1", false},
		{"127.0.0.1:81", "", false},
		{"[::1]:80", "[::1]", true},
		{"[::1]:80", "::1", false},
		{"[::1]:81", "[::1]:81", true},
		{"[::1]:81", "localhost:81", true},
		{"[::1]:81", "[::2]:81", false},
		{"[::1]:81", "[::1%25lo]:81", false},
		{"127.0.0.1:81", "127.0.0.1.evil:81", false},
		{"127.0.0.1:81", "2130706433:81", false},
		{"127.0.0.1:81", "localhost.:81", false},
		{"127.0.0.1:81", "evil@127.0.0.1:81", false},
	} {
		local, err := net.ResolveTCPAddr("tcp", c.local)
		require.NoError(t, err)
		r := httptest.NewRequestWithContext(context.WithValue(t.Context(), http.LocalAddrContextKey, local), http.MethodGet, "/", nil)
		r.Host = c.host
		require.Equal(t, c.want, OwnHost(r), c)
	}
}
