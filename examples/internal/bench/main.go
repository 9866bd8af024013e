// Bench runs the benchmarks of the library and writes what they measured to
// testdata/benchmarks.md:
//
//	go run -C examples ./internal/bench
//
// Of several runs it takes the fastest, and the ratio of the median: the ratio of one run is
// measured side by side with its baseline, and does not depend on the machine as times do.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

type options struct {
	run, packages string
	time          string
	count         int
}

// The options of testdata/benchmarks.md.
const (
	allBenchmarks = "."
	allPackages   = "./..."
)

func main() {
	var o options
	flag.StringVar(&o.run, "run", allBenchmarks, "benchmarks that match the `expression`; then nothing is written, but printed")
	flag.StringVar(&o.packages, "packages", allPackages, "`packages` of the library, such as ./cipher; then nothing is written, but printed")
	flag.StringVar(&o.time, "time", "100ms", "`duration` of each benchmark and run")
	flag.IntVar(&o.count, "count", 5, "runs")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	library, err := output(ctx, ".", "list", "-m", "-f", "{{.Dir}}", "github.com/bcwire/bcwire")
	if err != nil {
		return err
	}
	dir := strings.TrimSpace(string(library))
	text, err := output(ctx, dir, "test", "-run", "^$", "-bench", o.run, "-benchtime", o.time, "-count", fmt.Sprint(o.count), o.packages)
	if err != nil {
		return err
	}
	s, err := parse(bytes.NewReader(text))
	if err != nil {
		return err
	}
	version, err := output(ctx, dir, "env", "GOVERSION")
	if err != nil {
		return err
	}
	page := s.page(strings.TrimSpace(string(version)))
	if o.run != allBenchmarks || o.packages != allPackages {
		_, err := os.Stdout.WriteString(page)
		return err
	}
	return os.WriteFile(filepath.Join(dir, "testdata", "benchmarks.md"), []byte(page), 0o644)
}

// output returns what the go command prints.
func output(ctx context.Context, dir string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir = dir
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return out, nil
}
