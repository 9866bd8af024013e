package recorder_test

import (
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/server/internal/recorder"
)

// TestRecordingAsACapture checks that the name of the file chooses the format.
func TestRecordingAsACapture(t *testing.T) {
	socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer socket.Close()
	file := filepath.Join(t.TempDir(), "match.pcapng")
	c, err := recorder.Create(file, capture.DefaultLimit, socket, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	_, err = c.WriteToUDPAddrPort([]byte("one"), socket.LocalAddr().(*net.UDPAddr).AddrPort())
	require.NoError(t, err)
	require.NoError(t, c.Close())
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, []byte{0x0A, 0x0D, 0x0D, 0x0A}, text[:4], "a section header of pcapng")
	require.Contains(t, string(text), "one")
}
