package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// Exit statuses.
const (
	exitDiffer = 1 // A and B differ, or some files could not be read
	exitUsage  = 2 // wrong flags, or another error
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the program. It returns the exit status.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	o, err := parseOptions(args, stderr)
	switch {
	case errors.Is(err, errHelp):
		return 0
	case err != nil:
		return exitUsage
	}
	p := &program{options: o, stdin: stdin, stdout: stdout, stderr: stderr}
	if o.compare {
		err = p.compare(o.args[0], o.args[1])
	} else {
		err = p.write(o.args[0])
	}
	if err != nil {
		p.complain(err)
		return exitUsage
	}
	if p.incomplete || p.differ {
		return exitDiffer
	}
	return 0
}

// program is a run with its flags.
type program struct {
	options
	stdin          io.Reader
	stdout, stderr io.Writer

	incomplete bool // some files could not be read
	differ     bool
}

// complain prints an error. Each of several joined errors has a line.
func (p *program) complain(err error) {
	for _, line := range terminal.Lines(err) {
		fmt.Fprintf(p.stderr, "manifest: %s\n", strings.TrimPrefix(line, "checksum: "))
	}
}
