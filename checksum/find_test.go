package checksum_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/bcwire/bcwire/checksum"
)

// Filters match like the corresponding regular expressions.
func TestScanFilter(t *testing.T) { rapid.Check(t, propertyScanFilter) }

func FuzzScanFilterProperty(f *testing.F) { f.Fuzz(rapid.MakeFuzz(propertyScanFilter)) }

func propertyScanFilter(t *rapid.T) {
	filter := rapid.StringOfN(rapid.SampledFrom([]rune("**??aAbé.")), 1, 8, -1).Draw(t, "filter")
	name := rapid.StringOfN(rapid.SampledFrom([]rune("aAbBéÉ.€x")), 1, 8, -1).Draw(t, "name") + "z"
	filter += rapid.SampledFrom([]string{"", "*", "z", "Z", "?"}).Draw(t, "end")
	want := filter == "*.*" || fits(filter, name)
	m, err := checksum.Scan(disk("scripts/"+name), []checksum.Round{{Dir: "scripts", Filter: filter}})
	require.NoError(t, err)
	require.Equal(t, want, len(m.Rounds[0].Tree.Files) == 1, "%q %q", filter, name)
}

// A question mark matches a character, even if it has several bytes.
func TestScanFilterCharacters(t *testing.T) {
	files := disk("scripts/€xy", "scripts/a€xy", "scripts/€€", "scripts/é")
	for filter, want := range map[string][]string{
		"*??xy": {"a€xy"},
		"*???":  {"a€xy", "€xy"},
		"??":    {"€€"},
		"*?":    {"a€xy", "€xy", "€€", "é"},
	} {
		require.ElementsMatch(t, want, scan(t, files, filter, false), "%q", filter)
	}
}

func fits(filter, name string) bool {
	expr := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(filter))
	return regexp.MustCompile("(?is)^" + expr + "$").MatchString(name)
}
