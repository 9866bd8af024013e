// Bench runs the benchmarks of the library and of dump, and writes the results to
// testdata/benchmarks.md:
//
//	go run -C examples ./internal/bench
//
// With -run or -packages it prints the results instead. With -against COMMIT, it compares the programs and the
// library with those of the commit, which takes about ten minutes on two quiet cores. It prints the tables, and
// writes them to the end of testdata/benchmarks.md:
//
//	go run -C examples ./internal/bench -against 847f9eb
//
// With -battles 4 -count 1, the comparison takes a minute, and is only printed.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
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
	against       string
	battles       int
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
	flag.IntVar(&o.count, "count", 0, "`number` of runs; the default is 5, and 2 with -against")
	flag.StringVar(&o.against, "against", "", "compare with this `commit`, and write the results to testdata/benchmarks.md")
	flag.IntVar(&o.battles, "battles", million, "with -against, repeat the recorded battle this `number` of times; with another number, only print the results")
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
	name := filepath.Join(dir, "testdata", "benchmarks.md")
	if o.against != "" {
		return compare(ctx, dir, o, name)
	}
	o.count = cmp.Or(o.count, 5)
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
	_, last, err := sections(name)
	if err != nil {
		return err
	}
	tables, err := tablesOfHour(ctx, dir)
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte(page+"\n"+tables+last), 0o644)
}

// tablesOfHour returns the section about the sizes of tables.
func tablesOfHour(ctx context.Context, library string) (text string, err error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	return sizes(ctx, library, dir)
}

// compare is bench with -against.
func compare(ctx context.Context, library string, o options, name string) error {
	first, _, err := sections(name)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := against(ctx, library, o.against, cmp.Or(o.count, 2), o.battles, io.MultiWriter(os.Stdout, &text)); err != nil {
		return err
	}
	tables, err := tablesOfHour(ctx, library)
	if err != nil {
		return err
	}
	fmt.Print("\n", tables)
	if o.battles != million {
		return nil
	}
	first, _, _ = strings.Cut(first, "\n"+sizesHead)
	return os.WriteFile(name, []byte(first+"\n"+tables+"\n"+text.String()), 0o644)
}

// sections returns the page of benchmarks up to the comparison with a commit, and the comparison.
func sections(name string) (first, last string, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return "", "", err
	}
	at := strings.Index(string(text), "\n"+comparedWith)
	if at < 0 {
		return string(text), "", nil
	}
	return string(text[:at]), string(text[at:]), nil
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
