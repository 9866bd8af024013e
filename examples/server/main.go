package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/examples/internal/hostport"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/examples/server/game"
	"github.com/bcwire/bcwire/examples/server/internal/recorder"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

const exitFailed, exitUsage = 1, 2 // exit statuses

func main() {
	terminal.Main(func(ctx context.Context) int { return run(ctx, os.Args[1:], os.Stdin, os.Stderr) })
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

// inUse returns an error with what to do if another program has the port.
func inUse(err error, flag string) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w: end the program that uses the port, perhaps another server, or choose another port with %s", err, flag)
	}
	return err
}

// serve hosts the match until the context ends.
func (o *options) serve(ctx context.Context, stdin io.Reader, log *slog.Logger) (failed error) {
	files, err := o.files()
	if err != nil {
		return err
	}
	udpConn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(o.addr))
	if err != nil {
		return inUse(err, "-addr")
	}
	defer udpConn.Close()
	var conn udp.PacketConn = udpConn
	recorded := func(transport.Event) {}
	if o.record != "" {
		r, err := recorder.Create(o.record, o.recordLimit, udpConn, log)
		if err != nil {
			return err
		}
		defer func() { failed = errors.Join(failed, r.Close()) }()
		conn, recorded, o.match.Hit = r, r.Follow(), r.Hit
	}
	stats := newStats()
	o.match.Host.Files, o.match.Host.Log, o.match.Dropped, o.match.Noted = files, log, stats.drop, stats.noted.Inc
	o.match.Port = udpConn.LocalAddr().(*net.UDPAddr).AddrPort().Port()
	if o.master != "" {
		master, err := hostport.Resolve("udp4", o.master, gamespy.MasterPort)
		if err != nil {
			return fmt.Errorf("-master: %w", err)
		}
		o.match.Heartbeat = func(datagram []byte) { _, _ = conn.WriteToUDPAddrPort(datagram, master) }
	}
	loop := &udp.Loop{}
	if o.metrics != "" {
		metrics, err := stats.serve(o.metrics, loop, log)
		if err != nil {
			return err
		}
		defer metrics.Close()
	}
	policy := files.Policy.String()
	if o.manifest == "" && files.Policy != checksum.LearnFirst {
		policy = "none" // no file is compared
	}
	log.Info("listening", "addr", udpConn.LocalAddr(), "name", o.match.Name, "map", o.mission, "max", o.maxPlayers, "policy", policy)
	ctx, quit := context.WithCancel(ctx)
	defer quit()
	m := game.New(time.Now(), o.match)
	go console(ctx, stdin, loop, func(line string) {
		if m.Command(line) {
			quit()
		}
	})
	defer log.Info("closed", "addr", udpConn.LocalAddr())
	return udp.Serve(ctx, conn, m.Hub(), udp.Handler{
		Event: func(now time.Time, e transport.Event) {
			stats.event(e)
			recorded(e)
			m.Handle(now, e)
		},
		Tick: func(now time.Time) {
			began := time.Now()
			m.Tick(now)
			stats.ticked(time.Since(began), len(m.Members()), m.Hub().Counters())
		},
		Query: m.Query, Close: m.Close, Loop: loop, Log: log,
	})
}

// console runs lines as commands until the input or the server ends.
func console(ctx context.Context, in io.Reader, loop *udp.Loop, command func(line string)) {
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if loop.Do(ctx, func() { command(lines.Text()) }) != nil {
			return
		}
	}
}
