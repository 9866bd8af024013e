package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"

	"github.com/jedib0t/go-pretty/v6/table"
)

// result is the result of a target.
type result struct {
	target
	ok         bool
	executions int
	added      int // interesting inputs of this run
	total      int // interesting inputs of all runs
	output     []byte
}

// runAll runs targets, up to o.jobs at once, and prints the result of each.
func runAll(ctx context.Context, w io.Writer, targets []target, o options) ([]result, error) {
	results := make([]result, len(targets))
	for i, t := range targets {
		if _, err := os.Stat(binary(o.bins, t)); err == nil {
			continue
		}
		if _, err := goCommand(ctx, t.module, "test", "-c", "-fuzz", ".", "-o", binary(o.bins, t), t.pkg); err != nil {
			return nil, fmt.Errorf("target %d: %w", i, err)
		}
	}
	var group sync.WaitGroup
	var print sync.Mutex
	slots := make(chan struct{}, max(o.jobs, 1))
	for i, t := range targets {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			r := runOne(ctx, binary(o.bins, t), t, o)
			results[i] = r
			print.Lock()
			defer print.Unlock()
			fmt.Fprintf(w, "%s: %d executions, %d new interesting inputs, %d in total\n", t, r.executions, r.added, r.total)
			if !r.ok {
				fmt.Fprintf(w, "%s\n", r.output)
			}
		})
	}
	group.Wait()
	return results, ctx.Err()
}

func binary(dir string, t target) string {
	return filepath.Join(dir, regexp.MustCompile(`\W`).ReplaceAllString(t.pkg, "_"))
}

func runOne(ctx context.Context, bin string, t target, o options) result {
	c := exec.CommandContext(ctx, bin, "-test.run", "^$", "-test.fuzz", "^"+t.name+"$", "-test.fuzztime", o.time,
		"-test.parallel", "1", "-test.fuzzminimizetime", "1s", "-test.fuzzcachedir", filepath.Join(o.cache, t.pkg))
	c.Dir = t.dir
	output, err := c.CombinedOutput()
	r := progress(output)
	r.target, r.ok, r.output = t, err == nil, output
	return r
}

var progressLine = regexp.MustCompile(`execs: (\d+) \(\d+/sec\), new interesting: (\d+) \(total: (\d+)\)`)

// progress returns the counts in the last progress line of a fuzzer.
func progress(output []byte) (r result) {
	lines := progressLine.FindAllSubmatch(output, -1)
	if len(lines) == 0 {
		return r
	}
	for i, n := range []*int{&r.executions, &r.added, &r.total} {
		*n, _ = strconv.Atoi(string(lines[len(lines)-1][i+1])) // digits
	}
	return r
}

// committed returns the number of inputs of a target in its package.
func committed(t target) int {
	files, _ := filepath.Glob(filepath.Join(t.dir, "testdata", "fuzz", t.name, "*"))
	return len(files)
}

func printTable(w io.Writer, results []result) {
	t := table.NewWriter()
	t.AppendHeader(table.Row{"Package", "Target", "Executions", "New inputs", "Total", "Committed", "Failures"})
	executions, failures := 0, 0
	for _, r := range results {
		failed := 0
		if !r.ok {
			failed = 1
		}
		executions, failures = executions+r.executions, failures+failed
		t.AppendRow(table.Row{r.short(), r.name, r.executions, r.added, r.total, committed(r.target), failed})
	}
	t.AppendFooter(table.Row{fmt.Sprint(len(results), " targets"), "", executions, "", "", "", failures})
	fmt.Fprintln(w, t.RenderMarkdown())
}
