package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/examples/internal/terminal/terminaltest"
)

// Control characters in file names do not reach the terminal.
func TestHostileFileNames(t *testing.T) {
	dir := filepath.Join(t.TempDir(), terminaltest.FileName())
	require.NoError(t, os.Rename(game(t, map[string][]byte{"scripts/ships/odd\u00ad.pyc": nil}), dir))
	ships := filepath.Join(dir, "scripts", "ships")
	require.NoError(t, os.WriteFile(filepath.Join(ships, "soft\u00ad\u00a0x.pyc"), []byte("text"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(ships, terminaltest.FileName()), []byte("text"), 0o600))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(ships, "a"+terminaltest.FileName())))
	empty := filepath.Join(t.TempDir(), terminaltest.FileName())
	require.NoError(t, os.Mkdir(empty, 0o700))
	bad := filepath.Join(t.TempDir(), terminaltest.FileName())
	require.NoError(t, os.WriteFile(bad, []byte("{\x1b"), 0o600))
	for name, args := range map[string][]string{
		"scan":              {dir},
		"name":              {"-name", terminaltest.Hostile, dir},
		"file":              {"-o", filepath.Join(t.TempDir(), terminaltest.FileName()), dir},
		"no such directory": {filepath.Join(empty, terminaltest.FileName())},
		"no game":           {empty},
		"no directory":      {bad},
		"full disk":         {"-o", filepath.Join(empty, terminaltest.FileName(), "x"), dir},
		"compare":           {"-compare", dir, "vanilla"},
		"no manifest":       {"-compare", "vanilla", bad},
		"no such file":      {"-compare", bad + "x", "vanilla"},
		"flag":              {"-" + terminaltest.Hostile},
	} {
		t.Run(name, func(t *testing.T) {
			res := runManifest(t, "", args...)
			complaint, _, _ := strings.Cut(res.stderr, "Usage:")
			require.NotZero(t, res.status)
			require.Contains(t, res.stdout+complaint, "forged")
			terminaltest.RequirePlain(t, res.stdout)
			terminaltest.RequirePlain(t, complaint)
		})
	}
}

// Control characters in the texts of a manifest do not reach the terminal.
func TestHostileManifest(t *testing.T) {
	same := game(t, nil)
	const evil = `x\u001b[2J\nforged: line\u009b\u202e`
	for name, text := range map[string]string{
		"texts":   `{"schema":"bc-checksum-manifest/1","name":"` + evil + `","note":"` + evil + `","rounds":[]}`,
		"version": `{"schema":"bc-checksum-manifest/1","game_version":"` + evil + `","rounds":[]}`,
		"schema":  `{"schema":"` + evil + `"}`,
		"key":     `{"schema":"bc-checksum-manifest/1","` + evil + `":5,"rounds":"` + evil + `"}`,
		"dir":     `{"schema":"bc-checksum-manifest/1","rounds":[{"index":2,"dir":"scripts/` + evil + `","filter":"*.pyc","tree":{}}]}`,
		"hash":    `{"schema":"bc-checksum-manifest/1","rounds":[{"index":2,"dir":"` + evil + `","dir_hash":"0x1"}]}`,
		"filter":  `{"schema":"bc-checksum-manifest/1","rounds":[{"index":2,"dir":"scripts/ships","filter":"` + evil + `","tree":{}}]}`,
		"file":    `{"schema":"bc-checksum-manifest/1","rounds":[{"index":2,"dir":"scripts/ships","tree":{"files":[{"name":"` + evil + `"}]}}]}`,
		"soft":    `{"schema":"bc-checksum-manifest/1","rounds":[{"index":2,"dir":"scripts/ships\u00ad","filter":"*\u00ad","tree":{"files":[{"name":"\u00ad\u00a0","content_hash":["0x1"]}]}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, args := range [][]string{{"-compare", "-", same}, {"-compare", same, "-"}} {
				res := runManifest(t, text, args...)
				terminaltest.RequirePlain(t, res.stdout)
				terminaltest.RequirePlain(t, res.stderr)
			}
		})
	}
}
