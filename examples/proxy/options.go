package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/gamespy"
)

// options are the flags.
type options struct {
	listen, server       string
	record               string // a file
	verbose, bytes, json bool
	quiet                bool
	ways                 [2]conditions
	seed                 uint64
	clients              int
	idle                 time.Duration
}

const usage = `Usage: proxy [flags]

Proxy passes datagrams between players and a server, shows and records them, and loses,
delays, duplicates and reorders them if asked. Values of the bad network are for both
directions, or for one: -drop c2s=10%,s2c=1%.

With "go run -C examples", a relative name of a file is relative to that directory.

`

var errUsage = errors.New("wrong flags")

// maxClients is the largest number of clients, each of which takes a socket.
const maxClients = 1024

// parseOptions reads the flags. It prints what is wrong with them.
func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("proxy", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.listen, "listen", "127.0.0.1:22102", "`[IP]:PORT` where players connect")
	fs.StringVar(&o.server, "server", "127.0.0.1", fmt.Sprintf("`HOST[:PORT]` of the server; without a port %d", gamespy.DefaultPort))
	fs.StringVar(&o.record, "record", "", "write the datagrams to this `FILE`, for dump; a capture if it ends in .pcapng")
	fs.BoolVar(&o.verbose, "v", false, "show the fields of each message, too")
	fs.BoolVar(&o.bytes, "x", false, "show every byte with its field")
	fs.BoolVar(&o.json, "json", false, "print one JSON object per message")
	fs.BoolVar(&o.quiet, "quiet", false, "show no datagrams")
	o.networkFlags(fs)
	fs.Uint64Var(&o.seed, "seed", 1, "what the bad network's chances depend on")
	fs.IntVar(&o.clients, "clients", 64, "addresses at a time")
	fs.DurationVar(&o.idle, "idle", time.Minute, "forget addresses that are silent for so long")
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	if err := terminal.ParseFlags(fs, args); err != nil {
		return nil, err
	}
	if err := o.check(fs.NArg()); err != nil {
		terminal.Complain(stderr, "proxy", err)
		return nil, err
	}
	return o, nil
}

// check refuses what the flags cannot say one by one.
func (o *options) check(rest int) error {
	var chosen []string
	for _, f := range []struct {
		name string
		set  bool
	}{{"-x", o.bytes}, {"-json", o.json}, {"-quiet", o.quiet}} {
		if f.set {
			chosen = append(chosen, f.name)
		}
	}
	switch {
	case len(chosen) > 1:
		return fmt.Errorf("%w: %s: choose one", errUsage, strings.Join(chosen, ", "))
	case rest > 0:
		return fmt.Errorf("%w: there are no arguments", errUsage)
	case o.clients < 1 || o.clients > maxClients:
		return fmt.Errorf("%w: -clients %d is not between 1 and %d", errUsage, o.clients, maxClients)
	case o.idle <= 0:
		return fmt.Errorf("%w: -idle %v", errUsage, o.idle)
	}
	return nil
}
