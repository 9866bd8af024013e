//go:build release

package main

import (
	"bytes"
	"debug/buildinfo"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/newmessage"
)

// TestSameBytes builds the archive for Windows twice, the second time from another directory with
// an empty cache. It looks at what the files have. CI runs it with its build tag:
//
//	go test -C examples -tags release ./internal/release
func TestSameBytes(t *testing.T) {
	const version, only = "v0.0.0-test", "windows/amd64"
	root, err := filepath.Abs("../../..")
	require.NoError(t, err)
	build := func(root string, env ...string) map[string][]byte {
		out := filepath.Join(t.TempDir(), "out")
		cmd := exec.CommandContext(t.Context(), "go", "run", "-C", "examples", "./internal/release", "-version", version, "-only", only, "-o", out)
		cmd.Dir, cmd.Env = root, append(os.Environ(), env...)
		text, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", text)
		entries, err := os.ReadDir(out)
		require.NoError(t, err)
		files := map[string][]byte{}
		for _, e := range entries {
			files[e.Name()], err = os.ReadFile(filepath.Join(out, e.Name()))
			require.NoError(t, err)
		}
		return files
	}
	first := build(root)
	elsewhere := t.TempDir()
	newmessage.CopyModules(t, root, elsewhere)
	second := build(elsewhere, "GOWORK="+filepath.Join(elsewhere, "go.work"), "GOCACHE="+t.TempDir(), "GOFLAGS=")
	require.Len(t, first, 3)
	for name, data := range first {
		require.True(t, bytes.Equal(data, second[name]), "%s differs", name)
		t.Logf("%s has %d KiB", name, len(data)>>10)
	}

	name := "bcwire-" + version + "-windows-amd64"
	sums := string(first["SHA256SUMS"])
	require.Equal(t, 2, strings.Count(sums, "\n"))
	require.Contains(t, sums, "  "+name+".zip\n")
	var bom cdx.BOM
	require.NoError(t, cdx.NewBOMDecoder(bytes.NewReader(first["bcwire-"+version+".cdx.json"]), cdx.BOMFileFormatJSON).Decode(&bom))
	listed := map[string]string{}
	for _, c := range *bom.Components {
		listed[c.Name] = c.Version
	}
	inside, modules := map[string]string{}, map[string]bool{"std": true}
	for _, e := range readZip(t, first[name+".zip"]) {
		require.True(t, fs.ValidPath(e.name), e.name)
		inside[strings.TrimPrefix(e.name, name+"/")] = e.text
		if path.Ext(e.name) != ".exe" {
			continue
		}
		info, err := buildinfo.Read(strings.NewReader(e.text))
		require.NoError(t, err)
		modules[info.Main.Path] = true
		for _, m := range info.Deps {
			modules[m.Path] = true
			if !strings.HasPrefix(m.Path, module) {
				require.Equal(t, m.Version, listed[m.Path], m.Path)
			}
		}
	}
	for m := range modules {
		require.Contains(t, listed, m)
	}
	require.Contains(t, listed, "github.com/prometheus/procfs", "the bill of materials has the modules for other platforms")
	programs, err := filepath.Glob("../../*/main.go")
	require.NoError(t, err)
	require.NotEmpty(t, programs)
	for _, p := range programs {
		program := filepath.Base(filepath.Dir(p))
		require.Contains(t, inside, program+".exe")
		require.Contains(t, inside["README.txt"], "\n"+program+" ")
	}
	for _, want := range []string{"LICENSE", "bcwire.lua", "colorfilters", "licenses/std@" + listed["std"] + "/LICENSE", "licenses/github.com/fatih/color@" + listed["github.com/fatih/color"] + "/LICENSE.md"} {
		require.NotEmpty(t, inside[want], want)
	}
}
