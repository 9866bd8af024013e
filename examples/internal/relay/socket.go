package relay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/examples/internal/hostport"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/transport/udp"
)

// maxDatagram is longer than any UDP datagram.
const maxDatagram = 1 << 16

var errLoop = errors.New("this is the program's own address; change -listen or -server")

// open opens the socket for the players and finds the address of the server.
func (o *Options) open() (*net.UDPConn, netip.AddrPort, error) {
	server, err := hostport.Resolve("udp", o.Server, gamespy.DefaultPort)
	if err != nil {
		return nil, netip.AddrPort{}, fmt.Errorf("-server %s: %w", o.Server, err)
	}
	addr, err := net.ResolveUDPAddr("udp", o.Listen)
	if err != nil {
		return nil, netip.AddrPort{}, fmt.Errorf("-listen %s: %w", o.Listen, err)
	}
	listener, err := net.ListenUDP("udp", addr)
	if err != nil {
		return nil, netip.AddrPort{}, fmt.Errorf("-listen %s: %w", o.Listen, err)
	}
	if isLoop(addrPort(listener.LocalAddr()), server) {
		listener.Close()
		return nil, netip.AddrPort{}, fmt.Errorf("-server %s: %w", o.Server, errLoop)
	}
	return listener, server, nil
}

func addrPort(a net.Addr) netip.AddrPort { return unmapped(a.(*net.UDPAddr).AddrPort()) }

func unmapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// isLoop reports whether datagrams to the server would return to this program. It does not know
// the addresses of this computer's network interfaces.
func isLoop(listen, server netip.AddrPort) bool {
	local := server.Addr().IsLoopback() || server.Addr().IsUnspecified()
	return listen.Port() == server.Port() &&
		(listen.Addr() == server.Addr() || listen.Addr().IsUnspecified() && local)
}

// read queues the datagrams of a socket until the socket is closed or fails.
func (p *Relay) read(ctx context.Context, conn *net.UDPConn, c *client) {
	buf := make([]byte, maxDatagram)
	for {
		n, from, err := conn.ReadFromUDPAddrPort(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		a := arrival{client: c, from: unmapped(from), at: time.Now(), err: err}
		if err == nil {
			a.data = bytes.Clone(buf[:n])
		}
		select {
		case p.arrivals <- a:
		case <-ctx.Done():
			return
		}
		if err != nil && !udp.Transient(err) {
			return
		}
	}
}

// clientAt returns the client that sent a datagram, or nil if there are too many clients.
func (p *Relay) clientAt(ctx context.Context, a arrival) *client {
	if c := p.clients.at(a.at, a.from); c != nil {
		return c
	}
	c, old := p.clients.add(a.at, a.from)
	if old != nil {
		p.disconnect(old)
	}
	if c == nil {
		return nil
	}
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(p.server))
	if err != nil {
		p.reportError(c, err)
		p.clients.remove(c)
		return nil
	}
	c.conn = conn
	if p.strangers.AllowN(a.at, 1) {
		p.introduce(c)
	}
	p.readers.Go(func() { p.read(ctx, conn, c) })
	return c
}

// write sends a datagram.
func (p *Relay) write(c *client, dir Direction, datagram []byte) (err error) {
	if dir == ToClient {
		_, err = p.listener.WriteToUDPAddrPort(datagram, c.addr)
		return err
	}
	// The error may be about an earlier datagram that did not reach the server. This datagram
	// has not been sent then.
	for range 2 {
		if _, err = c.conn.Write(datagram); err == nil {
			break
		}
	}
	return err
}

// reportError prints the first error of each client, and the first error without a client.
func (p *Relay) reportError(c *client, err error) {
	reported, source := &p.errorReported, ""
	if c != nil {
		reported, source = &c.errorReported, fmt.Sprintf("client %d: ", c.number)
	}
	if err != nil && !*reported && (c == nil || c.proven || p.strangers.Allow()) {
		*reported = true
		p.log("%s%s", source, terminal.Line(err.Error()))
	}
}

// disconnect closes the socket of a client and removes the client.
func (p *Relay) disconnect(c *client) {
	for dir, l := range c.links {
		p.counts[dir].unsent += len(l.queue)
	}
	p.unrecorded += len(c.unrecorded)
	c.conn.Close()
	p.clients.remove(c)
}

// close closes all sockets and waits for their readers.
func (p *Relay) close() {
	p.listener.Close()
	for _, c := range p.clients.byAddr {
		p.disconnect(c)
	}
	if p.unrecorded > 0 {
		p.log("%s of strangers not recorded", terminal.Plural(p.unrecorded, "datagram"))
	}
	p.readers.Wait()
}
