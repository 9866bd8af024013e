package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/cover"
)

// What is committed of a target's inputs.
const (
	maxKept = 8       // inputs
	maxSize = 2 << 10 // of a file
	maxSeen = 2 << 10 // inputs that are looked at
)

// point is a block of code, and how often an input runs through it, in powers of two.
type point struct {
	file        string
	line, col   int
	repetitions int
}

type points map[point]struct{}

func committedDir(t target) string { return filepath.Join(t.dir, "testdata", "fuzz", t.name) }

// committed returns the files of a target's committed inputs.
func committed(t target) []string {
	files, _ := filepath.Glob(filepath.Join(committedDir(t), "*")) // the pattern is good
	return files
}

// keep replaces the committed inputs of a target by the fewest, of them and of those in the
// cache, that reach what all of these reach and the seeds in the code do not. Inputs that
// have names of their own are regressions: they stay.
func keep(ctx context.Context, w io.Writer, t target, o options) error {
	if t.bridge() {
		return nil
	}
	p, err := newProbe(ctx, t)
	if err != nil {
		return err
	}
	defer os.RemoveAll(p.dir)
	reached, err := p.reach(ctx, "seed#")
	if err != nil {
		return err
	}
	cached, err := filepath.Glob(filepath.Join(o.cache, t.pkg, t.name, "*"))
	if err != nil {
		return err
	}
	inputs := map[string]points{}
	for _, file := range append(committed(t), cached...) {
		if info, err := os.Stat(file); err != nil || info.Size() > maxSize || len(inputs) == maxSeen {
			continue
		}
		if err := p.add(file); err != nil {
			return err
		}
		got, err := p.reach(ctx, filepath.Base(file)+"$")
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if generated(file) {
			inputs[file] = got
		} else {
			maps.Copy(reached, got)
		}
	}
	chosen := choose(inputs, reached)
	fmt.Fprintf(w, "%s: %d of %d inputs kept\n", t, len(chosen), len(inputs))
	return commit(t, chosen)
}

// generated says whether the fuzzer has named an input: by its hash.
func generated(file string) bool {
	name := filepath.Base(file)
	return len(name) == 16 && strings.Trim(name, "0123456789abcdef") == ""
}

// choose takes the input that adds most, again and again. Of equals it takes the shortest.
func choose(inputs map[string]points, reached points) (chosen []string) {
	size := func(file string) int64 {
		info, err := os.Stat(file)
		if err != nil {
			return maxSize
		}
		return info.Size()
	}
	files := slices.SortedFunc(maps.Keys(inputs), func(a, b string) int { return cmp.Or(cmp.Compare(size(a), size(b)), cmp.Compare(a, b)) })
	for len(chosen) < maxKept {
		best, most := "", 0
		for _, file := range files {
			if n := news(inputs[file], reached); n > most {
				best, most = file, n
			}
		}
		if best == "" {
			break
		}
		maps.Copy(reached, inputs[best])
		chosen = append(chosen, best)
	}
	return chosen
}

func news(p, reached points) (n int) {
	for x := range p {
		if _, known := reached[x]; !known {
			n++
		}
	}
	return n
}

// commit makes the files in the package those that were chosen, and the regressions.
func commit(t target, chosen []string) error {
	texts := map[string][]byte{}
	for _, file := range chosen {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		texts[filepath.Base(file)] = text
	}
	for _, file := range committed(t) {
		if generated(file) && texts[filepath.Base(file)] == nil {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	if len(texts) == 0 {
		return nil
	}
	if err := os.MkdirAll(committedDir(t), 0o755); err != nil {
		return err
	}
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(committedDir(t), name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// probe runs a target with one input after the other, and sees what code they reach. It
// does so in a directory that looks like that of the package, but has other inputs.
type probe struct {
	target
	dir    string // of everything
	inputs string
}

func newProbe(ctx context.Context, t target) (p *probe, err error) {
	p = &probe{target: t}
	if p.dir, err = os.MkdirTemp("", "fuzz"); err != nil {
		return nil, err
	}
	if err := p.mirror(); err != nil {
		return nil, err
	}
	_, err = goCommand(ctx, t.module, "test", "-c", "-covermode", "count", "-coverpkg", "github.com/bcwire/bcwire/...", "-o", p.dir+"/probe", t.pkg)
	return p, err
}

// mirror makes the directories on the way from the repository to the inputs. All that is
// beside them is linked, because tests open files by relative names.
func (p *probe) mirror() error {
	dst, src := filepath.Join(p.dir, "repository"), p.repository
	inputs, err := filepath.Rel(src, committedDir(p.target))
	if err != nil {
		return err
	}
	p.inputs = filepath.Join(dst, inputs)
	if err := os.MkdirAll(p.inputs, 0o755); err != nil {
		return err
	}
	for _, element := range strings.Split(filepath.Dir(inputs), string(filepath.Separator)) {
		if err := link(src, dst); err != nil {
			return err
		}
		src, dst = filepath.Join(src, element), filepath.Join(dst, element)
	}
	return nil
}

// link makes a link in dst for everything in src that dst does not have.
func link(src, dst string) error {
	entries, err := os.ReadDir(src)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		if err := os.Symlink(filepath.Join(src, e.Name()), filepath.Join(dst, e.Name())); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return err
}

func (p *probe) add(file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p.inputs, filepath.Base(file)), text, 0o644)
}

// reach returns what the inputs whose name matches reach.
func (p *probe) reach(ctx context.Context, input string) (points, error) {
	profile := filepath.Join(p.dir, "profile")
	c := exec.CommandContext(ctx, p.dir+"/probe", "-test.run", "^"+p.name+"$/^"+input, "-test.coverprofile", profile)
	c.Dir = filepath.Join(p.inputs, "..", "..", "..")
	if out, err := c.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	profiles, err := cover.ParseProfiles(profile)
	if err != nil {
		return nil, err
	}
	reached := points{}
	for _, f := range profiles {
		for _, b := range f.Blocks {
			if b.Count > 0 {
				reached[point{f.FileName, b.StartLine, b.StartCol, bits.Len(uint(b.Count))}] = struct{}{}
			}
		}
	}
	return reached, nil
}
