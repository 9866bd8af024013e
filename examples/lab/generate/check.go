package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The files of the three edits.
const (
	messagesFile = "opcode/messages.txt"
	vectorsFile  = "testdata/vectors/payloads-constructed.json"
)

// vectorFiles are the files that hold payloads of messages.
var vectorFiles = []string{"testdata/vectors/payloads.json", vectorsFile}

// row is a line of messages.txt. A dead opcode has no type.
type row struct {
	place, opcode, name, engine, direction, delivery, relay, evidence, group string
}

func (r row) dead() bool { return r.evidence == "dead" }

// columns matches the columns of a row: opcode, name, engine, direction, delivery, relay, evidence,
// three sizes and the group.
var columns = regexp.MustCompile(`^(0x[0-9A-F]{2}) +([A-Z]\w*) +(\w+) +(\w+) +(\w+) +(\w+) +(\w+) +\d+ +(?:\d+|-) +(?:\d+|-) +(\w+|-)$`)

// problems returns what the edits that add a message lack. Each error begins with the file to edit.
func problems(root string) (all []error) {
	rows, all := readRows(root)
	if len(all) > 0 {
		return all
	}
	source, err := readSource(filepath.Join(root, "opcode"))
	if err != nil {
		return []error{err}
	}
	listed := map[string]bool{}
	for _, r := range rows {
		listed[r.name] = true
		all = append(all, r.problems(source)...)
	}
	for _, name := range source.messages() {
		if t := source.types[name]; !listed[name] {
			all = append(all, fmt.Errorf("%s has no row for %s (%s), which is in %s: add one", messagesFile, name, t.opcode, t.file))
		}
	}
	all = append(all, vectorProblems(root, rows)...)
	return all
}

// readRows returns the rows of messages.txt that have the form of a row.
func readRows(root string) (rows []row, all []error) {
	text, err := os.ReadFile(filepath.Join(root, messagesFile))
	if err != nil {
		return nil, []error{err}
	}
	seen := map[string]int{} // the line of an opcode or a name
	for i, line := range strings.Split(string(text), "\n") {
		line = strings.TrimRight(line, "\r")
		place := fmt.Sprintf("%s:%d", messagesFile, i+1)
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "op ") || strings.HasPrefix(line, "  ") {
			continue
		}
		c := columns.FindStringSubmatch(line)
		if c == nil {
			all = append(all, fmt.Errorf("%s: not a row such as \"0x3A Ping script up reliable host inferred 6 6 6 match\": %q", place, line))
			continue
		}
		r := row{place, c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8]}
		for _, key := range []string{r.opcode, r.name} {
			if seen[key] > 0 {
				all = append(all, fmt.Errorf("%s: %s is already in line %d", place, key, seen[key]))
			}
			seen[key] = i + 1
		}
		if n := len(rows); n > 0 && r.opcode < rows[n-1].opcode {
			all = append(all, fmt.Errorf("%s: %s stands after %s: rows are in the order of the opcodes", place, r.opcode, rows[n-1].opcode))
		}
		rows = append(rows, r)
	}
	return rows, all
}

// problems returns what the type of a row lacks, and the words in the row that have no meaning.
func (r row) problems(s *source) (all []error) {
	if r.delivery != "reliable" && r.delivery != "once" {
		all = append(all, fmt.Errorf("%s: delivery %q is neither reliable nor once", r.place, r.delivery))
	}
	if r.dead() {
		return all
	}
	for _, c := range []struct{ column, value, prefix string }{{"direction", r.direction, "Dir"}, {"relay", r.relay, "Relay"}} {
		if !s.hasConstant(c.prefix + c.value) {
			all = append(all, fmt.Errorf("%s: %s %q has no constant in package opcode that begins with %s", r.place, c.column, c.value, c.prefix))
		}
	}
	if !slices.Contains(s.groups, r.group) {
		all = append(all, fmt.Errorf("%s: group %q is not in opcode/gen.go, which has %s", r.place, r.group, strings.Join(s.groups, ", ")))
	}
	t := s.types[r.name]
	if t == nil {
		return append(all, fmt.Errorf("%s: package opcode has no type %s: add one in opcode/%s.go, or remove the row", r.place, r.name, strings.ToLower(r.name)))
	}
	add := func(format string, args ...any) {
		all = append(all, fmt.Errorf("%s: %s", t.file, fmt.Sprintf(format, args...)))
	}
	if t.opcode == "" {
		add("the doc of %s has no layout table that begins with the opcode: %q", r.name, "0       1     "+r.opcode)
	} else if t.opcode != r.opcode {
		add("the layout table of %s has the opcode %s, but %s has %s", r.name, t.opcode, r.place, r.opcode)
	}
	const walk, authorize = "Walk(*stream.Codec)", "authorize(authority) *authError"
	if !s.hasMethod(r.name, walk) {
		add("%s has no method %s", r.name, walk)
	}
	if up := r.direction == "up" || r.direction == "both"; up && !s.hasMethod(r.name, authorize) {
		add("clients send %s, but it has no method %s", r.name, authorize)
	}
	return all
}
