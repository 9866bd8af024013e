package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"

	"github.com/bcwire/bcwire/examples/internal/hostport"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/gamespy/query"
)

// found is the outcome of a look.
type found struct {
	servers []query.Result
	silent  int   // known servers that did not answer
	err     error // why there may be more servers
}

// find looks once.
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
	if o.known(targets) {
		f.silent = len(targets) - len(f.servers)
	}
	return f
}

// known says whether there is a server at each target, as far as anybody knows.
func (o *options) known(targets []netip.AddrPort) bool { return o.master != "" || len(targets) == 1 }

// targets returns whom to ask. With an error, there may be more.
func (o *options) targets(ctx context.Context) ([]netip.AddrPort, error) {
	switch {
	case o.master != "":
		return list(ctx, o.master)
	case o.addr != "":
		return host(ctx, o.addr)
	}
	return gamespy.ScanPlan(gamespy.Broadcast()), nil
}

// list fetches the list of a master.
func list(ctx context.Context, master string) ([]netip.AddrPort, error) {
	master = hostport.WithPort(master, gamespy.MasterListPort)
	ctx, cancel := context.WithTimeout(ctx, query.ListTimeout)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", master)
	if err != nil {
		return nil, fmt.Errorf("master %s: %w", master, err)
	}
	defer conn.Close()
	servers, err := query.List(ctx, conn)
	if err != nil {
		return servers, fmt.Errorf("master %s: %w", master, err)
	}
	return servers, nil
}

var (
	errNoAddress = errors.New("no IPv4 address, the only kind that the game has")
	errPort      = errors.New("no such port")
)

// host returns the server at HOST:PORT, or the ports of HOST on which the game looks.
func host(ctx context.Context, addr string) ([]netip.AddrPort, error) {
	name, portText, err := net.SplitHostPort(addr)
	if err != nil {
		name = addr
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip4", name)
	if err != nil {
		return nil, err
	}
	if len(ips) == 0 {
		return nil, fmt.Errorf("%s: %w", name, errNoAddress)
	}
	ip := ips[0].Unmap()
	if portText == "" {
		return gamespy.ScanPlan(ip), nil
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || port == 0 {
		return nil, fmt.Errorf("%s: %w", addr, errPort)
	}
	return []netip.AddrPort{netip.AddrPortFrom(ip, uint16(port))}, nil
}
