package main

import (
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// suite is the results of the benchmarks of all packages, in their order.
type suite struct {
	packages []string
	cpu      string
	rows     map[string][]*row // by package
}

// row is the results of a benchmark.
type row struct {
	name   string
	values map[string][]float64 // by unit, one for each run
}

// best returns the smallest value with a unit.
func (r *row) best(unit string) (v float64, ok bool) {
	if len(r.values[unit]) == 0 {
		return 0, false
	}
	return slices.Min(r.values[unit]), true
}

// median returns the median of the values with a unit.
func (r *row) median(unit string) (v float64, ok bool) {
	all := slices.Sorted(slices.Values(r.values[unit]))
	if len(all) == 0 {
		return 0, false
	}
	return all[len(all)/2], true
}

func parse(r io.Reader) (*suite, error) {
	s := &suite{rows: map[string][]*row{}}
	in := benchfmt.NewReader(r, "")
	for in.Scan() {
		switch record := in.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, record
		case *benchfmt.Result:
			s.add(record)
		}
	}
	return s, in.Err()
}

func (s *suite) add(result *benchfmt.Result) {
	pkg := strings.TrimPrefix(result.GetConfig("pkg"), "github.com/bcwire/bcwire/")
	if !slices.Contains(s.packages, pkg) {
		s.packages = append(s.packages, pkg)
	}
	s.cpu = result.GetConfig("cpu")
	name := result.Name.String()
	if cut := strings.LastIndexByte(name, '-'); cut > 0 {
		name = name[:cut] // GOMAXPROCS
	}
	i := slices.IndexFunc(s.rows[pkg], func(r *row) bool { return r.name == name })
	if i < 0 {
		i = len(s.rows[pkg])
		s.rows[pkg] = append(s.rows[pkg], &row{name, map[string][]float64{}})
	}
	for _, v := range result.Values {
		s.rows[pkg][i].values[v.Unit] = append(s.rows[pkg][i].values[v.Unit], v.Value)
	}
}

// number returns a number with three significant digits, and at least all digits before the
// decimal point.
func number(v float64) string {
	if math.Abs(v) >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}
