package league

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/bcwire/bcwire/examples/watch/internal/report"
)

// tables are the names of the tables.
var tables = []string{"matches", "players", "kills", "hits", "losses"}

// writeTables writes all tables as CSV and Parquet.
func writeTables(dir string, all []*Match) error {
	var matches []Match
	var players []Player
	var kills []Kill
	var hits []Hit
	var losses []Loss
	for _, m := range all {
		matches, players, kills, hits, losses = append(matches, *m), append(players, m.Players...), append(kills, m.Kills...), append(hits, m.Hits...), append(losses, m.Losses...)
	}
	for _, write := range []func() error{
		func() error { return writeTable(dir, "matches", matches) }, func() error { return writeTable(dir, "players", players) },
		func() error { return writeTable(dir, "kills", kills) }, func() error { return writeTable(dir, "hits", hits) }, func() error { return writeTable(dir, "losses", losses) },
	} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

func writeTable[R any](dir, name string, rows []R) error {
	kind := reflect.TypeFor[R]()
	var columns []int
	var head []any
	for i := range kind.NumField() {
		if column, _, _ := strings.Cut(kind.Field(i).Tag.Get("parquet"), ","); column != "-" {
			columns, head = append(columns, i), append(head, column)
		}
	}
	lines := [][]any{head}
	for i := range rows {
		line, row := []any{}, reflect.ValueOf(&rows[i]).Elem()
		for _, c := range columns {
			value := row.Field(c).Interface()
			if t, ok := value.(time.Time); ok {
				value = t.Format(time.RFC3339)
			}
			line = append(line, value)
		}
		lines = append(lines, line)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".csv"), []byte(report.Sheet(lines)), 0o644); err != nil {
		return err
	}
	return parquet.WriteFile(filepath.Join(dir, name+".parquet"), rows)
}
