// Package rows writes matches as Parquet tables for DuckDB, ClickHouse and Spark: messages, events
// and states, with a [Message], an [Event] or a [State] per row. A [Source] turns an input into rows.
// A [Target] is a file for each table, or a directory with files for each input and match.
package rows

import (
	"unicode/utf8"

	"github.com/bcwire/bcwire/objectid"
)

// Version is the version of the schema. A column that is added keeps the version. A column that is
// removed, or that changes its name, type, unit or meaning, increments it.
const Version = "2"

// VersionKey is the key of [Version] in the metadata of a file.
const VersionKey = "bcwire.schema"

// The tables.
const (
	Messages = "messages"
	Events   = "events"
	States   = "states"
)

// Tables are all tables.
var Tables = []string{Messages, Events, States}

// ids holds the texts of object IDs, so that a text needs no memory for each row.
type ids map[objectid.ID]string

// maxIDs is the number of texts that are kept. A match has some hundred objects.
const maxIDs = 1 << 14

// of returns the text of an ID, or "" for none.
func (x *ids) of(id objectid.ID) string {
	if id == objectid.None {
		return ""
	}
	text, ok := (*x)[id]
	if !ok {
		if *x == nil || len(*x) >= maxIDs {
			*x = ids{}
		}
		text = id.String()
		(*x)[id] = text
	}
	return text
}

// small are the numbers of 16 bits, so that a number in an optional column needs no memory.
var small = func() (all [1 << 16]int32) {
	for i := range all {
		all[i] = int32(i)
	}
	return all
}()

// number returns a number for an optional column. Numbers of the wire fit; larger counts stop at
// the maximum.
func number[T ~uint8 | ~uint16 | ~int | ~int32](n T) *int32 {
	v := int32(min(int64(n), 1<<31-1))
	if v >= 0 && int(v) < len(small) {
		return &small[v]
	}
	return &v
}

// valid returns a text with U+FFFD in place of each byte that is not UTF-8, as in -json.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return string([]rune(s))
}
