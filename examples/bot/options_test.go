package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/examples/bot/internal/hosttest"
	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/opcode"
)

func TestUsage(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Equal(t, 0, run(context.Background(), []string{"-h"}, &stdout, &stderr))
	require.Contains(t, stderr.String(), "Usage: bot")
	for args, want := range map[string]string{
		"-nonsense":                       "not defined",
		"extra":                           `"extra": unexpected argument`,
		"-ship deathstar":                 `-ship "deathstar": no such class`,
		"-addr 127.0.0.1:0":               "-addr 127.0.0.1:0: the port must be a number",
		"-addr 127.0.0.1:99999":           "-addr 127.0.0.1:99999: the port must be a number",
		"-addr 127.0.0.1:bc":              "-addr 127.0.0.1:bc: the port must be a number",
		"-name=":                          "-name: empty; give a name",
		"-name=\u00A0":                    "-name: empty; give a name",
		"-name A\x01":                     "no control characters",
		"-say a\x1b[2J":                   "no control characters",
		"-addr=":                          "-addr: empty; give HOST[:PORT]",
		"-files=":                         "-files: empty; give PATH",
		"-duration -1s":                   "-duration -1s is negative",
		"-name " + long:                   "name: 33 characters, at most 32",
		"-say " + strings.Repeat(long, 9): "chat: ",
		"-seed x":                         "invalid value",
		"-skill -1":                       "-skill -1 is not between 0 and 3",
		"-skill 4":                        "-skill 4 is not between 0 and 3",
		"-name ☃":                         `player: name: stream: character cannot be encoded: "☃" at offset 0 is not in Windows-1252`,
	} {
		stdout.Reset()
		stderr.Reset()
		require.Equal(t, terminal.ExitUsage, run(context.Background(), strings.Fields(args), &stdout, &stderr), args)
		require.Contains(t, stderr.String(), want)
		require.Empty(t, stdout.String())
	}
}

// The flags -fire and -skill reach the pilot.
func TestFlagsOfFighters(t *testing.T) {
	for skill := range 4 {
		o, err := parseOptions([]string{"-fire", "-skill", strconv.Itoa(skill)}, io.Discard)
		require.NoError(t, err)
		require.True(t, o.player.Fire)
		require.Equal(t, skill, o.player.Skill)
	}
	o, err := parseOptions(nil, io.Discard)
	require.NoError(t, err)
	require.False(t, o.player.Fire)
}

var long = strings.Repeat("x", 33)

// installation returns a directory with some files of the game.
func installation(t *testing.T) string {
	dir := t.TempDir()
	for _, name := range []string{"App.pyc", "ships/Galaxy.pyc", "mainmenu/mainmenu.pyc", "Multiplayer/Modifier.pyc"} {
		path := filepath.Join(dir, "scripts", name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(name), 0o600))
	}
	return dir
}

func TestFiles(t *testing.T) {
	o := options{}
	m, err := o.manifest()
	require.NoError(t, err)
	require.Equal(t, checksum.Vanilla(), m)

	o.files = installation(t)
	m, err = o.manifest()
	require.NoError(t, err)
	require.Equal(t, []opcode.Hash{opcode.Hash(checksum.FileHash([]byte("App.pyc")))}, m.Round(0).Tree.Files[0].Content)

	saved := filepath.Join(t.TempDir(), "saved.json")
	f, err := os.Create(saved)
	require.NoError(t, err)
	require.NoError(t, m.Save(f))
	require.NoError(t, f.Close())
	o = options{files: saved}
	again, err := o.manifest()
	require.NoError(t, err)
	require.Empty(t, checksum.Compare(m, again))
}

// A missing directory is reported, and the other files are used.
func TestFilesIncomplete(t *testing.T) {
	t.Parallel()
	dir := installation(t)
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "scripts", "ships")))
	b := start(listen(t, hosttest.Options{}), "-files", dir, "-ship", "none")
	b.until(t, "plays in")
	b.stop()
	require.Equal(t, 0, b.wait(t))
	require.Regexp(t, `^bot: checksum: scripts/ships: .+\n$`, b.stderr.String())
}

// An error is reported once.
func TestFilesUnreadable(t *testing.T) {
	var stdout, stderr bytes.Buffer
	require.Equal(t, terminal.ExitFailed, run(context.Background(), []string{"-files", t.TempDir()}, &stdout, &stderr))
	require.Equal(t, 1, strings.Count(stderr.String(), "\n"), stderr.String())
}

// The default port is the port of the game.
func TestAddr(t *testing.T) {
	for arg, want := range map[string]string{"10.0.0.1": "10.0.0.1:22101", "10.0.0.1:7": "10.0.0.1:7"} {
		o, err := parseOptions([]string{"-addr", arg}, io.Discard)
		require.NoError(t, err)
		require.Equal(t, want, o.addr)
	}
}

// Without files the bot does not connect.
func TestFilesMissing(t *testing.T) {
	bad := filepath.Join(t.TempDir(), "bad.json")
	require.NoError(t, os.WriteFile(bad, []byte("{}"), 0o600))
	for want, args := range map[string][]string{
		"no such file":         {"-files", filepath.Join(t.TempDir(), "missing")},
		"no files of the game": {"-files", t.TempDir()},
		"open ":                {"-files", filepath.Join(t.TempDir(), "missing")},
		"invalid manifest":     {"-files", bad},
	} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, terminal.ExitFailed, run(context.Background(), args, &stdout, &stderr))
		require.Contains(t, stderr.String(), want)
		require.Empty(t, stdout.String())
	}
}
