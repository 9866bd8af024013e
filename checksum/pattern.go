package checksum

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// pattern is the filter of a round: a name, or a pattern with wildcards.
type pattern struct{ filter, lower string }

func newPattern(filter string) pattern {
	if filter == "" || filter == "*.*" { // also matches names without a dot
		filter = "*"
	}
	return pattern{filter, strings.ToLower(filter)}
}

// match reports whether a name matches as in the file search of Windows. The character *
// stands for any characters, ? for one character, and case does not count.
func (p *pattern) match(name string) bool {
	name = strings.ToLower(name)
	star, resume := -1, 0 // the last *, and the end of the name that it and the pattern before it match
	i, k := 0, 0
	for k < len(name) {
		_, size := utf8.DecodeRuneInString(name[k:])
		switch {
		case i < len(p.lower) && p.lower[i] == '*':
			star, resume = i, k
			i++
		case i < len(p.lower) && p.lower[i] == '?':
			i, k = i+1, k+size
		case i < len(p.lower) && p.lower[i] == name[k]:
			i, k = i+1, k+1
		case star >= 0:
			_, size = utf8.DecodeRuneInString(name[resume:])
			resume += size
			i, k = star+1, resume
		default:
			return false
		}
	}
	return strings.Trim(p.lower[i:], "*") == ""
}

// choose returns one file if the filter is a name, as on Windows. Of files that differ only
// in case, it prefers the exact one.
func (p *pattern) choose(files []entry) []entry {
	if len(files) < 2 || strings.ContainsAny(p.filter, "*?") {
		return files
	}
	i := slices.IndexFunc(files, func(e entry) bool { return e.name == p.filter })
	return files[max(i, 0):][:1]
}
