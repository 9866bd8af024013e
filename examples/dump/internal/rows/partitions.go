package rows

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// inputKey is the key of the text that describes the input in the metadata of the files of match 0.
const inputKey = "bcwire.input"

// maxOpen is the number of matches whose files are open. Package match follows as many servers at once.
const maxOpen = 16

// maxParts is the largest number of partitions of an input. A restart takes six bytes of a recording, and a partition
// 40 KB.
const maxParts = 10_000

// ErrParts means that the matches of an input need too many files of a directory.
var ErrParts = fmt.Errorf("the matches need more than %d files: write the tables to a file instead of a directory", maxParts)

// partitions are the files of an input in a directory. They have temporary names in a hidden directory until
// the input ends. The files of match 0 are renamed last, so that their presence shows that all are complete.
type partitions struct {
	target *Target
	source string
	temp   string // directory
	open   []*partition
	closed []place
}

// partition is a file of a match for each table.
type partition struct {
	*sink
	place
}

// place is what the files of a partition are called. A match whose files were closed can have another part.
type place struct{ match, part int32 }

// temporary returns the name of a file until the input ends.
func (p *partitions) temporary(table string, x place) string {
	return filepath.Join(p.temp, fmt.Sprintf("%s-%d-%d", table, x.match, x.part))
}

func newPartitions(t *Target, source string) (*partitions, error) {
	temp, err := os.MkdirTemp(t.name, hidden(source)+owner()+"=")
	return &partitions{target: t, source: source, temp: temp}, err
}

// of returns the tables of a match.
func (p *partitions) of(match int32) (*sink, error) {
	for i, x := range p.open {
		if x.match == match {
			if i > 0 { // the last match is the first to be found
				copy(p.open[1:i+1], p.open[:i])
				p.open[0] = x
			}
			return x.sink, nil
		}
	}
	if len(p.open)+len(p.closed) >= maxParts {
		return nil, ErrParts
	}
	if n := len(p.open); n >= maxOpen {
		oldest := n - 1
		if p.open[oldest].match == 0 { // its first file is described at the end
			oldest--
		}
		if err := p.close(oldest); err != nil {
			return nil, err
		}
	}
	at := place{match: match}
	for _, x := range p.closed {
		if x.match == match {
			at.part++
		}
	}
	create := func(table string) (*os.File, error) {
		return os.OpenFile(p.temporary(table, at), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	}
	s, err := newSink(&p.target.options, create)
	if err != nil {
		return nil, err
	}
	p.open = slices.Insert(p.open, 0, &partition{s, at})
	return s, nil
}

// close completes the files of a match.
func (p *partitions) close(i int) error {
	x := p.open[i]
	p.open = slices.Delete(p.open, i, i+1)
	p.closed = append(p.closed, x.place)
	return x.sink.close()
}

// end gives the files their names.
func (p *partitions) end(input string) error {
	err := p.complete(input)
	p.discard()
	return err
}

func (p *partitions) complete(input string) error {
	first, err := p.of(0)
	if err != nil {
		return err
	}
	first.describe(input)
	for len(p.open) > 0 {
		if err := p.close(0); err != nil {
			return err
		}
	}
	unlock, err := lock(filepath.Join(p.target.name, hidden(p.source)+lockName))
	if err != nil {
		return err
	}
	defer unlock()
	if p.target.Complete(p.source, input) {
		return nil // another job was faster
	}
	slices.SortFunc(p.closed, func(a, b place) int { return cmp.Or(cmp.Compare(b.match, a.match), cmp.Compare(b.part, a.part)) })
	for _, table := range p.target.options.Tables {
		if err := p.publish(table); err != nil {
			return err
		}
	}
	p.target.clean(p.source)
	return nil
}

// publish replaces the files of a table.
func (p *partitions) publish(table string) error {
	dir := p.target.directory(table, p.source)
	// First the file that shows that the others are complete.
	if err := os.Remove(filepath.Join(dir, partName(0, 0))); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for _, x := range p.closed {
		name := filepath.Join(dir, partName(x.match, x.part))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.Rename(p.temporary(table, x), name); err != nil {
			return err
		}
	}
	return nil
}

// partName returns the name of a file in the directory of its source.
func partName(match, part int32) string {
	return filepath.Join(fmt.Sprintf("match=%d", match), fmt.Sprintf("part-%d.parquet", part))
}

// directory returns the directory of a source.
func (t *Target) directory(table, source string) string {
	return filepath.Join(t.name, "table="+table, "source="+source)
}

// clean removes what killed runs have left for a source.
func (t *Target) clean(source string) {
	entries, _ := os.ReadDir(t.name)
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), hidden(source))
		if !ok {
			continue
		}
		name := filepath.Join(t.name, e.Name())
		by, _, isTemp := strings.Cut(rest, "=")
		if rest == lockName {
			text, _ := os.ReadFile(name)
			by, isTemp = string(text), true
		}
		if isTemp && dead(by) {
			_ = os.RemoveAll(name)
		}
	}
}

// discard removes the temporary files.
func (p *partitions) discard() {
	for _, x := range p.open {
		x.discard()
	}
	p.open = nil
	_ = os.RemoveAll(p.temp)
}

// Complete reports whether the chosen tables of a source are in the directory, written by this version from
// the input that the text describes. It then removes what killed runs have left for the source.
func (t *Target) Complete(source, input string) bool {
	for _, table := range t.options.Tables {
		if !isComplete(filepath.Join(t.directory(table, source), partName(0, 0)), input) {
			return false
		}
	}
	if input == "" || len(t.options.Tables) == 0 {
		return false
	}
	t.clean(source)
	return true
}

func isComplete(name, input string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	p, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true))
	if err != nil {
		return false
	}
	version, _ := p.Lookup(VersionKey)
	text, _ := p.Lookup(inputKey)
	return version == Version && text == input
}
