// Fuzz runs the fuzz targets of the library and of the example programs:
//
//	go run -C examples ./internal/fuzz -time 5000x -run 'transport|FuzzBlock'
//
// It prints a table of the results. The exit status is 1 if a target failed; its input is then
// in testdata/fuzz of its package. Interesting inputs stay in the cache of the go command, from
// which the next run continues.
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
	bins  string // directory of the test binaries; existing binaries are not built again
}

func main() {
	var o options
	flag.StringVar(&o.time, "time", "10s", "run each target for this `duration`, or for a number of executions such as 5000x")
	flag.StringVar(&o.run, "run", ".", "run the targets whose package and name match this regular `expression`")
	flag.IntVar(&o.jobs, "jobs", 2, "`number` of targets that run at once, each with one worker")
	flag.StringVar(&o.cache, "cache", "", "`directory` of interesting inputs (default the cache of the go command)")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "fuzz: unexpected argument %q; -h lists the flags\n", flag.Arg(0))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, o); err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
}

var errFindings = errors.New("targets have failed; their output is above, and new inputs are in testdata/fuzz of their packages")

func run(ctx context.Context, stdout io.Writer, o options) (err error) {
	w := terminal.NewOutput(stdout)
	defer func() { err = errors.Join(err, w.Err()) }()
	match, err := regexp.Compile(o.run)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
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

// goCommand returns the output of the go command.
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
