// Planted plants bugs, one at a time, in copies of source files, and measures how long the program sim takes to find
// each of them.
//
//	go run ./examples/lab/planted [-only REGEXP] [-time 10m] [-write]
//	go run ./examples/lab/planted -check [-only REGEXP]
//	go run ./examples/lab/planted -tests [-only REGEXP]
//	go run ./examples/lab/planted -draw N [-seed SEED]
//
// The bugs are in bugs.go. A bug is found if a match has a violation with the bug and none without it. It is an error
// if the code that a bug changes is gone, if the code with the bug does not compile, or if the bug is not found in
// time. With -check, planted plays no match. With -tests, it runs the unit tests in their short form instead, first
// those of the package that has the bug.
//
// With -draw, it prints N errors of one line, which the seed draws. Those of mutations.go were drawn with the seed 1,
// before sim was changed to find them.
//
// With -write, it writes the speed of sim and a row for each bug into examples/lab/sim/README.md. The rows of the other
// bugs stay, so that several runs can make the table.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bcwire/bcwire/examples/lab/internal/document"
)

func main() {
	pattern := regexp.MustCompile("")
	flag.Func("only", "plant only bugs whose names match this `REGEXP`", func(s string) (err error) {
		pattern, err = regexp.Compile(s)
		return err
	})
	most := flag.Duration("time", 10*time.Minute, "longest CPU time for a bug")
	first := flag.Uint64("seed", 1, "the first `SEED`")
	write := flag.Bool("write", false, "write the table into "+document.File)
	check := flag.Bool("check", false, "check that the bugs can be planted, and play no match")
	n := flag.Int("draw", 0, "draw so many errors of one line and print them")
	tests := flag.Bool("tests", false, "run the unit tests with each bug, instead of sim")
	flag.Parse()
	chosen := slices.DeleteFunc(slices.Concat(bugs, kinds, mutations), func(b bug) bool { return !pattern.MatchString(b.name) })
	all, err := list()
	switch {
	case err != nil:
	case *n > 0:
		err = all.draw(*n, *first)
	case len(chosen) == 0:
		err = fmt.Errorf("no bug has the name %v", pattern)
	case *check:
		err = all.checkBugs(chosen)
	case *tests:
		err = all.testBugs(chosen)
	default:
		err = all.findBugs(chosen, *most, *first, *write)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "planted:", err)
		os.Exit(1)
	}
}

// checkBugs plants bugs, and checks that the code compiles. It returns an error about each bug with a problem.
func (all sources) checkBugs(chosen []bug) error {
	var problems []error
	for _, b := range chosen {
		changed, err := all.plant(&b)
		if err == nil {
			err = all.check(changed)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s (%s): %w", b.name, b.breaks, err))
		}
	}
	fmt.Printf("%d of %d bugs can be planted\n", len(chosen)-len(problems), len(chosen))
	return errors.Join(problems...)
}

// findBugs finds bugs. It returns an error about each bug that cannot be planted or is not found.
func (all sources) findBugs(chosen []bug, most time.Duration, first uint64, write bool) error {
	dir, err := os.MkdirTemp("", "planted")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	sound := filepath.Join(dir, "sound.exe")
	if err := build(sound, ""); err != nil {
		return err
	}
	t, err := newTable(sound, write)
	if err != nil {
		return err
	}
	var problems []error
	for _, b := range chosen {
		x := &trial{bug: b, dir: filepath.Join(dir, b.name)}
		err := x.build(all)
		if err == nil {
			err = x.find(sound, most, first)
		}
		switch {
		case err == nil:
			fmt.Printf("%-40s %6.1f s  %.150s\n", b.name, x.took.Seconds(), x.line)
			t.rows[b.name] = fmt.Sprintf("| %s | %.1f s | %s |\n", b.name, x.took.Seconds(), x.violation())
		case errors.Is(err, errNotFound):
			t.rows[b.name] = fmt.Sprintf("| %s | not in %.0f s | |\n", b.name, x.took.Seconds())
			fallthrough
		default:
			fmt.Printf("%-40s %v\n", b.name, err)
			problems = append(problems, fmt.Errorf("%s (%s): %w", b.name, b.breaks, err))
		}
		if err := errors.Join(os.RemoveAll(x.dir), t.save()); err != nil {
			return err
		}
	}
	fmt.Println(t.summary())
	return errors.Join(problems...)
}

// testBugs runs the unit tests with each bug.
func (all sources) testBugs(chosen []bug) error {
	dir, err := os.MkdirTemp("", "planted")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	found := 0
	for _, b := range chosen {
		x := &trial{bug: b, dir: filepath.Join(dir, b.name)}
		list, err := x.overlay(all)
		if err != nil {
			return err
		}
		failed := "none"
		for _, packages := range [][]string{all.packages(b.changes[0].in), {"./...", "./examples/server/...", "./examples/combat/...", "./examples/bot/..."}} {
			out, err := exec.Command("go", slices.Concat([]string{"test", "-short", "-vet=off", "-failfast", "-overlay", list}, packages)...).Output()
			if err != nil {
				failed = firstFailure(string(out))
				found++
				break
			}
		}
		fmt.Printf("%-40s %s\n", b.name, failed)
	}
	fmt.Printf("%d of %d bugs are found by unit tests\n", found, len(chosen))
	return nil
}

// packages returns the paths of the package of a declaration.
func (all sources) packages(in string) (paths []string) {
	name, _, _ := strings.Cut(in, ".")
	for path, p := range all {
		if p.Name == name && strings.HasPrefix(path, module) {
			paths = append(paths, path)
		}
	}
	return paths
}

// firstFailure returns the name of the first test that fails in the output of go test.
func firstFailure(out string) string {
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) > 2 && f[1] == "FAIL:" || len(f) > 0 && strings.HasPrefix(f[0], "panic:") {
			return strings.TrimSpace(line)
		}
	}
	return "the tests do not end or do not compile"
}

// trial is the search for a bug.
type trial struct {
	bug
	dir     string
	program string        // sim with the bug
	took    time.Duration // CPU time
	line    string        // of sim
}

// violation returns the violation for the table.
func (x *trial) violation() string {
	const most = 90
	_, text, _ := strings.Cut(x.line, "VIOLATION")
	text = strings.TrimSpace(strings.ReplaceAll(text, "|", "/"))
	if len(text) > most {
		text = text[:most] + "..."
	}
	return "`" + text + "`"
}

// build builds the program sim with the bug.
func (x *trial) build(all sources) error {
	list, err := x.overlay(all)
	if err != nil {
		return err
	}
	x.program = filepath.Join(x.dir, "sim.exe")
	return build(x.program, list)
}

// overlay writes the files with the bug, and returns the name of a list of them for go build.
func (x *trial) overlay(all sources) (list string, err error) {
	changed, err := all.plant(&x.bug)
	if err != nil {
		return "", err
	}
	if err := os.Mkdir(x.dir, 0o700); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for name, text := range changed {
		replace[name] = filepath.Join(x.dir, fmt.Sprint(len(replace), ".go"))
		if err := os.WriteFile(replace[name], text, 0o600); err != nil {
			return "", err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	list = filepath.Join(x.dir, "overlay.json")
	return list, os.WriteFile(list, overlay, 0o600)
}

// build builds the program sim.
func build(file, overlay string) error {
	out, err := exec.Command("go", "build", "-o", file, "-overlay", overlay, program).CombinedOutput()
	if err != nil {
		return fmt.Errorf("does not compile: %w: %s", err, out)
	}
	return nil
}

var errNotFound = errors.New("not found")

// find plays seeds until a match has a violation that it does not have without the bug.
func (x *trial) find(sound string, most time.Duration, seed uint64) error {
	for ; x.took < most; seed++ {
		line, took, err := play(x.program, seed, most-x.took)
		x.took += took
		if err != nil {
			return err
		}
		if !strings.Contains(line, "VIOLATION") {
			continue
		}
		without, _, err := play(sound, seed, most)
		if err != nil {
			return err
		}
		if strings.Contains(without, ": ok ") {
			x.line = line
			return nil
		}
	}
	return fmt.Errorf("%w in %v", errNotFound, x.took.Round(time.Second))
}

// play plays a seed, and returns the line of the program and its CPU time. A match that does not end in time
// has a violation.
func play(program string, seed uint64, most time.Duration) (line string, took time.Duration, err error) {
	cmd := exec.Command(program, "-seed", fmt.Sprint(seed))
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return "", 0, err
	}
	timer := time.AfterFunc(4*max(most, 10*time.Minute), func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	if !timer.Stop() {
		out.WriteString("VIOLATION: the match does not end")
	}
	took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	lines := slices.Collect(strings.Lines(out.String()))
	if len(lines) == 0 {
		return "", took, fmt.Errorf("seed %d: no output: %w", seed, err)
	}
	return strings.TrimSpace(lines[0]), took, nil
}
