//go:build goget

package project

import (
	"bytes"
	"context"
	"fmt"
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

// user is an empty directory of a user, whose module proxy has both modules of the repository with the
// tags of a release.
type user struct {
	dir, version string
	env          []string
}

func newUser(t *testing.T) user {
	text, err := os.ReadFile(filepath.Join(root, "examples", "go.mod"))
	require.NoError(t, err)
	parsed, err := modfile.Parse("go.mod", text, nil)
	require.NoError(t, err)
	i := slices.IndexFunc(parsed.Require, func(r *modfile.Require) bool { return r.Mod.Path == module })
	require.GreaterOrEqual(t, i, 0)
	u := user{dir: t.TempDir(), version: parsed.Require[i].Mod.Version}
	proxy := t.TempDir()
	pack(t, proxy, xmod.Version{Path: module, Version: u.version}, root)
	pack(t, proxy, xmod.Version{Path: module + "/examples", Version: u.version}, filepath.Join(root, "examples"))
	u.env = append(os.Environ(),
		"GOFLAGS=-modcacherw -trimpath", "GOMODCACHE="+t.TempDir(), "GOWORK=off", "GOSUMDB=off", "GOPRIVATE=", "GONOPROXY=none",
		"GOPROXY=file://"+filepath.ToSlash(proxy)+",file://"+strings.TrimSpace(run(t, ".", "go", "env", "GOMODCACHE"))+"/cache/download")
	return u
}

// pack packs a module for a module proxy in a directory.
func pack(t *testing.T, proxy string, m xmod.Version, from string) {
	dir := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	require.NoError(t, os.MkdirAll(dir, 0o700))
	f, err := os.Create(filepath.Join(dir, m.Version+".zip"))
	require.NoError(t, err)
	require.NoError(t, zip.CreateFromDir(f, m, from))
	require.NoError(t, f.Close())
	text, err := os.ReadFile(filepath.Join(from, "go.mod"))
	require.NoError(t, err)
	for ending, content := range map[string]string{".mod": string(text), ".info": `{"Version":"` + m.Version + `"}`} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, m.Version+ending), []byte(content), 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "list"), []byte(m.Version+"\n"), 0o600))
}

func (u user) command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = u.dir, u.env
	return cmd
}

func (u user) run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := u.command(t.Context(), name, args...).CombinedOutput()
	require.NoError(t, err, "%s %v\n%s", name, args, out)
	return string(out)
}

// Users install the programs with go install. Each has -version, and dump shows its sample in any
// directory.
func TestGoInstall(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	bin := t.TempDir()
	u.env = append(u.env, "GOBIN="+bin)
	install := []string{"install"}
	programs := []string{"dump", "watch", "server", "bot", "proxy", "browse", "manifest", "combat"}
	for _, name := range programs {
		install = append(install, module+"/examples/"+name+"@latest")
	}
	u.run(t, "go", install...)
	for _, name := range programs {
		want := fmt.Sprintf("%s %s (%s, %s/%s)\n", name, u.version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		require.Equal(t, want, u.run(t, filepath.Join(bin, name), "-version"))
	}
	require.Contains(t, u.run(t, filepath.Join(bin, "dump")), `Text="IT WORKS"`)
}

// goBlock matches a program in the README, with the file that it reads and its output.
var goBlock = regexp.MustCompile("(?s)```go\n(.*?)```\n\n(?:With the file (\\S+)|With a server) it prints\n\n```\n(.*?)```\n")

// Users get the library into an empty module. There the programs of the README have the output that
// the README shows, beside the server of the examples.
func TestGoGet(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	u.run(t, "go", "mod", "init", "example.com/user")
	u.run(t, "go", "get", module+"@"+u.version)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	require.NoError(t, err)
	programs := goBlock.FindAllStringSubmatch(string(readme), -1)
	require.Len(t, programs, strings.Count(string(readme), "```go\n"))
	require.NotEmpty(t, programs)
	port := startServer(t)
	for i, p := range programs {
		name := filepath.Join(u.dir, fmt.Sprintf("program%d", i))
		require.NoError(t, os.MkdirAll(name, 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(name, "main.go"), []byte(strings.ReplaceAll(p[1], "22101", port)), 0o600))
		u.run(t, "go", "mod", "tidy")
		u.run(t, "go", "vet", name)
		u.run(t, "go", "build", "-o", name+".exe", name)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		program := u.command(ctx, name+".exe")
		if p[2] != "" {
			input, err := os.Open(filepath.Join(root, p[2]))
			require.NoError(t, err)
			defer input.Close()
			program.Stdin = input
		}
		out, err := program.CombinedOutput()
		require.NoError(t, err, "%s", out)
		require.Equal(t, p[3], string(out))
	}
}

// startServer starts the program server and returns its port. The server ends with the test.
func startServer(t *testing.T) (port string) {
	binary := filepath.Join(t.TempDir(), "server.exe")
	run(t, root, "go", "build", "-o", binary, "./examples/server")
	server := exec.CommandContext(t.Context(), binary, "-addr", "127.0.0.1:0")
	log, err := server.StderrPipe()
	require.NoError(t, err)
	console, err := server.StdinPipe() // its end would end the server
	require.NoError(t, err)
	t.Cleanup(func() { console.Close() })
	require.NoError(t, server.Start())
	var text bytes.Buffer
	for buffer := make([]byte, 1024); ; {
		n, err := log.Read(buffer)
		require.NoError(t, err, "%s", &text)
		text.Write(buffer[:n])
		if m := regexp.MustCompile(`addr=(127\.0\.0\.1:\d+)`).FindStringSubmatch(text.String()); m != nil {
			_, port, err := net.SplitHostPort(m[1])
			require.NoError(t, err)
			_, err = strconv.Atoi(port)
			require.NoError(t, err)
			go func() { _, _ = text.ReadFrom(log) }() // the server must not wait for a reader
			return port
		}
	}
}
