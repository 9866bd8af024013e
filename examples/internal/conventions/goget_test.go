//go:build goget

package conventions

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	xmod "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const version = "v0.2.0"

// TestGoGet gets the library from a module proxy into an empty module, as users do. There it
// builds and runs every snippet of the README. CI runs it with its build tag:
//
//	go test -C examples -tags goget -run GoGet ./internal/conventions
func TestGoGet(t *testing.T) {
	t.Parallel()
	proxy := filepath.ToSlash(pack(t))
	dir := t.TempDir()
	u := user{dir: dir, env: append(os.Environ(),
		"GOFLAGS=-mod=mod -modcacherw", "GOMODCACHE="+t.TempDir(), "GOWORK=off", "GONOSUMDB="+module, "GONOSUMCHECK=1", "GOSUMDB=off",
		"GOPROXY=file://"+proxy+",file://"+strings.TrimSpace(run(t, ".", "go", "env", "GOMODCACHE"))+"/cache/download")}
	u.run(t, "go", "mod", "init", "example.com/user")
	u.run(t, "go", "get", module+"@"+version)

	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	snippets := goBlock.FindAllStringSubmatch(string(readme), -1)
	require.GreaterOrEqual(t, len(snippets), 3)
	port := freePort(t)
	var programs []string
	for i, s := range snippets {
		source := strings.ReplaceAll(complete(s[1]), "22101", strconv.Itoa(port))
		name := fmt.Sprintf("snippet%d", i)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "main.go"), []byte(source), 0o600))
		u.run(t, "go", "mod", "tidy")
		u.run(t, "go", "vet", "./"+name)
		u.run(t, "go", "build", "-o", name+".exe", "./"+name)
		programs = append(programs, filepath.Join(dir, name+".exe"))
	}
	u.runSnippets(t, port, snippets, programs)
}

// goBlock matches a snippet of Go, with its output.
var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```\n(?:\nprints\n\n```\n(.*?)```\n)?")

// pack packs the module and returns the directory of a module proxy that has it.
func pack(t *testing.T) string {
	proxy := t.TempDir()
	dir := filepath.Join(proxy, filepath.FromSlash(module), "@v")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	f, err := os.Create(filepath.Join(dir, version+".zip"))
	require.NoError(t, err)
	require.NoError(t, zip.CreateFromDir(f, xmod.Version{Path: module, Version: version}, root))
	require.NoError(t, f.Close())
	info, err := os.Stat(f.Name())
	require.NoError(t, err)
	t.Logf("the module has %d KiB", info.Size()>>10)
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, version+".mod"), text, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, version+".info"), []byte(`{"Version":"`+version+`"}`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "list"), []byte(version+"\n"), 0o600))
	return proxy
}

// user is a module that uses the library.
type user struct {
	dir string
	env []string
}

func (u user) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = u.dir, u.env
	return cmd
}

func (u user) run(t *testing.T, name string, args ...string) string {
	out, err := u.command(t.Context(), name, args...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// runSnippets runs the snippets and compares their output. A server runs until the last snippet
// has ended.
func (u user) runSnippets(t *testing.T, port int, snippets [][]string, programs []string) {
	for i, s := range snippets {
		if !strings.Contains(s[1], "udp.Serve(") {
			continue
		}
		ctx, stop := context.WithCancel(t.Context())
		server := u.command(ctx, programs[i])
		var out bytes.Buffer
		server.Stdout, server.Stderr = &out, &out
		require.NoError(t, server.Start())
		require.Eventually(t, func() bool { return inUse(port) }, 10*time.Second, 10*time.Millisecond)
		defer func() {
			stop()
			_ = server.Wait()
			if t.Failed() {
				t.Logf("the server: %s", &out)
			}
		}()
	}
	ran := 0
	for i, s := range snippets {
		if strings.Contains(s[1], "udp.Serve(") {
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		out, err := u.command(ctx, programs[i]).CombinedOutput()
		cancel()
		require.NoError(t, err, "%s\n%s", s[1], out)
		require.NotEmpty(t, s[2], "the README lacks the output of the snippet: %s", s[1])
		require.Equal(t, s[2], string(out))
		ran++
	}
	require.Positive(t, ran)
}

// freePort returns a UDP port that is free on loopback.
func freePort(t *testing.T) int {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer conn.Close()
	return conn.LocalAddr().(*net.UDPAddr).Port
}

// inUse reports whether a program uses a UDP port on loopback.
func inUse(port int) bool {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	if err == nil {
		conn.Close()
	}
	return err != nil
}

// imports are the packages that snippets may use. The snippets have no import declarations.
var imports = []string{
	"context", "encoding/hex", "errors", "fmt", "log", "net", "os", "time",
	module + "/checksum", module + "/cipher", module + "/gamespy", module + "/join", module + "/objectid",
	module + "/opcode", module + "/stateupdate", module + "/stream", module + "/transport",
	module + "/transport/recording", module + "/transport/udp",
}

// complete returns a program that has a snippet as the body of main.
func complete(snippet string) string {
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n")
	for _, path := range imports {
		name := path[strings.LastIndex(path, "/")+1:]
		if regexp.MustCompile(`\b` + name + `\.[A-Z]`).MatchString(snippet) {
			fmt.Fprintf(&b, "\t%q\n", path)
		}
	}
	fmt.Fprintf(&b, ")\n\nfunc main() {\n%s}\n", snippet)
	return b.String()
}
