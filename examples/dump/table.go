package main

import (
	"github.com/bcwire/bcwire/examples/internal/rows"
	"github.com/bcwire/bcwire/examples/internal/show"
)

// table writes the messages of each input as the rows of a match.
type table struct {
	*rows.Target
	matches []string // of the inputs
}

// newTable creates a Parquet file or a directory.
func newTable(name string, inputs []string) (*table, error) {
	target, err := rows.Open(name)
	if err != nil {
		return nil, err
	}
	return &table{target, rows.Matches(inputs)}, nil
}

// begin begins the match of an input.
func (t *table) begin(input int) error {
	if t == nil {
		return nil
	}
	return t.Begin(t.matches[input])
}

// packet writes the messages of a datagram.
func (t *table) packet(p *show.Packet) error {
	if t == nil {
		return nil
	}
	return t.Packet(p)
}
