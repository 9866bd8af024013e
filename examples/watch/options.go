package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/stateupdate"
)

// options are the flags and the argument.
type options struct {
	file    string
	addr    string
	plain   bool
	port    uint
	classes stateupdate.Catalogue
}

// defaultFile is the recording that is shown without a FILE.
const defaultFile = "../testdata/battle.jsonl"

const usage = `Usage: watch [flags] [FILE]

Watch shows a recorded match in the browser. A FILE is pcap, pcapng, JSON lines or hex
text; "-" is standard input. Without a FILE, watch shows testdata/battle.jsonl.

With "go run -C examples", relative names are relative to the directory examples.

`

// parseOptions reads the flags. It prints errors.
func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	fs := flag.NewFlagSet("watch", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.StringVar(&o.addr, "addr", "127.0.0.1:0", "serve the page at `IP:PORT`, a loopback address; port 0 is any free port")
	fs.BoolVar(&o.plain, "plain", false, "do not decipher the datagrams: they are not enciphered")
	fs.Func("classes", "read the ship classes of a mod from a JSON `FILE`, in the schema of stateupdate/ships.json", o.readClasses)
	fs.UintVar(&o.port, "port", 0, "show only this UDP `PORT` of captures")
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	if err := terminal.ParseFlags(fs, args); err != nil {
		return nil, err
	}
	err := o.check(fs.Args())
	if err != nil {
		terminal.Complain(stderr, "watch", err)
	}
	return o, err
}

func (o *options) readClasses(file string) error {
	text, err := os.ReadFile(file)
	if err == nil {
		o.classes, err = stateupdate.ParseJSON(text)
	}
	return err
}

// check returns an error if a value is out of range or there are too many arguments.
func (o *options) check(rest []string) error {
	switch {
	case len(rest) > 1:
		return fmt.Errorf("%q: unexpected argument; give one FILE", rest[1])
	case o.port > 65535:
		return errors.New("-port: the largest is 65535")
	}
	o.file = defaultFile
	if len(rest) == 1 {
		o.file = cmp.Or(rest[0], defaultFile)
	}
	return nil
}
