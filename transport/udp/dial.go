package udp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/netip"
	"time"

	"github.com/bcwire/bcwire/transport"
)

// Options are the options of [Dial]. The zero value is a client without a password.
type Options struct {
	// Password is the password of the server.
	Password string
	// Session holds the timers and limits of the session.
	Session transport.Options
	// Conn is an unconnected socket, or a simulated network. The default is a new UDP socket. Do
	// not use a socket for a second client, even later; see package transport. A failed Dial and
	// the end of the client close the socket if it has a method Close.
	Conn PacketConn
	// Log logs failed reads and writes at level Debug. Its handler must not use the client, which
	// would deadlock.
	Log *slog.Logger

	unread unread            // limits; zero: the default
	reopen func() PacketConn // opens the socket of Rejoin in place of the system
}

// Dial connects to a host with the address "host:port", as for [net.Dial], and returns when the
// host has accepted the client. If a host name has several addresses, Dial uses the first IPv4
// address, or else the first address. The context has no effect after Dial has returned.
//
// Every error of Dial is a [*net.OpError] wrapping
//
//   - the error of the context, if it ends first;
//   - the error of package net for an address that cannot be resolved;
//   - [syscall.ECONNREFUSED] (WSAECONNRESET on Windows) if the system reports a closed port;
//   - an error of package join, such as [join.ErrFull], if the host refuses the client or does not answer within
//     PeerTimeout;
//   - stream.ErrTooLong for a password of more than 247 UTF-16 units, or stream.ErrText for one with a NUL or
//     invalid UTF-8;
//   - [net.ErrWriteToConnected] if Options.Conn is connected, the error of opening or reading the
//     socket or of SetReadDeadline.
func Dial(ctx context.Context, address string, o Options) (*Conn, error) {
	c := o.newConn(address)
	err := c.dial(ctx, address, o)
	if err == nil {
		return c, nil
	}
	failure := &net.OpError{Op: "dial", Net: "udp", Err: err}
	if c.remote.IsValid() {
		failure.Addr = net.UDPAddrFromAddrPort(c.remote)
	}
	return nil, failure
}

func (o Options) newConn(address string) *Conn {
	c := &Conn{
		address: address, options: o, socket: socket{conn: o.Conn}, log: o.Log, unread: o.unread,
		ready: make(chan struct{}, 1), accepted: make(chan struct{}), done: make(chan struct{}),
	}
	if c.unread.maxEvents == 0 {
		c.unread.maxEvents = maxUnread
	}
	if c.unread.maxBytes == 0 {
		c.unread.maxBytes = maxUnreadBytes
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	return c
}

// dial connects to a host and waits until it has accepted the client.
func (c *Conn) dial(ctx context.Context, address string, o Options) error {
	if err := c.open(ctx, address, o); err != nil {
		c.closeSocket()
		return err
	}
	go c.run()
	select {
	case <-c.accepted:
		return nil
	case <-c.done:
	case <-ctx.Done():
		if !c.abandon(ctx.Err()) {
			return nil
		}
		<-c.done
	}
	if c.isAccepted() { // the session has ended since; Receive reports the reason
		return nil
	}
	return c.dialError()
}

// abandon ends a Conn that the host has not accepted. It reports whether it has ended the Conn.
func (c *Conn) abandon(err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.takeEvents() // may include the acceptance
	if c.isAccepted() {
		return false
	}
	c.finish(err)
	return true
}

// open makes the session and opens the socket, without sending.
func (c *Conn) open(ctx context.Context, address string, o Options) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := checkUnconnected(o.Conn); err != nil {
		return err
	}
	if c.remote, err = resolve(ctx, address); err != nil {
		return err
	}
	if c.socket.conn == nil {
		if err := c.openSocket(ctx); err != nil {
			return err
		}
	}
	request := transport.ConnectRequest{LocalIP: c.localIP, ConnID: rand.Uint32()}
	if request.Password, err = transport.NewUTF16Z(o.Password); err != nil {
		return fmt.Errorf("password: %w", err)
	}
	c.session, err = transport.NewClient(time.Now(), request, o.Session)
	return err
}

// openSocket opens a connected socket: the system drops datagrams of other addresses, and reports a
// closed port.
func (c *Conn) openSocket(ctx context.Context) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "udp", c.remote.String())
	if err != nil {
		if inner, ok := errors.AsType[*net.OpError](err); ok {
			err = inner.Err // Dial adds another one
		}
		return err
	}
	udp := conn.(*net.UDPConn)
	c.socket.conn = connected{udp}
	if local := udp.LocalAddr().(*net.UDPAddr).IP.To4(); local != nil {
		c.localIP = [4]byte(local)
	}
	return nil
}

// connected is a socket that the system has connected to one address.
type connected struct{ *net.UDPConn }

func (c connected) WriteToUDPAddrPort(b []byte, _ netip.AddrPort) (int, error) { return c.Write(b) }

// resolve returns the address of a host. Like [net.Dial], it takes an empty host and an unspecified
// address as the local system.
func resolve(ctx context.Context, address string) (netip.AddrPort, error) {
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return netip.AddrPort{}, err
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "udp", service)
	if err != nil {
		return netip.AddrPort{}, err
	}
	if port == 0 {
		return netip.AddrPort{}, &net.AddrError{Err: "no port", Addr: address}
	}
	ip, err := resolveHost(ctx, host)
	return netip.AddrPortFrom(ip, uint16(port)), err
}

func resolveHost(ctx context.Context, host string) (netip.Addr, error) {
	if host == "" {
		return local(netip.IPv4Unspecified()), nil
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return local(ip.Unmap()), nil
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return netip.Addr{}, err
	}
	return choose(ips), nil
}

// choose returns the first IPv4 address, or the first address.
func choose(ips []netip.Addr) netip.Addr {
	for _, ip := range ips {
		if ip.Unmap().Is4() {
			return ip.Unmap()
		}
	}
	return ips[0]
}

// local returns the loopback address for an unspecified address.
func local(ip netip.Addr) netip.Addr {
	switch ip {
	case netip.IPv4Unspecified():
		return netip.AddrFrom4([4]byte{127, 0, 0, 1})
	case netip.IPv6Unspecified():
		return netip.IPv6Loopback()
	}
	return ip
}
