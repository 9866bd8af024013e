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
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		text, err := os.ReadFile(log)
		require.NoError(g.t, err)
		if found := regexp.MustCompile(pattern).FindStringSubmatch(string(text)); found != nil {
			return found[len(found)-1]
		}
		require.Less(g.t, time.Since(began), 5*time.Minute, "%s", text)
	}
}

// standalone is a Spark standalone cluster of two workers. Each worker has a dump of its own, a script.
type standalone struct {
	*group
	master  string
	out     string // of convert.py
	control string // directory for files by which the test and the scripts wait for each other
	events  string // directory with the event log
}

func newStandalone(t *testing.T, dumps [2]string) *standalone {
	t.Helper()
	g := begin(t)
	s := &standalone{group: g, out: filepath.Join(t.TempDir(), "tables"), control: t.TempDir(), events: t.TempDir()}
	s.master = g.daemon(`(spark://127\.0\.0\.1:\d+)`, nil, "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
	for i, dump := range dumps {
		programs, host := t.TempDir(), fmt.Sprint("127.0.0.", i+1) // Spark starts no copy of a task on the same host
		require.NoError(t, os.WriteFile(filepath.Join(programs, "dump"), []byte(script+dump), 0o700))
		env := []string{
			g.worker(i), "SPARK_LOCAL_IP=" + host, "SPARK_LOCAL_HOSTNAME=" + host, "PATH=" + programs + ":" + g.env.python + ":" + os.Getenv("PATH"),
			"DUMP=" + filepath.Join(g.env.dir, "bin/dump"), "TABLES=" + s.out, "CONTROL=" + s.control,
		}
		g.daemon("Successfully registered with master", env, "org.apache.spark.deploy.worker.Worker",
			"--host", host, "--port", "0", "--webui-port", "0", "--cores", "1", "--memory", "1g", "--work-dir", t.TempDir(), s.master)
	}
	return s
}

// worker is the entry in the environment of the processes of a worker. Another run of the test has other entries.
func (g *group) worker(i int) string {
	return fmt.Sprintf("BCWIRE_CLUSTER_WORKER%d=%s", i, g.mark)
}

// convert begins to convert the matches.
func (s *standalone) convert(args ...string) <-chan result {
	cmd := s.command("spark-submit", slices.Concat([]string{
		"--master", s.master, "--conf", "spark.eventLog.enabled=true", "--conf", "spark.eventLog.dir=file://" + s.events,
		"--conf", "spark.eventLog.rolling.enabled=false", "--conf", "spark.eventLog.compress=false",
	}, args, []string{"convert.py", s.env.corpus(), s.out})...)
	return s.start(cmd)
}

// start starts a program.
func (s *standalone) start(cmd *exec.Cmd) <-chan result {
	ended := make(chan result, 1)
	go func() { ended <- s.run(cmd) }()
	return ended
}

// end waits for the end of a conversion.
func (s *standalone) end(ended <-chan result) (res result) {
	s.t.Helper()
	select {
	case res = <-ended:
	case <-time.After(20 * time.Minute):
		require.Fail(s.t, "the conversion does not end")
	}
	return res
}

// converted returns the number of files that are converted.
func (s *standalone) converted() int {
	files, _ := filepath.Glob(filepath.Join(s.out, "table=states/source=*/match=0/part-0.parquet"))
	return len(files)
}

// requireConverted requires a run without an error, whose tables are those of a single machine.
func (s *standalone) requireConverted(res result) {
	s.t.Helper()
	require.Zero(s.t, res.status, res.stderr)
	require.Contains(s.t, res.stdout, fmt.Sprintf("%d files, 0 failed", matches))
	requireSame(s.t, s.env.single(), s.out)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	require.NotEmpty(s.t, s.bound) // the end of the test looks at the addresses
}

// hidden returns the temporary directories of dump.
func (s *standalone) hidden() []string {
	list, _ := filepath.Glob(filepath.Join(s.out, ".source=*"))
	return list
}

// script is the part of a dump that the scripts have in common. The function halfway begins dump, and stops it
// when its tables are half written. Its status is not 0 if dump was faster.
const script = `#!/bin/sh
converted() { ls "$TABLES/table=states" 2>/dev/null | wc -l; }
half() { ls "$TABLES"/.source=*-$!=*/messages-0-0 >/dev/null 2>&1; }
halfway() {
	"$DUMP" "$@" &
	until half; do
		sleep 0.001
		kill -0 $! 2>/dev/null || return
	done
	kill -STOP $!
	half || { kill -CONT $!; return 1; }
}
`

// A standalone cluster loses one of its two workers in the middle of a file. The tables are those of a single machine.
func TestWorkerKilled(t *testing.T) {
	s := newStandalone(t, [2]string{
		// The first worker leaves the second half of the files until the other one is dead.
		fmt.Sprintf(`
until [ $(converted) -lt %d ] || [ -e "$CONTROL/killed" ]; do sleep 0.1; done
exec "$DUMP" "$@"`, matches/2),
		// The second worker stops after a quarter of the files.
		fmt.Sprintf(`
[ $(converted) -ge %d ] || exec "$DUMP" "$@"
halfway "$@" && touch "$CONTROL/stopped"
wait $!`, matches/4),
	})
	ended := s.convert()
	stopped := filepath.Join(s.control, "stopped")
	require.Eventually(t, func() bool {
		_, err := os.Stat(stopped)
		return len(ended) > 0 || err == nil
	}, 20*time.Minute, 20*time.Millisecond)
	before, halves := s.converted(), s.hidden()
	killed := s.kill(s.worker(1))
	require.NoError(t, os.WriteFile(filepath.Join(s.control, "killed"), nil, 0o600))

	res := s.end(ended)
	require.FileExists(t, stopped, res.stderr)
	require.Less(t, before, matches)
	require.NotEmpty(t, halves)
	require.Greater(t, killed, 3) // worker, executor, Python, dump
	s.requireConverted(res)
	require.Subset(t, halves, s.hidden(), "temporary files of another process")

	ran := summary(t, s.events)
	t.Logf("a worker was killed after %d of %d files:\n%s", before, matches, ran)
	require.Contains(t, ran, "executors added: 2\n")
	require.Contains(t, ran, "executors removed: 1\n")
	require.Contains(t, ran, "tasks failed, ExecutorLostFailure: 1\n")
	require.Contains(t, ran, fmt.Sprintf("tasks succeeded: %d\n", matches))
}

// A task that is late gets a copy on another worker, which is faster. Both write the tables of the same file.
func TestSpeculativeTask(t *testing.T) {
	// One task waits in the middle of its file until the copy has published the tables. The copy then waits for the
	// end of the late task, so that Spark does not end it before.
	dump := fmt.Sprintf(`
if mkdir "$CONTROL/late" 2>/dev/null; then
	if halfway "$@"; then
		until [ $(converted) -ge %[1]d ]; do sleep 0.1; done
		kill -CONT $!
		wait $!
		status=$?
		touch "$CONTROL/ended"
		exit $status
	fi
	rmdir "$CONTROL/late" # another file
	wait $!
	exit
fi
"$DUMP" "$@"
status=$?
until [ $(converted) -lt %[1]d ] || [ -e "$CONTROL/ended" ]; do sleep 0.1; done
exit $status`, matches)
	s := newStandalone(t, [2]string{dump, dump})
	s.requireConverted(s.end(s.convert("--conf", "spark.speculation=true", "--conf", "spark.speculation.quantile=0.5", "--conf", "spark.speculation.multiplier=1")))
	require.FileExists(t, filepath.Join(s.control, "ended"))
	require.Empty(t, s.hidden())
	ran := summary(t, s.events)
	t.Log(ran)
	require.Contains(t, ran, "tasks started again, speculative: ")
	require.Contains(t, ran, fmt.Sprintf("tasks succeeded: %d\n", matches))
}

// Relative names are relative to the directory of the command, although the executors work in directories of their own.
func TestRelativeNames(t *testing.T) {
	s := newStandalone(t, [2]string{`exec "$DUMP" "$@"`, `exec "$DUMP" "$@"`})
	program, err := filepath.Abs("convert.py")
	require.NoError(t, err)
	cmd := s.command("spark-submit", "--master", s.master, program, "captures", "tables")
	cmd.Dir = filepath.Dir(s.out)
	require.NoError(t, os.Symlink(s.env.corpus(), filepath.Join(cmd.Dir, "captures")))
	s.requireConverted(s.end(s.start(cmd)))
}

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
				Executor    string `json:"Executor ID"`
				Speculative bool
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
			if e.Task.Speculative {
				counts["tasks started again, speculative"]++
			}
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
