// Generate runs what follows the edits by hand: the generators of both modules.
//
//	go run ./examples/lab/generate
//
// First it checks the edits that add a message, and prints which file lacks something. At the end
// it prints the files that have changed. With -check it fails if there are any. It needs only the
// go command.
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
	"strings"
	"time"
)

// timeout is the time limit of all commands. They take less than a minute with empty caches.
const timeout = 10 * time.Minute

// commands are the arguments of the go command, in order. The dissector in the examples is made
// from the generated code of the library.
var commands = [][]string{
	{"generate", "./..."},
	{"generate", "-C", "examples", "./..."},
}

func main() {
	check := flag.Bool("check", false, "fail if a file changes")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "generate: unexpected argument %q; -h lists the flags\n", flag.Arg(0))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *check); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

var errChanged = errors.New("these files were not up to date")

// run writes the names of the files that have changed.
func run(ctx context.Context, w io.Writer, check bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("not done after %v", timeout))
	defer cancel()
	root, err := goCommand(ctx, ".", "list", "-m", "-f", "{{.Dir}}", "github.com/bcwire/bcwire")
	if err != nil {
		return err
	}
	root = strings.TrimSpace(root)
	if err := errors.Join(problems(root)...); err != nil {
		return err
	}
	before, err := snapshot(root)
	if err != nil {
		return err
	}
	for _, args := range commands {
		if out, err := goCommand(ctx, root, args...); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	after, err := snapshot(root)
	if err != nil {
		return err
	}
	changed := differences(before, after)
	for _, name := range changed {
		fmt.Fprintln(w, name)
	}
	if check && len(changed) > 0 {
		return errChanged
	}
	return nil
}

// goCommand returns the output of the go command.
func goCommand(ctx context.Context, dir string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = dir
	c.WaitDelay = time.Second // a grandchild may hold the pipe
	out, err := c.CombinedOutput()
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return string(out), fmt.Errorf("go %s: %w", strings.Join(args, " "), err)
	}
	return string(out), nil
}
