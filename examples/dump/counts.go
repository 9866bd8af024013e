package main

import (
	"cmp"
	"maps"
	"slices"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/opcode"
)

// counts holds the counts of messages of a type or of notes of a kind.
type counts struct{ count, bytes, failures, first int }

// table counts messages by label.
type table struct {
	codes  [256]counts // of payloads with a name
	labels map[string]*counts
}

// of returns the counts of the messages like m.
func (t *table) of(m *show.Message) *counts {
	if code, ok := m.Opcode(); ok && m.Type != "" && m.Name != "Unknown" {
		return &t.codes[code]
	}
	return countsOf(&t.labels, labelOf(m))
}

// all returns the counts by label.
func (t *table) all() map[string]*counts {
	all := maps.Clone(t.labels)
	for i := range t.codes {
		if c := &t.codes[i]; c.count+c.bytes > 0 {
			*countsOf(&all, opcode.Code(i).String()) = *c
		}
	}
	return all
}

// add adds the counts of another table.
func (t *table) add(o *table) {
	for i := range t.codes {
		t.codes[i].add(&o.codes[i])
	}
	addCounts(&t.labels, o.labels)
}

func (c *counts) add(o *counts) {
	c.count, c.bytes, c.failures = c.count+o.count, c.bytes+o.bytes, c.failures+o.failures
	if c.first == 0 || o.first != 0 && o.first < c.first {
		c.first = o.first
	}
}

// addCounts adds the counts of other.
func addCounts(m *map[string]*counts, other map[string]*counts) {
	for key, c := range other {
		countsOf(m, key).add(c)
	}
}

// labelOf returns the name of a message in tables.
func labelOf(m *show.Message) string {
	switch {
	case m.Type == "":
		return "(none)"
	case m.Name == "Data" && m.Frame.Fragment:
		return "Data (fragment)"
	}
	return m.Title()
}

func countsOf(m *map[string]*counts, key string) *counts {
	if *m == nil {
		*m = map[string]*counts{}
	}
	if (*m)[key] == nil {
		(*m)[key] = &counts{}
	}
	return (*m)[key]
}

// byCount returns the keys of a table, the highest count first.
func byCount(m map[string]*counts) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(m[b].count, m[a].count), cmp.Compare(a, b))
	})
}
