// Planted applies the patches in testdata/bugs, one at a time, to copies of source files, and measures how
// long the program sim takes to find each bug.
//
//	go run ./examples/lab/planted [-only NAME] [-time 10m] [-write]
//
// With -write, it writes the speed of sim and a row for each bug into lab/sim/README.md. The rows of the other bugs
// stay, so that several runs can make the table.
//
// A bug is found if a match has a violation with the patch and none without it. A patch that does not apply
// or compile, or that is not found in time, is an error.
package main

import (
	"bytes"
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
	only := flag.String("only", "", "apply only patches whose `NAME` contains this")
	most := flag.Duration("time", 10*time.Minute, "longest CPU time for a bug")
	first := flag.Uint64("seed", 1, "the first `SEED`")
	write := flag.Bool("write", false, "write the table into "+document.File)
	flag.Parse()
	t := &table{}
	err := t.begin(*write)
	if err == nil {
		err = t.run(*only, *most, *first)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "planted:", err)
		os.Exit(1)
	}
}

// bug is a planted bug.
type bug struct {
	name           string // of the patch
	dir            string
	file, original string // the source with and without the bug
	program        string
	took           time.Duration // CPU time
	line           string        // of sim
}

// run finds the bugs whose names contain a text.
func (t *table) run(only string, most time.Duration, first uint64) error {
	dir, err := os.MkdirTemp("", "planted")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bugs, err := plant("..", dir)
	if err != nil {
		return err
	}
	sound := filepath.Join(dir, "sound")
	if err := build(sound, ""); err != nil {
		return err
	}
	if t.speed, err = speed(sound); err != nil {
		return err
	}
	t.bugs = bugs
	var missed []string
	for _, bug := range bugs {
		if !strings.Contains(bug.name, only) {
			continue
		}
		ok, err := bug.find(sound, most, first)
		if err != nil {
			return fmt.Errorf("%s: %w", bug.name, err)
		}
		if ok {
			fmt.Printf("%-40s %6.1f s  %.150s\n", bug.name, bug.took.Seconds(), bug.line)
			t.rows[bug.name] = fmt.Sprintf("| %s | %.1f s | %s |\n", bug.name, bug.took.Seconds(), bug.violation())
		} else {
			missed = append(missed, bug.name)
			fmt.Printf("%-40s not found in %v\n", bug.name, bug.took.Round(time.Second))
			t.rows[bug.name] = fmt.Sprintf("| %s | not in %.0f s | |\n", bug.name, bug.took.Seconds())
		}
		if err := t.save(); err != nil {
			return err
		}
	}
	fmt.Println(t.summary())
	if len(missed) > 0 {
		return fmt.Errorf("not found: %s", strings.Join(missed, ", "))
	}
	return nil
}

// violation returns the violation for the table.
func (b *bug) violation() string {
	const most = 90
	_, text, _ := strings.Cut(b.line, "VIOLATION")
	text = strings.TrimSpace(strings.ReplaceAll(text, "|", "/"))
	if len(text) > most {
		text = text[:most] + "..."
	}
	return "`" + text + "`"
}

// speed measures how much the program plays in CPU time.
func speed(sound string) (string, error) {
	cmd := exec.Command(sound, "-seed", "10", "-seeds", "10", "-players", "8")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	seconds := 0.0
	for line := range strings.Lines(string(out)) {
		var seed uint64
		var s float64
		if _, err := fmt.Sscanf(line, "seed %d: ok %f s", &seed, &s); err != nil {
			return "", fmt.Errorf("%w: %s", err, line)
		}
		seconds += s
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return fmt.Sprintf("`%s` plays %.2f hours in %.1f s of CPU time: %.0f hours in an hour.",
		strings.Join(append([]string{"sim"}, cmd.Args[1:]...), " "), seconds/3600, cpu.Seconds(), seconds/cpu.Seconds()), nil
}

// header is the line of a patch with the name of the file.
var header = regexp.MustCompile(`(?m)^\+\+\+ b/(\S+)$`)

// plant applies each patch to a copy of its source file in a directory.
func plant(root, dir string) (bugs []*bug, err error) {
	patches, err := filepath.Glob(filepath.Join(root, "examples/lab/planted/testdata/bugs/*.patch"))
	if err != nil || len(patches) == 0 {
		return nil, errors.Join(errors.New("no patches; run in the directory examples"), err)
	}
	for _, patch := range patches {
		b := &bug{name: strings.TrimSuffix(filepath.Base(patch), ".patch")}
		if err := b.plant(root, patch, filepath.Join(dir, b.name)); err != nil {
			return nil, fmt.Errorf("%s: %w", patch, err)
		}
		bugs = append(bugs, b)
	}
	return bugs, nil
}

func (b *bug) plant(root, patch, dir string) error {
	text, err := os.ReadFile(patch)
	if err != nil {
		return err
	}
	found := header.FindSubmatch(text)
	if found == nil {
		return errors.New("no name of a file")
	}
	b.dir, b.file = dir, filepath.FromSlash(string(found[1]))
	if b.original, err = filepath.Abs(filepath.Join(root, b.file)); err != nil {
		return err
	}
	source, err := os.ReadFile(b.original)
	if err != nil {
		return err
	}
	b.file = filepath.Join(dir, b.file)
	if err := errors.Join(os.MkdirAll(filepath.Dir(b.file), 0o700), os.WriteFile(b.file, source, 0o600)); err != nil {
		return err
	}
	apply := exec.Command("git", "apply", "-p1", "-")
	apply.Dir, apply.Stdin = dir, bytes.NewReader(text)
	apply.Env = append(os.Environ(), "GIT_DIR="+filepath.Join(dir, "none")) // the directory is in no repository
	if out, err := apply.CombinedOutput(); err != nil {
		return fmt.Errorf("does not apply: %w: %s", err, out)
	}
	return nil
}

// build builds the program sim with the bug.
func (b *bug) build() error {
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {b.original: b.file}})
	if err != nil {
		return err
	}
	list := filepath.Join(b.dir, "overlay.json")
	if err := os.WriteFile(list, overlay, 0o600); err != nil {
		return err
	}
	b.program = filepath.Join(b.dir, "sim.exe")
	return build(b.program, list)
}

// build builds the program sim.
func build(program, overlay string) error {
	args := []string{"build", "-o", program}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	if out, err := exec.Command("go", append(args, "./lab/sim")...).CombinedOutput(); err != nil {
		return fmt.Errorf("does not compile: %w: %s", err, out)
	}
	return nil
}

// find plays seeds until a match has a violation that it does not have without the bug.
func (b *bug) find(sound string, most time.Duration, seed uint64) (bool, error) {
	if err := b.build(); err != nil {
		return false, err
	}
	defer os.Remove(b.program)
	for ; b.took < most; seed++ {
		line, took, err := play(b.program, seed, most-b.took)
		b.took += took
		if err != nil {
			return false, err
		}
		if !strings.Contains(line, "VIOLATION") {
			continue
		}
		without, _, err := play(sound, seed, most)
		if err != nil {
			return false, err
		}
		if strings.Contains(without, ": ok ") {
			b.line = line
			return true, nil
		}
	}
	return false, nil
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
