package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"time"

	"github.com/bcwire/bcwire/gamespy"
)

const (
	// listTimeout is the maximum duration of [List]. Masters wait some seconds before they send.
	listTimeout = 20 * time.Second

	// closeWait is the time that a master has to close after a list that looks complete.
	closeWait = 500 * time.Millisecond
)

// List fetches the list of servers from a master over TCP, usually on [gamespy.MasterListPort]. It
// omits addresses that are not safe to query; see the section Security. It does not close the connection. On error it
// returns the servers received so far. The error comes from the context, the connection or
// [gamespy.ListClient].
func List(ctx context.Context, conn net.Conn) ([]netip.AddrPort, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	defer interrupt(ctx, conn)()
	var client gamespy.ListClient
	err := converse(ctx, conn, &client)
	servers, listErr := client.Servers()
	var master netip.Addr
	if a, ok := conn.RemoteAddr().(*net.TCPAddr); ok {
		master = a.AddrPort().Addr()
	}
	servers = slices.DeleteFunc(servers, func(s netip.AddrPort) bool { return !mayQuery(master, s) })
	return servers, cmp.Or(err, listErr)
}

// lowestPort is the lowest port that a server has on the Internet. Those below are of other services.
const lowestPort = 1024

// multicast is the first byte of the first multicast address. Reserved and broadcast addresses follow.
const multicast = 224

// mayQuery reports whether a query may be sent to a server in the list of a master. A query to a broadcast or multicast
// address would reach many computers, and one to 0.0.0.0 or port 0 none. The zero Addr is a master in this process.
func mayQuery(master netip.Addr, server netip.AddrPort) bool {
	ip := server.Addr().Unmap()
	switch {
	case !ip.Is4() || ip.As4()[0] == 0 || ip.As4()[0] >= multicast || server.Port() == 0:
		return false
	case !master.IsValid() || local(master.Unmap()):
		return true
	}
	return !local(ip) && server.Port() >= lowestPort
}

// local reports whether an address is not on the Internet.
func local(ip netip.Addr) bool {
	shared := ip.Is4() && ip.As4()[0] == 100 && ip.As4()[1]&0xC0 == 64 // 100.64.0.0/10, networks of providers
	return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || shared
}

// converse passes bytes between the master and the client until the master closes.
func converse(ctx context.Context, conn net.Conn, client *gamespy.ListClient) error {
	buf := make([]byte, 16<<10)
	for {
		var deadline time.Time
		if client.Whole() {
			deadline = time.Now().Add(closeWait)
		}
		if err := readUntil(ctx, conn, deadline); err != nil {
			return fmt.Errorf("query: list: %w", err)
		}
		n, err := conn.Read(buf)
		send, clientErr := client.Receive(buf[:n])
		switch {
		case clientErr != nil:
			return clientErr
		case errors.Is(err, io.EOF), isTimeout(err) && ctx.Err() == nil && client.Whole():
			return nil
		case err != nil:
			return fmt.Errorf("query: list: %w", cmp.Or(ctx.Err(), err))
		}
		if len(send) == 0 {
			continue
		}
		if _, err := conn.Write(send); err != nil {
			return fmt.Errorf("query: list: %w", cmp.Or(ctx.Err(), err))
		}
	}
}
