// Bench runs the benchmarks of the library and of dump, and writes the results to
// testdata/benchmarks.md:
//
//	go run -C examples ./internal/bench
//
// With -run or -packages it prints the results instead.
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

// The options with which testdata/benchmarks.md is written.
const (
	allBenchmarks = "."
	allPackages   = "./..."
)

func main() {
	var o options
	flag.StringVar(&o.run, "run", allBenchmarks, "run the benchmarks that match this regular `expression`, and print the results")
	flag.StringVar(&o.packages, "packages", allPackages, "run the benchmarks of these `packages`, such as ./cipher or ./examples/dump, and print the results")
	flag.StringVar(&o.time, "time", "100ms", "`duration` of a benchmark in each run")
	flag.IntVar(&o.count, "count", 5, "`number` of runs")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "bench: unexpected argument %q; -h lists the flags\n", flag.Arg(0))
		os.Exit(2)
	}
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
	text, err := benchmarks(ctx, dir, o)
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

// examples is the module of the programs, a directory of the library. Its benchmarks of interest are
// in one package.
const (
	examples      = "./examples"
	examplesBench = "./examples/dump"
)

// benchmarks returns the output of the benchmarks. Packages of the examples need a command of their
// own, because they are another module.
func benchmarks(ctx context.Context, dir string, o options) (text []byte, err error) {
	packages := []string{o.packages}
	if o.packages == allPackages {
		packages = append(packages, examplesBench)
	}
	for _, p := range packages {
		in := dir
		if rest, ok := strings.CutPrefix(p, examples+"/"); ok {
			in, p = filepath.Join(dir, examples), "./"+rest
		}
		next, err := output(ctx, in, "test", "-run", "^$", "-bench", o.run, "-benchtime", o.time, "-count", fmt.Sprint(o.count), p)
		if err != nil {
			return nil, err
		}
		text = append(text, next...)
	}
	return text, nil
}

// output returns the output of the go command.
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
