package project

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/bcwire/bcwire/checksum"
	_ "github.com/bcwire/bcwire/cipher"
	_ "github.com/bcwire/bcwire/compress"
	_ "github.com/bcwire/bcwire/gamespy"
	_ "github.com/bcwire/bcwire/gamespy/query"
	_ "github.com/bcwire/bcwire/join"
	_ "github.com/bcwire/bcwire/match"
	_ "github.com/bcwire/bcwire/objectid"
	_ "github.com/bcwire/bcwire/opcode"
	_ "github.com/bcwire/bcwire/stateupdate"
	_ "github.com/bcwire/bcwire/stream"
	_ "github.com/bcwire/bcwire/transport"
	_ "github.com/bcwire/bcwire/transport/recording"
	_ "github.com/bcwire/bcwire/transport/udp"
)

// house lists the packages of the library that each package imports: only those below it.
var house = map[string]string{
	"cipher":              "",
	"compress":            "",
	"objectid":            "",
	"transport/recording": "",
	"stream":              "compress objectid",
	"gamespy":             "internal/clock internal/limit internal/stock stream", // stream for its text conversion only
	"gamespy/query":       "gamespy internal/limit",
	"internal/clock":      "",
	"internal/limit":      "",
	"internal/openbc":     "objectid opcode transport",
	"internal/stock":      "",
	"transport":           "internal/clock internal/limit objectid stream",
	"opcode":              "compress objectid stream",
	"checksum":            "opcode stream transport", // transport for its limit of payloads only
	"stateupdate":         "compress internal/clock objectid opcode stream",
	"join":                "checksum internal/clock internal/limit internal/openbc internal/stock objectid opcode stateupdate stream transport",
	"match":               "cipher internal/openbc objectid opcode stateupdate transport transport/recording",
	"transport/udp":       "cipher internal/limit join objectid opcode transport",
}

// The library has the packages of the house, which import only what lies below them, and nothing but
// the standard library besides. Only the packages with sockets import net.
func TestImportsGoDown(t *testing.T) {
	found := map[string]string{}
	for line := range strings.Lines(run(t, root, "go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")) {
		words := strings.Fields(line)
		name := strings.TrimPrefix(words[0], module+"/")
		if name == "testdata" { // what tests share
			continue
		}
		var inside []string
		for _, path := range words[1:] {
			if below, ok := strings.CutPrefix(path, module+"/"); ok {
				inside = append(inside, below)
				continue
			}
			require.NotContains(t, path, ".", "%s: not of the standard library", name)
			require.NotContains(t, []string{"reflect", "unsafe"}, path, name)
			require.True(t, path != "net" || name == "transport/udp" || name == "gamespy/query", name)
		}
		found[name] = strings.Join(inside, " ")
	}
	require.Equal(t, house, found)
}

// No code of the library runs at import: the runtime traces the packages that initialise something.
func TestNothingHappensAtImport(t *testing.T) {
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	trace, err := cmd.CombinedOutput()
	require.NoError(t, err)
	packages := regexp.MustCompile(`init `+module+`/[a-df-z].*`).FindAllString(string(trace), -1)
	require.NotEmpty(t, packages, "the runtime traces")
	for _, line := range packages {
		require.Regexp(t, " 0 bytes, 0 allocs$", line)
	}
}
