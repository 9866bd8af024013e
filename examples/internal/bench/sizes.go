package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/parquet-go/parquet-go"
)

// sizesHead begins the section about the sizes of tables in testdata/benchmarks.md.
const sizesHead = "## Tables of a match of an hour"

// sizes returns the section about the bytes that each column of the tables takes, for a match of an hour.
// It runs dump in a temporary directory.
func sizes(ctx context.Context, library, dir string) (string, error) {
	hour, messages := filepath.Join(dir, "hour.jsonl"), filepath.Join(dir, "hour.parquet")
	for _, args := range [][]string{{"./internal/hour", "-o", hour}, {"./dump", "-parquet", messages, hour}} {
		if _, err := command(ctx, filepath.Join(library, "examples"), "go", append([]string{"run"}, args...)...); err != nil {
			return "", err
		}
	}
	var all []*columnSizes
	for _, name := range []string{messages, filepath.Join(dir, "hour.events.parquet"), filepath.Join(dir, "hour.states.parquet")} {
		s, err := sizesOf(name)
		if err != nil {
			return "", err
		}
		all = append(all, s)
	}
	return sizePage(all), nil
}

// columnSizes is the bytes of the columns of a file.
type columnSizes struct {
	rows    int64
	total   int64 // of the file
	columns []string
	bytes   map[string]int64
}

func sizesOf(name string) (*columnSizes, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s := &columnSizes{rows: file.NumRows(), total: info.Size(), bytes: map[string]int64{}}
	for _, g := range file.Metadata().RowGroups {
		for i := range g.Columns {
			c := &g.Columns[i].MetaData
			column := strings.Join(c.PathInSchema, ".")
			if _, known := s.bytes[column]; !known {
				s.columns = append(s.columns, column)
			}
			s.bytes[column] += c.TotalCompressedSize
		}
	}
	return s, nil
}

// sizePage returns the section for the tables messages, events and states. Each value is in bytes for each
// message.
func sizePage(all []*columnSizes) string {
	each := func(bytes int64) string { return fmt.Sprintf("%.2f", float64(bytes)/float64(all[0].rows)) }
	var b strings.Builder
	fmt.Fprintf(&b, sizesHead+"\n\nThe match of `go run -C examples ./internal/hour` has %d messages, %d events and %d states. The values are\nbytes for each message, as `dump -parquet` writes them. The row \"index\" is the rest of a file.\n\n", all[0].rows, all[1].rows, all[2].rows)
	t := table.NewWriter()
	t.AppendHeader(table.Row{"messages", "Bytes", "events", "Bytes", "states", "Bytes"})
	for i := range len(all[0].columns) {
		var row table.Row
		for _, s := range all {
			if i < len(s.columns) {
				row = append(row, s.columns[i], each(s.bytes[s.columns[i]]))
			} else {
				row = append(row, "", "")
			}
		}
		t.AppendRow(row)
	}
	index, total := table.Row{}, table.Row{}
	for _, s := range all {
		rest := s.total
		for _, n := range s.bytes {
			rest -= n
		}
		index, total = append(index, "index", each(rest)), append(total, "total", each(s.total))
	}
	t.AppendRow(index)
	t.AppendRow(total)
	fmt.Fprintf(&b, "%s\n\nMessages with fields take %s bytes each; at most 30 are wanted. Events and states take %s; at most 15 are wanted.\n", t.RenderMarkdown(), each(all[0].total), each(all[1].total+all[2].total))
	return b.String()
}
