//go:build cluster

package cluster

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
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
