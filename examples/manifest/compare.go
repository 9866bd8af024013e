package main

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/opcode"
)

// compare prints the differences between two installations.
func (p *program) compare(nameA, nameB string) error {
	a, err := p.open(nameA)
	if err != nil {
		return err
	}
	b, err := p.open(nameB)
	if err != nil {
		return err
	}
	found := checksum.Compare(a, b)
	p.differ = len(found) > 0

	var out bytes.Buffer
	fmt.Fprintf(&out, "A  %s%s\nB  %s%s\n\n", terminal.Line(nameA), title(a), terminal.Line(nameB), title(b))
	if len(found) > 0 {
		table(&out, found)
		fmt.Fprintln(&out)
	}
	fmt.Fprintln(&out, terminal.Plural(len(found), "difference"))
	for _, note := range append(notes("A", a), notes("B", b)...) {
		fmt.Fprintln(&out, note)
	}
	_, err = p.stdout.Write(out.Bytes())
	return err
}

// title returns the name in a manifest, with the comma before it.
func title(m *checksum.Manifest) string {
	if m.Name == "" {
		return ""
	}
	return ", " + terminal.Quote(m.Name)
}

// table prints the findings in columns.
func table(out *bytes.Buffer, found []checksum.Finding) {
	var aligned bytes.Buffer
	w := tabwriter.NewWriter(&aligned, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "FILE\tDIFFERENCE\tA\tB")
	for _, f := range found {
		if f.Kind == checksum.KindWrongVersion {
			f.Path = "game version"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", terminal.Line(f.Path), difference(f.Kind), hashes(f.Want), hashes(f.Got))
	}
	w.Flush()
	for line := range strings.Lines(aligned.String()) {
		fmt.Fprintln(out, strings.TrimRight(line, " \n"))
	}
}

// difference describes the kind of a finding.
func difference(k checksum.Kind) string {
	switch k {
	case checksum.KindMissing, checksum.KindNoFiles:
		return "only in A"
	case checksum.KindExtra:
		return "only in B"
	}
	return k.String()
}

func hashes(list []opcode.Hash) string {
	texts := make([]string, len(list))
	for i, h := range list {
		texts[i] = h.String()
	}
	return strings.Join(texts, ",")
}

// notes reports the parts of a manifest that were not compared.
func notes(label string, m *checksum.Manifest) (list []string) {
	unverified := 0
	for _, r := range checksum.Rounds() {
		known := m.Round(r.Index)
		if known == nil || known.Tree == nil {
			list = append(list, fmt.Sprintf("%s has no hashes of %s, %s: not compared", label, r.Dir, r.Filter))
			continue
		}
		for _, f := range known.Tree.All() {
			if f.Unverified {
				unverified++
			}
		}
	}
	if unverified > 0 {
		list = append(list, fmt.Sprintf("%s of %s with unverified hashes: only the names were compared", terminal.Plural(unverified, "file"), label))
	}
	return list
}
