// Package document replaces sections of a Markdown document that commands write.
package document

import (
	"fmt"
	"os"
	"strings"
)

// File is the document, as seen from the directory examples.
const File = "sim/README.md"

// Replace writes a text between the lines "<!-- NAME -->" and "<!-- end of NAME -->" of a file.
func Replace(file, name, text string) error {
	old, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	head, rest, ok := strings.Cut(string(old), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return fmt.Errorf("%s has no section %q", file, name)
	}
	return os.WriteFile(file, []byte(head+begin+"\n"+strings.TrimSpace(text)+"\n\n"+end+tail), 0o644)
}
