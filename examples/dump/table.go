package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/examples/dump/internal/rows"
)

// tables is the value of -tables.
type tables []string

var errTables = errors.New("give some of " + strings.Join(rows.Tables, ", ") + ", with commas between them")

// Set implements [flag.Value].
func (t *tables) Set(text string) error {
	chosen := strings.Split(text, ",")
	*t = nil
	for _, name := range rows.Tables {
		if slices.Contains(chosen, name) {
			*t = append(*t, name)
		}
	}
	slices.Sort(chosen)
	if len(slices.Compact(chosen)) != len(*t) {
		return errTables
	}
	return nil
}

// String implements [flag.Value].
func (t *tables) String() string { return strings.Join(*t, ",") }

// shard is the value of -shard: every count-th input, beginning with the first-th.
type shard struct{ first, count int }

var errShard = errors.New("give I/N, such as 0/4: I is from 0 to N-1")

// Set implements [flag.Value].
func (s *shard) Set(text string) error {
	first, count, ok := strings.Cut(text, "/")
	i, err := strconv.ParseUint(first, 10, 31)
	n, err2 := strconv.ParseUint(count, 10, 31)
	if !ok || errors.Join(err, err2) != nil || i >= n {
		return errShard
	}
	*s = shard{int(i), int(n)}
	return nil
}

// String implements [flag.Value].
func (s *shard) String() string {
	if s.count == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.first, s.count)
}

// has reports whether an input belongs to the shard.
func (s *shard) has(input int) bool { return s.count == 0 || input%s.count == s.first }

// of returns the inputs of the shard.
func (s *shard) of(inputs []string) (chosen []string) {
	for i, name := range inputs {
		if s.has(i) {
			chosen = append(chosen, name)
		}
	}
	return chosen
}
