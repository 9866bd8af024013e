package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stateupdate"
)

// errHelp means that the flags asked for help, which has been printed.
var errHelp = flag.ErrHelp

// options are the flags and arguments.
type options struct {
	verbose, annotate, json, check, stats bool
	plain                                 bool
	pcapng                                string
	classes                               stateupdate.Catalogue
	port                                  uint
	files                                 []string
}

const usage = `Usage: dump [flags] [FILE...]

Dump decodes captured traffic of Bridge Commander: pcap, pcapng, JSON lines or hex
text, recognised by content. "-" is standard input; without a file it decodes a
bundled sample. With "go run -C examples", relative names are relative to that
directory.

`

// parseOptions reads the flags. It prints errors.
func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("dump", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.BoolVar(&o.verbose, "v", false, "show the fields of each message, too")
	fs.BoolVar(&o.annotate, "x", false, "show every byte with its field")
	fs.BoolVar(&o.json, "json", false, "print one JSON object per message")
	fs.BoolVar(&o.check, "check", false, "encode what was decoded and compare")
	fs.BoolVar(&o.stats, "stats", false, "print counts, bytes and rates")
	fs.StringVar(&o.pcapng, "pcapng", "", "write the datagrams to a capture `FILE`, which is replaced, and print nothing")
	fs.BoolVar(&o.plain, "plain", false, "the datagrams are not enciphered")
	fs.Func("classes", "classes of a mod's ships, a JSON file in the schema of stateupdate/ships.json", o.readClasses)
	fs.UintVar(&o.port, "port", 0, "of captures, take this UDP port only; the game has "+strconv.Itoa(gamespy.DefaultPort))
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	if err := terminal.ParseFlags(fs, args); err != nil {
		return o, err
	}
	if err := o.validate(); err != nil {
		terminal.Complain(stderr, "dump", err)
		return o, err
	}
	o.files = fs.Args()
	return o, nil
}

func (o *options) readClasses(file string) error {
	text, err := os.ReadFile(file)
	if err == nil {
		o.classes, err = stateupdate.ParseJSON(text)
	}
	return err
}

var (
	errOneOutput = errors.New("choose one")
	errPort      = errors.New("no such port")
)

// validate refuses outputs that exclude each other.
func (o *options) validate() error {
	var chosen []string
	for _, f := range []struct {
		name string
		set  bool
	}{{"-x", o.annotate}, {"-json", o.json}, {"-check", o.check}, {"-stats", o.stats}, {"-pcapng", o.pcapng != ""}} {
		if f.set {
			chosen = append(chosen, f.name)
		}
	}
	if len(chosen) > 1 {
		return fmt.Errorf("%s: %w", strings.Join(chosen, ", "), errOneOutput)
	}
	if o.port > 65535 {
		return fmt.Errorf("-port %d: %w", o.port, errPort)
	}
	return nil
}

// output returns the output that the flags choose.
func (o *options) output(w io.Writer, colour bool) show.Output {
	switch {
	case o.json:
		return show.NewJSON(w)
	case o.check:
		return show.NewCheck(w)
	case o.stats:
		return show.NewStats(w)
	case o.pcapng != "":
		return show.NewNothing()
	case o.annotate:
		return show.NewBytes(w, colour)
	}
	return show.NewLines(w, colour, o.verbose)
}
