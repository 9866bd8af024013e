// Numbers prints how large the library is: for each package its files, its lines of code and its
// exported identifiers, and the lines of the documentation of package opcode.
//
//	go run -C examples ./internal/numbers
//
// Tests do not count. Generators count as code by hand. A line of code is neither blank nor a comment.
// The identifiers are those in testdata/api, with the fields of structs and the constants in groups.
package main

import (
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	log.SetFlags(0)
	if err := run(os.Stdout); err != nil {
		log.Fatal("numbers: ", err)
	}
}

func run(w io.Writer) error {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/bcwire/bcwire").Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	dir := strings.TrimSpace(string(root))
	packages, err := measure(dir)
	if err != nil {
		return err
	}
	lines, err := documentation(dir, "opcode")
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "package\tfiles\tcode by hand\tgenerated code\tidentifiers\t")
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		packages[name].print(table, name)
	}
	total(packages).print(table, "total")
	if err := table.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "go doc -all ./opcode: %d lines\n", lines)
	return err
}

func (s size) print(w io.Writer, name string) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t\n", name, s.files, s.hand, s.generated, s.identifiers)
}
