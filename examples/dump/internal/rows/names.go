package rows

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bcwire/bcwire/examples/capture"
)

// longestSource is the number of bytes of the name of a source. File systems limit a name to 255 bytes.
const longestSource = 200

// Sources returns a name for each input, from the name of its file. A name is part of a path in a
// partitioned directory. It therefore has only letters, digits, spaces and a few signs that need no
// escape in paths, patterns and partitions. All names are different, also where upper and lower
// case are the same.
func Sources(inputs []string) []string {
	taken := map[string]bool{}
	names := make([]string, len(inputs))
	for i, input := range inputs {
		base := sourceName(input)
		name := base
		for n := 2; taken[strings.ToLower(name)]; n++ {
			name = fmt.Sprintf("%s-%d", base, n)
		}
		taken[strings.ToLower(name)] = true
		names[i] = name
	}
	return names
}

// sourceName returns the name of a source from the name of its file. A number is not an extension:
// it is the number of a rotated capture, or part of a date.
func sourceName(input string) string {
	if input == "-" {
		return "stdin"
	}
	base := capture.Unpacked(filepath.Base(input))
	if ext := filepath.Ext(base); ext != base && strings.Trim(ext, ".0123456789") != "" {
		base = strings.TrimSuffix(base, ext)
	}
	var b strings.Builder
	for _, r := range base {
		if r == utf8.RuneError || !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune(" -_.,+()", r) {
			r = '_'
		}
		if b.Len()+utf8.RuneLen(r) > longestSource {
			break
		}
		b.WriteRune(r)
	}
	if strings.EqualFold(b.String(), "null") { // in a path, engines read it as NULL
		b.WriteByte('_')
	}
	return b.String()
}
