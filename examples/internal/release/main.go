// Release builds the files of a release: an archive for each platform, SHA256SUMS, and a bill of
// materials. The same commit and the same version of Go give the same bytes in any directory.
//
//	go run -C examples ./internal/release -version v0.3.0 -o DIR
//
// An archive has all programs, the dissector for Wireshark, instructions, and the licenses of
// everything inside. One more archive has the page of watch, for any web server. The bill of materials
// has the modules of the programs for all platforms.
//
// With -only, Release builds the archive of one platform, and no page. DIR may have other files of the
// same release, but nothing else.
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

const module = "github.com/bcwire/bcwire"

// platforms are the platforms of a release.
var platforms = []platform{
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

type platform struct{ OS, Arch string }

func (p platform) String() string { return p.OS + "/" + p.Arch }

func main() {
	log.SetFlags(0)
	log.SetPrefix("release: ")
	version := flag.String("version", "", "`VERSION` of the release, such as v0.3.0")
	out := flag.String("o", "", "write the files to `DIR`")
	only := flag.String("only", "", "build only the platform `OS/ARCH`")
	flag.Parse()
	chosen := platforms
	var err error
	switch i := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == *only }); {
	case flag.NArg() > 0:
		err = fmt.Errorf("%q: unexpected argument; -h lists the flags", flag.Arg(0))
	case *version == "" || semver.Canonical(*version) != *version:
		err = fmt.Errorf("-version %q: give a version such as v0.3.0", *version)
	case *out == "":
		err = errors.New("-o: give a directory")
	case *only != "" && i < 0:
		err = fmt.Errorf("-only %q: the platforms are %v", *only, platforms)
	case *only != "":
		chosen = platforms[i : i+1]
	}
	if err == nil {
		err = build(*version, *out, chosen)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// build builds the files of a release. Archives of the same release that the directory has stay, and
// SHA256SUMS has them.
func build(version, out string, chosen []platform) error {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return fmt.Errorf("go list: %w; run this program in a clone", err)
	}
	r := &release{version: version, root: strings.TrimSpace(string(root))}
	before, err := r.existing(out)
	if err != nil {
		return err
	}
	files := map[string]file{}
	for _, p := range chosen {
		if err := r.build(p, files); err != nil {
			return fmt.Errorf("%v: %w", p, err)
		}
	}
	if len(chosen) == len(platforms) {
		if err := r.page(files); err != nil {
			return fmt.Errorf("page: %w", err)
		}
	}
	if files[r.billName()], err = r.bill(); err != nil {
		return err
	}
	listed := maps.Clone(files)
	for _, name := range before {
		if _, built := files[name]; !built && name != sumsName {
			if listed[name], err = read(filepath.Join(out, name)); err != nil {
				return err
			}
		}
	}
	files[sumsName] = sums(listed)
	for name, f := range files {
		if err := os.WriteFile(filepath.Join(out, name), f.data, f.mode); err != nil {
			return err
		}
	}
	return nil
}

// existing creates a directory if it does not exist, and returns the names of its files. It returns an
// error if the directory has other files than those of this release: SHA256SUMS would not have them.
func (r *release) existing(out string) (names []string, err error) {
	own := []string{sumsName, r.billName(), r.pageArchive()}
	for _, p := range platforms {
		own = append(own, r.archive(p))
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, fmt.Errorf("-o: %w", err)
	}
	entries, err := os.ReadDir(out)
	for _, e := range entries {
		if !slices.Contains(own, e.Name()) {
			return nil, fmt.Errorf("-o %s: the directory has %s, which is no file of %s; give an empty directory", out, e.Name(), r.version)
		}
		names = append(names, e.Name())
	}
	return names, err
}
