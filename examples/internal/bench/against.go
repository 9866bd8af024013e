package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bcwire/bcwire/transport/recording"
)

// million is how often the recorded battle is repeated for a million messages.
const million = 77

// comparison compares dump with that of another commit.
type comparison struct {
	library, commit string
	dir             string // temporary
	million         string // a recording of a million messages
	four            string // of four million
	eight           []string
	old, now        string // dump
	parts           [2]string
	lua             [2]string // the dissectors for TShark
	rounds          int
	battles         int
	w               io.Writer
}

// against builds the programs of this tree and of another commit, and prints their times and memory. The runs of
// both alternate; the least time and the most memory count. All have two cores. The battle is repeated a number
// of times.
func against(ctx context.Context, library, commit string, rounds, battles int, w io.Writer) (err error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	c := &comparison{
		library: library, commit: commit, dir: dir, rounds: rounds, battles: battles, w: w,
		old: filepath.Join(dir, "old"), now: filepath.Join(dir, "now"),
		parts: [2]string{filepath.Join(dir, "oldparts"), filepath.Join(dir, "parts")},
		lua:   [2]string{filepath.Join(dir, "old.lua"), filepath.Join(library, dissector)},
	}
	if err := c.build(ctx); err != nil {
		return err
	}
	if err := c.write(); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s%s\n\nWritten by `go run -C examples ./internal/bench -against %s`. The recorded battle is repeated %d times, and all\nprograms have two cores. The runs alternate; the least of %d counts.\n\n", comparedWith, commit, commit, battles, rounds)
	for _, part := range []func(context.Context) error{c.modes, c.jobs, c.memory, c.functions, c.tshark} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// comparedWith begins the section in testdata/benchmarks.md. It is the last one.
const comparedWith = "## Compared with "

// dissector is the file of the dissector in the library.
const dissector = "examples/wireshark/bcwire.lua"

// build builds the programs. The other commit gets a worktree until they are built.
func (c *comparison) build(ctx context.Context) (err error) {
	tree := filepath.Join(c.dir, "tree")
	if _, err := command(ctx, c.library, "git", "worktree", "add", "--detach", tree, c.commit); err != nil {
		return err
	}
	defer func() {
		_, removed := command(context.WithoutCancel(ctx), c.library, "git", "worktree", "remove", "--force", tree)
		err = errors.Join(err, removed)
	}()
	if err := c.copyParts(tree); err != nil {
		return err
	}
	for _, x := range [][3]string{
		{tree, c.old, "./dump"},
		{tree, c.parts[0], "./" + partsDir},
		{c.library, c.now, "./dump"},
		{c.library, c.parts[1], "./" + partsDir},
	} {
		if _, err := command(ctx, filepath.Join(x[0], "examples"), "go", "build", "-o", x[1], x[2]); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(filepath.Join(tree, dissector))
	if err != nil {
		return err
	}
	return os.WriteFile(c.lua[0], text, 0o600)
}

// partsDir is the directory of the program parts in the examples.
const partsDir = "internal/bench/parts"

// methodEncode is the file encode.go of parts for a commit whose messages encode themselves.
const methodEncode = `package main

func encode(dst []byte, m interface{ AppendBinary([]byte) ([]byte, error) }) ([]byte, error) {
	return m.AppendBinary(dst)
}
`

// copyParts copies the program parts to the other tree.
func (c *comparison) copyParts(tree string) error {
	from, to := filepath.Join(c.library, "examples", partsDir), filepath.Join(tree, "examples", partsDir)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	hasEncoder := false
	files, err := filepath.Glob(filepath.Join(tree, "opcode", "*.go"))
	for _, name := range files {
		text, failed := os.ReadFile(name)
		err = errors.Join(err, failed)
		hasEncoder = hasEncoder || bytes.Contains(text, []byte("\ntype Encoder struct"))
	}
	for _, name := range []string{"main.go", "encode.go"} {
		text, failed := os.ReadFile(filepath.Join(from, name))
		if name == "encode.go" && !hasEncoder {
			text = []byte(methodEncode)
		}
		err = errors.Join(err, failed, os.WriteFile(filepath.Join(to, name), text, 0o600))
	}
	return err
}

// command runs a program. An error has its output.
func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, text)
	}
	return string(text), nil
}

// battle is the name of the recorded battle.
func (c *comparison) battle() string { return filepath.Join(c.library, "testdata", "battle.jsonl") }

// write writes the recordings.
func (c *comparison) write() error {
	text, err := os.ReadFile(c.battle())
	if err != nil {
		return err
	}
	c.million, c.four = filepath.Join(c.dir, "million.jsonl"), filepath.Join(c.dir, "four.jsonl")
	err = errors.Join(repeat(c.million, text, c.battles), repeat(c.four, text, 4*c.battles))
	for i := range 8 {
		name := filepath.Join(c.dir, fmt.Sprintf("%d.jsonl", i))
		c.eight = append(c.eight, name)
		err = errors.Join(err, repeat(name, text, max(1, c.battles/8)))
	}
	return err
}

// repeat writes a recording n times, one after the other. Later ones have later times and other clients.
func repeat(name string, text []byte, n int) (err error) {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	var line []byte
	for i := range n {
		for d, err := range recording.Read(bytes.NewReader(text)) {
			if err != nil {
				return err
			}
			d.Seconds += 80 * float64(i)
			d.Client += 5 * int64(i%50)
			if line, err = recording.Append(line[:0], d); err != nil {
				return err
			}
			if _, err := w.Write(line); err != nil {
				return err
			}
		}
	}
	return w.Flush()
}

// cost is what a run takes.
type cost struct {
	wall, cpu time.Duration
	memory    int64 // bytes; 0 if the system does not tell
}

// least returns the least times and the most memory of two costs.
func (a cost) least(b cost) cost {
	if a.wall == 0 {
		return b
	}
	return cost{min(a.wall, b.wall), min(a.cpu, b.cpu), max(a.memory, b.memory)}
}

// run runs a program on two cores, without its output.
func (c *comparison) run(ctx context.Context, program string, args ...string) (cost, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=2")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return cost{}, fmt.Errorf("%s %s: %w\n%s", program, strings.Join(args, " "), err, stderr.Bytes())
	}
	s := cmd.ProcessState
	return cost{time.Since(start), s.UserTime() + s.SystemTime(), memoryOf(s)}, nil
}

// invocation is a program with its arguments. It removes a directory first, unless the name is empty.
type invocation struct {
	program string
	args    []string
	remove  string
}

// alternate runs invocations in turns.
func (c *comparison) alternate(ctx context.Context, all ...invocation) ([]cost, error) {
	costs := make([]cost, len(all))
	for range c.rounds {
		for i, x := range all {
			if x.remove != "" {
				if err := os.RemoveAll(x.remove); err != nil {
					return nil, err
				}
			}
			got, err := c.run(ctx, x.program, x.args...)
			if err != nil {
				return nil, err
			}
			costs[i] = costs[i].least(got)
		}
	}
	return costs, nil
}

// output is the name of a file or a directory that dump writes.
func (c *comparison) output(name string) string { return filepath.Join(c.dir, name) }

// modes compares the forms of the output.
func (c *comparison) modes(ctx context.Context) error {
	usage, err := command(ctx, c.dir, c.now, "-h")
	if err != nil {
		return err
	}
	tables := []string{"-parquet", c.output("now.parquet")}
	if strings.Contains(usage, "-tables") {
		tables = append(tables, "-tables", "messages")
	}
	fmt.Fprintf(c.w, "| One file | %s: wall, CPU | Now: wall, CPU | Wall | CPU | Wanted |\n|---|---|---|---|---|---|\n", c.commit)
	for _, mode := range []struct {
		name, wanted string
		old, now     []string
	}{
		{"text", "0.1, 0.167", nil, nil},
		{"`-json`", "0.1, 0.167", []string{"-json"}, []string{"-json"}},
		{"`-parquet`", "0.1, 0.167", []string{"-parquet", c.output("old.parquet")}, tables},
		{"`-stats`", "CPU 0.25", []string{"-stats"}, []string{"-stats"}},
		{"`-check`", "CPU 0.25", []string{"-check"}, []string{"-check"}},
	} {
		costs, err := c.alternate(ctx, invocation{c.old, append(slices.Clip(mode.old), c.million), ""}, invocation{c.now, append(slices.Clip(mode.now), c.million), ""})
		if err != nil {
			return err
		}
		old, now := costs[0], costs[1]
		fmt.Fprintf(c.w, "| %s | %.2f s, %.2f s | %.2f s, %.2f s | %.3f | %.3f | %s |\n", mode.name, old.wall.Seconds(), old.cpu.Seconds(), now.wall.Seconds(), now.cpu.Seconds(), ratio(now.wall, old.wall), ratio(now.cpu, old.cpu), mode.wanted)
	}
	return nil
}

// parquetFlag is the flag that writes all tables.
const parquetFlag = "-parquet"

// jobs compares one worker with two.
func (c *comparison) jobs(ctx context.Context) error {
	fmt.Fprint(c.w, "\n| Wall time of `-jobs 1` by that of `-jobs 2`; wanted 1.7 | One file | Eight |\n|---|---|---|\n")
	for _, mode := range []string{"-v=false", "-json", parquetFlag, "-stats", "-check"} {
		fmt.Fprintf(c.w, "| `%s` |", mode)
		for _, files := range [][]string{{c.million}, c.eight} {
			var both []invocation
			for _, jobs := range []string{"1", "2"} {
				x := invocation{program: c.now, args: []string{mode}}
				if mode == parquetFlag {
					x.remove = c.output("tables")
					x.args = append(x.args, x.remove+"/")
				}
				x.args = slices.Concat(x.args, []string{"-jobs", jobs}, files)
				both = append(both, x)
			}
			costs, err := c.alternate(ctx, both...)
			if err != nil {
				return err
			}
			fmt.Fprintf(c.w, " %.2f |", ratio(costs[0].wall, costs[1].wall))
		}
		fmt.Fprintln(c.w)
	}
	return nil
}

// memory prints the peak memory of inputs of different length.
func (c *comparison) memory(ctx context.Context) error {
	fmt.Fprint(c.w, "\n| Peak memory with `-jobs 8`; wanted 256 MB | A million messages | Four million |\n|---|---|---|\n")
	for _, mode := range []string{"-v=false", "-json", parquetFlag, "-stats", "-check", "-events"} {
		fmt.Fprintf(c.w, "| `%s` |", mode)
		for _, file := range []string{c.million, c.four} {
			args := []string{mode, "-jobs", "8", file}
			if mode == parquetFlag {
				args = slices.Insert(args, 1, c.output("memory.parquet"), "-tables", "messages")
			}
			x, err := c.run(ctx, c.now, args...)
			if err != nil {
				return err
			}
			fmt.Fprintf(c.w, " %d MB |", x.memory>>20)
		}
		fmt.Fprintln(c.w)
	}
	return nil
}

// partRounds is the number of rounds of the program parts. A round takes half a second.
const partRounds = 10

// functions compares functions of the library.
func (c *comparison) functions(ctx context.Context) error {
	type result struct{ Framing, Encoding, Dissect, Allocs float64 }
	least := [2]result{}
	for round := range partRounds {
		for i, program := range c.parts {
			text, err := command(ctx, c.dir, program, c.battle())
			if err != nil {
				return err
			}
			var r result
			if err := json.Unmarshal([]byte(text), &r); err != nil {
				return err
			}
			if l := &least[i]; round == 0 {
				*l = r
			} else {
				*l = result{min(l.Framing, r.Framing), min(l.Encoding, r.Encoding), min(l.Dissect, r.Dissect), min(l.Allocs, r.Allocs)}
			}
		}
	}
	fmt.Fprintf(c.w, "\n| Function | %s | Now | Ratio | Wanted |\n|---|---|---|---|---|\n", c.commit)
	old, now := &least[0], &least[1]
	for _, x := range []struct {
		name, unit, wanted string
		old, now           float64
	}{
		{"framing a datagram", " ns", "0.6", old.Framing, now.Framing},
		{"encoding a datagram with an Ack, chat and an update", " ns", "0.6", old.Encoding, now.Encoding},
		{"`opcode.Dissect` of a payload", " ns", "0.333", old.Dissect, now.Dissect},
		{"its allocations", "", "at most 2", old.Allocs, now.Allocs},
	} {
		fmt.Fprintf(c.w, "| %s | %s%s | %s%s | %.3f | %s |\n", x.name, number(x.old), x.unit, number(x.now), x.unit, x.now/x.old, x.wanted)
	}
	return nil
}

// tshark compares the dissectors. Without TShark it says so.
func (c *comparison) tshark(ctx context.Context) error {
	program, err := exec.LookPath("tshark")
	if err != nil {
		_, err := fmt.Fprintln(c.w, "\nTShark is not installed.")
		return err
	}
	capture := c.output("battle.pcapng")
	if _, err := command(ctx, c.dir, c.now, "-pcapng", capture, c.battle()); err != nil {
		return err
	}
	var both []invocation
	for _, lua := range c.lua {
		both = append(both, invocation{program, []string{"-n", "-X", "lua_script:" + lua, "-r", capture, "-Y", "bcwire.torpedofire", "-T", "fields", "-e", "frame.number"}, ""})
	}
	costs, err := c.alternate(ctx, both...)
	if err != nil {
		return err
	}
	old, now := costs[0], costs[1]
	_, err = fmt.Fprintf(c.w, "\n| TShark on the battle | %s: CPU | Now: CPU | Ratio | Wanted |\n|---|---|---|---|---|\n| with the dissector | %.2f s | %.2f s | %.3f | 1 |\n", c.commit, old.cpu.Seconds(), now.cpu.Seconds(), ratio(now.cpu, old.cpu))
	return err
}

func ratio(a, b time.Duration) float64 { return a.Seconds() / b.Seconds() }
