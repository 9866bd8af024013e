package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/examples/internal/recording"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/transport"
)

// Exit statuses.
const (
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
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
	if err := o.serve(ctx, stdin, o.logger(stderr)); err != nil {
		fmt.Fprintf(stderr, "server: %v\n", err)
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
		return slog.New(slog.NewJSONHandler(w, level))
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
		f, err := os.Create(o.record)
		if err != nil {
			return err
		}
		s.record = recording.NewWriter(f, time.Now())
		defer func() { err = errors.Join(err, s.record.Flush(), f.Close()) }()
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

// maxHalfOpen is how many slots somebody can take from one IP address without speaking
// again: a few, for players behind one address who join at the same time.
const maxHalfOpen = 2

// server puts a server together, without socket, console and recorder.
func (o *options) server(now time.Time, addr netip.AddrPort, files *checksum.Server, log *slog.Logger) (*server, error) {
	hub := transport.NewHub(now, transport.HubOptions{
		MaxPerIP:         o.perIP,
		MaxHalfOpenPerIP: maxHalfOpen,
		Session:          transport.Options{HandshakeTimeout: 10 * time.Second},
	})
	s := &server{
		hub:       hub,
		match:     newMatch(now, o.settings, hub, files, log, newStats()),
		discovery: &discovery{port: addr.Port()},
	}
	s.alive.Store(now.UnixNano())
	if o.master == "" {
		return s, nil
	}
	master, err := resolve(o.master, gamespy.MasterPort)
	s.discovery.master = master
	return s, err
}

// resolve returns the address of HOST or HOST:PORT.
func resolve(host string, port int) (netip.AddrPort, error) {
	if _, _, err := net.SplitHostPort(host); err != nil {
		host = net.JoinHostPort(host, strconv.Itoa(port))
	}
	addr, err := net.ResolveUDPAddr("udp4", host)
	if err != nil {
		return netip.AddrPort{}, err
	}
	found := addr.AddrPort()
	return netip.AddrPortFrom(found.Addr().Unmap(), found.Port()), nil
}

// comparison says how players' files are compared: without a manifest they are not, but
// those of the first may be learned.
func (o *options) comparison() string {
	if o.manifest == "" && o.policy != checksum.LearnFirst {
		return "none"
	}
	return o.policy.String()
}

// files returns what players' files are compared with.
func (o *options) files() (*checksum.Server, error) {
	s := &checksum.Server{Policy: o.policy}
	if o.scripts != "" {
		s.Files = os.DirFS(o.scripts)
	}
	if o.manifest == "" {
		return s, nil
	}
	f, err := os.Open(o.manifest)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if s.Manifest, err = checksum.LoadManifest(f); err != nil {
		return nil, fmt.Errorf("%s: %w", o.manifest, err)
	}
	return s, nil
}

// serveMetrics serves the metrics in the background.
func (o *options) serveMetrics(s *server) (io.Closer, error) {
	l, err := net.Listen("tcp", o.metrics)
	if err != nil {
		return nil, err
	}
	h := &http.Server{Handler: s.match.stats.handler(s.ready), ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = h.Serve(l) }()
	s.match.log.Info("metrics", "addr", l.Addr())
	return h, nil
}
