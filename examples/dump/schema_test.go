package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/rows"
)

// columnsHead is the head of the table of columns in queries.md.
const columnsHead = "| Column | Type | Unit | NULL | Meaning |\n|---|---|---|---|---|\n"

// TestColumnsAreDocumented checks that queries.md has every column of the schema with its type, its
// unit and its meaning. With -update it writes them.
func TestColumnsAreDocumented(t *testing.T) {
	var table strings.Builder
	schema := parquet.SchemaOf(rows.Row{})
	columns := schema.Fields()
	fields := reflect.TypeFor[rows.Row]()
	require.Equal(t, fields.NumField(), len(columns))
	for i, c := range columns {
		tag := fields.Field(i).Tag
		require.NotEmpty(t, tag.Get("doc"), c.Name())
		null := ""
		if c.Optional() {
			null = "yes"
		}
		fmt.Fprintf(&table, "| %s | %s | %s | %s | %s |\n", c.Name(), typeName(c), tag.Get("unit"), null, tag.Get("doc"))
	}
	text, err := os.ReadFile("queries.md")
	require.NoError(t, err)
	before, _, ok := strings.Cut(string(text), columnsHead)
	require.True(t, ok)
	require.Contains(t, before, "The schema has version "+rows.Version+".")
	want := before + columnsHead + table.String()
	if *update {
		require.NoError(t, os.WriteFile("queries.md", []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "go test ./dump -update writes the table")
}

// typeName returns the type of a column for readers.
func typeName(c parquet.Field) string {
	switch name := c.Type().String(); name {
	case "STRING":
		return "text"
	case "BYTE_ARRAY":
		return "bytes"
	case "INT(32,true)":
		return "int32"
	case "INT(64,true)":
		return "int64"
	default:
		return strings.ToLower(name)
	}
}
