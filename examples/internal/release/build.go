package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"text/template"

	"github.com/bcwire/bcwire/examples/internal/licenses"
)

// release is a release that is built.
type release struct {
	version string
	root    string // of the library
}

// program is a program with the first sentence of its documentation.
type program struct{ Name, Doc string }

// archive returns the name of the archive for a platform.
func (r *release) archive(p platform) string {
	name := fmt.Sprintf("bcwire-%s-%s-%s", r.version, p.OS, p.Arch)
	if p.OS == "windows" {
		return name + ".zip"
	}
	return name + ".tar.gz"
}

// build builds the programs for a platform and adds their archive to files.
func (r *release) build(p platform, files map[string]file) error {
	packages, err := r.list(p)
	if err != nil {
		return err
	}
	inside, programs, err := r.programs(p, packages)
	if err != nil {
		return err
	}
	for _, name := range []string{"LICENSE", "examples/wireshark/bcwire.lua", "examples/wireshark/colorfilters"} {
		if inside[path.Base(name)], err = read(filepath.Join(r.root, name)); err != nil {
			return err
		}
	}
	_, texts, err := licenses.Find(packages)
	if err != nil {
		return err
	}
	for name, text := range texts {
		inside["licenses/"+name] = file{0o644, text}
	}
	pack, name := tarball, r.archive(p)
	dir := strings.TrimSuffix(name, ".tar.gz")
	if p.OS == "windows" {
		pack, dir = zipped, strings.TrimSuffix(name, ".zip")
	}
	if inside["README.txt"], err = r.instructions(p, name, programs); err != nil {
		return err
	}
	files[name], err = pack(dir, inside)
	return err
}

// list returns the programs, and the packages that they import. A program is a command directly in
// the examples.
func (r *release) list(p platform) ([]licenses.Package, error) {
	commands, err := r.goCommand(p, "list", "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`, "./...")
	if err != nil {
		return nil, err
	}
	args := []string{"list", "-deps", "-json=" + licenses.Fields}
	for _, name := range strings.Fields(string(commands)) {
		if path.Dir(name) == module+"/examples" {
			args = append(args, name)
		}
	}
	text, err := r.goCommand(p, args...)
	if err != nil {
		return nil, err
	}
	return licenses.Parse(text)
}

// programs builds the programs and returns their files.
func (r *release) programs(p platform, packages []licenses.Package) (map[string]file, []program, error) {
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	args := []string{
		"build", "-trimpath", "-buildvcs=false", "-o", dir + string(filepath.Separator),
		"-ldflags=-s -w -X " + module + "/examples/internal/version.release=" + r.version,
	}
	var programs []program
	for _, pkg := range packages {
		if !pkg.DepOnly {
			args = append(args, pkg.ImportPath)
			programs = append(programs, program{path.Base(pkg.ImportPath), pkg.Doc})
		}
	}
	slices.SortFunc(programs, func(a, b program) int { return strings.Compare(a.Name, b.Name) })
	if _, err := r.goCommand(p, args...); err != nil {
		return nil, nil, err
	}
	files := map[string]file{}
	built, err := os.ReadDir(dir)
	for _, b := range built {
		if err == nil {
			files[b.Name()], err = read(filepath.Join(dir, b.Name()))
		}
		files[b.Name()] = file{0o755, files[b.Name()].data}
	}
	return files, programs, err
}

// page adds an archive of the page that decodes in the browser, for any web server.
func (r *release) page(files map[string]file) error {
	temp, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if _, err := r.goCommand(platform{runtime.GOOS, runtime.GOARCH}, "run", "./watch", "-site", temp); err != nil {
		return err
	}
	inside := map[string]file{}
	entries, err := os.ReadDir(temp)
	for _, e := range entries {
		if err == nil {
			inside[e.Name()], err = read(filepath.Join(temp, e.Name()))
		}
	}
	if err != nil {
		return err
	}
	files[r.pageArchive()], err = zipped(strings.TrimSuffix(r.pageArchive(), ".zip"), inside)
	return err
}

func (r *release) pageArchive() string { return "bcwire-" + r.version + "-page.zip" }

// goCommand runs the go command for a platform. The result does not depend on settings of the user.
func (r *release) goCommand(p platform, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = filepath.Join(r.root, "examples")
	cmd.Env = append(os.Environ(), "GOOS="+p.OS, "GOARCH="+p.Arch, "CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0",
		"GOFLAGS=", "GOEXPERIMENT=", "GOWORK="+filepath.Join(r.root, "go.work"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w", args[0], err)
	}
	return out, nil
}

//go:embed instructions.txt
var instructions string

// instructions returns the text that explains an archive.
func (r *release) instructions(p platform, archive string, programs []program) (file, error) {
	t, err := template.New("").Parse(instructions)
	if err != nil {
		return file{}, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"Version": r.version, "OS": p.OS, "Arch": p.Arch, "Archive": archive, "Programs": programs, "Go": runtime.Version(),
	})
	return file{0o644, b.Bytes()}, err
}
