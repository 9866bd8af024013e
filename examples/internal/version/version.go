// Package version gives each program the flag -version.
package version

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// release is the version of a downloaded program. goreleaser sets it.
var release string

// Flag adds the flag -version, which prints the version and ends the program.
func Flag(fs *flag.FlagSet) {
	fs.BoolFunc("version", "print the version", func(string) error {
		fmt.Printf("%s %s\n", strings.TrimSuffix(filepath.Base(fs.Name()), ".exe"), text())
		os.Exit(0)
		return nil
	})
}

// text returns the version of the program, of Go, and the platform. A program that was built in a
// clone has the version "(devel)", or the commit.
func text() string {
	built := "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok {
		built = cmp.Or(info.Main.Version, built)
	}
	return fmt.Sprintf("%s (%s, %s/%s)", cmp.Or(release, built), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
