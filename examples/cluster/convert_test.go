//go:build cluster

package cluster

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// daemon starts a process of a Spark cluster, and returns what a pattern finds in its log.
func (g *group) daemon(pattern string, env []string, args ...string) string {
	g.t.Helper()
	cmd := g.command("spark-class", args...)
	cmd.Env = append(cmd.Env, env...)
	log := filepath.Join(g.t.TempDir(), "log")
	f, err := os.Create(log)
	require.NoError(g.t, err)
	defer f.Close()
	cmd.Stdout, cmd.Stderr = f, f
	require.NoError(g.t, cmd.Start())
	g.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	found, text := []string(nil), []byte(nil)
	require.Eventually(g.t, func() bool {
		text, _ = os.ReadFile(log)
		found = regexp.MustCompile(pattern).FindStringSubmatch(string(text))
		return found != nil
	}, 10*time.Minute, 50*time.Millisecond, "%s", text)
	return found[len(found)-1]
}

// A standalone cluster loses one of its two workers in the middle. The tables are those of a single machine.
func TestWorkerKilled(t *testing.T) {
	g := begin(t)
	out, events := filepath.Join(t.TempDir(), "tables"), t.TempDir()
	master := g.daemon(`(spark://127\.0\.0\.1:\d+)`, nil, "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
	for i := range 2 {
		g.daemon("Successfully registered with master", []string{workerMark(i)}, "org.apache.spark.deploy.worker.Worker",
			"--host", "127.0.0.1", "--port", "0", "--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir", t.TempDir(), master)
	}
	submit := g.command("spark-submit", "--master", master, "--conf", "spark.eventLog.enabled=true", "--conf", "spark.eventLog.dir=file://"+events,
		"--conf", "spark.eventLog.rolling.enabled=false", "--conf", "spark.eventLog.compress=false", "convert.py", g.env.corpus(), out)
	ended := make(chan result, 1)
	go func() { ended <- g.run(submit) }()

	converted := func() int {
		files, _ := filepath.Glob(filepath.Join(out, "table=states/source=*/match=0/part-0.parquet"))
		return len(files)
	}
	working := func(worker int) bool {
		for _, pid := range processes(workerMark(worker)) {
			if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); string(name) == "dump\n" {
				return true
			}
		}
		return false
	}
	require.Eventually(t, func() bool { return len(ended) > 0 || converted() >= matches/4 && working(1) }, 20*time.Minute, 5*time.Millisecond)
	killed := g.kill(workerMark(1))
	before := converted()
	for _, address := range g.listens() {
		require.True(t, loopback(address), address)
	}
	require.NotEmpty(t, g.listens())

	res := <-ended
	require.Zero(t, res.status, res.stderr)
	require.Less(t, before, matches, "the worker was killed too late")
	require.Greater(t, killed, 1)
	requireSame(t, g.env.single(), out)
	require.Contains(t, res.stdout, fmt.Sprintf("%d files, 0 failed", matches))

	ran := summary(t, events)
	t.Logf("a worker was killed after %d of %d files:\n%s", before, matches, ran)
	require.Contains(t, ran, "executors added: 2")
	require.Contains(t, ran, "executors removed: 1")
	require.Regexp(t, `tasks failed, ExecutorLostFailure: \d+`, ran)
	require.Contains(t, ran, fmt.Sprintf("tasks succeeded: %d", matches))
}

// workerMark is the entry in the environment of the processes of a worker.
func workerMark(i int) string { return fmt.Sprint("BCWIRE_CLUSTER_WORKER=", i) }

// summary counts the events of an application in the event log of Spark.
func summary(t *testing.T, dir string) string {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(dir, "app-*"))
	require.NoError(t, err)
	require.Len(t, logs, 1)
	f, err := os.Open(logs[0])
	require.NoError(t, err)
	defer f.Close()
	counts, perExecutor := map[string]int{}, map[string]int{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e struct {
			Event    string
			Reason   string                  `json:"Removed Reason"`
			End      struct{ Reason string } `json:"Task End Reason"`
			Executor struct{ Host string }   `json:"Executor Info"`
			Task     struct {
				Executor string `json:"Executor ID"`
			} `json:"Task Info"`
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &e))
		switch e.Event {
		case "SparkListenerExecutorAdded":
			counts["executors added"]++
		case "SparkListenerExecutorRemoved":
			counts["executors removed"]++
		case "SparkListenerTaskStart":
			counts["tasks started"]++
		case "SparkListenerTaskEnd":
			if e.End.Reason != "Success" {
				counts["tasks failed, "+e.End.Reason]++
				continue
			}
			counts["tasks succeeded"]++
			perExecutor["tasks succeeded on executor "+e.Task.Executor]++
		}
	}
	require.NoError(t, lines.Err())
	maps.Copy(counts, perExecutor)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "%s: %d\n", name, counts[name])
	}
	return b.String()
}

// convert returns the command that converts captures with two threads of one process.
func (g *group) convert(args ...string) *exec.Cmd {
	return g.command("spark-submit", append([]string{"--master", "local[2]", "convert.py"}, args...)...)
}

// Two runs write a thousand files to one directory at the same time. One of the files is no capture, and
// the names of others are odd. Another run converts nothing again.
func TestTwoRunsOfAThousandFiles(t *testing.T) {
	g := begin(t)
	in, out, single := t.TempDir(), filepath.Join(t.TempDir(), "tables"), filepath.Join(t.TempDir(), "single")
	sample, err := os.ReadFile("../dump/sample.jsonl")
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

// A full disk of the output ends the run with the cause. The files that are there are complete.
func TestFullDisk(t *testing.T) {
	g := begin(t)
	out, kept := t.TempDir(), t.TempDir()
	// The file system is visible only to the processes in the namespace.
	script := `mount -t tmpfs -o size=2m none "$1" && { "$2" --master 'local[2]' convert.py "$3" "$1"; status=$?; cp -r "$1/." "$4"; exit $status; }`
	cmd := g.command("spark-submit")
	shell := exec.CommandContext(t.Context(), "unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", out, cmd.Path, g.env.corpus(), kept)
	shell.Env = cmd.Env
	res := g.run(shell)
	require.NotZero(t, res.status)
	require.Contains(t, res.stderr, "no space left on device")
	got, want := content(t, kept), content(t, g.env.single())
	require.NotEmpty(t, got)
	for name := range got {
		require.True(t, want[name] == got[name], name)
	}
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
