package checksum_test

import (
	"strings"
	"testing"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// row has no offset: a manifest, a path and a filter are texts, and errors quote them.
func row(name, in string, want error) testdata.Hostile {
	return testdata.Hostile{Name: name, In: []byte(in), Want: want, Offset: testdata.NoOffset}
}

func TestHostile(t *testing.T) {
	in := &checksum.Installation{FS: disk("scripts/"+strings.Repeat("a", 200)+".pyc", "scripts/App.pyc")}
	for _, group := range []struct {
		name   string
		rows   []testdata.Hostile
		decode func(in []byte) error
	}{
		{"LoadManifest", hostileManifests(), func(in []byte) error { _, err := load(string(in)); return err }},
		{"LocalPath", hostilePaths, func(in []byte) error { _, err := checksum.LocalPath(in); return err }},
		{"Filter", hostileFilters, func(filter []byte) error {
			_, err := in.Response(&opcode.ChecksumRequest{Dir: stream.Text("scripts/"), Filter: filter})
			return err
		}},
		{"Dir", hostileDirs, func(dir []byte) error {
			_, err := in.Response(&opcode.ChecksumRequest{Dir: dir, Filter: stream.Text("App.pyc")})
			return err
		}},
	} {
		t.Run(group.name, func(t *testing.T) {
			testdata.TryHostile(t, group.rows, func(in []byte) (int, error) {
				return testdata.NoOffset, group.decode(in)
			})
		})
	}
	t.Run("ServerExchange", hostileClients)
	t.Run("Stock", hostileStock)
	t.Run("ClientExchange", hostileHosts)
}

func hostileManifests() []testdata.Hostile {
	const open = `{"schema":"bc-checksum-manifest/1",`
	bad := checksum.ErrManifest
	dirs := func(n int) string {
		return withTree("", strings.Repeat(`{"name":"d","dirs":[`, n)+strings.Repeat("]}", n))
	}
	name := func(s string) string { return withTree(`{"name":"`+s+`","content_hash":["0x1"]}`, "") }
	hash := func(s string) string { return withTree(`{"name":"a","content_hash":[`+s+`]}`, "") }
	round := func(s string) string { return manifestWith(`{"index":` + s + `,"dir":"scripts"}`) }
	return []testdata.Hostile{
		row("nothing", "", bad),
		row("cut in a name", open+`"name":"va`, bad),
		row("two manifests", manifestWith("")+"{}", bad),
		row("not a number", round("NaN"), bad),
		row("a list 100,000 deep", strings.Repeat("[", 100_000), bad),
		row("index -1", round("-1"), bad),
		row("index 256", round("256"), bad),
		row("index 1e2", round("1e2"), bad),
		row("index of no round", round("4"), checksum.ErrForged),
		row("a round twice", manifestWith(`{"index":1,"dir":"a"},{"index":1,"dir":"a"}`), checksum.ErrOutOfOrder),
		row("rounds in another order", manifestWith(`{"index":255,"dir":"a"},{"index":1,"dir":"a"}`), checksum.ErrOutOfOrder),
		row("5,000 rounds", manifestWith(repeat(`{"index":1,"dir":"a"}`, 5000)), checksum.ErrOutOfOrder),
		row("rounds told twice", open+`"rounds":[{"index":4,"dir":"a"}],"rounds":[]}`, nil),
		row("no directory", manifestWith(`{"index":2}`), checksum.ErrName),
		row("directory outside", manifestWith(`{"index":2,"dir":"../scripts"}`), checksum.ErrName),
		row("directory of another system", manifestWith(`{"index":2,"dir":"C:\\scripts"}`), checksum.ErrName),
		row("directory in Chinese", manifestWith(`{"index":2,"dir":"世"}`), stream.ErrText),
		row("NUL in a filter", manifestWith(`{"index":2,"dir":"a","filter":"\u0000"}`), checksum.ErrName),
		row("filter of 256 bytes", manifestWith(`{"index":2,"dir":"a","filter":"`+strings.Repeat("*", 256)+`"}`), checksum.ErrName),
		row("version of 256 bytes", open+`"game_version":"`+strings.Repeat("6", 256)+`"}`, checksum.ErrName),
		row("name that leads out", name(".."), checksum.ErrName),
		row("name that is a path", name("a/b"), checksum.ErrName),
		row("name that is a device", name("nul.pyc"), checksum.ErrName),
		row("name of a terminal's commands", name(`\u001b[2J`), checksum.ErrName),
		row("name that is no UTF-8", name("\xFF"), stream.ErrText),
		row("name of half a character", name(`\ud800`), stream.ErrText),
		row("name of a MiB", name(strings.Repeat("a", 1<<20)), checksum.ErrName),
		row("hash without digits", hash(`"0x"`), bad),
		row("hash of nine digits", hash(`"0x123456789"`), bad),
		row("hash below zero", hash(`"0x-1"`), bad),
		row("hash with a gap", hash(`"0x1_0"`), bad),
		row("hash that is a number", hash("12"), bad),
		row("17 directories deep", dirs(16), checksum.ErrDepth),
		row("16 directories deep", dirs(15), nil),
		row("3,000 directories deep", dirs(3000), checksum.ErrDepth),
		row("256 directories", withTree("", repeat(`{"name_hash":"0x1"}`, 256)), checksum.ErrLimit),
		row("a file more than can be sent", withTree(unnamed(12940), ""), checksum.ErrLimit),
		row("as many files as can be sent", withTree(unnamed(12939), ""), nil),
		row("131,072 elements", withTree("", repeat("null", 1<<17)), checksum.ErrLimit),
		row("4 MiB and a byte", manifestWith(strings.Repeat(" ", checksum.MaxManifest)), checksum.ErrLimit),
	}
}

var hostilePaths = []testdata.Hostile{
	row("nothing", "", checksum.ErrName),
	row("256 bytes", strings.Repeat("a", 256), checksum.ErrName),
	row("64 KiB of points", strings.Repeat("../", 21845), checksum.ErrName),
	row("absolute", "/etc/passwd", checksum.ErrName),
	row("absolute on Windows", `\scripts\App.pyc`, checksum.ErrName),
	row("of another host", `\\host\share\x`, checksum.ErrName),
	row("of a drive", "C:App.pyc", checksum.ErrName),
	row("of the device namespace", `\\.\pipe\x`, checksum.ErrName),
	row("up", "scripts/../../x", checksum.ErrName),
	row("up, in both slashes", `scripts\..\..\x`, checksum.ErrName),
	row("up, with a space", "scripts/.. /x", checksum.ErrName),
	row("nowhere", "scripts/./App.pyc", checksum.ErrName),
	row("two slashes", "scripts//App.pyc", checksum.ErrName),
	row("a directory", "scripts/", checksum.ErrName),
	row("a stream of a file", "scripts/App.pyc:x", checksum.ErrName),
	row("a device", "scripts/aux.pyc", checksum.ErrName),
	row("a device with a raised digit", "com\xB9", checksum.ErrName),
	row("a point at the end", "scripts/App.pyc.", checksum.ErrName),
	row("the short form of another", "scripts/MULTIP~1/x", checksum.ErrName),
	row("NUL after an extension", "scripts/App.pyc\x00.txt", checksum.ErrName),
	row("control character without a name", "a\x9D", checksum.ErrName),
	row("wildcard", "scripts/*.pyc", checksum.ErrName),
}

// Of requests to a client that answers any.
var hostileFilters = []testdata.Hostile{
	row("255 stars", strings.Repeat("*", 255), nil),
	row("a star for each letter", strings.Repeat("*a", 127), nil),
	row("256 bytes", strings.Repeat("?", 256), checksum.ErrName),
	row("64 KiB", strings.Repeat("*a", 32767), checksum.ErrName),
	row("a path", "../*", nil),
	row("bytes that are no text", "\x00\x81\xFF[a-", nil),
}

var hostileDirs = []testdata.Hostile{
	row("nothing", "", checksum.ErrName),
	row("up", `scripts\..\..`, checksum.ErrName),
	row("absolute", "/", checksum.ErrName),
	row("64 KiB of slashes", strings.Repeat("/", 65535), checksum.ErrName),
	row("64 KiB of line ends", "scripts/"+strings.Repeat("\r\n", 32000), nil),
	row("a device", "con", checksum.ErrName),
}
