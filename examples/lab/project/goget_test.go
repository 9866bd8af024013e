//go:build goget

package project

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/modfile"
	xmod "golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// newUser returns an empty module of a user, whose module proxy has both modules of the repository
// with the tags of a release.
func newUser(t *testing.T) (u user, version string) {
	text, err := os.ReadFile(filepath.Join(root, "examples", "go.mod"))
	require.NoError(t, err)
	parsed, err := modfile.Parse("go.mod", text, nil)
	require.NoError(t, err)
	i := slices.IndexFunc(parsed.Require, func(r *modfile.Require) bool { return r.Mod.Path == module })
	require.GreaterOrEqual(t, i, 0)
	version = parsed.Require[i].Mod.Version
	proxy := t.TempDir()
	pack(t, proxy, xmod.Version{Path: module, Version: version}, root)
	pack(t, proxy, xmod.Version{Path: module + "/examples", Version: version}, filepath.Join(root, "examples"))
	return user{dir: t.TempDir(), env: append(os.Environ(),
		"GOFLAGS=-modcacherw -trimpath", "GOMODCACHE="+t.TempDir(), "GOWORK=off", "GOSUMDB=off", "GOPRIVATE=", "GONOPROXY=none",
		"GOPROXY=file://"+filepath.ToSlash(proxy)+",file://"+strings.TrimSpace(run(t, ".", "go", "env", "GOMODCACHE"))+"/cache/download")}, version
}

// TestGoInstall installs dump, bot and server from a module proxy, and runs them: dump shows its
// sample in any directory, and a bot talks on the server. CI runs it with its build tag:
//
//	go test -tags goget -run GoInstall ./examples/lab/project
func TestGoInstall(t *testing.T) {
	t.Parallel()
	u, version := newUser(t)
	bin := t.TempDir()
	u.env = append(u.env, "GOBIN="+bin)
	for _, name := range []string{"dump", "bot", "server"} {
		u.run(t, "go", "install", module+"/examples/"+name+"@latest")
		out := u.run(t, filepath.Join(bin, name), "-version")
		require.Equal(t, fmt.Sprintf("%s %s (%s, %s/%s)\n", name, version, runtime.Version(), runtime.GOOS, runtime.GOARCH), out)
	}
	require.Contains(t, u.run(t, filepath.Join(bin, "dump")), `Text="IT WORKS"`)

	reserved := reserve(t)
	port := portOf(reserved)
	address := fmt.Sprintf("127.0.0.1:%d", port)
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	server := u.command(ctx, filepath.Join(bin, "server"), "-addr", address)
	console, err := server.StdinPipe()
	require.NoError(t, err)
	var log bytes.Buffer
	server.Stderr = &log
	reserved.Close()
	require.NoError(t, server.Start())
	defer stop()
	require.Eventually(t, func() bool { return listening(port) }, 20*time.Second, 20*time.Millisecond)
	u.run(t, filepath.Join(bin, "bot"), "-addr", address, "-name", "Ann", "-say", "hello", "-duration", "3s")
	_, err = io.WriteString(console, "quit\n")
	require.NoError(t, err)
	require.NoError(t, server.Wait(), log.String())
	require.Contains(t, log.String(), "text=hello")
}

// TestGoGet gets the library from a module proxy into an empty module, as users do. There it
// builds and runs every snippet of the README. CI runs it with its build tag:
//
//	go test -tags goget -run GoGet ./examples/lab/project
func TestGoGet(t *testing.T) {
	t.Parallel()
	u, version := newUser(t)
	dir := u.dir
	u.run(t, "go", "mod", "init", "example.com/user")
	u.run(t, "go", "get", module+"@"+version)

	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	snippets := goBlock.FindAllStringSubmatch(string(readme), -1)
	require.GreaterOrEqual(t, len(snippets), 3)
	reserved := reserve(t)
	var programs []string
	for i, s := range snippets {
		source := strings.ReplaceAll(complete(s[1]), "22101", strconv.Itoa(portOf(reserved)))
		name := fmt.Sprintf("snippet%d", i)
		require.NoError(t, os.MkdirAll(filepath.Join(dir, name), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name, "main.go"), []byte(source), 0o600))
		u.run(t, "go", "mod", "tidy")
		u.run(t, "go", "vet", "./"+name)
		u.run(t, "go", "build", "-o", name+".exe", "./"+name)
		programs = append(programs, filepath.Join(dir, name+".exe"))
	}
	u.runSnippets(t, reserved, snippets, programs)
}

// goBlock matches a snippet of Go, with the file that it reads and its output.
var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```\n(?:\n(?:With the file (\\S+) it )?prints\n\n```\n(.*?)```\n)?")

// pack packs a module for a module proxy in a directory.
func pack(t *testing.T, proxy string, m xmod.Version, from string) {
	dir := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	f, err := os.Create(filepath.Join(dir, m.Version+".zip"))
	require.NoError(t, err)
	require.NoError(t, zip.CreateFromDir(f, m, from))
	require.NoError(t, f.Close())
	info, err := os.Stat(f.Name())
	require.NoError(t, err)
	t.Logf("the module %s has %d KiB", m, info.Size()>>10)
	text, err := os.ReadFile(filepath.Join(from, "go.mod"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, m.Version+".mod"), text, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, m.Version+".info"), []byte(`{"Version":"`+m.Version+`"}`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "list"), []byte(m.Version+"\n"), 0o600))
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

// runSnippets runs the snippets and compares their output. A server, which listens on the reserved
// port, runs until the last snippet has ended.
func (u user) runSnippets(t *testing.T, reserved *net.UDPConn, snippets [][]string, programs []string) {
	for i, s := range snippets {
		if !strings.Contains(s[1], "udp.Serve(") {
			continue
		}
		ctx, stop := context.WithCancel(t.Context())
		server := u.command(ctx, programs[i])
		var out bytes.Buffer
		server.Stdout, server.Stderr = &out, &out
		reserved.Close()
		require.NoError(t, server.Start())
		defer func() {
			stop()
			_ = server.Wait()
			if t.Failed() {
				t.Logf("the server: %s", &out)
			}
		}()
		require.Eventually(t, func() bool { return listening(portOf(reserved)) }, 20*time.Second, 20*time.Millisecond)
	}
	ran := 0
	for i, s := range snippets {
		if strings.Contains(s[1], "udp.Serve(") {
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		program := u.command(ctx, programs[i])
		if s[2] != "" {
			input, err := os.ReadFile(filepath.Join(root, s[2]))
			require.NoError(t, err)
			program.Stdin = bytes.NewReader(input)
		}
		out, err := program.CombinedOutput()
		cancel()
		require.NoError(t, err, "%s\n%s", s[1], out)
		require.NotEmpty(t, s[3], "the README lacks the output of the snippet: %s", s[1])
		require.Equal(t, s[3], string(out))
		ran++
	}
	require.Positive(t, ran)
}

// reserve returns a socket with a free UDP port on loopback. Closed just before a server starts, it
// keeps the port from other programs until then.
func reserve(t *testing.T) *net.UDPConn {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn
}

func portOf(conn *net.UDPConn) int { return conn.LocalAddr().(*net.UDPAddr).Port }

// listening reports whether a program listens on a UDP port on loopback: if none does, the kernel
// refuses datagrams. An attempt to bind the port could keep the program itself from it. The address of the sender,
// which Linux has, is another one, so that the kernel cannot choose the same port.
func listening(port int) bool {
	conn, err := net.DialUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 2)}, &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port})
	if err != nil {
		return false
	}
	defer conn.Close()
	if _, err = conn.Write([]byte(`\status\`)); err == nil {
		_ = conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		_, err = conn.Read(make([]byte, 1))
	}
	return err == nil || errors.Is(err, os.ErrDeadlineExceeded)
}

// imports are the packages that snippets may use. The snippets have no import declarations.
var imports = []string{
	"context", "encoding/hex", "errors", "fmt", "log", "net", "os", "time",
	module + "/checksum", module + "/cipher", module + "/gamespy", module + "/join", module + "/match", module + "/objectid",
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
