package licenses

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Modules without a license are refused, and packages may have licenses of their own.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner")
	require.NoError(t, os.Mkdir(inner, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(inner, "COPYING"), []byte("inner"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(inner, "license.go"), []byte("package inner"), 0o600))
	pkg := Package{ImportPath: "example.com/m/inner", Dir: inner}
	_, _, err := Find([]Package{pkg})
	require.EqualError(t, err, "example.com/m/inner belongs to no module")
	pkg.Module = &struct{ Path, Version, Dir string }{"example.com/m", "v1.0.0", dir}
	_, _, err = Find([]Package{pkg})
	require.EqualError(t, err, "example.com/m v1.0.0 has no license in "+dir)
	_, _, err = Find([]Package{{ImportPath: "example.com/m", Dir: filepath.Dir(dir), Module: pkg.Module}})
	require.EqualError(t, err, filepath.Dir(dir)+" is not in "+dir)

	require.NoError(t, os.WriteFile(filepath.Join(dir, "LICENSE.md"), []byte("outer"), 0o600))
	parts, texts, err := Find([]Package{pkg})
	require.NoError(t, err)
	require.Equal(t, []Part{{"example.com/m", "v1.0.0", dir}}, parts)
	require.Equal(t, map[string][]byte{
		"example.com/m@v1.0.0/LICENSE.md":    []byte("outer"),
		"example.com/m@v1.0.0/inner/COPYING": []byte("inner"),
	}, texts)
}

// The packages of this test and of the program server are those of the repository, of Go with its
// vendored packages, and of modules.
func TestFindPackagesOfATest(t *testing.T) {
	text, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-test", "-json="+Fields, ".", "../../server").Output()
	require.NoError(t, err)
	packages, err := Parse(text)
	require.NoError(t, err)
	parts, texts, err := Find(packages)
	require.NoError(t, err)
	versions := map[string]string{}
	for _, p := range parts {
		versions[p.Path] = p.Version
	}
	for name := range texts {
		require.True(t, fs.ValidPath(name), name)
	}
	require.NotEmpty(t, texts["std@"+versions["std"]+"/src/vendor/golang.org/x/sys/LICENSE"])
	require.Contains(t, versions, "github.com/bcwire/bcwire/examples")
	require.Empty(t, versions["github.com/bcwire/bcwire/examples"])
	require.Equal(t, strings.TrimPrefix(runtime.Version(), "go"), versions["std"])
	require.Contains(t, string(texts["std@"+versions["std"]+"/LICENSE"]), "Go Authors")
	require.Contains(t, string(texts["github.com/stretchr/testify@"+versions["github.com/stretchr/testify"]+"/LICENSE"]), "MIT License")
	_, err = Parse([]byte("{"))
	require.ErrorContains(t, err, "go list: unexpected EOF")
}
