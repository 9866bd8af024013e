package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/examples/internal/hostport"
	"github.com/bcwire/bcwire/examples/internal/recorder"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/transport/udp"
)

const exitFailed, exitUsage = 1, 2 // exit statuses

func main() {
	// The reader of the log may close it. Without the signal, only a write fails then, and the
	// match goes on.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	status := run(ctx, os.Args[1:], os.Stdin, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the program. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return exitUsage
	}
	log := terminal.NewOutput(stderr)
	if err = o.serve(ctx, stdin, terminal.Logger(log, o.json, o.verbose)); err != nil {
		terminal.Complain(stderr, "server", err)
	}
	if err != nil || log.Err() != nil {
		return exitFailed
	}
	return 0
}

// serve hosts the match until the context ends.
func (o *options) serve(ctx context.Context, stdin io.Reader, log *slog.Logger) (failed error) {
	files, err := o.files()
	if err != nil {
		return err
	}
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(o.addr))
	if err != nil {
		return err
	}
	defer conn.Close()
	m := newMatch(time.Now(), *o, files, log)
	m.socket, m.beacon.Port = conn, conn.LocalAddr().(*net.UDPAddr).AddrPort().Port()
	if o.master != "" {
		addr, err := net.ResolveUDPAddr("udp4", hostport.WithPort(o.master, gamespy.MasterPort))
		if err != nil {
			return fmt.Errorf("-master: %w", err)
		}
		m.masterAddr = netip.AddrPortFrom(addr.AddrPort().Addr().Unmap(), addr.AddrPort().Port())
	}
	if o.record != "" {
		r, err := recorder.Create(o.record, o.recordLimit, conn, log)
		if err != nil {
			return err
		}
		defer func() { failed = errors.Join(failed, r.Close()) }()
		m.socket = r
	}
	loop := &udp.Loop{}
	if o.metrics != "" {
		metrics, err := m.stats.serve(o.metrics, loop, log)
		if err != nil {
			return err
		}
		defer metrics.Close()
	}
	policy := o.policy.String()
	if o.manifest == "" && o.policy != checksum.LearnFirst {
		policy = "none" // no file is compared
	}
	log.Info("listening", "addr", conn.LocalAddr(), "name", o.name, "map", o.mission, "max", o.maxPlayers, "policy", policy)
	ctx, quit := context.WithCancel(ctx)
	defer quit()
	go m.console(ctx, stdin, loop, quit)
	defer log.Info("closed", "addr", conn.LocalAddr())
	return udp.Serve(ctx, m.socket, m.hub, udp.Handler{
		Event: m.event, Query: m.query, Tick: m.tick, Interval: tick, Close: m.close, Loop: loop, Log: log,
	})
}
