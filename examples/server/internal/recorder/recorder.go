// Package recorder records the datagrams of a socket in a file, for the example programs.
package recorder

import (
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/transport/recording"
	"github.com/bcwire/bcwire/transport/udp"
)

// Conn is the socket of a server that records its datagrams as they are on the wire. One
// goroutine must do all reads and writes.
type Conn struct {
	udp.PacketConn
	writer  *capture.Recorder // keeps its first error for Flush
	log     *slog.Logger
	flushed time.Time
	failed  bool // an error has been logged
}

// Create returns a Conn that records in a new file, as a capture if the name ends in .pcapng. At the
// limit, or after an error, recording stops and the Conn goes on. The log receives a line then.
func Create(file string, limit capture.Size, conn udp.PacketConn, log *slog.Logger) (*Conn, error) {
	w, err := capture.NewRecorder(file, limit, time.Now(), address(conn))
	if err != nil {
		return nil, err
	}
	return &Conn{PacketConn: conn, writer: w, log: log}, nil
}

// address returns the address of a socket, or the zero value if the socket does not tell it.
func address(conn udp.PacketConn) netip.AddrPort {
	if c, ok := conn.(interface{ LocalAddr() net.Addr }); ok {
		if a, ok := c.LocalAddr().(*net.UDPAddr); ok {
			return a.AddrPort()
		}
	}
	return netip.AddrPort{}
}

// ReadFromUDPAddrPort reads a datagram and records it. Once a second it writes the recording to
// its file, also if the read has ended by its deadline.
func (c *Conn) ReadFromUDPAddrPort(b []byte) (int, netip.AddrPort, error) {
	n, addr, err := c.PacketConn.ReadFromUDPAddrPort(b)
	now := time.Now()
	if err == nil {
		c.writer.WriteAddrPort(now, recording.ToServer, addr, b[:n])
	}
	if now.Sub(c.flushed) >= time.Second {
		c.flushed = now
		if err := c.writer.Flush(); err != nil && !c.failed {
			c.failed = true
			c.log.Warn("the recording is incomplete", "error", err)
		}
	}
	return n, addr, err
}

// WriteToUDPAddrPort records a datagram and sends it.
func (c *Conn) WriteToUDPAddrPort(b []byte, addr netip.AddrPort) (int, error) {
	c.writer.WriteAddrPort(time.Now(), recording.ToClient, addr, b)
	return c.PacketConn.WriteToUDPAddrPort(b, addr)
}

// Close closes the file, not the socket. It returns the first error of the recording.
func (c *Conn) Close() error { return c.writer.Close() }
