// Package recorder records the datagrams of a socket in a file, for the example programs.
package recorder

import (
	"errors"
	"log/slog"
	"net/netip"
	"os"
	"time"

	"github.com/bcwire/bcwire/transport/recording"
	"github.com/bcwire/bcwire/transport/udp"
)

// Conn is the socket of a server that records its datagrams as they are on the wire. One
// goroutine must do all reads and writes.
type Conn struct {
	udp.PacketConn
	file    *os.File
	writer  *recording.Writer // keeps its first error for Flush
	log     *slog.Logger
	flushed time.Time
	failed  bool // an error has been logged
}

// Create returns a Conn that records in a new file. The log receives the first error.
func Create(file string, conn udp.PacketConn, log *slog.Logger) (*Conn, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	return &Conn{PacketConn: conn, file: f, writer: recording.NewWriter(f, time.Now()), log: log}, nil
}

// ReadFromUDPAddrPort reads a datagram and records it. Once a second it writes the recording to
// its file, also if the read has ended by its deadline.
func (c *Conn) ReadFromUDPAddrPort(b []byte) (int, netip.AddrPort, error) {
	n, addr, err := c.PacketConn.ReadFromUDPAddrPort(b)
	now := time.Now()
	if err == nil {
		_ = c.writer.WriteAddrPort(now, recording.ToServer, addr, b[:n])
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
	_ = c.writer.WriteAddrPort(time.Now(), recording.ToClient, addr, b)
	return c.PacketConn.WriteToUDPAddrPort(b, addr)
}

// Close closes the file, not the socket. It returns the first error of the recording.
func (c *Conn) Close() error { return errors.Join(c.writer.Flush(), c.file.Close()) }
