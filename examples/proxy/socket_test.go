package main

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// maxDatagram is longer than any UDP datagram.
const maxDatagram = 1 << 16

// listen opens a socket at a port that the system chooses.
func listen(t *testing.T) *net.UDPConn {
	t.Helper()
	conn, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// dial opens a socket to an address.
func dial(t *testing.T, addr string) *net.UDPConn {
	t.Helper()
	to, err := net.ResolveUDPAddr("udp", addr)
	require.NoError(t, err)
	conn, err := net.DialUDP("udp", nil, to)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

// echo starts a server that replies to every datagram with a prefix and its content.
func echo(t *testing.T, prefix byte) string {
	t.Helper()
	conn := listen(t)
	go func() {
		buf := make([]byte, maxDatagram)
		for {
			n, from, err := conn.ReadFromUDPAddrPort(buf)
			if err != nil {
				return
			}
			_, _ = conn.WriteToUDPAddrPort(append([]byte{prefix}, buf[:n]...), from)
		}
	}()
	return conn.LocalAddr().String()
}

func send(t *testing.T, conn *net.UDPConn, datagram []byte) {
	t.Helper()
	_, err := conn.Write(datagram)
	require.NoError(t, err)
}

// receive waits for a datagram.
func receive(t *testing.T, conn *net.UDPConn) ([]byte, *net.UDPAddr) {
	t.Helper()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(testTimeout)))
	buf := make([]byte, maxDatagram)
	n, from, err := conn.ReadFromUDP(buf)
	require.NoError(t, err)
	return buf[:n], from
}

// requireSilence requires that no datagram arrives for 50 ms.
func requireSilence(t *testing.T, conn *net.UDPConn) {
	t.Helper()
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	n, _, err := conn.ReadFromUDP(make([]byte, maxDatagram))
	require.Error(t, err, "%d bytes", n)
}
