// Fuzz runs every fuzz target of the library, and of its example programs, each for the
// same time or number of executions:
//
//	go run -C examples ./internal/fuzz -time 3m
//	go run -C examples ./internal/fuzz -time 5000x -run 'transport|FuzzBlock'
//
// It prints a table of the results and exits with status 1 if a target found something. The
// input is in testdata/fuzz of the package then, as with go test. Interesting inputs go into
// the cache of the go command, and the next run continues from there. To commit one, copy it
// into testdata/fuzz of its package.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"

	"github.com/bcwire/bcwire/examples/internal/terminal"
)

type options struct {
	time  string
	run   string
	jobs  int
	cache string
	bins  string // directory of the test binaries; those that are there are not built again
}

func main() {
	var o options
	flag.StringVar(&o.time, "time", "10s", "`duration` of each target, or a number of executions such as 5000x")
	flag.StringVar(&o.run, "run", ".", "targets whose package and name match the `expression`")
	flag.IntVar(&o.jobs, "jobs", 2, "targets that run at once, each with one worker")
	flag.StringVar(&o.cache, "cache", "", "`directory` of interesting inputs (default: the cache of the go command)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

var errFindings = errors.New("there are findings")

func run(ctx context.Context, stdout io.Writer, o options) (err error) {
	w := terminal.NewOutput(stdout)
	defer func() { err = errors.Join(err, w.Err()) }()
	match, err := regexp.Compile(o.run)
	if err != nil {
		return err
	}
	if o.cache == "" {
		dir, err := goCommand(ctx, ".", "env", "GOCACHE")
		if err != nil {
			return err
		}
		o.cache = strings.TrimSpace(dir) + "/fuzz"
	}
	targets, err := discover(ctx, match)
	if err != nil {
		return err
	}
	if o.bins == "" {
		if o.bins, err = os.MkdirTemp("", "fuzz"); err != nil {
			return err
		}
		defer os.RemoveAll(o.bins)
	}
	results, err := runAll(ctx, w, targets, o)
	if err != nil {
		return err
	}
	printTable(w, results)
	for _, r := range results {
		if !r.ok {
			return errFindings
		}
	}
	return nil
}

// goCommand returns what the go command prints.
func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = dir
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}
