//go:build cluster

package cluster

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// convert returns the command that converts captures with two threads of one process.
func (g *group) convert(args ...string) *exec.Cmd {
	return g.command("spark-submit", append([]string{"--master", "local[2]", "convert.py"}, args...)...)
}

// Two runs write a thousand files to one directory at the same time. One of the files is no capture, and
// the names of others are odd. Another run converts nothing again.
func TestTwoRunsOfAThousandFiles(t *testing.T) {
	g := begin(t)
	in, out, single := t.TempDir(), filepath.Join(t.TempDir(), "tables"), filepath.Join(t.TempDir(), "single")
	sample, err := os.ReadFile("../../dump/sample.jsonl")
	require.NoError(t, err)
	for i := range 1000 {
		name, text := fmt.Sprintf("%03d.jsonl", i), sample
		switch i {
		case 1:
			name = "new\nline.jsonl"
		case 2:
			name = "NULL.jsonl"
		case 3:
			name = "a=b%20*?.pcap.jsonl"
		case 4:
			name = "матч 1+(2),3.2026"
		case 5:
			name = "006.hex" // the same source as 006.jsonl
		case 6:
			name, text = "006.jsonl", []byte("\x89PNG\r\n\x1a\n\x00\xff\xfe")
		}
		require.NoError(t, os.WriteFile(filepath.Join(in, name), text, 0o600))
	}
	files, err := filepath.Glob(filepath.Join(in, "*"))
	require.NoError(t, err)
	require.Len(t, files, 1000)
	require.Error(t, command(filepath.Join(g.env.dir, "bin/dump"), append([]string{"-parquet", single + "/"}, files...)...))

	requireRun := func(res result) {
		t.Helper()
		require.Equal(t, 1, res.status, res.stderr)
		require.Contains(t, res.stdout, "1000 files, 1 failed; see "+out+"/table=files\n")
		require.Contains(t, res.stdout, "006.jsonl': dump: "+in+"/006.jsonl: unknown format")
	}
	other := make(chan result, 1)
	go func() { other <- g.run(g.convert(in, out)) }()
	requireRun(g.run(g.convert(in, out)))
	requireRun(<-other)
	requireNames(t, single, out)
	hidden, err := filepath.Glob(filepath.Join(out, ".*"))
	require.NoError(t, err)
	require.Empty(t, hidden, "temporary files stay")

	times := func() map[string]time.Time {
		all := map[string]time.Time{}
		for name := range content(t, out) {
			info, err := os.Stat(filepath.Join(out, name))
			require.NoError(t, err)
			if !strings.Contains(name, "source=006-2/") { // tried again
				all[name] = info.ModTime()
			}
		}
		return all
	}
	before := times()
	requireRun(g.run(g.convert(in, out)))
	require.Equal(t, before, times())
}

// requireNames requires that two directories have files of the same names, and of the same sizes if the
// inputs have the same names.
func requireNames(t *testing.T, want, got string) {
	t.Helper()
	require.Equal(t, slices.Sorted(maps.Keys(content(t, want))), slices.Sorted(maps.Keys(content(t, got))))
}

// Without the program on an executor, the error tells where to put it.
func TestExecutorWithoutProgram(t *testing.T) {
	g := begin(t)
	res := g.run(g.convert("--dump", "bcwire-dump", g.env.corpus(), filepath.Join(t.TempDir(), "tables")))
	require.NotZero(t, res.status)
	require.Contains(t, res.stderr, "no bcwire-dump on ")
	require.Contains(t, res.stderr, "give its file to spark-submit --files, or install it in the PATH of executors")
}

// Prefixes of an object store have no renames and no links. Files are copied, and a mark comes last. Here, a
// prefix is a directory with the scheme "file". The program is one of the files of the application.
func TestObjectStore(t *testing.T) {
	g := begin(t)
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "tables")
	for i := range 4 {
		require.NoError(t, os.Link(filepath.Join(g.env.corpus(), fmt.Sprintf("%d.jsonl", i+1)), filepath.Join(in, fmt.Sprintf("%d.jsonl", i+1))))
	}
	old := filepath.Join(out, "table=events/source=1/match=7/part-0.parquet") // of an earlier input
	require.NoError(t, os.MkdirAll(filepath.Dir(old), 0o755))
	require.NoError(t, os.WriteFile(old, []byte("old"), 0o600))
	run := func() time.Time {
		cmd := g.command("spark-submit", "--master", "local[2]", "--files", filepath.Join(g.env.dir, "bin/dump"), "convert.py", "file://"+in, "file://"+out)
		cmd.Env = append(cmd.Env, "PATH="+g.env.python+":"+os.Getenv("PATH"))
		res := g.run(cmd)
		require.Zero(t, res.status, res.stderr)
		info, err := os.Stat(filepath.Join(out, "table=events/source=1/match=0/part-0.parquet"))
		require.NoError(t, err)
		return info.ModTime()
	}
	first := run()
	got, want := content(t, out), content(t, g.env.single())
	maps.DeleteFunc(want, func(name, _ string) bool { return !regexp.MustCompile(`/source=[1-4]/`).MatchString(name) })
	require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
	for name := range want {
		require.True(t, want[name] == got[name], name)
	}
	require.Equal(t, first, run(), "converted again")
}

// tables returns the size of the tables of all matches on a disk, and of the largest match.
func tables(t *testing.T, dir string) (all, largest int64) {
	t.Helper()
	const page = 4096
	sizes := map[string]int64{}
	for name, text := range content(t, dir) {
		sizes[strings.Split(name, "/")[1]] += (int64(len(text)) + page - 1) / page * page
	}
	for _, size := range sizes {
		all, largest = all+size, max(largest, size)
	}
	return all, largest
}

// A full disk of the output ends the run with the cause. The files that are there are complete. The disk has room for
// half of the tables: some are complete before it is full.
func TestFullDisk(t *testing.T) {
	g := begin(t)
	out, kept := t.TempDir(), t.TempDir()
	all, largest := tables(t, g.env.single())
	require.Greater(t, all/2, 3*largest, "two tasks write at the same time, the largest inputs first")
	// The file system is visible only to the processes in the namespace.
	script := `mount -t tmpfs -o size=$5 none "$1" && { "$2" --master 'local[2]' convert.py "$3" "$1"; status=$?; cp -r "$1/." "$4"; exit $status; }`
	cmd := g.command("spark-submit")
	shell := exec.CommandContext(t.Context(), "unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh",
		out, cmd.Path, g.env.corpus(), kept, fmt.Sprint(all/2))
	shell.Env = cmd.Env
	res := g.run(shell)
	require.NotZero(t, res.status)
	require.Contains(t, res.stderr, "no space left on device")
	got, want := content(t, kept), content(t, g.env.single())
	require.NotEmpty(t, got)
	require.Less(t, len(got), len(want))
	for name := range got {
		require.True(t, want[name] == got[name], name)
	}
}

// An executor with a disk of its own under the name of the output writes tables that nobody finds. The run fails. Here,
// the disk is one that only the Python of the executors sees.
func TestOutputElsewhere(t *testing.T) {
	g := begin(t)
	out, python := t.TempDir(), filepath.Join(t.TempDir(), "python")
	script := fmt.Sprintf("#!/bin/sh\nexec unshare --user --map-root-user --mount sh -c 'mount -t tmpfs none \"$0\" && exec \"$@\"' %q %q \"$@\"\n",
		out, filepath.Join(g.env.python, "python"))
	require.NoError(t, os.WriteFile(python, []byte(script), 0o700))
	cmd := g.convert(g.env.corpus(), out)
	cmd.Env = append(cmd.Env, "PYSPARK_PYTHON="+python, "PYSPARK_DRIVER_PYTHON="+filepath.Join(g.env.python, "python"))
	res := g.run(cmd)
	require.Equal(t, 1, res.status, res.stderr)
	require.Contains(t, res.stdout, fmt.Sprintf("%d files, %d failed; see ", matches, matches))
	require.Contains(t, res.stdout, "1.jsonl': the tables are not in "+out+": ")
	require.Empty(t, content(t, out))
}

// The commands of README.md work in a new shell: spark-submit is in the PATH after the installation, and the names
// are relative. The packages are installed already, and the programs are built.
func TestDocumentedCommands(t *testing.T) {
	g := begin(t)
	page, err := os.ReadFile("README.md")
	require.NoError(t, err)
	install := regexp.MustCompile(`(?m)^python3 -m venv .*$`).FindString(string(page))
	convert := regexp.MustCompile(`(?m)^spark-submit .*convert\.py captures matches$`).FindString(string(page))
	require.NotEmpty(t, install)
	require.NotEmpty(t, convert)
	root := t.TempDir()
	examples, err := filepath.Abs("../..")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(root, "venv"), 0o755))
	require.NoError(t, command("cp", "-R", g.env.python, filepath.Join(root, "venv/bin"))) // its scripts get the name of the copy
	for name, target := range map[string]string{
		"venv/lib": filepath.Join(g.env.python, "../lib"), "bin": filepath.Join(g.env.dir, "bin"), "captures": g.env.corpus(), "examples": examples,
	} {
		require.NoError(t, os.Symlink(target, filepath.Join(root, name)))
	}
	shell := exec.CommandContext(t.Context(), "sh", "-e", "-c", install+"\n"+convert)
	shell.Dir = root
	for _, entry := range g.command("python").Env {
		if !strings.HasPrefix(entry, "PATH=") && !strings.HasPrefix(entry, "PYSPARK_PYTHON=") {
			shell.Env = append(shell.Env, entry)
		}
	}
	shell.Env = append(shell.Env, "PATH="+os.Getenv("PATH"))
	res := g.run(shell)
	require.Zero(t, res.status, res.stderr)
	requireSame(t, g.env.single(), filepath.Join(root, "matches"))
}

// Two arrays write to one directory at the same time. One of the files is no capture, and the name of another one
// has a line break. Only the jobs of the bad file fail. Without an input, all jobs fail.
func TestArrayOfBadFiles(t *testing.T) {
	g := begin(t)
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "tables")
	sample, err := os.ReadFile("../../dump/sample.jsonl")
	require.NoError(t, err)
	for i := range 100 {
		name, text := fmt.Sprintf("%02d.jsonl", i), sample
		switch i {
		case 0:
			name = "00\n.jsonl"
		case 7:
			text = []byte("\x89PNG\r\n\x1a\n\x00\xff\xfe")
		}
		require.NoError(t, os.WriteFile(filepath.Join(in, name), text, 0o600))
	}
	job := func(index int, in string) result {
		cmd := exec.CommandContext(t.Context(), "./array.sh", in, out)
		cmd.Env = append(g.command("python").Env, fmt.Sprint("SLURM_ARRAY_TASK_ID=", index), "SLURM_ARRAY_TASK_COUNT=2")
		return g.run(cmd)
	}
	var results [4]result
	var jobs sync.WaitGroup
	for i := range results {
		jobs.Go(func() { results[i] = job(i%2, in) })
	}
	jobs.Wait()
	for i, res := range results {
		if i%2 == 0 {
			require.Zero(t, res.status, res.stderr)
			continue
		}
		require.NotZero(t, res.status)
		require.Contains(t, res.stderr, "07.jsonl: unknown format")
	}
	sources, err := filepath.Glob(filepath.Join(out, "table=messages/*/match=0/part-0.parquet"))
	require.NoError(t, err)
	require.Len(t, sources, 100) // the bad file has no rows
	require.Contains(t, sources, filepath.Join(out, "table=messages/source=00_/match=0/part-0.parquet"))
	hidden, err := filepath.Glob(filepath.Join(out, ".*"))
	require.NoError(t, err)
	require.Empty(t, hidden, "temporary files stay")

	res := job(0, filepath.Join(in, "missing"))
	require.NotZero(t, res.status)
	require.Contains(t, res.stderr, "missing")
}

// The jobs of an array convert what Spark does, under the names of Slurm and of Kubernetes.
func TestArray(t *testing.T) {
	g := begin(t)
	out := filepath.Join(t.TempDir(), "tables")
	for i, env := range [][]string{{"SLURM_ARRAY_TASK_ID=0", "SLURM_ARRAY_TASK_COUNT=2"}, {"JOB_COMPLETION_INDEX=1", "COUNT=2"}} {
		cmd := exec.CommandContext(t.Context(), "./array.sh", g.env.corpus(), out)
		cmd.Env = append(g.command("python").Env, env...)
		res := g.run(cmd)
		require.Zero(t, res.status, res.stderr)
		parts, err := filepath.Glob(filepath.Join(out, "table=events/*"))
		require.NoError(t, err)
		require.Len(t, parts, matches/2*(i+1))
	}
	requireSame(t, g.env.single(), out)
}
