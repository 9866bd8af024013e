// Package document replaces sections of a Markdown document that commands write.
package document

import (
	"fmt"
	"os"
	"strings"
)

// File is the document, as seen from the root of the repository.
const File = "examples/lab/sim/README.md"

// Section returns the text between the lines "<!-- NAME -->" and "<!-- end of NAME -->" of a file.
func Section(file, name string) (string, error) {
	_, text, _, err := cut(file, name)
	return strings.TrimSpace(text), err
}

// Replace replaces the text of a section.
func Replace(file, name, text string) error {
	head, _, tail, err := cut(file, name)
	if err != nil {
		return err
	}
	return os.WriteFile(file, []byte(head+"\n"+strings.TrimSpace(text)+"\n\n"+tail), 0o644)
}

// cut returns the text of a section, and what is before and after it with the lines around it.
func cut(file, name string) (head, text, tail string, err error) {
	all, err := os.ReadFile(file)
	if err != nil {
		return "", "", "", err
	}
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->"
	head, rest, ok := strings.Cut(string(all), begin)
	text, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", "", "", fmt.Errorf("%s has no section %q", file, name)
	}
	return head + begin, text, end + tail, nil
}
