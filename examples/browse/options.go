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

// errHelp says that the flags asked for help, which has been printed.
var errHelp = flag.ErrHelp

// options are the flags.
type options struct {
	lan, demo            bool
	addr, master         string
	json, watch, players bool
	wait, every, timeout time.Duration
}

const usage = `Usage: browse [flags]

Browse lists servers of Bridge Commander: those of the local network, of a host, or of
a master.

`

// parseOptions reads the flags. It prints what is wrong with them.
func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("browse", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.BoolVar(&o.lan, "lan", false, "ask the local network; the default")
	fs.StringVar(&o.addr, "addr", "", "ask `HOST[:PORT]`: one port, or the 101 of a LAN game")
	fs.StringVar(&o.master, "master", "", "ask the servers that the master at `HOST[:PORT]` lists")
	fs.BoolVar(&o.demo, "demo", false, "run two servers and a master, and ask them")
	fs.BoolVar(&o.json, "json", false, "print one JSON object per server")
	fs.BoolVar(&o.watch, "watch", false, "look again and again")
	fs.BoolVar(&o.players, "players", false, "show the names of the players")
	fs.DurationVar(&o.wait, "wait", gamespy.ScanWait, "how long to listen when nobody answers")
	fs.DurationVar(&o.every, "every", 5*time.Second, "with -watch, the pause between two looks")
	fs.DurationVar(&o.timeout, "timeout", time.Minute, "how long a look takes at most")
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	if err := terminal.ParseFlags(fs, args); err != nil {
		return o, err
	}
	if err := o.validate(fs.Args()); err != nil {
		terminal.Complain(stderr, "browse", err)
		return o, err
	}
	return o, nil
}

var (
	errOneSource   = errors.New("choose one")
	errNotPositive = errors.New("must be more than 0")
	errArgument    = errors.New("no arguments are expected")
)

// validate refuses what excludes each other, and sets the default.
func (o *options) validate(args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("%q: %w", args[0], errArgument)
	}
	var chosen []string
	for _, f := range []struct {
		name string
		set  bool
	}{{"-lan", o.lan}, {"-addr", o.addr != ""}, {"-master", o.master != ""}, {"-demo", o.demo}} {
		if f.set {
			chosen = append(chosen, f.name)
		}
	}
	if len(chosen) > 1 {
		return fmt.Errorf("%s: %w", strings.Join(chosen, ", "), errOneSource)
	}
	o.lan = o.lan || len(chosen) == 0
	for _, f := range []struct {
		name  string
		value time.Duration
	}{{"-wait", o.wait}, {"-every", o.every}, {"-timeout", o.timeout}} {
		if f.value <= 0 {
			return fmt.Errorf("%s: %w", f.name, errNotPositive)
		}
	}
	return nil
}
