package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bcwire/bcwire/examples/watch/internal/licenses"
	"github.com/bcwire/bcwire/examples/watch/internal/web"
	"github.com/bcwire/bcwire/examples/watch/page"
)

// worker is the program of the page without a server.
const worker = "github.com/bcwire/bcwire/examples/watch/internal/worker"

// writeSite writes the page as a folder that any web server can serve.
func writeSite(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	program, runtime, err := buildWorker()
	if err != nil {
		return err
	}
	notices, err := workerLicenses()
	if err != nil {
		return err
	}
	files := map[string][]byte{
		"licenses.txt":    notices,
		"backend.js":      []byte("// The page opens files itself.\n\nexport * from './local.js';\n"),
		"sample.jsonl.gz": web.Compressed(sample, gzip.BestCompression),
		"watch.wasm.gz":   web.Compressed(program, gzip.BestCompression),
		"wasm_exec.js":    runtime,
	}
	names, err := fs.ReadDir(page.Files, ".")
	for _, name := range names {
		if err == nil && files[name.Name()] == nil {
			files[name.Name()], err = page.Files.ReadFile(name.Name())
		}
	}
	for name, data := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
	}
	return err
}

// goCommand runs the go command for the platform of the worker.
func goCommand(args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWASM=", "GOEXPERIMENT=")
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		why := strings.ReplaceAll(strings.TrimSpace(complaints.String()), "\n", "; ")
		return nil, errors.Join(errors.New("-site needs Go and the source of this program: run it in a clone; a release has the folder, too"), fmt.Errorf("go %s: %w %s", args[0], err, why))
	}
	return out, nil
}

// buildWorker builds the worker. It returns its bytes and the file of Go that starts it.
func buildWorker() (program, runtime []byte, err error) {
	dir, err := os.MkdirTemp("", "watch-site")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	out := filepath.Join(dir, "watch.wasm")
	if _, err := goCommand("build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", out, worker); err != nil {
		return nil, nil, err
	}
	root, err := goCommand("env", "GOROOT")
	if err != nil {
		return nil, nil, err
	}
	if program, err = os.ReadFile(out); err == nil {
		runtime, err = os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	}
	return program, runtime, err
}

// workerLicenses returns the licenses of the worker and of everything in it.
func workerLicenses() ([]byte, error) {
	text, err := goCommand("list", "-deps", "-json="+licenses.Fields, worker)
	if err != nil {
		return nil, err
	}
	packages, err := licenses.Parse(text)
	if err != nil {
		return nil, err
	}
	_, texts, err := licenses.Find(packages)
	if err != nil {
		return nil, err
	}
	root, err := goCommand("list", "-m", "-f", "{{.Dir}}", "github.com/bcwire/bcwire")
	if err != nil {
		return nil, err
	}
	if texts["github.com/bcwire/bcwire"], err = os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "LICENSE")); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("The licenses of watch.wasm and of the libraries inside it.\n")
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(&b, "\n%s\n\n%s", name, texts[name])
	}
	return b.Bytes(), nil
}
