// Planted plants bugs, one at a time, in copies of source files, and measures how long the program sim takes to find
// each of them.
//
//	go run ./examples/lab/planted [-only NAME] [-time 10m] [-write]
//	go run ./examples/lab/planted -check [-only NAME]
//
// The bugs are in bugs.go. A bug is found if a match has a violation with the bug and none without it. It is an error
// if the code that a bug changes is gone, if the code with the bug does not compile, or if the bug is not found in time.
// With -check, planted plays no match.
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
	"slices"
	"strings"
	"time"

	"github.com/bcwire/bcwire/examples/lab/internal/document"
)

func main() {
	only := flag.String("only", "", "plant only bugs whose `NAME` contains this")
	most := flag.Duration("time", 10*time.Minute, "longest CPU time for a bug")
	first := flag.Uint64("seed", 1, "the first `SEED`")
	write := flag.Bool("write", false, "write the table into "+document.File)
	check := flag.Bool("check", false, "check that the bugs can be planted, and play no match")
	flag.Parse()
	chosen := slices.DeleteFunc(slices.Clone(bugs), func(b bug) bool { return !strings.Contains(b.name, *only) })
	all, err := list()
	switch {
	case err != nil:
	case len(chosen) == 0:
		err = fmt.Errorf("no bug has the name %s", *only)
	case *check:
		err = all.checkBugs(chosen)
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
	changed, err := all.plant(&x.bug)
	if err != nil {
		return err
	}
	if err := os.Mkdir(x.dir, 0o700); err != nil {
		return err
	}
	replace := map[string]string{}
	for name, text := range changed {
		replace[name] = filepath.Join(x.dir, fmt.Sprint(len(replace), ".go"))
		if err := os.WriteFile(replace[name], text, 0o600); err != nil {
			return err
		}
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	list := filepath.Join(x.dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return err
	}
	x.program = filepath.Join(x.dir, "sim.exe")
	return build(x.program, list)
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
