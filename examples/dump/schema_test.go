package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/dump/internal/rows"
)

// TestColumnsAreDocumented checks that schema.md has every column of the tables with its type, its
// unit and its meaning. With -update it writes them.
func TestColumnsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("schema.md")
	require.NoError(t, err)
	want, _, _ := strings.Cut(string(text), "## ")
	require.Contains(t, want, "The schema has version "+rows.Version+".")
	want += columnsOf[rows.Message](t, "messages", "A row is a message on a link.") +
		columnsOf[rows.Event](t, "events", "A row is an event of package match.") +
		columnsOf[rows.State](t, "states", "A row is a ship after an update, as the link of its player has seen it. If that link is not in the input, it is\nthe first link that shows the ship, and another one after two seconds without an update.")
	want = strings.TrimSuffix(want, "\n")
	if *update {
		require.NoError(t, os.WriteFile("schema.md", []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "go test ./dump -run Columns -update writes the tables")
}

// columnsOf returns the section of a table.
func columnsOf[R any](t *testing.T, table, meaning string) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n\n| Column | Type | Unit | NULL | Meaning |\n|---|---|---|---|---|\n", table, meaning)
	fields := reflect.TypeFor[R]()
	columns := parquet.SchemaOf(new(R)).Fields()
	require.Equal(t, fields.NumField(), len(columns))
	for i, c := range columns {
		tag := fields.Field(i).Tag
		require.NotEmpty(t, tag.Get("doc"), c.Name())
		null := ""
		if c.Optional() {
			null = "yes"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", c.Name(), typeName(c), tag.Get("unit"), null, tag.Get("doc"))
	}
	return b.String() + "\n"
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
