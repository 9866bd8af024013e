package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/gamespy/query"
)

// errHelp means that -h was given. The help has been printed.
var errHelp = flag.ErrHelp

// options are the flags.
type options struct {
	lan, demo            bool
	addr, master         string
	json, watch, players bool
	wait, every, timeout time.Duration
}

const usage = `Usage: browse [flags]

Browse lists servers of Bridge Commander: on the local network, on a host, or in the list
of a master.

`

// parseOptions reads the flags. It prints errors.
func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("browse", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.BoolVar(&o.lan, "lan", false, "scan the local network; the default")
	fs.StringVar(&o.addr, "addr", "", "query the server at `HOST[:PORT]`; without a port, scan the game's 101 ports")
	fs.StringVar(&o.master, "master", "", fmt.Sprintf("query the servers that the master at `HOST[:PORT]` lists; without a port %d", gamespy.MasterListPort))
	fs.BoolVar(&o.demo, "demo", false, "run two servers and a master on this computer, and list them")
	fs.BoolVar(&o.json, "json", false, "print one JSON object per server")
	fs.BoolVar(&o.watch, "watch", false, "scan repeatedly, until an interrupt")
	fs.BoolVar(&o.players, "players", false, "print the names of the players")
	fs.DurationVar(&o.wait, "wait", query.ScanWait, "end a scan if no server has replied for this time")
	fs.DurationVar(&o.every, "every", 5*time.Second, "with -watch, the pause between two scans")
	fs.DurationVar(&o.timeout, "timeout", time.Minute, "the longest time of a scan")
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	if err := terminal.ParseFlags(fs, args); err != nil {
		return o, err
	}
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	sources := terminal.OnlyOne(fs, "lan", "addr", "master", "demo")
	if err := cmp.Or(terminal.NoArguments(fs), sources, terminal.Needs(fs, "every", "watch"), o.validate(given)); err != nil {
		terminal.Complain(stderr, "browse", err)
		return o, err
	}
	return o, nil
}

var (
	errEmpty       = errors.New("empty; give HOST or HOST:PORT")
	errNotPositive = errors.New("must be more than 0")
)

// validate returns an error if a value is wrong. It sets the default source. The map has the names of the flags that
// were given.
func (o *options) validate(given map[string]bool) error {
	switch {
	case given["addr"] && o.addr == "":
		return fmt.Errorf("-addr: %w", errEmpty)
	case given["master"] && o.master == "":
		return fmt.Errorf("-master: %w", errEmpty)
	}
	for _, f := range []struct{ name, addr string }{{"-addr", o.addr}, {"-master", o.master}} {
		if _, port, err := net.SplitHostPort(f.addr); err == nil && port != "" {
			if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
				return fmt.Errorf("%s %s: %w", f.name, f.addr, errPort)
			}
		}
	}
	o.lan = o.lan || o.addr == "" && o.master == "" && !o.demo
	for _, f := range []struct {
		name  string
		value time.Duration
	}{{"-wait", o.wait}, {"-every", o.every}, {"-timeout", o.timeout}} {
		if f.value <= 0 {
			return fmt.Errorf("%s %v: %w", f.name, f.value, errNotPositive)
		}
	}
	return nil
}
