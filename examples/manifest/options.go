package main

import (
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// errHelp means that -h was given. The help has been printed.
var errHelp = flag.ErrHelp

// options are the flags and arguments.
type options struct {
	compare   bool
	name, out string
	args      []string
}

const usage = `Usage: manifest [-name TEXT] [-o FILE] DIR
       manifest -compare A B

Manifest writes the hashes of the files in an installation of Bridge Commander, which a
host compares with the files of its clients. DIR is the directory that has "scripts".

With -compare it prints the differences between A and B. Each is a manifest, "-" for
standard input, the directory of an installation, or "vanilla" for the stock game. The
ship scripts of "vanilla" are compared by name only.

The exit status is 1 if A and B differ or some files could not be read, and 2 for any
other error.

`

// parseOptions reads the flags. It prints errors.
func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("manifest", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.BoolVar(&o.compare, "compare", false, "print the differences between A and B")
	fs.StringVar(&o.name, "name", "", "set the name in the manifest to `TEXT` (default the name of DIR)")
	fs.StringVar(&o.out, "o", "", "write the manifest to `FILE` instead of standard output")
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	if err := terminal.ParseFlags(fs, args); err != nil {
		return o, err
	}
	o.args = fs.Args()
	if err := o.validate(); err != nil {
		terminal.Complain(stderr, "manifest", fmt.Errorf("%w; -h prints the usage", err))
		return o, err
	}
	return o, nil
}

func (o *options) validate() error {
	switch {
	case o.compare && len(o.args) != 2:
		return fmt.Errorf("-compare needs two arguments, A and B, not %d", len(o.args))
	case o.compare && o.args[0] == "-" && o.args[1] == "-":
		return errors.New("-compare - -: only one of A and B can be standard input")
	case o.compare && (o.name != "" || o.out != ""):
		return errors.New("-compare writes no manifest: leave out -name and -o")
	case !o.compare && len(o.args) != 1:
		return fmt.Errorf("one argument is needed, the directory of the game, not %d", len(o.args))
	}
	return nil
}
