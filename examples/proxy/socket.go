package main

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

// maxDatagram is the length of the longest datagram that UDP has.
const maxDatagram = 1 << 16

var (
	errLoop = errors.New("the server's address is the proxy's own")
	errPort = errors.New("no port")
)

// open opens the socket for the players and finds the address of the server.
func (o *options) open() (*net.UDPConn, netip.AddrPort, error) {
	server, err := net.ResolveUDPAddr("udp", hostport.WithPort(o.server, gamespy.DefaultPort))
	if err != nil {
		return nil, netip.AddrPort{}, fmt.Errorf("-server: %w", err)
	}
	if server.Port == 0 {
		return nil, netip.AddrPort{}, fmt.Errorf("-server %s: %w", o.server, errPort)
	}
	addr, err := net.ResolveUDPAddr("udp", o.listen)
	if err != nil {
		return nil, netip.AddrPort{}, fmt.Errorf("-listen: %w", err)
	}
	listener, err := net.ListenUDP("udp", addr)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	if isLoop(addrPort(listener.LocalAddr()), addrPort(server)) {
		listener.Close()
		return nil, netip.AddrPort{}, fmt.Errorf("-server %s: %w", o.server, errLoop)
	}
	return listener, addrPort(server), nil
}

func addrPort(a net.Addr) netip.AddrPort { return unmapped(a.(*net.UDPAddr).AddrPort()) }

func unmapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap(), a.Port())
}

// isLoop says whether what is sent to the server comes back to the proxy, as far as that
// can be told without asking for the addresses of this host.
func isLoop(listen, server netip.AddrPort) bool {
	local := server.Addr().IsLoopback() || server.Addr().IsUnspecified()
	return listen.Port() == server.Port() &&
		(listen.Addr() == server.Addr() || listen.Addr().IsUnspecified() && local)
}

// read passes on the datagrams of a socket until it is closed or cannot be read any more.
func (p *proxy) read(ctx context.Context, conn *net.UDPConn, c *client) {
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

// clientAt returns the client that a datagram is from, nil if there is no room for it.
func (p *proxy) clientAt(ctx context.Context, a arrival) *client {
	c, isNew := p.clients.at(a.at, a.from)
	if !isNew {
		return c
	}
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(p.server))
	if err != nil {
		p.trouble(c, err)
		p.clients.remove(c)
		return nil
	}
	c.conn = conn
	fmt.Fprintf(p.stderr, "proxy: client %d is %v\n", c.number, c.addr)
	p.readers.Go(func() { p.read(ctx, conn, c) })
	return c
}

// write sends a datagram.
func (p *proxy) write(c *client, w way, datagram []byte) (err error) {
	if w == toClient {
		_, err = p.listener.WriteToUDPAddrPort(datagram, c.addr)
		return err
	}
	// An error may be about an earlier datagram, which found no server; then this one has
	// not been sent.
	for range 2 {
		if _, err = c.conn.Write(datagram); err == nil {
			break
		}
	}
	return err
}

// trouble tells of the first error of a client, or of the first that concerns all.
func (p *proxy) trouble(c *client, err error) {
	told, who := &p.troubled, ""
	if c != nil {
		told, who = &c.troubled, fmt.Sprintf("client %d: ", c.number)
	}
	if err != nil && !*told {
		*told = true
		fmt.Fprintf(p.stderr, "proxy: %s%s\n", who, terminal.Line(err.Error()))
	}
}

// forget ends with a client.
func (p *proxy) forget(c *client) {
	for w, l := range c.links {
		p.counts[w].left += len(l.queue)
	}
	c.conn.Close()
	p.clients.remove(c)
}

// close closes all sockets and waits for their readers.
func (p *proxy) close() {
	p.listener.Close()
	for _, c := range p.clients.byAddr {
		p.forget(c)
	}
	p.readers.Wait()
}
