package query

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/internal/limit"
)

// Limits of the clients of [ServeMaster].
const (
	maxClients          = 256
	maxClientsOfNetwork = 8
)

// ServeMaster runs a master. Servers send heartbeats to conn, usually on [gamespy.MasterPort], and clients connect to l
// for the list, usually on [gamespy.MasterListPort]. Nothing else may use m while ServeMaster runs.
//
// ServeMaster runs until the context ends, or conn or l fails, and wraps the cause in its error. It ignores the errors of
// writing and of [gamespy.Master.Receive]. Before it returns, it closes l and all connections. A client has
// 20 s. An IPv4 address or an IPv6 network of 64 bits can have 8 connections at once; more are closed at
// once. Beyond 256 connections, the oldest one is closed.
func ServeMaster(ctx context.Context, conn net.PacketConn, l net.Listener, m *gamespy.Master) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	defer running.Wait()
	defer l.Close()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	var mu sync.Mutex
	running.Go(func() {
		cancel(serveLists(ctx, l, func() []netip.AddrPort {
			mu.Lock()
			defer mu.Unlock()
			return m.Servers(time.Now())
		}))
	})
	err := serve(ctx, conn, func(from netip.AddrPort, datagram []byte) {
		mu.Lock()
		challenge, to, _ := m.Receive(time.Now(), from, datagram)
		mu.Unlock()
		if challenge != nil {
			conn.WriteTo(challenge, net.UDPAddrFromAddrPort(to))
		}
	})
	return fmt.Errorf("query: serve master: %w", cmp.Or(context.Cause(ctx), err))
}

// serveLists sends lists to the clients that connect, until the listener fails.
func serveLists(ctx context.Context, l net.Listener, servers func() []netip.AddrPort) error {
	var clients clients
	var running sync.WaitGroup
	defer running.Wait()
	defer clients.closeAll()
	var failed failures
	for {
		conn, err := l.Accept()
		switch {
		case err == nil:
			failed = 0
		case ctx.Err() != nil || failed.fatal(err):
			return err
		default:
			time.Sleep(pause) // too many open files, until clients leave
			continue
		}
		if c := newClient(conn); clients.add(c) {
			running.Go(func() {
				defer clients.remove(c)
				sendList(conn, servers())
			})
		}
	}
}

// sendList sends the list when the client has requested it.
func sendList(conn net.Conn, servers []netip.AddrPort) {
	conn.SetDeadline(time.Now().Add(listTimeout))
	var server gamespy.ListServer
	if _, err := conn.Write(server.Greeting()); err != nil {
		return
	}
	for buf := make([]byte, 1024); ; {
		n, readErr := conn.Read(buf)
		list, err := server.Receive(buf[:n], servers)
		if list != nil {
			conn.Write(list)
		}
		if list != nil || readErr != nil || err != nil {
			return
		}
	}
}

// client is a connection to the list.
type client struct {
	net.Conn
	network limit.Network
}

func newClient(conn net.Conn) *client {
	c := &client{Conn: conn}
	if a, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		c.network = limit.Of(a.AddrPort())
	}
	return c
}

// clients are the open connections, oldest first.
type clients struct {
	mu   sync.Mutex
	open []*client
}

// add adds a connection and reports true, or closes it. It closes the oldest one if there are too many.
func (s *clients) add(c *client) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	same := 0
	for _, other := range s.open {
		if other.network == c.network {
			same++
		}
	}
	if same >= maxClientsOfNetwork {
		c.Close()
		return false
	}
	if len(s.open) >= maxClients {
		s.open[0].Close()
		s.open = s.open[1:]
	}
	s.open = append(s.open, c)
	return true
}

func (s *clients) remove(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.Close()
	if i := slices.Index(s.open, c); i >= 0 {
		s.open = slices.Delete(s.open, i, i+1)
	}
}

func (s *clients) closeAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.open {
		c.Close()
	}
}
