package main

import (
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"runtime"
	"strconv"

	"github.com/bcwire/bcwire/examples/dump/internal/rows"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stateupdate"
)

// errHelp means that -h was given. The help has been printed.
var errHelp = flag.ErrHelp

// options are the flags and arguments.
type options struct {
	verbose, annotate, json, check, stats, events bool
	plain, passwords, follow                      bool
	pcapng, parquet                               string
	classes                                       stateupdate.Catalogue
	port                                          uint
	jobs                                          int
	files                                         []string

	// Of -parquet and of several inputs.
	tables   tables
	noFields bool
	shard    shard
	classSum uint32 // of the file of -classes
}

const usage = `Usage: dump [flags] [FILE...]

Dump decodes captured traffic of Bridge Commander and prints its messages. A FILE is
pcap, pcapng, JSON lines or hex text, also packed or in a zip archive; "-" is standard
input. Without a FILE, dump decodes a bundled sample.

`

// parseOptions reads the flags. It prints errors.
func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("dump", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.BoolVar(&o.verbose, "v", false, "print the fields of each message, too; with -events, how many claims of each player the host has refused")
	fs.BoolVar(&o.annotate, "x", false, "print every byte with its field")
	fs.BoolVar(&o.json, "json", false, "print one JSON object per message")
	fs.BoolVar(&o.check, "check", false, "re-encode every message and compare the bytes")
	fs.BoolVar(&o.stats, "stats", false, "print counts, bytes and rates by message type")
	fs.BoolVar(&o.events, "events", false, "print what happens in the matches: joins, kills, chat; with -json, one object per event")
	fs.StringVar(&o.pcapng, "pcapng", "", "print nothing and write the datagrams to a capture `FILE`, which is replaced")
	fs.StringVar(&o.parquet, "parquet", "", "print nothing and write tables of messages, events and states to a Parquet `FILE`, to FILE.events.parquet\nand to FILE.states.parquet, or to a directory DIR/; inputs that are in DIR/ are skipped")
	o.tables = rows.Tables
	fs.Var(&o.tables, "tables", "with -parquet, write only these `TABLES`, with commas between them")
	fields := fs.Bool("fields", true, "with -parquet, write the fields of messages as JSON")
	fs.Var(&o.shard, "shard", "decode every N-th FILE only, beginning with the I-th, given as `I/N`; I is from 0 to N-1")
	fs.BoolVar(&o.plain, "plain", false, "do not decipher the datagrams: they are not enciphered")
	fs.BoolVar(&o.follow, "follow", false, "at the end of the FILE, wait for more until an interrupt: the match still goes on")
	fs.BoolVar(&o.passwords, "passwords", false, "show the passwords of players, which are otherwise ***, and zero bytes")
	fs.Func("classes", "read the ship classes of a mod from a JSON `FILE`, in the schema of stateupdate/ships.json", o.readClasses)
	fs.UintVar(&o.port, "port", 0, "decode only this UDP `PORT` of captures; the game uses "+strconv.Itoa(gamespy.DefaultPort))
	fs.IntVar(&o.jobs, "jobs", min(runtime.GOMAXPROCS(0), maxJobs), "print, or write tables, with this `NUMBER` of workers; the output is the same")
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	if err := terminal.ParseFlags(fs, args); err != nil {
		return o, err
	}
	o.noFields = !*fields
	if err := o.validate(fs); err != nil {
		terminal.Complain(stderr, "dump", err)
		return o, err
	}
	o.files = fs.Args()
	err := o.checkFiles()
	if err != nil {
		terminal.Complain(stderr, "dump", err)
	}
	return o, err
}

// checkFiles returns an error if there is no input for tables, or if the output would replace an input.
func (o *options) checkFiles() error {
	if o.parquet != "" && len(o.files) == 0 {
		return fmt.Errorf("-parquet %s: %w", o.parquet, errNoInput)
	}
	for flag, name := range map[string]string{"-parquet": o.parquet, "-pcapng": o.pcapng} {
		for _, file := range o.files {
			out, err := os.Stat(name)
			in, other := os.Stat(file)
			if err == nil && other == nil && !in.IsDir() && os.SameFile(in, out) {
				return fmt.Errorf("%s %s: %w", flag, name, errReplaced)
			}
		}
	}
	return nil
}

func (o *options) readClasses(file string) error {
	text, err := os.ReadFile(file)
	o.classSum = crc32.ChecksumIEEE(text)
	if err == nil {
		o.classes, err = stateupdate.ParseJSON(text)
	}
	return err
}

// maxJobs is the largest number of workers. Each needs memory.
const maxJobs = 256

var (
	errStdout    = errors.New("give the name of a file or a directory: Parquet does not go to standard output")
	errNoInput   = errors.New("give the FILE whose tables are written")
	errNoName    = errors.New("give the name of a file")
	errReplaced  = errors.New("this is an input")
	errNoParquet = errors.New("give -parquet, too")
	errNoPipe    = errors.New("give the name of a file: the capture does not go to standard output")
	errFollow    = errors.New("give one FILE, and no -parquet")
	errJobs      = fmt.Errorf("give a number from 1 to %d", maxJobs)
	errPort      = errors.New("not a port: the largest is 65535")
)

// validate returns an error if the flags contradict each other or the port is too large.
func (o *options) validate(fs *flag.FlagSet) error {
	outputs := []string{"x", "json", "check", "stats", "pcapng", "parquet"}
	if o.events {
		outputs[1] = "events" // -events can be in JSON
	}
	if err := terminal.OnlyOne(fs, outputs...); err != nil {
		return err
	}
	var wrong error
	fs.Visit(func(f *flag.Flag) {
		switch name := f.Name; {
		case o.parquet == "" && (name == "tables" || name == "fields"):
			wrong = fmt.Errorf("-%s: %w", name, errNoParquet)
		case o.parquet == "" && name == "parquet", o.pcapng == "" && name == "pcapng":
			wrong = fmt.Errorf("-%s: %w", name, errNoName)
		}
	})
	if wrong != nil {
		return wrong
	}
	if o.parquet == "-" {
		return fmt.Errorf("-parquet -: %w", errStdout)
	}
	if o.pcapng == "-" {
		return fmt.Errorf("-pcapng -: %w", errNoPipe)
	}
	if o.follow && (fs.NArg() != 1 || o.parquet != "") {
		return fmt.Errorf("-follow: %w", errFollow)
	}
	if o.jobs < 1 || o.jobs > maxJobs {
		return fmt.Errorf("-jobs %d: %w", o.jobs, errJobs)
	}
	if o.port > 65535 {
		return fmt.Errorf("-port %d: %w", o.port, errPort)
	}
	return nil
}

// silent reports whether the program writes a file and prints nothing.
func (o *options) silent() bool { return o.pcapng != "" || o.parquet != "" }

// renders reports whether the output treats each datagram for itself, so that several goroutines can share the work.
func (o *options) renders() bool { return !o.events && !o.silent() }

// output returns the output that the flags choose, or nil for none. Columns are those of the terminal, or 0.
func (o *options) output(colour bool, columns int) show.Output {
	switch {
	case o.events:
		return newEvents(o.json, o.verbose, o.classes)
	case o.json:
		return show.NewJSON()
	case o.check:
		return new(check)
	case o.stats:
		return newStats()
	case o.silent():
		return nil
	case o.annotate:
		return show.NewBytes(colour)
	}
	return show.NewLines(colour, o.verbose, columns)
}
