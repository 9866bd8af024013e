package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"time"

	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/relay"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/gamespy"
)

// options are the flags.
type options struct {
	relay.Options
	record               string // a file
	recordLimit          capture.Size
	verbose, bytes, json bool
	quiet, passwords     bool
}

const usage = `Usage: proxy [flags]

Proxy relays datagrams between players and a server, and shows and records them. To
simulate a bad network, it also drops, delays, duplicates and reorders them. Values of
these flags are for both directions, or for one: -drop c2s=10%,s2c=1%.

`

// maxClients is the largest number of clients. Each needs a socket.
const maxClients = 1024

// parseOptions reads the flags. It prints errors.
func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o := &options{recordLimit: capture.DefaultLimit, Options: relay.Options{Name: "proxy", Log: stderr}}
	fs := flag.NewFlagSet("proxy", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.Listen, "listen", "127.0.0.1:22102", "listen for players at `[IP]:PORT`")
	fs.StringVar(&o.Server, "server", "127.0.0.1", fmt.Sprintf("relay to the server at `HOST[:PORT]`; without a port %d", gamespy.DefaultPort))
	fs.StringVar(&o.record, "record", "", "write the datagrams to `FILE`, which dump reads; a capture if it ends in .pcapng")
	fs.Var(&o.recordLimit, "recordlimit", "stop recording at this `SIZE`, such as 500M or 2G; 0 is no limit")
	fs.BoolVar(&o.verbose, "v", false, "print the fields of each message, too")
	fs.BoolVar(&o.bytes, "x", false, "print every byte with its field")
	fs.BoolVar(&o.json, "json", false, "print one JSON object per message")
	fs.BoolVar(&o.quiet, "quiet", false, "print no datagrams")
	fs.BoolVar(&o.passwords, "passwords", false, "print the passwords of players; the default is ***, and zero bytes")
	o.networkFlags(fs)
	fs.Uint64Var(&o.Seed, "seed", 1, "seed of the bad network; the same seed gives the same conditions")
	fs.IntVar(&o.Clients, "clients", 64, "the largest `number` of clients at a time")
	fs.DurationVar(&o.Idle, "idle", time.Minute, "forget clients that are silent for this time; they can connect again")
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	if err := terminal.ParseFlags(fs, args); err != nil {
		return nil, err
	}
	if err := cmp.Or(
		terminal.OnlyOne(fs, "x", "json", "quiet"), terminal.NoArguments(fs),
		terminal.NotEmpty(fs, "listen", "server", "record"), terminal.Needs(fs, "recordlimit", "record"), o.check(),
	); err != nil {
		terminal.Complain(stderr, "proxy", err)
		return nil, err
	}
	return o, nil
}

// check returns an error if a value is out of range.
func (o *options) check() error {
	switch {
	case o.Clients < 1 || o.Clients > maxClients:
		return fmt.Errorf("-clients %d is not between 1 and %d", o.Clients, maxClients)
	case o.Idle <= 0:
		return fmt.Errorf("-idle %v: must be more than 0", o.Idle)
	}
	return nil
}
