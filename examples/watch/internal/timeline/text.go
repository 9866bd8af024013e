package timeline

import (
	"strings"

	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// maxText is the number of bytes of a name or a line of chat that are kept.
const maxText = 1024

// text returns a text of a message as the game displays it: up to the first NUL. Characters that are
// not visible are escaped, so that no name looks like another one.
func text(s string) string {
	s, _, _ = strings.Cut(s, "\x00")
	return terminal.Line(clip(s))
}

// clip returns a text as valid UTF-8 with at most maxText bytes.
func clip(s string) string { return terminal.Clip(strings.ToValidUTF8(s, "\uFFFD"), maxText) }
