package udp_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/transport/udp"
)

func TestTransient(t *testing.T) {
	require.True(t, udp.IsTransient(os.ErrDeadlineExceeded))
	require.True(t, udp.IsTransient(&net.OpError{Op: "read", Err: fmt.Errorf("wrapped: %w", os.ErrDeadlineExceeded)}))
	for _, err := range []error{nil, net.ErrClosed, &net.OpError{Op: "read", Err: net.ErrClosed}, io.EOF, context.Canceled, errOdd} {
		require.False(t, udp.IsTransient(err), err)
	}
}
