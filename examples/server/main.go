package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/bcwire/bcwire/examples/internal/capture"
	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// Exit statuses.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	// Who reads the log may close it. Ignoring the signal turns that into an error of the
	// next write, and the match goes on.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second one does not wait for the players to be told
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
	if err = o.serve(ctx, stdin, o.logger(log)); err != nil {
		terminal.Complain(stderr, "server", err)
	}
	if err != nil || log.Err() != nil {
		return exitFailed
	}
	return 0
}

func (o *options) logger(w io.Writer) *slog.Logger {
	level := &slog.HandlerOptions{}
	if o.verbose {
		level.Level = slog.LevelDebug
	}
	if o.json {
		return slog.New(slog.NewJSONHandler(terminal.JSON(w), level))
	}
	return slog.New(slog.NewTextHandler(w, level))
}

// serve hosts the match until the context ends.
func (o *options) serve(ctx context.Context, stdin io.Reader, log *slog.Logger) (err error) {
	files, err := o.files()
	if err != nil {
		return err
	}
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(o.addr))
	if err != nil {
		return err
	}
	defer conn.Close()
	s, err := o.server(time.Now(), conn.LocalAddr().(*net.UDPAddr).AddrPort(), files, log)
	if err != nil {
		return err
	}
	s.conn, s.out = conn, conn.WriteToUDPAddrPort
	s.commands = readCommands(stdin)
	if o.record != "" {
		s.record, err = capture.NewRecorder(o.record, time.Now(), conn.LocalAddr().(*net.UDPAddr).AddrPort())
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.record.Close()) }()
	}
	if o.metrics != "" {
		closer, err := o.serveMetrics(s)
		if err != nil {
			return err
		}
		defer closer.Close()
	}
	log.Info("listening", "addr", conn.LocalAddr(), "name", o.name, "map", o.mission, "max", o.maxPlayers, "policy", o.comparison())
	err = s.run(ctx)
	log.Info("closed", "addr", conn.LocalAddr())
	return err
}
