package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/bcwire/bcwire/examples/internal/hostport"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/gamespy/query"
)

// found is the result of a scan.
type found struct {
	servers []query.Result
	silent  int   // expected servers that did not reply
	err     error // the scan is incomplete for this reason
}

// find scans once.
func (o *options) find(ctx context.Context) (f found) {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	targets, listErr := o.targets(ctx)
	slices.SortFunc(targets, netip.AddrPort.Compare)
	targets = slices.Compact(targets)
	conn, err := net.ListenPacket("udp4", ":0")
	if err != nil {
		return found{err: errors.Join(listErr, err)}
	}
	defer conn.Close()
	scanner := query.Scanner{Wait: o.wait, Broadcast: o.lan}
	f.servers, err = scanner.Scan(ctx, conn, targets)
	f.err = errors.Join(listErr, err)
	if o.expected(targets) {
		f.silent = len(targets) - len(f.servers)
	}
	return f
}

// expected reports whether each target should be a server.
func (o *options) expected(targets []netip.AddrPort) bool { return o.master != "" || len(targets) == 1 }

// targets returns the addresses to query. With an error, some may be missing.
func (o *options) targets(ctx context.Context) ([]netip.AddrPort, error) {
	switch {
	case o.master != "":
		return list(ctx, o.master)
	case o.addr != "":
		return host(ctx, o.addr)
	}
	return query.ScanPlan(query.Broadcast()), nil
}

// listTimeout limits the time to connect to a master and to get its list.
const listTimeout = 20 * time.Second

// list fetches the list of a master.
func list(ctx context.Context, master string) ([]netip.AddrPort, error) {
	master = hostport.WithPort(master, gamespy.MasterListPort)
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", master)
	if err != nil {
		return nil, fmt.Errorf("-master %s: %w", master, err)
	}
	defer conn.Close()
	servers, err := query.List(ctx, conn)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no complete reply in time: %w", err)
	}
	if err != nil {
		return servers, fmt.Errorf("-master %s: %w", master, err)
	}
	return servers, nil
}

var (
	errNoAddress = errors.New("no IPv4 address; the game has no IPv6")
	errPort      = errors.New("the port must be a number from 1 to 65535")
)

// host returns the server at HOST:PORT, or the ports of HOST that the game scans.
func host(ctx context.Context, addr string) ([]netip.AddrPort, error) {
	name, portText, err := net.SplitHostPort(addr)
	if err != nil {
		name = addr
	}
	if ip, err := netip.ParseAddr(name); err == nil && !ip.Unmap().Is4() {
		return nil, fmt.Errorf("-addr %s: %w", addr, errNoAddress)
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip4", name)
	if err != nil {
		return nil, fmt.Errorf("-addr %s: %w", addr, err)
	}
	if len(ips) == 0 {
		return nil, fmt.Errorf("-addr %s: %w", addr, errNoAddress)
	}
	ip := ips[0].Unmap()
	if portText == "" {
		return query.ScanPlan(ip), nil
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || port == 0 {
		return nil, fmt.Errorf("-addr %s: %w", addr, errPort)
	}
	return []netip.AddrPort{netip.AddrPortFrom(ip, uint16(port))}, nil
}
