package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const goFile = `// Package p does well
// to wait. What follows is
// likewise a comment. Whatever it says, that is fine.
package p

import "fmt" // Those are imports.

// F prints.
//
//	what is more: code
//
// Who calls it?
func F() {
	fmt.Println("so is a text") // a calendar; in politeness it is
	// so
	// does a comment
}
`

const markdownFile = "# What a title\n\nIt is\nof no use.\n\n```\nlikewise\n```\n\nThose are `code`. Who?\n"

// The command prints phrases in comments and in Markdown with the line of each.
func TestAdvice(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.go": goFile, "b.md": markdownFile, "c_gen.go": goFile, ".git/d.md": markdownFile, "e.txt": markdownFile} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	var b strings.Builder
	require.NoError(t, advise(&b, dir))
	require.Equal(t, []string{
		"a.go:1: does well", "a.go:2: What", "a.go:3: likewise", "a.go:6: Those", "a.go:12: Who", "a.go:15: so does",
		"b.md:4: of no use", "b.md:10: Those", "b.md:10: Who",
	}, strings.Split(strings.TrimSpace(b.String()), "\n"))
}
