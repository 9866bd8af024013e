// Package rows writes matches as Parquet tables for DuckDB, ClickHouse and Spark: messages, events
// and states, with a [Message], an [Event] or a [State] per row. A [Source] turns an input into rows.
// A [Target] is a file for each table, or a directory with files for each input and match.
package rows

import (
	"math"
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

// columns add the values of a row, in the order of the columns. In optional columns, an empty text and a nil
// pointer are NULL.
type columns struct {
	all  []column
	next int
	size int // of the bytes in all rows
}

func (c *columns) column() *column {
	c.next++
	return &c.all[c.next-1]
}

func (c *columns) text(s string)    { c.column().text(s) }
func (c *columns) long(n int64)     { c.column().number(uint64(n)) }
func (c *columns) number(n int32)   { c.long(int64(n)) }
func (c *columns) float(f float32)  { c.column().number(uint64(math.Float32bits(f))) }
func (c *columns) double(f float64) { c.column().number(math.Float64bits(f)) }

func (c *columns) bool(b bool) {
	if b {
		c.long(1)
	} else {
		c.long(0)
	}
}

func (c *columns) someText(s string) {
	if s == "" {
		c.column().null()
	} else {
		c.text(s)
	}
}

func (c *columns) someBytes(b []byte) {
	if b == nil {
		c.column().null()
	} else {
		c.column().bytes(b)
		c.size += len(b)
	}
}

// some adds a value with a method, unless it is nil.
func some[T any](c *columns, v *T, add func(*columns, T)) {
	if v == nil {
		c.column().null()
	} else {
		add(c, *v)
	}
}

func (c *columns) someNumber(n *int32)   { some(c, n, (*columns).number) }
func (c *columns) someFloat(f *float32)  { some(c, f, (*columns).float) }
func (c *columns) someDouble(f *float64) { some(c, f, (*columns).double) }

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
