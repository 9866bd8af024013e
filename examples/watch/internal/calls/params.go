package calls

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"unicode/utf8"
)

// params reads the parameters of a request. The first error is kept.
type params struct {
	values url.Values
	err    error
}

// parse returns the parameters of a query.
func parse(query string) params {
	values, err := url.ParseQuery(query)
	if err != nil {
		err = fmt.Errorf("the parameters are malformed: %w", err)
	}
	return params{values, err}
}

// Limits of parameters.
const (
	maxNumber = 1<<31 - 1
	maxTime   = 2e15 // seconds; no match has such times
	maxParam  = 1000 // bytes
)

func (p *params) fail(name, format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("%s: "+format, append([]any{name}, args...)...)
	}
}

// has reports whether a parameter is present and not empty.
func (p *params) has(name string) bool { return p.values.Get(name) != "" }

// integer returns a number from least to most, or the default if the parameter is missing.
func (p *params) integer(name string, standard, least, most int) int {
	if !p.has(name) {
		return standard
	}
	n, err := strconv.Atoi(p.values.Get(name))
	if err != nil || n < least || n > most {
		p.fail(name, "give a whole number from %d to %d", least, most)
		return standard
	}
	return n
}

// required returns a number from least on. It is the number of a thing.
func (p *params) required(name, thing string, least int) int {
	if !p.has(name) {
		p.fail(name, "give the number of a %s", thing)
	}
	return p.integer(name, least, least, maxNumber)
}

// link returns the number of a link of /api/info.
func (p *params) link() int { return p.required("link", "link of /api/info", 1) }

// seconds returns a time, or the default if the parameter is missing.
func (p *params) seconds(name string, standard float64) float64 {
	if !p.has(name) {
		return standard
	}
	t, err := strconv.ParseFloat(p.values.Get(name), 64)
	if err != nil || math.IsNaN(t) || math.Abs(t) > maxTime {
		p.fail(name, "give a time in seconds, such as 12.5")
	}
	return t
}

// text returns a text, which may be missing.
func (p *params) text(name string) string {
	t := p.values.Get(name)
	if len(t) > maxParam || !utf8.ValidString(t) {
		p.fail(name, "give at most %d bytes of UTF-8", maxParam)
		return ""
	}
	return t
}
