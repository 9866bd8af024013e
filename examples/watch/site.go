package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bcwire/bcwire/examples/watch/internal/web"
	"github.com/bcwire/bcwire/examples/watch/page"
)

// worker is the program of the page without a server.
const worker = "github.com/bcwire/bcwire/examples/watch/internal/worker"

// writeSite writes the page as a folder that any web server can serve.
func writeSite(dir string) error {
	goroot, err := goCommand("env", "GOROOT")
	if err != nil {
		return err
	}
	program, runtime, err := buildWorker(goroot)
	if err != nil {
		return err
	}
	notices, err := workerLicenses(goroot)
	if err != nil {
		return err
	}
	files := map[string][]byte{
		"licenses.txt":       notices,
		"backend/backend.js": []byte("// The page opens files itself.\n\nexport * from './local.js';\n"),
		"sample.jsonl.gz":    web.Compressed(sample, gzip.BestCompression),
		"watch.wasm.gz":      web.Compressed(program, gzip.BestCompression),
		"wasm_exec.js":       runtime,
	}
	err = fs.WalkDir(page.Files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && files[name] == nil {
			files[name], err = page.Files.ReadFile(name)
		}
		return err
	})
	for name, data := range files {
		to := filepath.Join(dir, filepath.FromSlash(name))
		err = cmp.Or(err, os.MkdirAll(filepath.Dir(to), 0o755))
		if err == nil {
			err = os.WriteFile(to, data, 0o644)
		}
	}
	return err
}

// goCommand runs the go command for the platform of the worker, and returns what it prints.
func goCommand(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWASM=", "GOEXPERIMENT=")
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		why := strings.ReplaceAll(strings.TrimSpace(complaints.String()), "\n", "; ")
		return "", errors.Join(errors.New("-site needs Go and the source of this program: run it in a clone; a release has the folder, too"), fmt.Errorf("go %s: %w %s", args[0], err, why))
	}
	return strings.TrimSpace(string(out)), nil
}

// buildWorker builds the worker. It returns its bytes and the file of Go that starts it.
func buildWorker(goroot string) (program, runtime []byte, err error) {
	dir, err := os.MkdirTemp("", "watch-site")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "watch.wasm")
	// The decoders of gopacket are most of the program, and little of its time, like package fmt: without inlining
	// they are smaller.
	if _, err := goCommand("build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-gcflags=github.com/gopacket/...=-l", "-gcflags=fmt=-l", "-o", out, worker); err != nil {
		return nil, nil, err
	}
	if program, err = os.ReadFile(out); err == nil {
		runtime, err = os.ReadFile(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js"))
	}
	return program, runtime, err
}

// workerLicenses returns the licenses of the worker, of the modules in it, and of Go.
func workerLicenses(goroot string) ([]byte, error) {
	modules, err := goCommand("list", "-deps", "-f", `{{with .Module}}{{.Path}}{{with .Version}} {{.}}{{end}}{{"\t"}}{{.Dir}}{{end}}`, worker)
	if err != nil {
		return nil, err
	}
	lines := append(strings.Split(modules, "\n"), "Go\t"+goroot)
	slices.Sort(lines)
	var b bytes.Buffer
	b.WriteString("The licenses of watch.wasm and of the libraries inside it.\n")
	for _, line := range slices.Compact(lines) {
		name, dir, _ := strings.Cut(line, "\t")
		before := b.Len()
		for _, pattern := range []string{"LICENSE*", "COPYING*", "NOTICE*"} {
			files, _ := fs.Glob(os.DirFS(dir), pattern) // the patterns are valid
			for _, file := range files {
				text, err := os.ReadFile(filepath.Join(dir, file))
				if err != nil {
					return nil, err
				}
				fmt.Fprintf(&b, "\n%s, %s\n\n%s", name, file, text)
			}
		}
		if b.Len() == before && name != "github.com/bcwire/bcwire/examples" { // which has the license of its parent
			return nil, fmt.Errorf("%s has no license in %s", name, dir)
		}
	}
	return b.Bytes(), nil
}
