//go:build !windows && !plan9

package udp_test

import (
	"net"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport/udp"
)

func TestTransientUnix(t *testing.T) {
	for err, want := range map[error]bool{
		syscall.ECONNREFUSED: true, syscall.ECONNRESET: true, syscall.EHOSTUNREACH: true, syscall.ENETUNREACH: true,
		syscall.EMSGSIZE: true, syscall.ENOBUFS: true, syscall.EPERM: true, syscall.EINTR: true,
		syscall.EBADF: false, syscall.EINVAL: false, syscall.ENOTSOCK: false,
	} {
		wrapped := &net.OpError{Op: "read", Err: os.NewSyscallError("recvfrom", err)}
		require.Equal(t, want, udp.IsTransient(wrapped), err)
	}
}
