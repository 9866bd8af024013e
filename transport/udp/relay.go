package udp

import (
	"cmp"
	"container/list"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/transport"
)

// RelayHandler holds the functions and limits of a [Relay]. All fields are optional. Relay calls one function at a time,
// except Edit; they must not block.
type RelayHandler struct {
	// Edit returns the payload to relay in place of one of a client or the host, as in [transport.Relay].
	// It is called by the goroutine that sends the datagram: that of Datagram, unless Datagram delays it. Then it may be
	// called for several clients at once.
	Edit func(c *RelayClient, now time.Time, fromHost bool, payload []byte) []byte
	// PassMalformed passes datagrams with a malformed message unread. The default drops them if there is an Edit.
	PassMalformed bool
	// Datagram is called with each datagram as on the wire, which is valid until it returns. It must call
	// send with the datagram, unless it drops it. Send may be called later, several times, and by any goroutine. It
	// does not change the datagram, and returns [net.ErrClosed] after the client is removed. The default sends at once.
	Datagram func(c *RelayClient, now time.Time, fromHost bool, datagram []byte, send func([]byte) error)
	// Changed is called after the State of a client has changed.
	Changed func(c *RelayClient)
	// Failed is called with errors of the sockets towards the host, such as a host that is not running. Relay continues.
	Failed func(c *RelayClient, err error)
	// Refused is called with the address of each datagram for which there is no place.
	Refused func(from netip.AddrPort)

	Clients int           // the largest number of proven clients; the default is 64
	Idle    time.Duration // Relay removes clients that are silent for this time; the default is a minute
	Plain   bool          // the datagrams are not enciphered
}

// RelayClient is the address of a client of a [Relay]. A client that returns after it was removed is a new one.
type RelayClient struct {
	Number int64 // from 1, in the order of arrival
	Addr   netip.AddrPort
	State  RelayState
	Err    error // why the client is removed: silent, no place or a failed socket; nil at the end of Relay

	relay     *relay
	conn      *net.UDPConn // towards the host
	firstSeen time.Time
	lastSeen  time.Time     // time of the last datagram of the client
	lastReply time.Time     // time of the last datagram of the host
	waiting   *list.Element // in the table's list of unproven clients

	mu     sync.Mutex // guards these
	gone   bool
	editor *transport.Relay
	plain  []byte
}

// RelayState is the state of a [RelayClient].
type RelayState int

const (
	// RelayUnproven is the state of a new client. Its address may be forged.
	RelayUnproven RelayState = iota
	// RelayProven is the state of a client that the host has accepted; see [Relay].
	RelayProven
	// RelayRemoved is the state of a client that is not relayed any more.
	RelayRemoved
)

// Relay relays datagrams between clients, which send to conn, and a host until the context ends. It then closes its
// sockets towards the host, and returns nil. The host sees each client at another port, and Relay needs a socket for
// each. The host may start later and restart; a client whose address changes is a new client. The program filter of the
// examples changes and drops lines of chat with RelayHandler.Edit.
//
// A client counts when the host has acknowledged a message after its Connect, or has sent it a keepalive: a
// [transport.Hub] does so when it has validated the address of the client. At most 512 other clients are relayed at a
// time, for at most 6 s of silence. Of the clients that count, a network (an IPv4 address, or 64 bits of an IPv6
// address; on the loopback interface a port) has at most 16, or a quarter of RelayHandler.Clients if that is more. If
// there is no place, a new client replaces one whose link has been silent for 12 s, one of its own network if that has
// too many.
//
// Relay returns an error if upstream is the address of conn, and errors of conn as [Serve] does.
func Relay(ctx context.Context, conn PacketConn, upstream netip.AddrPort, h RelayHandler) error {
	if err := checkUnconnected(conn); err != nil {
		return err
	}
	if c, ok := conn.(*net.UDPConn); ok && isLoop(unmapped(c.LocalAddr().(*net.UDPAddr).AddrPort()), upstream) {
		return fmt.Errorf("udp: relay to its own address %v", upstream)
	}
	h.Clients, h.Idle = cmp.Or(max(h.Clients, 0), 64), cmp.Or(max(h.Idle, 0), time.Minute)
	r := &relay{socket: socket{conn: conn}, upstream: upstream, h: h, clients: newRelayClients(h.Clients, h.Idle)}
	defer context.AfterFunc(ctx, r.wake)()
	defer r.close()
	return r.run(ctx)
}

// isLoop reports whether datagrams to the upstream would return. It does not know the addresses of the interfaces.
func isLoop(listen, upstream netip.AddrPort) bool {
	local := upstream.Addr().IsLoopback() || upstream.Addr().IsUnspecified()
	return listen.Port() == upstream.Port() && (listen.Addr() == upstream.Addr() || listen.Addr().IsUnspecified() && local)
}

// relay is the state of Relay. Each client has a goroutine that reads the datagrams of the host.
type relay struct {
	socket
	upstream netip.AddrPort
	h        RelayHandler
	readers  sync.WaitGroup
	state    sync.Mutex // guards clients and the RelayClients; held during functions of the handler
	clients  relayClients
	plain    []byte // a deciphered datagram of the host, to find its Acks
}

func (r *relay) run(ctx context.Context) error {
	interval := min(max(r.h.Idle, 10*time.Millisecond), time.Second)
	buf := make([]byte, maxDatagram)
	var tick time.Time
	for now := time.Now(); ctx.Err() == nil; now = time.Now() {
		if !now.Before(tick) {
			tick = now.Add(interval)
			r.sweep(now)
		}
		if err := r.until(now, tick); err != nil {
			return err
		}
		for more := true; more; more = r.late {
			datagram, from, err := r.read(buf)
			switch {
			case err != nil && r.fatal(err):
				return err
			case err == nil && datagram != nil:
				r.ok()
				r.fromClient(time.Now(), from, datagram)
			}
		}
	}
	return nil
}

// sweep removes silent clients.
func (r *relay) sweep(now time.Time) {
	r.state.Lock()
	defer r.state.Unlock()
	for _, c := range r.clients.idle(now) {
		r.remove(c, errRelayIdle)
	}
}

// fromClient relays a datagram of a client.
func (r *relay) fromClient(now time.Time, from netip.AddrPort, datagram []byte) {
	r.state.Lock()
	defer r.state.Unlock()
	c := r.clients.at(now, from)
	if c == nil {
		if c = r.admit(now, from); c == nil {
			return
		}
	}
	r.pass(c, now, false, datagram)
}

// fromHost relays a datagram of the host.
func (r *relay) fromHost(now time.Time, c *RelayClient, datagram []byte) {
	c.lastReply = now
	if c.State == RelayUnproven && r.proves(datagram) {
		old := r.clients.prove(now, c)
		if old == c {
			r.remove(c, errRelayFull)
			return
		}
		if old != nil {
			r.remove(old, errRelayReplaced)
		}
		r.changed(c)
	}
	r.pass(c, now, true, datagram)
}

// admit returns a new client, or nil if there is no place or no socket for it.
func (r *relay) admit(now time.Time, from netip.AddrPort) *RelayClient {
	c, old := r.clients.add(now, from)
	if old != nil {
		r.remove(old, errRelayReplaced)
	}
	if c == nil {
		if r.h.Refused != nil {
			r.h.Refused(from)
		}
		return nil
	}
	conn, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(r.upstream))
	if err != nil {
		r.failed(c, err)
		r.clients.remove(c)
		return nil
	}
	c.relay, c.conn = r, conn
	if r.h.Edit != nil {
		c.editor = &transport.Relay{PassMalformed: r.h.PassMalformed, Edit: func(now time.Time, fromHost bool, payload []byte) []byte {
			return r.h.Edit(c, now, fromHost, payload)
		}}
	}
	r.changed(c)
	r.readers.Go(func() { r.readHost(c) })
	return c
}

// readHost relays the datagrams of the host to a client until its socket is closed.
func (r *relay) readHost(c *RelayClient) {
	s := socket{conn: hostSocket{c.conn}}
	for buf := make([]byte, maxDatagram); ; {
		datagram, _, err := s.read(buf)
		if errors.Is(err, net.ErrClosed) {
			return
		}
		r.state.Lock()
		switch {
		case c.State == RelayRemoved:
		case err != nil:
			if r.failed(c, err); s.fatal(err) {
				r.remove(c, err)
			}
		default:
			s.ok()
			r.fromHost(time.Now(), c, datagram)
		}
		r.state.Unlock()
	}
}

// hostSocket is a socket towards the host, which only reads as a PacketConn.
type hostSocket struct{ *net.UDPConn }

// pass passes a datagram to the handler, or sends it.
func (r *relay) pass(c *RelayClient, now time.Time, fromHost bool, datagram []byte) {
	if r.h.Datagram == nil {
		_ = c.send(now, fromHost, datagram)
		return
	}
	r.h.Datagram(c, now, fromHost, datagram, func(datagram []byte) error { return c.send(now, fromHost, datagram) })
}

// send sends a datagram, or those in its place. It returns the last error.
func (c *RelayClient) send(now time.Time, fromHost bool, datagram []byte) (err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.gone:
		return net.ErrClosed
	case c.editor == nil:
		return c.write(fromHost, datagram)
	}
	c.plain = append(c.plain[:0], datagram...)
	c.crypt(cipher.Decrypt, c.plain)
	for _, d := range c.editor.Receive(now, fromHost, c.plain) {
		c.crypt(cipher.Encrypt, d)
		err = cmp.Or(c.write(fromHost, d), err)
	}
	return err
}

func (c *RelayClient) crypt(crypt func([]byte), datagram []byte) {
	if !c.relay.h.Plain { // a text of GameSpy is deciphered and enciphered again, and passes unread
		crypt(datagram)
	}
}

// write sends a datagram to the client or the host.
func (c *RelayClient) write(fromHost bool, datagram []byte) (err error) {
	if fromHost {
		_, err = c.relay.conn.WriteToUDPAddrPort(datagram, c.Addr)
		return err
	}
	// The error may be about an earlier datagram that did not reach the host. This datagram has not been sent then.
	for range 2 {
		if _, err = c.conn.Write(datagram); err == nil {
			break
		}
	}
	return err
}

// decipher returns a deciphered copy of a datagram, or nil for what is no datagram of the game.
func (r *relay) decipher(datagram []byte) []byte {
	if len(datagram) < 2 || transport.IsGameSpy(datagram) {
		return nil
	}
	r.plain = append(r.plain[:0], datagram...)
	if !r.h.Plain {
		cipher.Decrypt(r.plain)
	}
	return r.plain
}

// proves reports whether a datagram of the host shows that the host has accepted the client.
func (r *relay) proves(datagram []byte) bool {
	for m, err := range transport.Messages(r.decipher(datagram)) {
		ack, ok := m.Ack()
		if err == nil && (m.Type == transport.TypeDoNothing || ok && (ack.Flags&transport.AckSystem == 0 || ack.Seq != 0)) {
			return true
		}
	}
	return false
}

// remove removes a client and closes its socket.
func (r *relay) remove(c *RelayClient, reason error) {
	c.mu.Lock()
	c.gone = true
	c.mu.Unlock()
	c.conn.Close()
	r.clients.remove(c)
	c.Err = reason
	r.changed(c)
}

func (r *relay) changed(c *RelayClient) {
	if r.h.Changed != nil {
		r.h.Changed(c)
	}
}

func (r *relay) failed(c *RelayClient, err error) {
	if r.h.Failed != nil {
		r.h.Failed(c, err)
	}
}

// close removes all clients and waits for their readers.
func (r *relay) close() {
	r.stop()
	r.state.Lock()
	for _, c := range r.clients.byAddr {
		r.remove(c, nil)
	}
	r.state.Unlock()
	r.readers.Wait()
}
