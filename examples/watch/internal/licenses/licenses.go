// Package licenses finds the libraries inside programs, and the licenses that must accompany them.
package licenses

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// Fields is the value of the flag -json of go list for [Parse].
const Fields = "ImportPath,Doc,Dir,Standard,DepOnly,Module"

// Package is a package that go list prints.
type Package struct {
	ImportPath, Doc, Dir string
	Standard, DepOnly    bool
	Module               *struct{ Path, Version, Dir string }
}

// Parse parses the output of go list -deps -json.
func Parse(text []byte) (packages []Package, err error) {
	for decoder := json.NewDecoder(bytes.NewReader(text)); ; {
		var pkg Package
		switch err := decoder.Decode(&pkg); {
		case errors.Is(err, io.EOF):
			return packages, nil
		case err != nil:
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, pkg)
	}
}

// Part is a module in a program, or the standard library of Go. The modules of this repository have
// no version.
type Part struct{ Path, Version, dir string }

// Find returns the parts that packages belong to, by path, and the texts of the licenses of foreign
// parts, by names such as example.com/m@v1.0.0/LICENSE. Packages may have licenses of their own. Find
// returns an error if a foreign part has no license.
func Find(packages []Package) (parts []Part, texts map[string][]byte, err error) {
	found := map[Part]bool{}
	texts = map[string][]byte{}
	seen := map[string]bool{} // directories
	for _, pkg := range packages {
		var p Part
		switch m := pkg.Module; {
		case pkg.Standard:
			// The Root that go list prints is another one if a module has the path of a vendored package.
			root := strings.TrimSuffix(filepath.ToSlash(pkg.Dir), "/src/"+pkg.ImportPath)
			p = Part{"std", strings.TrimPrefix(runtime.Version(), "go"), filepath.FromSlash(root)}
		case m == nil:
			return nil, nil, fmt.Errorf("%s belongs to no module", pkg.ImportPath)
		default:
			p = Part{m.Path, m.Version, m.Dir}
		}
		found[p] = true
		if p.Version == "" { // the license of this repository
			continue
		}
		for dir := pkg.Dir; !seen[dir]; dir = filepath.Dir(dir) {
			seen[dir] = true
			if err := p.add(dir, texts); err != nil {
				return nil, nil, err
			}
			if dir == p.dir {
				break
			}
		}
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b Part) int { return cmp.Compare(a.Path, b.Path) }), texts, nil
}

// name matches the names of files that must accompany a program.
var name = regexp.MustCompile(`(?i)^(licen[cs]e|copying|copyright|notice|patents)`)

// add adds the licenses in a directory of a part. It returns an error if the top directory has none.
func (p Part) add(dir string, texts map[string][]byte) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	inside, err := filepath.Rel(p.dir, dir)
	if err != nil || !filepath.IsLocal(inside) {
		return fmt.Errorf("%s is not in %s", dir, p.dir)
	}
	found := false
	for _, e := range entries {
		if e.IsDir() || !name.MatchString(e.Name()) || filepath.Ext(e.Name()) == ".go" {
			continue
		}
		found = true
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		texts[path.Join(p.Path+"@"+p.Version, filepath.ToSlash(inside), e.Name())] = text
	}
	if !found && dir == p.dir {
		return fmt.Errorf("%s %s has no license in %s", p.Path, p.Version, dir)
	}
	return nil
}
