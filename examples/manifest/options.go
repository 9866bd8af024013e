package main

import (
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// errHelp says that the flags asked for help, which has been printed.
var errHelp = flag.ErrHelp

// errArguments says that there are too few arguments, or too many.
var errArguments = errors.New("wrong number of arguments")

// options are the flags and arguments.
type options struct {
	compare   bool
	name, out string
	args      []string
}

const usage = `Usage: manifest [-name TEXT] [-o FILE] DIR
       manifest -compare A B

Manifest writes the hashes of the files in an installation of Bridge Commander, as a
host compares them with those of its clients. DIR is the directory with "scripts".

With -compare it shows where B differs from A. Each is a manifest, "-" for one on
standard input, the directory of an installation, or "vanilla" for what is known of
the game as it was sold.

Exit status: 0, 1 if A and B differ or files could not be read, 2 if nothing could be
done. With "go run -C examples", relative names are relative to that directory.

`

// parseOptions reads the flags. It prints what is wrong with them.
func parseOptions(args []string, stderr io.Writer) (options, error) {
	var o options
	fs := flag.NewFlagSet("manifest", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.BoolVar(&o.compare, "compare", false, "compare B with A")
	fs.StringVar(&o.name, "name", "", "`TEXT` that the manifest has for a name; without it that of DIR")
	fs.StringVar(&o.out, "o", "", "write the manifest to `FILE`, not to standard output")
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	if err := terminal.ParseFlags(fs, args); err != nil {
		return o, err
	}
	o.args = fs.Args()
	if err := o.validate(); err != nil {
		terminal.Complain(stderr, "manifest", fmt.Errorf("%w; -h tells how it is used", err))
		return o, err
	}
	return o, nil
}

func (o *options) validate() error {
	switch {
	case o.compare && len(o.args) != 2:
		return fmt.Errorf("-compare takes A and B: %w", errArguments)
	case o.compare && o.args[0] == "-" && o.args[1] == "-":
		return errors.New("-compare: only one of A and B can be standard input")
	case o.compare && (o.name != "" || o.out != ""):
		return errors.New("-compare writes no manifest: neither -name nor -o")
	case !o.compare && len(o.args) != 1:
		return fmt.Errorf("takes one directory: %w", errArguments)
	}
	return nil
}
