// Prose prints phrases in comments and Markdown files that have a plainer replacement, with their
// place. They are advice. The exit status does not depend on them.
//
//	go run -C examples ./internal/prose
package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	log.SetFlags(0)
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/bcwire/bcwire").Output()
	if err != nil {
		log.Fatal("prose: go list: ", err)
	}
	if err := advise(os.Stdout, strings.TrimSpace(string(out))); err != nil {
		log.Fatal("prose: ", err)
	}
}

// phrases have a plain replacement.
var phrases = []string{
	"says that", "says whether", "tells whether", "tells apart", "told apart", "does well", "but for", "likewise",
	"anew", "in the making", "on the word of", "not to be had", "says otherwise", "makes of", "as it was", "those of",
	"that of", "to the brim", "farewell", "polite", "by the way", "what is more", "comes of", "of no use", "has to say",
	"may say", "so is", "so are", "so does", "the other way round", "is news", "knows of", "is worth", "lend", "goodbye",
}

// beginnings hide the subject of a sentence.
var beginnings = []string{"What", "Who", "Those", "With which"}

// advice matches a phrase, or a beginning after the end of a sentence or a paragraph.
var advice = regexp.MustCompile(`(?i:\b(?:` + pattern(phrases) + `)\b)|(?:^|` + string(start) + `|[.!?]["')\]]*\s|\n[ \t\r]*\n)\s*(?:` + pattern(beginnings) + `)\b`)

// pattern matches one of the phrases, also across the end of a line.
func pattern(phrases []string) string {
	return strings.ReplaceAll(strings.Join(phrases, "|"), " ", `\s+`)
}

// advise writes the place of each match below root.
func advise(w io.Writer, root string) error {
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		var visible func([]byte) []byte
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && d.Name() != ".github" && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.IsDir():
			return nil
		case strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_gen.go"):
			visible = comments
		case strings.HasSuffix(file, ".md"):
			visible = paragraphs
		default:
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		text = visible(text)
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		for _, m := range advice.FindAllIndex(text, -1) {
			found := strings.Trim(string(text[m[0]:m[1]]), " \t\r\n.!?\"')]"+string(start))
			line := 1 + bytes.Count(text[:m[1]-len(found)], []byte("\n"))
			if _, err := fmt.Fprintf(w, "%s:%d: %s\n", filepath.ToSlash(name), line, strings.Join(strings.Fields(found), " ")); err != nil {
				return err
			}
		}
		return nil
	})
}
