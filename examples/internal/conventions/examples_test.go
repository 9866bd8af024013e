package conventions

import (
	"go/doc"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// tasks are the common tasks of users, with the example of each.
var tasks = map[string]string{
	"decode a datagram":       "opcode.Example",
	"walk messages":           "transport.ExampleMessages",
	"answer one":              "opcode.Example_answer",
	"follow a join":           "opcode.Example_join",
	"make a kill feed":        "opcode.ExamplePythonEvent_Killed",
	"authorize a message":     "opcode.ExampleAuthorize",
	"define a mod's message":  "opcode.ExampleDecoder_Register",
	"dissect":                 "opcode.ExampleDissect",
	"inspect an error":        "opcode.ExampleDecode_error",
	"split a subsystem block": "stateupdate.ExampleClass_Block",
	"follow a ship":           "stateupdate.ExampleTracker_Apply",
	"follow deaths":           "stateupdate.ExampleTracker_Life",
	"name a weapon":           "stateupdate.ExampleTracker_Part",
	"draw a radar":            "stateupdate.Example_radar",
	"describe a ship":         "stateupdate.ExampleNewShip",
	"send updates":            "stateupdate.ExampleBroadcaster",
	"drive a Session":         "transport.ExampleSession",
	"observe a link":          "transport.ExampleObserver",
	"query a server":          "query.Example",
	"validate a challenge":    "gamespy.ExampleValidate",
	"hash a file":             "checksum.ExampleFileHash",
	"see who killed whom":     "match.Example",
	"measure lag":             "match.ExampleMatch_Links",
	"find cheaters":           "match.ExampleStep_antiCheat",
	"follow a live match":     "match.ExampleMatch_Receive",
	"read a recording":        "recording.ExampleRead",
	"write a recording":       "recording.ExampleAppend",
}

// Every package and every task has an example. All examples have an // Output comment, so that go
// test runs them.
func TestExamples(t *testing.T) {
	var names []string
	for path, p := range documentation(t) {
		n := len(names)
		for _, e := range examplesOf(p) {
			require.True(t, e.Output != "" || e.EmptyOutput, "%s: Example%s has no // Output", path, e.Name)
			names = append(names, p.Name+".Example"+e.Name)
		}
		require.Greater(t, len(names), n, "%s: no example", path)
	}
	for task, name := range tasks {
		require.Contains(t, names, name, task)
	}
}

func examplesOf(p *doc.Package) []*doc.Example {
	all := slices.Clone(p.Examples)
	for _, f := range functions(p) {
		all = append(all, f.Examples...)
	}
	for _, typ := range p.Types {
		all = append(all, typ.Examples...)
	}
	return all
}
