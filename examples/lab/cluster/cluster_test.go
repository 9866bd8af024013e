//go:build cluster

package cluster

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// matches is the number of matches that the tests convert. Their lengths, players, faults and dialects differ.
const matches = 40

// environment are the programs of the tests.
type environment struct {
	dir    string // of dump and sim, of the corpus, and of its tables
	python string // directory with the programs of the virtual environment
}

func (e *environment) corpus() string { return filepath.Join(e.dir, "captures") }
func (e *environment) single() string { return filepath.Join(e.dir, "single") }

// prepared builds the programs, installs the virtual environment, and plays and converts the matches on this
// machine, once.
var prepared = sync.OnceValues(func() (e environment, err error) {
	if e.dir, err = os.MkdirTemp("", "cluster"); err != nil {
		return e, err
	}
	temporary = e.dir
	if e.python, err = virtual(); err != nil {
		return e, err
	}
	if err := command("go", "build", "-o", filepath.Join(e.dir, "bin")+"/", "../../dump", "../sim"); err != nil {
		return e, err
	}
	if err := os.Mkdir(e.corpus(), 0o755); err != nil {
		return e, err
	}
	for i := range 4 {
		// A violation is the business of the tests of sim. Its recording is a capture like others.
		_ = command(filepath.Join(e.dir, "bin/sim"), "-seed", fmt.Sprint(1+10*i), "-seeds", fmt.Sprint(matches/4),
			"-minutes", fmt.Sprint(0.2*float64(i+1)), "-record", e.corpus())
	}
	files, err := filepath.Glob(filepath.Join(e.corpus(), "*.jsonl"))
	if err != nil || len(files) != matches {
		return e, fmt.Errorf("%d of %d matches: %w", len(files), matches, err)
	}
	return e, command(filepath.Join(e.dir, "bin/dump"), append([]string{"-parquet", e.single() + "/"}, files...)...)
})

var temporary string

func TestMain(m *testing.M) {
	status := m.Run()
	if temporary != "" {
		_ = os.RemoveAll(temporary)
	}
	os.Exit(status)
}

func prepare(t *testing.T) environment {
	t.Helper()
	e, err := prepared()
	require.NoError(t, err)
	return e
}

// command runs a program. Its error has the output.
func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// virtual returns the programs of a virtual environment with requirements.txt. It is in the cache of the user,
// with a name that depends on the requirements. The last step of the installation is a mark.
func virtual() (programs string, err error) {
	requirements, err := os.ReadFile("requirements.txt")
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	sum := sha256.Sum256(requirements)
	dir := filepath.Join(cache, "bcwire-cluster-"+hex.EncodeToString(sum[:6]))
	mark := filepath.Join(dir, "complete")
	programs = filepath.Join(dir, "bin")
	if _, err := os.Stat(mark); err == nil {
		return programs, nil
	}
	if err := command("python3", "-m", "venv", "--clear", dir); err != nil {
		return "", err
	}
	if err := command(filepath.Join(programs, "pip"), "install", "--quiet", "--no-input", "-r", "requirements.txt"); err != nil {
		return "", err
	}
	return programs, os.WriteFile(mark, nil, 0o600)
}

// group are processes of a test: those that it starts and all that come from them. An entry of the
// environment marks them.
type group struct {
	t     *testing.T
	env   environment
	mark  string
	mutex sync.Mutex
	bound map[string]bool // the addresses of sockets, in hexadecimal as in /proc/net/tcp
}

// begin returns a group, whose processes are killed when the test ends. They may use only loopback addresses.
func begin(t *testing.T) *group {
	t.Helper()
	g := &group{t: t, env: prepare(t), mark: "BCWIRE_CLUSTER=" + t.TempDir(), bound: map[string]bool{}}
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-end:
				return
			case <-time.After(500 * time.Millisecond):
				g.look()
			}
		}
	}()
	t.Cleanup(func() {
		close(end)
		<-ended
		require.Eventually(t, func() bool { return g.kill(g.mark) == 0 }, time.Minute, 20*time.Millisecond, "a process stays")
		for address := range g.bound {
			require.True(t, loopback(address), "bound: %s", address)
		}
	})
	return g
}

// processes returns the processes that have an entry in their environment.
func processes(entry string) (list []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		text, _ := os.ReadFile(file)
		if bytes.Contains(append([]byte{0}, text...), []byte("\x00"+entry+"\x00")) {
			pid, _ := strconv.Atoi(strings.Split(file, "/")[2])
			list = append(list, pid)
		}
	}
	return list
}

// kill kills the processes with an entry, as if their machine had lost its power. It returns their number.
func (g *group) kill(entry string) int {
	list := processes(entry)
	for _, pid := range list {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	return len(list)
}

// command returns a program of the virtual environment that is not started. All addresses are on the loopback
// interface.
func (g *group) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(g.t.Context(), filepath.Join(g.env.python, name), args...)
	cmd.Env = append(os.Environ(), g.mark, "SPARK_LOCAL_IP=127.0.0.1", "SPARK_LOCAL_HOSTNAME=127.0.0.1",
		"SPARK_CONF_DIR="+g.conf(), "SPARK_LOCAL_DIRS="+g.t.TempDir(), "PYSPARK_PYTHON="+filepath.Join(g.env.python, "python"),
		"PATH="+filepath.Join(g.env.dir, "bin")+":"+g.env.python+":"+os.Getenv("PATH"))
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// conf returns a directory with the configuration of Spark.
func (g *group) conf() string {
	dir := g.t.TempDir()
	lines := []string{
		"spark.ui.enabled false", "spark.master.rest.enabled false", "spark.driver.host 127.0.0.1", "spark.driver.bindAddress 127.0.0.1",
		"spark.sql.shuffle.partitions 2", "spark.ui.showConsoleProgress false", "spark.driver.memory 1g", "spark.executor.memory 512m",
	}
	require.NoError(g.t, os.WriteFile(filepath.Join(dir, "spark-defaults.conf"), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
	return dir
}

// result is what a program has printed, and how it ended. The status is negative if it has not run to its end.
type result struct {
	stdout, stderr string
	status         int
}

// run runs a program to its end. It is safe for concurrent use.
func (g *group) run(cmd *exec.Cmd) result {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	res := result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
	if err != nil && res.status <= 0 {
		res.stderr, res.status = res.stderr+err.Error(), -1
	}
	return res
}

// look adds the addresses at which the processes of the group accept connections or datagrams.
func (g *group) look() {
	inodes := map[string]string{}
	for _, file := range []string{"tcp", "tcp6", "udp", "udp6"} {
		text, _ := os.ReadFile("/proc/net/" + file)
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 9 && (f[3] == "0A" || f[3] == "07") { // TCP_LISTEN, TCP_CLOSE
				inodes["socket:["+f[9]+"]"], _, _ = strings.Cut(f[1], ":")
			}
		}
	}
	for _, pid := range processes(g.mark) {
		links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, link := range links {
			target, _ := os.Readlink(link)
			if address, ok := inodes[target]; ok {
				g.mutex.Lock()
				g.bound[address] = true
				g.mutex.Unlock()
			}
		}
	}
}

// loopback reports whether an address in /proc/net/tcp is 127.0.0.0/8 or ::1.
func loopback(address string) bool {
	return len(address) == 8 && strings.HasSuffix(address, "7F") || address == "00000000000000000000000001000000" ||
		strings.HasPrefix(address, "0000000000000000FFFF0000") && strings.HasSuffix(address, "7F")
}

// content returns the tables in a directory: the content of each Parquet file by its name.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "table=*/source=*/match=*/*"))
	require.NoError(t, err)
	all := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		name, err := filepath.Rel(dir, file)
		require.NoError(t, err)
		all[name] = string(text)
	}
	return all
}

// requireSame requires that two directories have the same files, byte for byte.
func requireSame(t *testing.T, want, got string) {
	t.Helper()
	a, b := content(t, want), content(t, got)
	require.NotEmpty(t, a)
	for name := range a {
		require.Contains(t, b, name)
		require.True(t, a[name] == b[name], name)
	}
	require.Len(t, b, len(a))
}
