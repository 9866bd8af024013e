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

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport"
)

// Options are the options of [Dial]. The zero value is a client without a name and a
// password.
type Options struct {
	// Name is the player's name, which the client tells the host as soon as it is accepted.
	// An empty name is not sent.
	Name string
	// Password is the password of the server.
	Password string
	// Session is the timers and limits of the session.
	Session transport.Options
	// MaxUnread is the number of events that the program has not received, and at which the
	// Conn ends. The default is 4096.
	MaxUnread int
	// Decode decodes the payloads for [Conn.Messages]. The default is [opcode.Decode]. The
	// messages must not share memory with each other; see [opcode.Decoder].
	Decode func(payload []byte) (opcode.Message, error)
	// Conn is an unconnected socket, or a simulated network. The default is a new UDP socket
	// with a port of its own. Conn must not be used for two clients, one after the other; see
	// package transport. The Conn that Dial returns closes it if it has a method Close.
	Conn PacketConn
	// Log receives failed reads and writes, at level Debug.
	Log *slog.Logger
}

// Dial connects to a host with the address "host:port", as for [net.Dial], and returns when
// the host has accepted the client. The errors of Dial are a [*net.OpError], which wraps
//
//   - the error of the context if that ends first;
//   - [syscall.ECONNREFUSED] if the system reports that the port is closed (WSAECONNRESET on
//     Windows);
//   - an [*EndError] if the host refuses the client or does not answer within PeerTimeout, 45
//     seconds by default;
//   - an error wrapping [transport.ErrTooLong] for a name or a password that does not fit.
//
// The context has no effect after Dial has returned.
func Dial(ctx context.Context, address string, o Options) (*Conn, error) {
	c, err := o.dial(ctx, address)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: "udp", Err: fmt.Errorf("%s: %w", address, err)}
	}
	go c.run()
	select {
	case <-c.accepted:
		return c, nil
	case <-c.done:
	case <-ctx.Done():
		c.end(ctx.Err())
		<-c.done
	}
	select {
	case <-c.accepted: // and has ended since: the first Receive reports it
		return c, nil
	default:
	}
	return nil, &net.OpError{Op: "dial", Net: "udp", Addr: net.UDPAddrFromAddrPort(c.remote), Err: c.dialError()}
}

// dial makes a Conn that has sent nothing.
func (o Options) dial(ctx context.Context, address string) (*Conn, error) {
	password, err := transport.NewUTF16Z(o.Password)
	if err != nil {
		return nil, fmt.Errorf("password: %w", err)
	}
	name, err := transport.NewUTF16Z(o.Name)
	if err != nil {
		return nil, fmt.Errorf("name: %w", err)
	}
	c := &Conn{
		name: name, maxUnread: o.MaxUnread, decode: o.Decode, log: o.Log,
		ready: make(chan struct{}, 1), accepted: make(chan struct{}), done: make(chan struct{}),
	}
	if c.maxUnread <= 0 {
		c.maxUnread = 4096
	}
	if c.decode == nil {
		c.decode = opcode.Decode
	}
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	if c.socket.conn = o.Conn; c.socket.conn == nil {
		err = c.open(ctx, address)
	} else if err = checkUnconnected(o.Conn); err == nil {
		c.remote, err = resolve(ctx, address)
	}
	if err != nil {
		return nil, err
	}
	request := transport.ConnectRequest{LocalIP: c.localIP, ConnID: rand.Uint32(), Password: password}
	if c.session, err = transport.NewClient(time.Now(), request, o.Session); err != nil {
		c.closeSocket()
		return nil, fmt.Errorf("password: %w", err)
	}
	return c, nil
}

// open opens a socket that the system connects: only datagrams of the host are received, and
// a closed port is reported.
func (c *Conn) open(ctx context.Context, address string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "udp", address)
	if err != nil {
		if inner, ok := errors.AsType[*net.OpError](err); ok {
			err = inner.Err
		}
		return err
	}
	socket := connected{conn.(*net.UDPConn)}
	c.socket.conn, c.remote = socket, unmapped(socket.RemoteAddr().(*net.UDPAddr).AddrPort())
	if local := socket.LocalAddr().(*net.UDPAddr).IP.To4(); local != nil {
		c.localIP = [4]byte(local)
	}
	return nil
}

// connected is a socket that the system has connected with one address.
type connected struct{ *net.UDPConn }

func (c connected) WriteToUDPAddrPort(b []byte, _ netip.AddrPort) (int, error) { return c.Write(b) }

func resolve(ctx context.Context, address string) (netip.AddrPort, error) {
	if addr, err := netip.ParseAddrPort(address); err == nil {
		return unmapped(addr), nil
	}
	host, service, err := net.SplitHostPort(address)
	if err != nil {
		return netip.AddrPort{}, err
	}
	port, err := net.DefaultResolver.LookupPort(ctx, "udp", service)
	if err != nil {
		return netip.AddrPort{}, err
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return netip.AddrPort{}, err
	}
	return unmapped(netip.AddrPortFrom(ips[0], uint16(port))), nil
}

// dialError returns the reason for which a host has not accepted the client. If nothing but
// time has ended Dial, it says what has been received instead.
func (c *Conn) dialError() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.err
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err // Dial adds another one
	}
	if !errors.Is(err, ErrTimeout) && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	n := c.session.Counters()
	switch {
	case c.gameSpy > 0:
		return fmt.Errorf("%w (the port answers with GameSpy text only)", err)
	case n.Received > 0:
		return fmt.Errorf("%w (no acceptance in %d datagrams)", err, n.Received)
	case n.Dropped() > 0:
		return fmt.Errorf("%w (%d datagrams received that are not of the game)", err, n.Dropped())
	}
	return fmt.Errorf("%w (nothing received)", err)
}
